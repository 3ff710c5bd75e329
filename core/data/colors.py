"""Changes of the colours of batches of images, by an amount for each image.

Images are floats [batch, height, width, 3], amounts [batch]; `low` and `high` are the values of
black and white.
"""

import numpy as np

#: The smallest value by which is divided.
_TINY = 1e-7


def _each(amounts: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Return amounts that broadcast to images."""
    return amounts.astype(images.dtype).reshape(-1, 1, 1, 1)


def brightened(images: np.ndarray, shares: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return images with a share of the range of values added.

    >>> brightened(np.ones((1, 1, 1, 1)), np.array([0.5]), 0, 255).item()
    128.5
    """
    return np.clip(images + _each(shares * (high - low), images), low, high)


def contrasted(images: np.ndarray, factors: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return images with distances from the mean of each channel times a factor."""
    means = images.mean(axis=(1, 2), keepdims=True)
    return np.clip((images - means) * _each(factors, images) + means, low, high)


def saturated(images: np.ndarray, factors: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return images with the saturation of their HSV colours times a factor, at most 1.

    Hue and value stay: a channel c becomes value - (value - c) * (new / old saturation).
    """
    above = images - low
    value = above.max(axis=3, keepdims=True)
    least = above.min(axis=3, keepdims=True)
    most = value / np.maximum(value - least, _TINY)  # of the factor: saturation 1
    ratio = np.minimum(_each(factors, images), most)
    return np.clip(value - (value - above) * ratio + low, low, high)


def hue_shifted(images: np.ndarray, turns: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return images with the hue of their HSV colours moved, in turns of the circle of colours."""
    above = images - low
    value, least = above.max(axis=3), above.min(axis=3)
    span = value - least
    hue = (_hue(above, value, span) + _each(turns, images)[..., 0]) * 6
    return np.stack([_channel(hue, n, least, span) + low for n in (5, 3, 1)], axis=3)


def _hue(rgb: np.ndarray, value: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Return hues in turns: red 0, green 1/3, blue 2/3; 0 for grey."""
    red, green, blue = np.moveaxis(rgb, 3, 0)
    safe = np.maximum(span, _TINY) * 6
    hue = np.where(value == green, (blue - red) / safe + 1 / 3, (red - green) / safe + 2 / 3)
    hue = np.where(value == red, (green - blue) / safe, hue)
    return np.where(span > 0, hue, 0).astype(rgb.dtype)


def _channel(hue: np.ndarray, place: int, least: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Return a channel of RGB for hues in sixths of a turn; its place is 5, 3 or 1."""
    k = (hue + place) % 6
    return least + span * (1 - np.clip(np.minimum(k, 4 - k), 0, 1))
