"""Differences of outputs, and their limits.

The rule, by the kind of an output:

- **Floats** differ from cpu tier 1 by at most `FLOAT_LIMIT` of the output's range (its largest less
  its smallest value; of one number its size): sums come in another order. From goldens of other
  programs they differ by at most `GOLDEN_LIMIT`.
- **Quantised outputs** are compared in quantised steps: 99 of 100 values differ by at most
  `STEP_LIMIT` steps. The best class is the same wherever it leads by more than `LEAD_STEPS`.
- **Sensitive outputs**, which move farther than that when the last bit of each weight does, may
  differ by `MOVE_FACTOR` times as much as they move (`zoo.verification.sensitivity`): such as
  quantised ones of deep networks, where a sum that is rounded to another step moves all that
  follows.
- **Integers, truth values and texts** are equal.
- **NaN and infinities** stand in the same positions.

Outputs that depend on a choice of positions, such as the best boxes or the largest of a heatmap,
jump where two values are nearly equal. Compared instead are the values that the choice is
made from: see `zoo.verification.networks`.
"""

from typing import NamedTuple

import numpy as np

#: Largest differences from cpu tier 1 and from goldens, as shares of an output's range.
FLOAT_LIMIT, GOLDEN_LIMIT = 1e-4, 1e-3

#: Quantised steps, at the 99th percentile.
STEP_LIMIT = 2.0

#: Smallest lead of a best class that is compared, in quantised steps.
LEAD_STEPS = 16.0

#: Rounding error in steps: both sides are steps times a float32 scale, so 2 may be 2.0000002.
_DUST = 1e-3

OF_RANGE, STEPS, OTHERS = "of the range", "steps, 99 of 100", "other values"

#: Multiple of a sensitive output's move by which it may differ, if that is more than its limit.
MOVE_FACTOR = 2.0


class Difference(NamedTuple):
    """Difference of an output from its reference.

    Attributes:
        absolute: the largest difference; None where there is no number.
        relative: that, in shares of the range of the output.
        measured: what must keep the limit, in the unit.
        limit: the largest valid value of ``measured``.
        unit: of both.
        fault: what is wrong; ``""`` if nothing is.
    """

    absolute: float | None
    relative: float | None
    measured: float | None
    limit: float | None
    unit: str
    fault: str


class Rule(NamedTuple):
    """Facts about an output that is compared.

    Attributes:
        scale: of its quantised steps; None: it is not quantised.
        share: of the range that floats may differ by.
        move: how far it moves with the last bits of the weights, in steps or shares of the range.
        apart: how far it is from what float32 gives, in steps, where a golden may be of that.
    """

    scale: float | None = None
    share: float = FLOAT_LIMIT
    move: float = 0.0
    apart: float = 0.0

    @property
    def limit(self) -> float:
        """The largest valid difference, in steps or shares of the range."""
        least = self.share if self.scale is None else STEP_LIMIT
        return max(least, MOVE_FACTOR * self.move, self.apart + 1 if self.apart else 0.0)


def difference(actual: np.ndarray | None, expected: np.ndarray, rule: Rule) -> Difference:
    """Compare an output with its reference.

    >>> difference(np.float32([0, 1.001]), np.float32([0, 1]), Rule()).fault
    'differs by 0.001 of the range'
    >>> difference(np.int32([1, 2]), np.int32([1, 2]), Rule()).fault
    ''
    """
    fault = _fault_of_form(actual, expected)
    if actual is None or fault:
        return Difference(None, None, None, None, "", fault)
    if expected.dtype.kind not in "fc":
        return _of_values(actual, expected)
    fault = _fault_of_numbers(actual, expected)
    if fault:
        return Difference(None, None, None, None, "", fault)
    return _of_floats(actual, expected, rule)


def _fault_of_form(actual: np.ndarray | None, expected: np.ndarray) -> str:
    """Return the fault of an output's presence, dtype or shape, or an empty text."""
    if actual is None:
        return "the output is missing"
    if actual.dtype != expected.dtype:
        return f"the dtype is {actual.dtype}, not {expected.dtype}"
    return (
        ""
        if actual.shape == expected.shape
        else f"the shape is {actual.shape}, not {expected.shape}"
    )


def _fault_of_numbers(actual: np.ndarray, expected: np.ndarray) -> str:
    """Return the fault of NaN and infinities, or an empty text."""
    ordinary = np.isfinite(expected)
    others = np.isfinite(actual) != ordinary
    wrong = int(np.count_nonzero(others))
    if wrong:
        return f"{wrong} of {actual.size} values are NaN or infinite, or must be and are not"
    same = np.array_equal(actual[~ordinary], expected[~ordinary], equal_nan=True)
    return "" if same else "NaN and infinities are not those of cpu tier 1"


def _of_values(actual: np.ndarray, expected: np.ndarray) -> Difference:
    """Compare integers, truth values or texts."""
    others = int(np.count_nonzero(actual != expected))
    fault = f"{others} of {actual.size} values differ" if others else ""
    return Difference(None, None, others, 0, OTHERS, fault)


def _of_floats(actual: np.ndarray, expected: np.ndarray, rule: Rule) -> Difference:
    """Compare floats by the range of the output, or by quantised steps."""
    ordinary = np.isfinite(expected)
    one, other = (np.asarray(a[ordinary], np.complex128) for a in (actual, expected))
    distances = np.abs(one - other)
    absolute = float(distances.max()) if distances.size else 0.0
    relative = absolute / extent(other.real if expected.dtype.kind == "f" else np.abs(other))
    if rule.scale is None:
        fault = f"differs by {relative:.2g} of the range" if relative > rule.limit else ""
        return Difference(absolute, relative, relative, rule.limit, OF_RANGE, fault)
    steps = float(np.percentile(distances, 99)) / rule.scale if distances.size else 0.0
    is_far = steps > rule.limit + _DUST
    fault = f"99 of 100 values differ by up to {steps:.3g} steps" if is_far else ""
    fault = fault or _fault_of_class(actual, expected, rule.scale)
    return Difference(absolute, relative, steps, rule.limit, STEPS, fault)


def extent(values: np.ndarray) -> float:
    """The range of an output: the largest less the smallest value; of equal values their size.

    >>> extent(np.array([1.0, 3.0])), extent(np.array([-4.0])), extent(np.array([0.0]))
    (2.0, 4.0, 1.0)
    """
    if not values.size:
        return 1.0
    return float(np.ptp(values) or np.abs(values).max() or 1.0)


def _fault_of_class(actual: np.ndarray, expected: np.ndarray, scale: float) -> str:
    """Return whether a row of classes has another best class, where one leads by far."""
    if expected.ndim != 2 or expected.shape[1] < 2:
        return ""
    ordered = np.sort(expected, axis=1)
    sure = ordered[:, -1] - ordered[:, -2] > LEAD_STEPS * scale
    others = int(np.count_nonzero((actual.argmax(axis=1) != expected.argmax(axis=1)) & sure))
    return f"{others} of {len(expected)} rows have another best class" if others else ""
