"""How far arrays are from those of another library."""

import numpy as np


def distance(found, expected) -> float:
    """The largest difference of arrays, relative above 1; infinite if shapes differ."""
    pairs = zip(found, expected, strict=True) if isinstance(found, list) else [(found, expected)]
    worst = 0.0
    for each, right in pairs:
        a, b = np.asarray(each), np.asarray(right)
        if a.shape != b.shape:
            return float("inf")
        errors = np.abs(a.astype("f8") - b) / np.maximum(np.abs(b), 1)
        worst = max(worst, float(errors.max(initial=0)))
    return worst
