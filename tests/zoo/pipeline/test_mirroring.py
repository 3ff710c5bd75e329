"""What is flipped in results: the keys of `zoo.results.vocabulary` that have a left and a right."""

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints, is_typeddict

import numpy as np
import pytest

from zoo.pipeline.mirroring import flipped_result
from zoo.results import vocabulary

#: Everything that results may be made of, by name.
TYPES = {
    name: get_type_hints(kind, {**vars(vocabulary), "np": np})
    for name, kind in vars(vocabulary).items()
    if is_typeddict(kind)
}


def keys() -> Iterator[tuple[str, Any]]:
    """Each key of each kind of result, and its type or, of a list, that of its items."""
    for hints in TYPES.values():
        for key, kind in hints.items():
            yield from ((key, inner) for inner in (kind, *get_args(kind)))


def mirrored_as(how: str) -> set[str]:
    return {key for key, its in vocabulary.KEYS.items() if its.mirrored == how}


def test_all_positions_are_known():
    """A dict with x is one: whatever key leads to it is in the table, and nothing else is."""
    assert {key for key, kind in keys() if "x" in TYPES.get(name_of(kind), ())} == mirrored_as(
        "position"
    )


def test_all_arrays_are_known():
    assert {key for key, kind in keys() if kind is np.ndarray} == mirrored_as("image")


def test_all_points_in_metres_are_known():
    assert {key for key, kind in keys() if kind is vocabulary.WorldPoint} == mirrored_as("space")


def name_of(kind: Any) -> str:
    return getattr(kind, "__name__", "")


def test_each_key_of_the_tables_is_flipped(rng):
    mask = rng.integers(0, 3, (4, 10), np.uint8)
    seen = {
        "score": 0.5,
        "box": {"x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0},
        "keypoints": [{"part": "nose", "position": {"x": 2.0, "y": 3.0, "z": 5.0}, "score": 1.0}],
        "world": [{"part": "nose", "position": {"x": 0.25, "y": 0.5, "z": 1.0}}],
        "segmentation": {"mask": mask, "labels": ["a", "b"], "probability": mask / 4},
        "contours": {"lips": [0]},
    }
    (found,) = flipped_result([seen], 10)
    assert found["box"] == {"x": 6.0, "y": 2.0, "width": 3.0, "height": 4.0}
    assert found["keypoints"][0]["position"] == {"x": 8.0, "y": 3.0, "z": 5.0}
    assert found["world"][0]["position"] == {"x": -0.25, "y": 0.5, "z": 1.0}
    np.testing.assert_array_equal(found["segmentation"]["mask"], mask[:, ::-1])
    np.testing.assert_array_equal(found["segmentation"]["probability"], mask[:, ::-1] / 4)
    assert found["segmentation"]["labels"] == ["a", "b"] and found["contours"] == {"lips": [0]}
    assert seen["box"]["x"] == 1.0  # what is given stays


@pytest.mark.parametrize("nothing", [[], None, 0.5, "left", {}])
def test_the_rest_stays(nothing):
    assert flipped_result(nothing, 10) == nothing
