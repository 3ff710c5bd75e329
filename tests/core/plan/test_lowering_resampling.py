"""Resizing in plans beside the kernels."""

import numpy as np
import pytest

from core.engine.program import HERE
from tests.core.plan.harness import MARGIN, check, node, run

CENTRES = [(False, False), (True, False), (False, True)]


@pytest.mark.parametrize("op", ["resize_bilinear", "resize_nearest_neighbor"])
@pytest.mark.parametrize(("align_corners", "half_pixel_centers"), CENTRES)
@pytest.mark.parametrize("margins", [{}, {"x": MARGIN}, {"x": MARGIN, "y": MARGIN}])
@pytest.mark.parametrize("size", [(12, 14), (3, 5), (6, 14), (13, 7), (1, 1), (5, 20), (6, 7)])
def test_sizes(op, align_corners, half_pixel_centers, margins, size, rng):
    how = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    for batch, channels in ((1, 24), (2, 3)):
        x = rng.normal(size=(batch, 6, 7, channels)).astype(np.float32)
        x[0, 2, 3, :2] = np.inf, np.nan
        check(node(op, "x", size=size, **how), {"x": x}, margins=margins, exact=True)


@pytest.mark.parametrize("op", ["resize_bilinear", "resize_nearest_neighbor"])
def test_single_images_blocks_and_epilogues(op, rng):
    after = [node("relu", HERE), node("add", HERE, "other")]
    x = rng.normal(size=(40, 33, 24)).astype(np.float32)
    arrays = {"x": x, "other": rng.normal(size=(80, 70, 24)).astype(np.float32)}
    check(node(op, "x", size=(80, 70), epilogue=after), arrays, exact=True)
    check(node(op, "x", size=(20, 70)), {"x": x}, exact=True)


def test_integers_are_resized_by_nearest_only(rng):
    x = rng.integers(-9, 9, (1, 4, 4, 2)).astype(np.int32)
    assert run(node("resize_bilinear", "x", size=(9, 5)), {"x": x}) is None
    check(node("resize_nearest_neighbor", "x", size=(9, 5)), {"x": x}, exact=True)
