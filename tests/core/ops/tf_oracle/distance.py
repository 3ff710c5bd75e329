"""How far two results are apart; knows nothing of TensorFlow."""

import numpy as np


class DisagreementError(Exception):
    """What differs in one case, in words."""


def largest_error(ours: list[np.ndarray], expected: list[np.ndarray], tolerance: float) -> float:
    """The largest error of several results, relative to the largest magnitude of each.

    Raises:
        DisagreementError: one is larger than the tolerance, or shapes, dtypes or places of NaN
            and infinity differ; whole numbers, bools and strings must be equal.
    """
    if len(ours) != len(expected):
        raise DisagreementError(f"{len(ours)} results, TensorFlow has {len(expected)}")
    errors = [_error(o, e, tolerance) for o, e in zip(ours, expected, strict=True)]
    return max(errors, default=0.0)


def _error(ours: np.ndarray, expected: np.ndarray, tolerance: float) -> float:
    if (ours.shape, ours.dtype) != (expected.shape, expected.dtype):
        raise DisagreementError(
            f"{ours.dtype} {ours.shape}, TensorFlow has {expected.dtype} {expected.shape}"
        )
    if ours.dtype.kind not in "fc":
        wrong = np.asarray(ours != expected)
        if wrong.any():
            raise DisagreementError(_first_values(ours, expected, wrong))
        return 0.0
    with np.errstate(all="ignore"):
        same = (ours == expected) | (np.isnan(ours) & np.isnan(expected))
        sizes = np.abs(expected[np.isfinite(expected)].astype(np.complex128))
        scale = max(float(sizes.max(initial=0.0)), np.finfo(np.float32).tiny)
        apart = np.abs(ours.astype(np.complex128) - expected.astype(np.complex128)) / scale
        errors = np.where(same, 0.0, apart)
    wrong = ~(errors <= tolerance)  # an error of NaN is one too
    if wrong.any():
        raise DisagreementError(_first_values(ours, expected, wrong))
    return float(errors.max(initial=0.0))


def _first_values(ours: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> str:
    places = [tuple(map(int, place)) for place in np.argwhere(wrong)]
    shown = [f"at {p}: {ours[p]!r}, TensorFlow has {expected[p]!r}" for p in places[:3]]
    return f"{len(places)} of {wrong.size} values differ; " + "; ".join(shown)
