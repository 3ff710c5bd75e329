"""Solvers of penalised linear models: logistic regression of classes or of labels, least squares.

With n rows, all minimise ``penalty * sum(losses of rows) + |weights|^2 / 2``, as scikit-learn's
``LogisticRegression(C=penalty)`` does; biases are not penalised. The rows are the right ones to
begin with: `rotated` turns n rows of more than n features into n features, which changes neither
the products of rows nor, therefore, the solution.

Source: limited-memory BFGS with its two loops as in Nocedal and Wright, Numerical Optimization,
algorithm 7.4, and a backtracking line search.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

#: A function's value and its gradient.
Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]

_USUAL_STEPS = 40
_PAIRS = 12  # of steps and changes of the gradient that are kept
_MOST_STEPS = 1000
_MOST_HALVINGS = 30
_ARMIJO = 1e-4  # of the decrease that the gradient promises
_LEAST_DECREASE = 64  # of the value, by its size and the precision of its floats

#: Relative gradient norm at which the solver stops, by dtype: the limit of its precision. Large
#: sets of features are float32, where 3e-4 leaves the loss 0.2 % above the minimum in a third of
#: the time.
_TOLERANCES = {"float64": 1e-6, "float32": 3e-4}
_LEAST_SHARE = 1e-12  # of the largest eigenvalue: below lies the noise of rounding


class Rotated(NamedTuple):
    """Rows in coordinates of which there are no more than rows.

    Attributes:
        rows: [n, r], with the products of the rows given.
        basis: [d, r], whose columns are orthonormal; None where rows are those given.
    """

    rows: np.ndarray
    basis: np.ndarray | None

    def weights_of(self, weights: np.ndarray) -> np.ndarray:
        """Return weights [d, outputs] of those [r, outputs] for the rotated rows."""
        return weights if self.basis is None else self.basis @ weights


def rotated(rows: np.ndarray, fits: int) -> Rotated:
    """Return rows [n, d] in at most n coordinates, if that makes fitting quicker.

    Args:
        rows: the rows.
        fits: how many vectors of weights are to be fitted.

    >>> rows = np.eye(2, 5) + 1
    >>> turned = rotated(rows, fits=9)
    >>> turned.rows.shape, bool(np.allclose(turned.rows @ turned.rows.T, rows @ rows.T))
    ((2, 2), True)
    """
    count, size = rows.shape
    # Operations: products and eigenvectors here, against what each step of a search saves.
    if 4 * count * size + 10 * count**2 >= 4 * _USUAL_STEPS * fits * (size - count):
        return Rotated(rows, None)
    squares, directions = np.linalg.eigh(rows @ rows.T)
    kept = squares > max(squares[-1], 1e-300) * _LEAST_SHARE
    lengths = np.sqrt(squares[kept])
    basis = rows.T @ (directions[:, kept] / lengths)
    return Rotated(directions[:, kept] * lengths, basis)


def fit_classes(
    rows: np.ndarray, targets: np.ndarray, penalty: float, start: np.ndarray | None = None
) -> np.ndarray:
    """Return weights and, as their last row, biases of the classes: [r + 1, classes].

    Two classes have one vector of weights, which is shared out between both with opposite signs.

    Args:
        rows: [n, r].
        targets: [n], indices of classes.
        penalty: above 0; larger ones allow larger weights.
        start: what an earlier call returned, to begin with.
    """
    classes = int(targets.max()) + 1
    if classes == 2:
        begin = None if start is None else start[:, 1:] * 2
        one = fit_labels(rows, (targets == 1)[:, None].astype(rows.dtype), penalty, begin)
        return np.concatenate([-one / 2, one / 2], axis=1)
    hot = np.eye(classes, dtype=rows.dtype)[targets]
    return _fit_links(rows, hot, penalty, start, _softmax_losses)


def fit_labels(
    rows: np.ndarray, targets: np.ndarray, penalty: float, start: np.ndarray | None = None
) -> np.ndarray:
    """Return weights and, as their last row, biases of labels that exclude none: [r + 1, labels].

    Args:
        rows: [n, r].
        targets: [n, labels], 1 where a label applies, else 0.
        penalty: see `fit_classes`.
        start: see `fit_classes`.
    """
    return _fit_links(rows, targets, penalty, start, _sigmoid_losses)


def fit_values(rows: np.ndarray, targets: np.ndarray, penalty: float) -> np.ndarray:
    """Return weights and, as their last row, biases for values: [r + 1, values].

    Solved exactly: minimised are half the squared errors.

    Args:
        rows: [n, r].
        targets: [n, values].
        penalty: see `fit_classes`.

    >>> rows = np.array([[-1.0], [0.0], [1.0]])
    >>> fit_values(rows, 2 * rows + 5, 1e6).round(3).ravel()
    array([2., 5.])
    """
    middle, mean = rows.mean(axis=0), targets.mean(axis=0)
    centred = rows - middle
    squares = centred.T @ centred
    squares[np.diag_indices_from(squares)] += 1 / penalty
    weights = np.linalg.solve(squares, centred.T @ (targets - mean))
    return np.concatenate([weights, (mean - middle @ weights)[None]])


def temperature_of(logits: np.ndarray, targets: np.ndarray) -> float:
    """Return what to divide logits by, so that the scores of rows held out are likely.

    A class of n rows is taken to be right in (n + 1) of (n + 2) cases: a few rows, all of them
    right, do not prove that no other will be wrong.

    Source: temperature scaling (Guo et al., On Calibration of Modern Neural Networks, 2017), with
    the targets of Platt, Probabilistic Outputs for Support Vector Machines, 1999.

    Args:
        logits: [n, classes], of rows that no training has seen.
        targets: [n], indices of classes.

    Returns:
        A number from 0.05 to 20.

    >>> logits = np.array([[9.0, -9.0]] * 12 + [[-9.0, 9.0]] * 12)
    >>> round(temperature_of(logits, np.repeat([0, 1], 12)), 1)  # all are right
    7.0
    """
    counts = np.bincount(targets, minlength=logits.shape[1])[targets]
    right = (counts + 1) / (counts + 2)
    likely = np.repeat(((1 - right) / (logits.shape[1] - 1))[:, None], logits.shape[1], axis=1)
    likely[np.arange(len(targets)), targets] = right
    from_log, to_log = np.log(0.05), np.log(20.0)
    golden = (np.sqrt(5) - 1) / 2

    def loss(log: float) -> float:
        scaled = logits / np.exp(log)
        return float((_log_sum_exp(scaled) - (scaled * likely).sum(axis=1)).sum())

    while to_log - from_log > 1e-3:  # one minimum: the loss is convex in 1 / temperature
        left = to_log - golden * (to_log - from_log)
        right_log = from_log + golden * (to_log - from_log)
        if loss(left) < loss(right_log):
            to_log = right_log
        else:
            from_log = left
    return float(np.exp((from_log + to_log) / 2))


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return probabilities of classes [n, classes]."""
    return np.exp(logits - _log_sum_exp(logits)[:, None])


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return probabilities of labels, of any shape, without overflow."""
    return np.exp(-np.logaddexp(0, -logits))


#: Loss function: (logits, targets) -> (sum of losses, gradient by the logits).
_Losses = Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray]]


def _fit_links(
    rows: np.ndarray,
    targets: np.ndarray,
    penalty: float,
    start: np.ndarray | None,
    losses: _Losses,
) -> np.ndarray:
    size, outputs = rows.shape[1], targets.shape[1]

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        found = flat.reshape(size + 1, outputs)
        total, by_logits = losses(rows @ found[:-1] + found[-1], targets)
        gradient = np.empty_like(found)
        gradient[:-1] = penalty * (rows.T @ by_logits) + found[:-1]
        gradient[-1] = penalty * by_logits.sum(axis=0)
        return penalty * total + 0.5 * float((found[:-1] ** 2).sum()), gradient.ravel()

    zeros = np.zeros((size + 1, outputs), rows.dtype)
    least = _TOLERANCES[rows.dtype.name] * float(np.abs(objective(zeros.ravel())[1]).max())
    begin = zeros if start is None else start
    return minimised(objective, begin.ravel(), least).reshape(size + 1, outputs)


def _softmax_losses(logits: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    logs = _log_sum_exp(logits)
    return float((logs - (logits * targets).sum(axis=1)).sum()), softmax(logits) - targets


def _sigmoid_losses(logits: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    total = float((np.logaddexp(0, logits) - targets * logits).sum())
    return total, sigmoid(logits) - targets


def _log_sum_exp(logits: np.ndarray) -> np.ndarray:
    highest = logits.max(axis=1)
    return highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))


def minimised(objective: Objective, start: np.ndarray, least_gradient: float) -> np.ndarray:
    """Return the minimum of a convex function by limited-memory BFGS.

    Args:
        objective: the function; see `Objective`.
        start: where to begin, [parameters].
        least_gradient: the search ends where no element of the gradient is larger.
    """
    at, (value, gradient) = start, objective(start)
    precision = float(np.finfo(start.dtype).eps)
    pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
    for _ in range(_MOST_STEPS):
        if np.abs(gradient).max() <= least_gradient:
            break
        direction = _direction(gradient, pairs)
        slope = float(direction @ gradient)
        step = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        for _ in range(_MOST_HALVINGS):
            there = at + step * direction
            value_there, gradient_there = objective(there)
            if value_there <= value + _ARMIJO * step * slope:
                break
            step /= 2
        else:
            break  # rounding hides any decrease
        moved, changed = there - at, gradient_there - gradient
        product = float(moved @ changed)
        if product > 1e-12 * float(changed @ changed):
            pairs = [*pairs[1 - _PAIRS :], (moved, changed, product)]
        is_flat = value - value_there <= _LEAST_DECREASE * precision * abs(value)
        at, value, gradient = there, value_there, gradient_there
        if is_flat:
            break
    return at


def _direction(
    gradient: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray, float]]
) -> np.ndarray:
    """Return the direction of a quasi-Newton step."""
    found, shares = -gradient, []
    for moved, changed, product in reversed(pairs):
        share = float(moved @ found) / product
        shares.append(share)
        found = found - share * changed
    if pairs:
        _, changed, product = pairs[-1]
        found = found * (product / float(changed @ changed))
    for (moved, changed, product), share in zip(pairs, reversed(shares), strict=True):
        found = found + (share - float(changed @ found) / product) * moved
    return found
