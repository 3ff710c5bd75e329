"""The probability that an image is none of the classes."""

import numpy as np
import pytest

from weights_cache.common.errors import ZooError
from zoo.transfer.distances import MOST_PROTOTYPES, Familiarity


def near(rng, count, centre=0.0, size=16):
    return rng.normal(centre, 1, (count, size)).astype(np.float32)


@pytest.mark.parametrize("normalize", [False, True])
def test_distances_are_those_to_the_second_nearest_image(normalize, rng):
    seen, new = near(rng, 40), near(rng, 9)
    known = Familiarity.fit(seen, normalize=normalize)

    def rows(values):
        if not normalize:
            return values
        centred = values - values.mean(axis=1, keepdims=True)
        return centred / centred.std(axis=1, keepdims=True)

    plain = np.sqrt(((rows(new)[:, None] - rows(seen)[None]) ** 2).mean(axis=2))
    assert known.distances(new) == pytest.approx(np.sort(plain, axis=1)[:, 1], abs=1e-4)


def test_the_nearest_image_counts_if_a_class_has_few(rng):
    seen = near(rng, 40)
    targets = ["a"] * 31 + ["b"] * 9
    known = Familiarity.fit(seen, targets=targets)
    assert known.neighbours == 1 and known.distances(seen) == pytest.approx(np.zeros(40), abs=1e-3)


@pytest.mark.parametrize("normalize", [False, True])
def test_few_genuine_images_and_most_others_are_none(normalize, rng):
    centres = 3 * near(rng, 4)
    seen = np.concatenate([c + near(rng, 100) for c in centres[:3]])
    known = Familiarity.fit(seen, targets=np.repeat([0, 1, 2], 100).tolist(), normalize=normalize)
    genuine = np.concatenate([c + near(rng, 100) for c in centres[:3]])
    assert (known.probability_of_none(genuine) > 0.5).mean() < 0.08
    assert (known.probability_of_none(centres[3] + near(rng, 100)) > 0.5).mean() > 0.95


def test_half_is_where_97_percent_of_the_training_images_are_nearer(rng):
    seen = near(rng, 200)
    known = Familiarity.fit(seen)
    alone = [
        Familiarity.fit(np.delete(seen, i, 0)).distances(seen[i : i + 1])[0] for i in range(200)
    ]
    assert known.threshold == pytest.approx(np.quantile(alone, 0.97), abs=1e-4)
    odds = 1 / (1 + np.exp((known.threshold - np.median(alone)) / known.scale))
    assert odds == pytest.approx(1 / (1 + np.exp(4)), abs=1e-3)


def test_near_duplicates_are_no_neighbours_of_each_other(rng):
    seen = near(rng, 50)
    twice = np.concatenate([seen, seen, seen])
    plain = Familiarity.fit(seen)
    known = Familiarity.fit(twice, groups=np.tile(np.arange(50), 3))
    assert Familiarity.fit(twice).threshold < 0.01 < plain.threshold
    assert 0.8 * plain.threshold < known.threshold <= plain.threshold
    assert np.isfinite(Familiarity.fit(twice, groups=np.zeros(150)).threshold)


def test_at_most_2000_images_are_kept_of_each_class_as_many_as_of_others(rng):
    seen = near(rng, 3050, size=4)
    seen[-50:] += 30
    known = Familiarity.fit(seen, targets=["a"] * 3000 + ["b"] * 50)
    assert len(known.prototypes) == MOST_PROTOTYPES
    assert (known.prototypes[:, 0] > 15).sum() == 50
    assert np.median(known.probability_of_none(seen[-50:])) < 0.5


def test_equal_images_are_familiar_and_others_are_not():
    known = Familiarity.fit(np.ones((5, 4)))
    assert known.probability_of_none([[1, 1, 1, 1], [1, 1, 1, 2]]).round(3).tolist() == [0.5, 1]


def test_arrays_return(rng):
    known = Familiarity.fit(near(rng, 30), normalize=True)
    again = Familiarity.from_arrays(known.to_arrays())
    new = near(rng, 10)
    assert np.array_equal(known.probability_of_none(new), again.probability_of_none(new))
    assert again.normalize and again.neighbours == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limits": np.zeros(3)}, "expected"),
        ({"limits": np.array([0, 7, 1.0, 1.0])}, "out of range"),
        ({"limits": np.array([0, 1, 1.0, 0.0])}, "out of range"),
        ({"limits": np.array([0, 1, np.nan, 1.0])}, "not finite"),
        ({"prototypes": np.zeros((0, 3), np.float32)}, "expected"),
        ({"prototypes": np.zeros((3, 3), np.int32)}, "not finite"),
        ({"prototypes": np.full((3, 3), np.inf, np.float32)}, "not finite"),
    ],
)
def test_damaged_arrays_are_refused(change, message, rng):
    arrays = Familiarity.fit(near(rng, 30)).to_arrays()
    with pytest.raises(ZooError, match=message):
        Familiarity.from_arrays(arrays | change)
    with pytest.raises(ZooError, match="lack limits"):
        Familiarity.from_arrays({"prototypes": arrays["prototypes"]})


def test_arguments_are_checked(rng):
    with pytest.raises(ZooError, match="at least 2 images"):
        Familiarity.fit(near(rng, 1))
    with pytest.raises(ZooError, match="1 targets"):
        Familiarity.fit(near(rng, 3), targets=["a"])
    with pytest.raises(ZooError, match="was trained with 16"):
        Familiarity.fit(near(rng, 3)).distances(near(rng, 1, size=5))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("limits", 2, 1e300),
        ("limits", 3, 1e300),
        ("limits", 3, 1e-300),
        ("prototypes", (0, 0), 1e30),
    ],
)
def test_stored_values_that_leave_float32_are_refused(name, place, value):
    arrays = Familiarity.fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).to_arrays()
    assert Familiarity.from_arrays(arrays).threshold >= 0
    arrays[name] = arrays[name].astype(np.float64)
    arrays[name][place] = value
    with pytest.raises(ZooError, match=r"above 1e\+15|out of range"):
        Familiarity.from_arrays(arrays)
