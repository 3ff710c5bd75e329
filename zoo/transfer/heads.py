"""Heads: one dense layer on features, for classes, labels or values."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.transfer.array_files import read_arrays, write_arrays
from zoo.transfer.float32_range import LARGEST_VALUE, are_in_range
from zoo.transfer.solvers import (
    Rotated,
    fit_classes,
    fit_labels,
    fit_values,
    rotated,
    sigmoid,
    softmax,
)
from zoo.transfer.targets import KINDS, Kind, Target, encoded, label_names

#: Epsilon added to the variance of a row that is normalised.
EPSILON = 1e-6

#: Chosen on the training images of ants and bees with three networks: the widest range of good
#: results of logistic regression, from 0.1 to 1, has it in its middle.
PENALTY = 0.3

_FORMAT, _VERSION = "zoo-head", 1
_LEAST_DEVIATION = 1e-6  # of a feature, by the largest one: smaller ones are constant
_IN_DOUBLES = 4_000_000  # elements; larger sets of features are computed with in float32


class Head:
    """One dense layer on features, trained in a moment: for classes, labels or values.

    Algorithm: features are standardised; classes are learnt by logistic regression, labels by one
    logistic regression each, values by ridge regression (`zoo.transfer.solvers`). The layer that
    results has the standardisation folded into its weights.

    Attributes:
        kind: "classification", "multi_label" or "regression".
        penalty: weight of the losses against that of the squared weights, above 0: larger ones
            follow the examples more closely. scikit-learn calls it C.
        normalize: whether each row of features is brought to mean 0 and variance 1 first, as
            suits the embeddings of networks.
        labels: labels of the outputs, in their order.
        kernel: float32 [features, outputs].
        bias: float32 [outputs].

    Raises:
        ZooError: the kind is unknown, or the penalty is not above 0.

    >>> features = np.array([[0.0, 1.0], [0.2, 0.9], [1.0, 0.1], [0.9, 0.0]])
    >>> head = Head().fit(features, ["cat", "cat", "dog", "dog"])
    >>> head.labels, head.predict([[0.1, 1.0]]).round(2).tolist()
    (('cat', 'dog'), [[0.69, 0.31]])
    """

    def __init__(
        self,
        kind: Kind = "classification",
        *,
        penalty: float = PENALTY,
        normalize: bool = False,
    ):
        if kind not in KINDS:
            hint = did_you_mean(str(kind), KINDS)
            raise ZooError(f"unknown kind of head {kind!r:.80}{hint} ({', '.join(KINDS)})")
        self.kind, self.normalize = kind, bool(normalize)
        self.penalty = checked_penalty(penalty)
        self.labels: tuple[str, ...] = ()
        self.kernel = np.empty((0, 0), np.float32)
        self.bias = np.empty(0, np.float32)

    def fit(
        self,
        features: "np.ndarray | Sequence[Sequence[float]]",
        targets: Sequence[Target],
        labels: Sequence[str] | None = None,
    ) -> "Head":
        """Train the head anew.

        Args:
            features: [n, size].
            targets: n labels; of "multi_label" n collections of labels; of "regression" n numbers
                or n sequences of numbers.
            labels: labels of the outputs in their order; by default those of the targets, sorted,
                and "value" or "value_1", .. for numbers.

        Returns:
            The head.

        Raises:
            ZooError: features or targets are invalid, numbers differ, or there is one class only.
        """
        (fitted,) = fit_path(self, features, targets, [self.penalty], labels)
        self.labels, self.kernel, self.bias = fitted.labels, fitted.kernel, fitted.bias
        return self

    def scores(self, features: "np.ndarray | Sequence[Sequence[float]]") -> np.ndarray:
        """Return the values before the activation, float32 [n, outputs].

        Raises:
            ZooError: the head is not trained, or features have another size.
        """
        if not self.labels:
            raise ZooError("the head is not trained: call fit(features, targets) first")
        rows = checked_features(features, len(self.kernel))
        return normalized(rows, self.normalize) @ self.kernel + self.bias

    def predict(self, features: "np.ndarray | Sequence[Sequence[float]]") -> np.ndarray:
        """Return probabilities of classes or labels, or values: float32 [n, outputs].

        Raises:
            ZooError: as of `scores`.
        """
        return activated(self.kind, self.scores(features))

    def scaled(self, temperature: float) -> "Head":
        """Return the head with its values before the activation divided by a number above 0."""
        return self.with_weights(self.labels, self.kernel / temperature, self.bias / temperature)

    def with_weights(self, labels: Sequence[str], kernel: np.ndarray, bias: np.ndarray) -> "Head":
        """Return a head of this kind with other labels and weights."""
        made = Head(self.kind, penalty=self.penalty, normalize=self.normalize)
        made.labels = tuple(labels)
        made.kernel = np.ascontiguousarray(kernel, np.float32)
        made.bias = np.ascontiguousarray(bias, np.float32)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the head to an ``.npz`` file, wholly or not at all.

        Raises:
            ZooError: the file cannot be written, or the head is not trained.
        """
        if not self.labels:
            raise ZooError("the head is not trained: there is nothing to save")
        facts = {
            "format": _FORMAT,
            "version": _VERSION,
            "kind": self.kind,
            "penalty": self.penalty,
            "normalize": self.normalize,
            "labels": self.labels,
        }
        write_arrays(path, {"kernel": self.kernel, "bias": self.bias}, facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Head":
        """Return the head of a file that `save` wrote.

        Raises:
            ZooError: the file is missing, damaged or of a newer version.
        """
        arrays, facts = read_arrays(path, _FORMAT, _VERSION)
        try:
            return head_of(arrays, facts)
        except (KeyError, TypeError, ValueError, ZooError) as error:
            raise ZooError(f"{os.fspath(path)!r} is a damaged head: {error}") from error

    def __repr__(self) -> str:
        outputs = ", ".join(self.labels[:5]) + (", .." if len(self.labels) > 5 else "")
        return f"<Head for {self.kind} of {outputs or 'nothing yet'}>"


class Standardisation(NamedTuple):
    """Mean and inverse deviation of each feature; 0 where the feature is constant."""

    mean: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> "Standardisation":
        """Return that of rows [n, size]."""
        deviation = rows.std(axis=0)
        varies = deviation > _LEAST_DEVIATION * max(float(deviation.max(initial=0.0)), 1e-30)
        return cls(rows.mean(axis=0), np.where(varies, 1 / np.where(varies, deviation, 1), 0))

    def apply(self, rows: np.ndarray) -> np.ndarray:
        """Return rows as multiples of the deviation from the mean."""
        return (rows - self.mean) * self.inverse


def fit_path(
    head: Head,
    features: "np.ndarray | Sequence[Sequence[float]]",
    targets: Sequence[Target],
    penalties: Sequence[float],
    labels: Sequence[str] | None = None,
) -> list[Head]:
    """Return a head for each of several penalties, which takes little longer than one.

    Args:
        head: the kind and whether to normalize.
        features: see `Head.fit`.
        targets: see `Head.fit`.
        penalties: in ascending order, which is the quickest.
        labels: see `Head.fit`.

    Raises:
        ZooError: see `Head.fit`.
    """
    rows = checked_features(features)
    names = label_names(head.kind, targets, labels)
    coded = encoded(head.kind, targets, names)
    if len(coded) != len(rows):
        raise ZooError(f"{len(rows)} rows of features have {len(coded)} targets: give one for each")
    doubles = np.float64 if rows.size <= _IN_DOUBLES else np.float32
    rows = normalized(rows.astype(doubles), head.normalize)
    standard = Standardisation.of(rows)
    outputs = 1 if len(names) == 2 else len(names)
    # Values are solved for by a system of equations as large as the rows.
    fits = rows.shape[1] if head.kind == "regression" else len(penalties) * outputs
    turned = rotated(standard.apply(rows), fits)
    found = []
    for penalty, weights in zip(
        penalties, _weights(head.kind, turned, coded, len(names), penalties), strict=True
    ):
        kernel = turned.weights_of(weights[:-1]) * standard.inverse[:, None]
        made = Head(head.kind, penalty=penalty, normalize=head.normalize)
        found.append(made.with_weights(names, kernel, weights[-1] - standard.mean @ kernel))
    return found


def _weights(
    kind: Kind, turned: Rotated, coded: np.ndarray, outputs: int, penalties: Sequence[float]
) -> Iterator[np.ndarray]:
    """Yield weights and biases for each penalty, each search from where the last one ended."""
    rows, last = turned.rows, None
    if kind == "regression":
        mean, deviation = coded.mean(axis=0), coded.std(axis=0)
        deviation = np.where(deviation > 0, deviation, 1)
        for penalty in penalties:
            found = fit_values(rows, (coded - mean) / deviation, penalty) * deviation
            found[-1] += mean
            yield found
        return
    for penalty in penalties:
        if kind == "multi_label":
            last = fit_labels(rows, coded.astype(rows.dtype), penalty, last)
        else:
            last = fit_classes(rows, coded, penalty, last)
        assert last.shape[1] == outputs
        yield last


def activated(kind: Kind, logits: np.ndarray) -> np.ndarray:
    """Return probabilities of classes or labels, or values, of a head's scores."""
    if kind == "regression":
        return logits
    return softmax(logits) if kind == "classification" else sigmoid(logits)


def checked_penalty(penalty: float) -> float:
    """Return a penalty.

    Raises:
        ZooError: it is not a number above 0.
    """
    if isinstance(penalty, bool) or not isinstance(penalty, (int, float, np.number)):
        raise ZooError(f"penalty={penalty!r:.80} must be a number above 0")
    if not 0 < penalty < np.inf:
        raise ZooError(f"penalty={penalty!r} must be a number above 0")
    return float(penalty)


def checked_features(
    features: "np.ndarray | Sequence[Sequence[float]]", size: int | None = None
) -> np.ndarray:
    """Return features as float32 [n, size], of another floating dtype if they have one.

    Raises:
        ZooError: they are no finite numbers of one size.
    """
    try:
        rows = np.asarray(features)
        rows = rows if rows.dtype.kind == "f" else rows.astype(np.float32)
    except (TypeError, ValueError):
        raise ZooError("features must be numbers [n, size], with one size for all rows") from None
    if rows.ndim != 2 or not rows.size:
        raise ZooError(f"features of shape {rows.shape} must have the shape [n, size]")
    if size is not None and rows.shape[1] != size:
        raise ZooError(f"rows have {rows.shape[1]} features, the head was trained with {size}")
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise ZooError(f"row {row} of the features has values that are not finite numbers")
    return rows


def normalized(rows: np.ndarray, normalize: bool = True) -> np.ndarray:
    """Return rows [n, size] of mean 0 and variance 1, if they are to be."""
    if not normalize:
        return rows
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + rows.dtype.type(EPSILON))


def head_of(arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> Head:
    """Return the head of stored arrays and facts.

    Raises:
        KeyError: something is missing.
        ValueError: something is damaged.
    """
    head = Head(facts["kind"], penalty=facts["penalty"], normalize=facts["normalize"])
    kernel, bias, labels = arrays["kernel"], arrays["bias"], facts["labels"]
    if kernel.ndim != 2 or bias.shape != kernel.shape[1:] or len(labels) != len(bias):
        raise ValueError(f"its shapes {kernel.shape}, {bias.shape} do not fit {len(labels)} labels")
    if not all(isinstance(label, str) for label in labels) or kernel.dtype != np.float32:
        raise ValueError("its labels are no texts, or its weights no float32")
    if not (are_in_range(kernel) and are_in_range(bias)):
        raise ValueError(f"its weights are not finite, or above {LARGEST_VALUE:g}")
    return head.with_weights(labels, kernel, bias)
