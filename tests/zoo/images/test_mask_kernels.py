"""Generated decoders of masks give what Pillow and NumPy give: masks to the last bit."""

import numpy as np
import pytest
from scipy import ndimage

from core.backends.cpu import image_kernels
from tests.core.backends.cpu_codegen.called import run_calls_on
from tests.core.backends.cpu_codegen.one_step import usable_sets
from tests.helpers import require_llvmlite
from zoo.shared.placement import Placement
from zoo.tasks.segmentation import upsampling
from zoo.tasks.segmentation.cells import odds_against_others, walked
from zoo.tasks.segmentation.person_masks import find_person
from zoo.tasks.segmentation.upsampling import Cells, Enlargement, strongest, strongest_with_share


@pytest.fixture(autouse=True)
def _compiler():
    """Skip the tests where nothing can compile kernels."""
    require_llvmlite()


#: Height and width of an input, its stride, and the cells of an output.
_GRIDS = [((257, 257), 1, (257, 257)), ((512, 512), 16, (33, 33)), ((96, 32), 16, (7, 3))]
_SIZES = [(600, 513), (261, 900), (1037, 530), (97, 64)]


@pytest.fixture(params=usable_sets(), ids=lambda isa: isa.name)
def seen(request, monkeypatch):
    """The kernels that have run, on an instruction set."""
    return run_calls_on(request.param, monkeypatch)


def on_numpy(monkeypatch, function, *args):
    """Return what a function gives without generated kernels."""
    with monkeypatch.context() as patch:
        for name in ("strongest", "reaching", "odds_of", "walked"):
            patch.setattr(image_kernels, name, lambda *a, **k: None)
        return function(*args)


def placed(size, reach, stride) -> Enlargement:
    """The way from cells to a photo that is letterboxed by 3 pixels in an input."""
    across, down = (reach[1] - 6) / size[1], (reach[0] - 6) / size[0]
    return Enlargement.of(size, Placement.of_scale(across, down, 3, 3), stride)


def some_fields(rng, cells, count) -> np.ndarray:
    """Fields in large regions, so that in some tiles one is far above all others."""
    noise = rng.standard_normal((*cells, count)) * 30
    smooth = ndimage.gaussian_filter(noise, (min(cells[0] / 20, 6), min(cells[1] / 20, 6), 0))
    smooth[: cells[0] // 3, : cells[1] // 2, 1] += 40
    return smooth.astype(np.float32)


@pytest.mark.parametrize("grid", _GRIDS)
@pytest.mark.parametrize("count", [2, 3, 9, 16, 21, 24, 33])
def test_the_strongest_field(seen, monkeypatch, grid, count):
    reach, stride, cells = grid
    rng = np.random.default_rng(count)
    fields = some_fields(rng, cells, count)
    for size in _SIZES:
        how = placed(size, reach, stride)
        if not how.enlarges:
            continue
        expected = on_numpy(monkeypatch, strongest, fields, how)
        np.testing.assert_array_equal(strongest(fields, how), expected)
        gate = rng.integers(0, 2, size).astype(np.uint8)
        gate[: size[0] // 2] = 0
        expected = on_numpy(monkeypatch, strongest, fields, how, gate)
        np.testing.assert_array_equal(strongest(fields, how, gate), expected)
        mask, share = strongest_with_share(fields, how)
        expected, sure = on_numpy(monkeypatch, strongest_with_share, fields, how)
        np.testing.assert_array_equal(mask, expected)
        np.testing.assert_allclose(share, sure, rtol=1e-5)
    assert set(seen) == {"StrongestField"}


@pytest.mark.parametrize("is_odds", [True, False])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 1.0])
def test_a_field_that_reaches_a_limit(seen, monkeypatch, is_odds, threshold):
    rng = np.random.default_rng(7)
    for reach, stride, cells in _GRIDS:
        field = some_fields(rng, cells, 2)[:, :, 0]
        field[: cells[0] // 2] = 0.5  # as the limit is
        for size in _SIZES:
            how = placed(size, reach, stride)
            for probability in (False, True):
                args = field, how, Cells(stride, is_odds), threshold, probability
                expected, found = on_numpy(monkeypatch, find_person, *args), find_person(*args)
                np.testing.assert_array_equal(found["mask"], expected["mask"])
                if probability:
                    np.testing.assert_allclose(
                        found["probability"], expected["probability"], rtol=1e-5, atol=1e-30
                    )
    assert set(seen) == {"LimitedField"}


def test_strips_of_large_images(seen, monkeypatch):
    monkeypatch.setattr(upsampling, "STRIP", 40_000)
    fields = some_fields(np.random.default_rng(1), (257, 257), 5)
    how = placed((700, 650), (257, 257), 1)
    assert len(list(how.strips())) > 5
    expected = on_numpy(monkeypatch, strongest, fields, how)
    np.testing.assert_array_equal(strongest(fields, how), expected)


def test_numbers_that_are_not_finite_do_no_harm(seen):
    how = placed((200, 300), (33, 33), 1)
    for number in (np.nan, np.inf, -np.inf):
        fields = np.full((33, 33, 21), number, np.float32)
        assert strongest(fields, how).shape == (200, 300)
        assert strongest_with_share(fields, how)[1].shape == (200, 300)
        assert find_person(fields[:, :, 0], how, Cells(), 0.5, True)["mask"].max() <= 1


def test_what_kernels_do_not_take_is_left_to_numpy(seen):
    rng = np.random.default_rng(2)
    for size in [(20, 10), (300, 63), (20, 100)]:
        fields = some_fields(rng, (33, 33), 3)
        assert strongest(fields, placed(size, (512, 512), 16)).shape == size
    assert not seen


@pytest.mark.parametrize("count, index", [(2, 1), (16, 0), (21, 15), (33, 32)])
def test_log_odds(seen, monkeypatch, count, index):
    rng = np.random.default_rng(count)
    for shape in [(33, 33), (4, 4), (5, 7)]:
        logits = rng.normal(0, 8, (*shape, count)).astype(np.float32)
        expected = on_numpy(monkeypatch, odds_against_others, logits, index)
        found = odds_against_others(logits, index)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert set(seen) == {"FieldOdds"}


@pytest.mark.parametrize("grid", [(16, 4), (8, 3), (5, 5)])
def test_points_that_follow_offsets(seen, monkeypatch, grid):
    rng = np.random.default_rng(4)
    offsets = rng.normal(0, 30, (9, 13, 5)) + 1j * rng.normal(0, 30, (9, 13, 5))
    for size in [(33, 49), (1, 1), (7, 8)]:
        expected = on_numpy(monkeypatch, walked, offsets, 3, size, grid, 11)
        found = walked(offsets, 3, size, grid, 11)
        np.testing.assert_array_equal(found, expected)
    offsets[:] = np.nan
    assert walked(offsets, 0, (8, 8), grid, 11).shape == (8, 8)
    assert set(seen) == {"WalkedPoints"}
