"""Parts of matrices."""

import numpy as np

from core.engine.registry import kernel
from core.errors import CoreError


@kernel("band_part", "cpu")
def band_part(input: np.ndarray, num_lower: np.ndarray, num_upper: np.ndarray) -> np.ndarray:
    """Return the matrix with zeros outside of the band, also where it has NaN."""
    rows, columns = input.shape[-2:]
    lower, upper = int(num_lower), int(num_upper)
    if lower > rows or upper > columns:
        raise CoreError(f"num_lower={lower} and num_upper={upper} of {rows} x {columns} matrices")
    below = np.arange(rows)[:, None] - np.arange(columns)  # how far from the diagonal
    kept = (lower < 0) | (below <= lower)
    kept &= (upper < 0) | (-below <= upper)
    return np.where(kept, input, input.dtype.type(0))
