"""Image ops, each new pixel by its formula."""

from functools import partial

import numpy as np

from tests.core.records.case import Case, floats
from tests.core.records.conv import transposed


def _naive_resize(images, *, size, align_corners=False, half_pixel_centers=False, nearest=False):
    """Each new pixel by the formula of TensorFlow's documentation, one at a time."""
    images = np.asarray(images, np.float64)
    old = images.shape[1:3]

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
    return np.einsum("nhwc,ph,qw->npqc", images, rows, columns)


def _resize_grad(nearest):
    def oracle(dy, images, **how):
        shape = np.shape(images)
        return transposed(lambda x: _naive_resize(x, nearest=nearest, **how), shape, dy)

    return oracle


def _resize_cases() -> list[Case]:
    cases = []
    for modes in [{}, {"align_corners": True}, {"half_pixel_centers": True}]:
        for size in [(7, 4), (2, 3), (1, 1)]:
            how = {"size": size, **modes}
            images, dy, label = floats(2, 4, 5, 2), floats(2, *size, 2), str(how)
            near = partial(_naive_resize, nearest=True)
            cases += [
                Case("resize_bilinear", (images,), _naive_resize, how, label),
                Case("resize_nearest_neighbor", (images,), near, how, label),
                Case("resize_bilinear_grad", (dy, images), _resize_grad(False), how, label),
                Case("resize_nearest_neighbor_grad", (dy, images), _resize_grad(True), how, label),
            ]
    cases.append(Case("flip_left_right", (floats(2, 3, 4, 1),), lambda x: x[:, :, ::-1]))
    return cases


CASES = _resize_cases()
