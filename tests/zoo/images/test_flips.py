"""Mirror images."""

import numpy as np
import pytest

from zoo.images.flips import flipped


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 1), (4, 7, 3), (4, 7, 4), (0, 3, 3), (3, 0, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, bool, np.float32])
def test_left_and_right_are_exchanged_in_a_contiguous_copy(shape, dtype):
    pixels = np.random.default_rng(1).integers(0, 2, shape).astype(dtype)
    for given in (pixels, pixels[::-1]):  # a view, too
        found = flipped(given)
        np.testing.assert_array_equal(found, given[:, ::-1])
        assert found.flags.c_contiguous and found.dtype == dtype
        assert not np.shares_memory(found, pixels)
