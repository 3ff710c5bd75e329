"""Resizing images, each new pixel by its formula."""

from functools import partial

import numpy as np

from tests.core.ops.records.case import Case, bools, floats, ints
from tests.core.ops.records.conv import transposed


def _naive_resize(images, *, size, align_corners=False, half_pixel_centers=False, nearest=False):
    """Each new pixel by the formula of TensorFlow's documentation, one at a time."""
    images = np.asarray(images, np.float64)
    old = images.shape[-3:-1]

    def position(i, axis):
        if align_corners and size[axis] > 1:
            return i * (old[axis] - 1) / (size[axis] - 1)
        ratio = old[axis] / size[axis]
        return (i + 0.5) * ratio - 0.5 if half_pixel_centers else i * ratio

    def weights(i, axis):
        at = position(i, axis)
        if nearest:
            at = np.floor(at + 0.5) if align_corners or half_pixel_centers else np.floor(at)
        at = min(max(at, 0), old[axis] - 1)
        return np.maximum(1 - abs(np.arange(old[axis]) - at), 0)

    rows = np.array([weights(i, 0) for i in range(size[0])])
    columns = np.array([weights(i, 1) for i in range(size[1])])
    return np.einsum("...hwc,ph,qw->...pqc", images, rows, columns)


def _nearest_of_ints(images, **how):
    return _nearest(images, **how).astype(int)


_nearest = partial(_naive_resize, nearest=True)


def _resize_grad(nearest):
    def oracle(dy, images, **how):
        batch = dy if dy.ndim == 4 else dy[None]
        shape = (len(batch), *np.shape(images)[-3:])
        dx = transposed(lambda x: _naive_resize(x, nearest=nearest, **how), shape, batch)
        return dx.reshape(np.shape(images))

    return oracle


def _cases_of(lead, size, modes) -> list[Case]:
    how = {"size": size, **modes}
    images, dy, label = floats(*lead, 4, 5, 2), floats(*lead, *size, 2), f"{lead} {how}"
    return [
        Case("resize_bilinear", (images,), _naive_resize, how, label),
        Case("resize_nearest_neighbor", (images,), _nearest, how, label),
        Case("resize_bilinear_grad", (dy, images), _resize_grad(False), how, label),
        Case("resize_nearest_neighbor_grad", (dy, images), _resize_grad(True), how, label),
    ]


MODES = [{}, {"align_corners": True}, {"half_pixel_centers": True}]
NONE = floats(0, 3, 3, 1), floats(0, 2, 3, 1)

CASES = [
    *(case for m in MODES for s in [(7, 4), (2, 3), (1, 1)] for case in _cases_of((2,), s, m)),
    *_cases_of((), (3, 9), MODES[2]),
    Case("resize_bilinear", (ints(1, 2, 3, 1),), _naive_resize, {"size": (3, 3)}, "int32"),
    Case("resize_bilinear", (bools(2, 2, 1),), _naive_resize, {"size": (3, 4)}, "bool"),
    Case("resize_bilinear", (floats(0, 2, 3, 1),), _naive_resize, {"size": (3, 3)}, "no images"),
    Case(
        "resize_nearest_neighbor", (ints(1, 2, 3, 1),), _nearest_of_ints, {"size": (3, 3)}, "int32"
    ),
    *(
        Case(f"resize_{name}_grad", NONE, _resize_grad(name != "bilinear"), how, "no images")
        for name in ("bilinear", "nearest_neighbor")
        for how in [{"size": (3, 3)}]
    ),
    Case("resize_nearest_neighbor", (floats(2, 3, 0),), _nearest, {"size": (3, 1)}, "no channels"),
]
