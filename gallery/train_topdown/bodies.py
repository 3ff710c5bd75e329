"""People whose joints are known, and where layers of scenes take their joints.

Points are (x, y) in pixels, whose middles are whole numbers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from training.joints import OTHER_SIDE
from training.layers import Layer
from training.photos import Photos

MOST_PEOPLE = 8  # in a photo
CONFIDENT = 0.15  # from which confidence on a joint counts for the extent of a body
_FAR = 1e4


class People(NamedTuple):
    """The people in each photo.

    ``keypoints`` is float32 ``[photos, people, 17, 3]`` (x, y in pixels of the photo's square,
    confidence), ``scores`` ``[photos, people]`` in 0..1, best first, 0 where there are no more.
    """

    keypoints: Tensor
    scores: Tensor


def extent(points: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
    """Return the upper left and the lower right corner around points ``[..., k, 2]``.

    Only those count for which ``counted`` ``[..., k]`` is true; without any, left is far right.
    """
    counted = counted[..., None]
    low = torch.where(counted, points, _FAR).amin(-2)
    return low, torch.where(counted, points, -_FAR).amax(-2)


def to_scene(layer: Layer, points: Tensor) -> Tensor:
    """Return where points ``[n, ..., 2]`` of a layer's photos are in the scenes."""
    inverse = torch.linalg.inv(layer.matrix)
    return _transform(inverse, points - _over(layer.shift, points))


def _to_photo(layer: Layer, points: Tensor) -> Tensor:
    return _transform(layer.matrix, points) + _over(layer.shift, points)


def _transform(matrix: Tensor, points: Tensor) -> Tensor:
    return torch.einsum("nij,n...j->n...i", matrix, points)


def _over(values: Tensor, points: Tensor) -> Tensor:
    """Give one vector (or flag) per scene the axes of points ``[n, ..., 2]``."""
    return values.view(len(values), *[1] * (points.ndim - 2), -1)


def is_reflected(layer: Layer) -> Tensor:
    """Tell, ``[n]``, which scenes show their photos' mirror images."""
    return torch.linalg.det(layer.matrix) < 0


def other_side(keypoints: Tensor, reflected: Tensor) -> Tensor:
    """Swap left and right joints ``[n, ..., 17, 3]`` in the scenes that are mirror images."""
    swapped = keypoints[..., OTHER_SIDE, :]
    return torch.where(_over(reflected, keypoints).bool(), swapped, keypoints)


def is_covered(points: Tensor, layers: Sequence[Layer], photos: Photos) -> Tensor:
    """Tell which points ``[n, ..., 2]`` of scenes lie under one of the layers."""
    covered = torch.zeros_like(points[..., 0], dtype=torch.bool)
    for layer in layers:
        there = _to_photo(layer, points)
        sizes = _over(photos.sizes[layer.photos], points)
        inside = ((there > -0.5) & (there < sizes - 0.5)).all(-1)
        covered |= inside & _over(layer.shown, points)[..., 0].bool()
    return covered
