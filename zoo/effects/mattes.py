"""Soft masks of people, sharpened along the edges that the image shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zoo.images.opencv import cv2
from zoo.pipeline.binding import bind
from zoo.pipeline.following import Follower
from zoo.tasks.segmentation.verbs import segment_person

_RADIUS = 0.012  # of the windows of the guided filter, in sides of the image
_SMOOTH = 5e-4  # variance of brightness, 0..1, below which an edge is noise
_LOW, _HIGH = 0.15, 0.85  # filtered probabilities that count as 0 and 1
_LEAST = 0.005  # share of the image that a person has at least
_SURE = 0.5
_FAR, _FAR_SHARE = 4.0, np.float32(1e-3)  # a wider Gaussian for what is far from all weight


class PersonMatte:
    """Finds how much each pixel belongs to a person; in a stream it is steadied over time."""

    def __init__(self, options: Mapping[str, Any]):
        self._options = options
        self.forget()

    def forget(self) -> None:
        """Forget the masks of the frames before."""
        self._follow: Follower | None = None

    def __call__(self, pixels: np.ndarray, time: float | None) -> np.ndarray | None:
        """Return the matte, float32 [height, width] in 0..1; None if there is nobody."""
        if time is None:
            likely = segment_person(pixels, probability=True, **self._options)["probability"]
        else:
            likely = self._followed(pixels, time)
        if (likely > _SURE).mean() < _LEAST:
            return None
        return refined_matte(pixels, likely)

    def _followed(self, pixels: np.ndarray, time: float) -> np.ndarray:
        """Return the steadied probability of a person in each pixel, float32 [height, width]."""
        if self._follow is None:
            self._follow = person_follower(self._options)
        likely: np.ndarray = self._follow(pixels, time)["probability"]
        return likely


def person_follower(options: Mapping[str, Any]) -> Follower:
    """Return what finds people in frames with their probability, by a model and a backend."""
    bound = bind(segment_person, probability=True, **options)
    follow: Follower = bound.model.follower(bound.verb, bound.options, smooth=True)
    return follow


def refined_matte(pixels: np.ndarray, likely: np.ndarray) -> np.ndarray:
    """Return probabilities with their edges where the image has edges.

    By the fast guided filter (He and Sun, "Fast Guided Filter", 2015), whose guide is the
    brightness; then the contrast is raised, so that sure pixels become 0 and 1.

    Args:
        pixels: uint8 [height, width, 3], RGB.
        likely: float32 [height, width], 0..1.
    """
    height, width = likely.shape
    radius = _RADIUS * float(np.sqrt(likely.size))
    shrink = max(1, int(radius / 3))
    small = max(1, width // shrink), max(1, height // shrink)
    bright = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    gain, offset = _linear_fit(
        cv2.resize(bright, small, interpolation=cv2.INTER_AREA) * np.float32(1 / 255),
        cv2.resize(likely, small, interpolation=cv2.INTER_AREA),
        2 * max(1, round(radius / shrink)) + 1,
    )
    matte = cv2.resize(gain, (width, height)) * (bright * np.float32(1 / 255))
    matte += cv2.resize(offset, (width, height))
    matte -= np.float32(_LOW)
    matte *= np.float32(1 / (_HIGH - _LOW))
    np.clip(matte, 0, 1, out=matte)
    smooth: np.ndarray = matte * matte * (3 - 2 * matte)
    return smooth


def _linear_fit(guide: np.ndarray, values: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the gain and offset by which values follow a guide, in windows around each pixel."""

    def mean(array: np.ndarray) -> np.ndarray:
        return cv2.blur(array, (side, side), borderType=cv2.BORDER_REPLICATE)

    of_guide, of_values = mean(guide), mean(values)
    variance = mean(guide * guide) - of_guide * of_guide
    gain = (mean(guide * values) - of_guide * of_values) / (variance + np.float32(_SMOOTH))
    return mean(gain), mean(of_values - gain * of_guide)


def spread_colours(pixels: np.ndarray, weight: np.ndarray, sigma: float) -> np.ndarray:
    """Return the mean colours around each pixel, of those pixels alone that have weight.

    A normalised convolution (Knutsson and Westin, 1993) with a Gaussian, computed on a smaller
    image where the Gaussian is wide. Far from all weight the colour is that of the wider image.

    Args:
        pixels: uint8 [height, width, 3].
        weight: float32 [height, width], 0..1.
        sigma: of the Gaussian, in pixels.

    Returns:
        uint8 [height, width, 3].
    """
    height, width = weight.shape
    first = 2 if sigma >= 6 else 1  # colours are weighted finely, so that they do not mix before
    shrink = max(first, int(sigma / 3))
    half = max(1, width // first), max(1, height // first)
    small = max(1, width // shrink), max(1, height // shrink)
    known = cv2.resize(weight, half, interpolation=cv2.INTER_AREA)[..., np.newaxis]
    colours = cv2.resize(pixels, half, interpolation=cv2.INTER_AREA)
    both = np.concatenate([colours * known, known], axis=2)
    both = cv2.resize(both, small, interpolation=cv2.INTER_AREA)
    near = _blurred(both, sigma / shrink) + _FAR_SHARE * _blurred(both, _FAR * sigma / shrink)
    mean = near[..., :3] / np.maximum(near[..., 3:], np.float32(1e-9))
    rounded = np.rint(np.clip(mean, 0, 255)).astype(np.uint8)
    spread: np.ndarray = cv2.resize(rounded, (width, height), interpolation=cv2.INTER_LINEAR)
    return spread


def blended(over: np.ndarray, under: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return a mix of two images, uint8 [height, width, 3], by the share of the first one."""
    mixed: np.ndarray = cv2.blendLinear(over, under, share, 1 - share)
    return mixed


def _blurred(values: np.ndarray, sigma: float) -> np.ndarray:
    blurred: np.ndarray = cv2.GaussianBlur(values, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    return blurred
