"""From cells to pixels, and whose pixels they are: against plain NumPy, without a network."""

import numpy as np
import pytest

from tests.helpers import peak_of
from zoo.shared.logistic import log_odds
from zoo.shared.personlab import Points
from zoo.shared.placement import Placement
from zoo.tasks.segmentation import upsampling
from zoo.tasks.segmentation.bodypix import PART_LABELS, SPACING, closeness, reference_points
from zoo.tasks.segmentation.person_masks import find_person
from zoo.tasks.segmentation.upsampling import Cells, Enlargement, share_of_strongest, strongest


def mixed(fields, size, reach, stride):
    """Fields [rows, columns, ...] at each pixel of a photo that fills an input, in float64.

    Args:
        fields: cells of a network's output.
        size: height and width of the photo.
        reach: height and width of the input.
        stride: pixels of the input per cell.
    """
    for axis in (0, 1):
        middles = (np.arange(size[axis]) + 0.5) * reach[axis] / size[axis]
        at = np.clip((middles - 0.5) / stride, 0, fields.shape[axis] - 1)
        low = np.minimum(at.astype(int), fields.shape[axis] - 2)
        share = (at - low).reshape([-1 if i == axis else 1 for i in range(fields.ndim)])
        below, above = np.take(fields, low, axis), np.take(fields, low + 1, axis)
        fields = below * (1 - share) + above * share
    return fields


def fill(size, reach, stride=1):
    """The way from cells to a photo that is stretched to an input."""
    placement = Placement.of_scale(reach[1] / size[1], reach[0] / size[0], 0, 0)
    return Enlargement.of(size, placement, stride)


GRIDS = [((257, 257), 1, (257, 257)), ((512, 512), 16, (33, 33)), ((144, 256), 1, (144, 256))]
SIZES = [(600, 513), (513, 700), (1000, 520)]


@pytest.mark.parametrize("reach, stride, cells", GRIDS)
@pytest.mark.parametrize("size", SIZES)
def test_values_between_cells(reach, stride, cells, size, rng):
    field = rng.normal(size=cells).astype(np.float32)
    found = fill(size, reach, stride).values(field)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, mixed(field, size, reach, stride), atol=2e-5)


def test_strips_are_the_whole(rng, monkeypatch):
    field, how = rng.normal(size=(33, 33)), fill((101, 77), (512, 512), 16)
    whole = how.values(field)
    monkeypatch.setattr(upsampling, "STRIP", 7 * 77)
    parts = list(how.strips())
    assert [rows.stop - rows.start for rows, _ in parts] == 14 * [7] + [3]
    np.testing.assert_allclose(
        np.concatenate([part.values(field) for _, part in parts]), whole, atol=1e-5
    )


def test_a_row_wider_than_a_strip_is_one_strip(monkeypatch):
    monkeypatch.setattr(upsampling, "STRIP", 10)
    assert len(list(fill((3, 50), (16, 16)).strips())) == 3


@pytest.mark.parametrize("size", [(300, 400), (40, 500), (20, 10), (1, 1), (301, 3)])
def test_the_strongest_field(size, rng, monkeypatch):
    """Whatever is left out as hopeless, the answer is that of looking at all."""
    monkeypatch.setattr(upsampling, "STRIP", 5000)
    fields = rng.normal(size=(33, 33, 9)).astype(np.float32)
    fields[:, :, 4:] -= 1.5  # win rarely
    fields[:, :, 7] -= 50  # wins never
    how = fill(size, (512, 512), 16)
    everywhere = np.stack([how.values(fields[:, :, k]) for k in range(9)], axis=2)
    best, found = everywhere.max(axis=2), strongest(fields, how)
    assert found.dtype == np.uint8 and found.shape == size
    chosen = np.take_along_axis(everywhere, found[:, :, None].astype(int), axis=2)[:, :, 0]
    np.testing.assert_allclose(chosen, best, atol=1e-4)
    softmax = np.exp(best) / np.exp(everywhere).sum(axis=2)
    np.testing.assert_allclose(share_of_strongest(fields, how), softmax, atol=1e-4)


def test_of_equal_fields_the_first():
    assert not strongest(np.zeros((5, 5, 3)), fill((9, 9), (5, 5))).any()


