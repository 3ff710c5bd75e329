"""Changes of the colours of batches of images, by an amount for each image.

Images are floats [batch, height, width, 3], amounts [batch]; `low` and `high` are the values of
black and white.
"""

import numpy as np

#: Smallest divisor.
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
    height, width, channels = images.shape[1:]
    new = np.empty_like(images)
    for image, factor, result in zip(images, factors.astype(images.dtype), new, strict=True):
        columns = image.reshape(height, width * channels).mean(axis=0)  # faster than of two axes
        mean = columns.reshape(width, channels).mean(axis=0)
        np.multiply(image, factor, out=result)
        result += mean * (1 - factor)
    return np.clip(new, low, high, out=new)


def saturated(images: np.ndarray, factors: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return images with the saturation of their HSV colours times a factor, at most 1.

    Hue and value stay: a channel c becomes value - (value - c) * (new / old saturation).
    """
    new = np.empty_like(images)
    for image, factor, result in zip(images, factors, new, strict=True):
        rgb, value, span = _hexcone(image, low)
        ratio = value / np.maximum(span, _TINY)  # where the saturation becomes 1
        ratio = np.minimum(ratio, factor, dtype=images.dtype)
        result[...] = np.moveaxis(value - (value - rgb) * ratio, 0, 2)
    new += low
    return np.clip(new, low, high, out=new)


def hue_shifted(images: np.ndarray, turns: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return images with the hue of their HSV colours moved, in turns of the circle of colours."""
    new = np.empty_like(images)
    for image, turn, result in zip(images, turns, new, strict=True):
        rgb, value, span = _hexcone(image, low)
        sixths = _sixths(rgb, value, span)
        for channel, shift in enumerate((5, 3, 1)):
            k = np.mod(sixths + (turn * 6 + shift), 6, dtype=images.dtype)
            share = np.clip(np.minimum(k, 4 - k), 0, 1)
            result[:, :, channel] = value - span * share
    new += low
    return np.clip(new, low, high, out=new)


def _hexcone(image: np.ndarray, low: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return channels above black, [3, height, width], the largest, and its distance to the least.

    From "Color Gamut Transform Pairs" (Smith, 1978).
    """
    rgb = np.ascontiguousarray(np.moveaxis(image, 2, 0))
    if low:
        rgb -= low
    value = np.maximum(np.maximum(rgb[0], rgb[1]), rgb[2])
    least = np.minimum(np.minimum(rgb[0], rgb[1]), rgb[2])
    return rgb, value, value - least


def _sixths(rgb: np.ndarray, value: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Return hues in sixths of a turn: red 0, green 2, blue 4; 0 for grey."""
    red, green, blue = rgb
    safe = np.maximum(span, _TINY)
    hue = np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4)
    return np.where(value == red, (green - blue) / safe, hue)
