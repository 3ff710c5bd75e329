"""face-api.js's networks, the grid of its detector, and its crops of faces."""

import numpy as np
import pytest

from core.graph_model.graph_model import GraphModel
from weights_cache import load_weights
from weights_cache.common.errors import WeightsError
from zoo.catalog.entries import find_entry
from zoo.catalog.networks.face_api import (
    build_age_gender,
    build_detector,
    build_expressions,
    build_landmarks,
)
from zoo.pipeline.preprocess import prepare
from zoo.tasks.faces.face_api_decode import ANCHORS, Crop, find_faces

NETWORKS = {
    "tiny-face-detector": build_detector,
    "face-landmark-68": build_landmarks,
    "face-landmark-68-tiny": build_landmarks,
    "face-expression": build_expressions,
    "age-gender": build_age_gender,
}
OF_FACES = [name for name in NETWORKS if name != "tiny-face-detector"]


@pytest.fixture(scope="module")
def weights(shared):
    return {name: load_weights(shared / "weights" / f"face-api-{name}") for name in NETWORKS}


@pytest.fixture(scope="module")
def networks(weights):
    return {name: GraphModel(build(weights[name])) for name, build in NETWORKS.items()}


def outputs(network, values) -> dict[str, np.ndarray]:
    return {name: np.asarray(tensor) for name, tensor in network.predict(values).items()}


def test_another_size_gives_the_numbers_of_face_api(networks):
    """One cell of what face-api.js 1.7.15 gives for a made-up picture of 224 x 224."""
    y, x, channel = np.mgrid[:224, :224, :3]
    photo = ((x * 7 + y * 13 + channel * 29) % 256).astype(np.uint8)
    values, _ = prepare(photo, find_entry("faceapi.tiny_detector").preprocess, (224, 224))
    grid = outputs(networks["tiny-face-detector"], values)["grid"]
    assert grid.shape == (1, 7, 7, 25)
    expected = [0.859425, 0.312130, -0.393342, -0.657348, -7.218833]
    np.testing.assert_allclose(grid[0, 3, 2, :5], expected, atol=1e-4)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_batch_gives_what_its_pictures_give(name, networks, rng):
    side = 96 if name == "tiny-face-detector" else 112
    values = rng.uniform(-0.5, 0.5, (3, side, side, 3)).astype(np.float32)
    together = outputs(networks[name], values)
    for i in range(3):
        for output, array in outputs(networks[name], values[i : i + 1]).items():
            np.testing.assert_allclose(together[output][i], array[0], rtol=1e-5, atol=1e-4)


def test_the_features_are_a_vector_per_face(networks):
    values = np.zeros((2, 112, 112, 3), np.float32)
    lengths = [networks[name].execute(values, ["features"])["features"].shape for name in OF_FACES]
    assert lengths == [(2, 256), (2, 128), (2, 256), (2, 512)]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_missing_weight_is_named(name, weights):
    missing = next(reversed(weights[name]))
    rest = {key: array for key, array in weights[name].items() if key != missing}
    with pytest.raises(WeightsError, match=f"no '{missing}'"):
        NETWORKS[name](rest)


def test_weights_of_another_network_are_refused(weights):
    with pytest.raises(WeightsError, match=r"'fc/weights' has shape \(256, 136\), expected"):
        build_expressions(weights["face-landmark-68"])


def test_boxes_are_found_where_the_grid_says(rng):
    grid = np.full((1, 4, 6, 25), -9, np.float32)
    row, column, anchor = 2, 5, 3
    grid[0, row, column, anchor * 5 :][:5] = 0, np.log(3), np.log(2), -np.log(2), np.log(4)
    found = find_faces({"grid": grid}, score_threshold=0.75)
    assert found.scores == pytest.approx([0.8])
    width, height = ANCHORS[anchor] * [2, 0.5] * 32
    x, y = 5.5 * 32, 2.75 * 32
    corners = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
    np.testing.assert_allclose(found.boxes, [corners], rtol=1e-6)
    nothing = find_faces({"grid": grid}, score_threshold=0.81)
    assert [array.shape for array in nothing] == [(0,), (0, 4), (0, 0, 2)]


@pytest.mark.parametrize(("width", "height"), [(5, 8), (9, 4), (6, 6)])
def test_crops_lie_in_the_middle_of_a_black_square(width, height, rng):
    photo = rng.integers(1, 256, (20, 30, 3), dtype=np.uint8)
    crop = Crop.of_box(np.array([3.5, 2.25, 3.75 + width, 2.5 + height]), (20, 30))
    square, side = crop.cut(photo), max(width, height)
    left, top = (side - width) // 2, (side - height) // 2
    assert square.shape == (side, side, 3)
    part = square[top : top + height, left : left + width]
    np.testing.assert_array_equal(part, photo[2 : 2 + height, 3 : 3 + width])
    assert np.count_nonzero(square) == np.count_nonzero(part)


def test_points_of_a_box_that_the_border_cuts_count_from_what_is_seen():
    crop = Crop.of_box(np.array([-40.0, -10.0, 60.0, 50.0]), (200, 100))
    assert crop == (0, 0, 60, 50)
    # The square reaches 5 pixels above the photo.
    np.testing.assert_allclose(crop.points(np.array([0.5, 0.5, 0, 1])), [[30, 25], [0, 55]])


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((120, 20, 150, 60), (99, 20, 1, 40)),
        ((-9, -9, -2, -3), (0, 0, 1, 1)),
        ((40, 210, 41, 211), (40, 199, 1, 1)),
        ((40.5, 30.5, 40.6, 30.6), (40.5, 30.5, 1, 1)),
    ],
)
def test_a_crop_has_at_least_one_pixel_of_the_photo(box, expected):
    crop = Crop.of_box(np.array(box, float), (200, 100))
    assert crop == expected
    side = max(expected[2:])
    assert np.count_nonzero(crop.cut(np.ones((200, 100, 3), np.uint8))) == 3 * side