def test_a_large_photo_takes_little_memory():
    """21 classes of 6 million pixels, as float32, would be half a gigabyte."""
    logits = np.zeros((257, 257, 21), np.float32)
    logits[60:200, 80:190, 15] = 9
    how = fill((2000, 3000), (257, 257))

    def masks():
        return strongest(logits, how), find_person(logits[:, :, 15] - 1, how, Cells(), 0.5, False)

    (mask, found), peak = peak_of(masks, 60_000_000)
    person = found["mask"]
    assert peak < 60e6
    assert np.unique(mask).tolist() == [0, 15]
    assert (person <= (mask == 15)).all()
    assert mask.mean() / 15 == pytest.approx(140 * 110 / 257**2, rel=0.02)


# --- people ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [Cells(), Cells(log_odds=False), Cells(stride=16)])
@pytest.mark.parametrize("threshold", [0, 0.2, 0.5, 0.9, 1])
def test_the_threshold_is_of_the_probability(cells, threshold, rng):
    field = rng.normal(0, 3, (33, 33)) if cells.log_odds else rng.uniform(0, 1, (33, 33))
    how = fill((210, 330), (512, 512), 16)
    found = find_person(field, how, cells, threshold, True)
    mask, sure = found["mask"], found["probability"]
    assert mask.dtype == np.uint8 and sure.dtype == np.float32
    assert sure.min() >= 0 and sure.max() <= 1
    unclear = abs(sure - threshold) < 1e-6
    assert ((mask == (sure >= threshold)) | unclear).all()
    assert "probability" not in find_person(field, how, cells, threshold, False)


@pytest.mark.parametrize("log_odds_of_it", [True, False])
def test_a_probability_of_just_the_threshold_is_enough(log_odds_of_it):
    field = np.full((3, 3), 0.0 if log_odds_of_it else 0.5)
    cells, how = Cells(log_odds=log_odds_of_it), fill((5, 5), (3, 3))
    assert find_person(field, how, cells, 0.5, False)["mask"].all()
    assert not find_person(field, how, cells, 0.5001, False)["mask"].any()


def test_log_odds():
    assert log_odds(0.5) == 0 and log_odds(0.0) == -np.inf and log_odds(1.0) == np.inf
    assert log_odds(0.2) == pytest.approx(np.log(0.25))


# --- persons ---------------------------------------------------------------------------------


def person_at(face: complex, scores=None) -> Points:
    positions = face + np.arange(17) * (1 + 4j)
    return Points(positions, np.full(17, 0.9) if scores is None else np.asarray(scores), 0.9)


def offsets_to(people, whose, stride=16):
    """Of cells [rows, columns], each of which knows exactly where its person is."""
    rows, columns = whose.shape
    cells = (np.arange(columns) + 1j * np.arange(rows)[:, None]) * stride
    return np.stack([p.positions for p in people])[whose] - cells[:, :, None]


@pytest.mark.parametrize("faceless", [False, True])
def test_each_place_goes_to_the_person_that_it_points_to(faceless):
    scores = np.full(17, 0.9)
    scores[: 5 if faceless else 0] = 0.1
    people = [person_at(60 + 40j), person_at(180 + 90j, scores)]
    whose = np.zeros((17, 17), int)
    whose[:, 8:] = 1
    fits = closeness(offsets_to(people, whose), people, 16)
    assert fits.shape == (65, 65, 2)
    middles = np.arange(65) * SPACING / 16
    clear = abs(middles - 7.5) > 0.6  # not between two people's cells
    expected = np.broadcast_to(np.rint(middles).astype(int) >= 8, (65, 65))
    assert (fits.argmax(axis=2) == expected)[:, clear].all()


def test_points_are_followed_from_cell_to_cell():
    """An offset that leads only half of the way is followed again from where it leads."""
    person = person_at(128 + 128j)
    exact = offsets_to([person], np.zeros((17, 17), int))
    # Off by less than a cell at last, whose own offset then is at most half a cell.
    assert -closeness(0.5 * exact, [person], 16).min() < 16**2


def test_which_keypoints_are_compared():
    assert reference_points(person_at(0j)) == [0, 1, 2, 3, 4]
    assert reference_points(person_at(0j, [0.1] * 5 + [0.8] * 12)) == list(range(5, 17))
    assert reference_points(person_at(0j, [0.1] * 17)) == []


def test_the_names_of_parts():
    assert len(PART_LABELS) == len(set(PART_LABELS)) == 25
    sided = [name for name in PART_LABELS if name.startswith("left_")]
    assert all(name.replace("left_", "right_") in PART_LABELS for name in sided)
    assert PART_LABELS[0] == "background" and PART_LABELS[13] == "torso_front"
