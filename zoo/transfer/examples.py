"""Examples that a model learns from: features of images with their targets, kept for more."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.transfer.float32_range import LARGEST_VALUE, are_in_range
from zoo.transfer.image_hashes import WORDS
from zoo.transfer.targets import Kind, Target


class Examples(NamedTuple):
    """Features of images with their targets, in the order in which they were added.

    Attributes:
        features: float32 [n, size].
        targets: of each a label, a tuple of labels, or a tuple of numbers.
        names: of each, such as its path in the folder.
        hashes: of each the sha256 of the image's file, or of its pixels.
        fingerprints: of each the perceptual hash, uint64 [n, 2]; see `zoo.transfer.image_hashes`.
        steps: how many examples there were after each addition, which `undone` takes back.
    """

    features: np.ndarray
    targets: tuple[Target, ...]
    names: tuple[str, ...]
    hashes: tuple[str, ...]
    fingerprints: np.ndarray
    steps: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.features)

    def joined(self, others: "Examples") -> "Examples":
        """Return these examples with others after them, as one more step.

        Raises:
            ZooError: their features have another size.
        """
        if others.features.shape[1] != self.features.shape[1]:
            raise ZooError(
                f"the new examples have {others.features.shape[1]} features, those before "
                f"{self.features.shape[1]}: take the features of one extractor"
            )
        return Examples(
            np.concatenate([self.features, others.features]),
            (*self.targets, *others.targets),
            (*self.names, *others.names),
            (*self.hashes, *others.hashes),
            np.concatenate([self.fingerprints, others.fingerprints]),
            (*self.steps, len(self) + len(others)),
        )

    def undone(self) -> "Examples":
        """Return the examples before the last addition.

        Raises:
            ZooError: there was one addition only.
        """
        if len(self.steps) < 2:
            raise ZooError("there is nothing to undo: all examples were added at once")
        left = self.part(range(self.steps[-2]))
        return Examples(*left[:-1], steps=self.steps[:-1])

    def part(self, chosen: Sequence[int] | np.ndarray) -> "Examples":
        """Return some examples, by their indices in ascending order; they keep their steps."""
        indices = [int(i) for i in chosen]
        return Examples(
            self.features[indices],
            tuple(self.targets[i] for i in indices),
            tuple(self.names[i] for i in indices),
            tuple(self.hashes[i] for i in indices),
            self.fingerprints[indices],
            tuple(int(count) for count in np.searchsorted(indices, self.steps) if count),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, to be stored beside `facts`."""
        return {"features": self.features, "fingerprints": self.fingerprints}

    def facts(self) -> dict[str, Any]:
        """Return the other fields as values of JSON."""
        targets = [t if isinstance(t, str) else list(cast(Iterable[Any], t)) for t in self.targets]
        return {
            "names": list(self.names),
            "sha256": list(self.hashes),
            "targets": targets,
            "steps": list(self.steps),
        }

    @classmethod
    def from_stored(
        cls, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any], kind: Kind
    ) -> "Examples":
        """Return the examples of what `arrays` and `facts` gave.

        Raises:
            KeyError: something is missing.
            ValueError: something is damaged.
        """
        return _checked(arrays, facts, kind)


def _checked(arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any], kind: Kind) -> Examples:
    features, fingerprints = arrays["features"], arrays["fingerprints"]
    targets = tuple(_target(kind, target) for target in facts["targets"])
    names, hashes = tuple(facts["names"]), tuple(facts["sha256"])
    steps = tuple(int(step) for step in facts["steps"])
    if features.ndim != 2 or features.dtype != np.float32 or not are_in_range(features):
        raise ValueError(
            f"features {features.shape} of {features.dtype} are no finite float32, or "
            f"above {LARGEST_VALUE:g}"
        )
    counts = {len(features), len(fingerprints), len(targets), len(names), len(hashes), *steps[-1:]}
    if len(counts) != 1 or list(steps) != sorted(steps) or not (steps and steps[0] > 0):
        raise ValueError(f"its lists differ in length: {sorted(counts)}")
    if fingerprints.shape[1:] != (WORDS,) or fingerprints.dtype != np.uint64:
        raise ValueError(
            f"hashes {fingerprints.shape} of {fingerprints.dtype} are no uint64 [n, k]"
        )
    if not all(isinstance(text, str) for text in (*names, *hashes)):
        raise ValueError("a name or hash is no text")
    return Examples(features, targets, names, hashes, fingerprints, steps)


def _target(kind: Kind, stored: Any) -> Target:
    if kind == "classification":
        if not isinstance(stored, str):
            raise ValueError(f"{stored!r:.80} is no label")
        return stored
    types = (str,) if kind == "multi_label" else (int, float)
    if not isinstance(stored, list) or not all(isinstance(value, types) for value in stored):
        raise ValueError(f"{stored!r:.80} is no target of {kind}")
    if kind == "regression" and not are_in_range(np.array(stored, np.float64)):
        raise ValueError(f"{stored!r:.80} are no finite numbers, or above {LARGEST_VALUE:g}")
    return tuple(stored)


def storable(kind: Kind, targets: Iterable[Target]) -> tuple[Target, ...]:
    """Return targets as `Examples` keeps them: labels, tuples of labels, or tuples of numbers."""
    if kind == "classification":
        return tuple(targets)
    if kind == "multi_label":
        several = cast(Iterable[Collection[str]], targets)
        return tuple(tuple(sorted(set(target))) for target in several)
    return tuple(tuple(np.ravel(cast(Any, t)).astype(float).tolist()) for t in targets)
