"""Kernels on the pixels of images."""

import numpy as np

from core.engine.registry import kernel


@kernel("flip_left_right", "cpu")
def flip_left_right(image: np.ndarray) -> np.ndarray:
    """Reverse the columns."""
    return np.array(image[:, :, ::-1], order="C")
