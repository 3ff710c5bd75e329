"""MediaPipe's ops on landmarks, beside its sources written as loops (util/tflite/operations)."""

import math

import numpy as np
import pytest

from core.graph_model.graph_model import GraphModel
from tests.core.converter.tflite.test_flexbuffer import typed
from weights_cache.common.errors import WeightsError

SIZE = {"output_height": 4, "output_width": 5}
SUBSET = [0, 3, 4, 1, 2]
CUT = {
    **{"left_rotation_idx": 0, "right_rotation_idx": 3, "subset_idxs": SUBSET},
    **{"scale_x": 1.5, "scale_y": 1.25, "target_rotation_radians": 0.25, **SIZE},
}


def matrix_of(landmarks: np.ndarray) -> np.ndarray:
    """LandmarksToTransformMatrixV2."""
    left, right = landmarks[CUT["left_rotation_idx"]], landmarks[CUT["right_rotation_idx"]]
    r = CUT["target_rotation_radians"] - math.atan2(right[1] - left[1], right[0] - left[0])
    turned = [rotation(r) @ [x, y, 1] for x, y, *_ in landmarks[SUBSET]]
    low, high = np.min(turned, axis=0), np.max(turned, axis=0)
    x, y, _ = rotation(-r) @ [*(low + high)[:2] / 2, 1]
    wide, tall = (high - low)[:2]
    scale = CUT["scale_x"] * wide / 5, CUT["scale_y"] * tall / 4, 1
    made = shift(x, y) @ rotation(-r) @ np.diag(scale) @ shift(-5 / 2, -4 / 2)
    whole = np.eye(4)
    whole[np.ix_([0, 1], [0, 1, 3])] = made[:2]
    return whole


def rotation(r: float) -> np.ndarray:
    return np.array([[math.cos(r), -math.sin(r), 0], [math.sin(r), math.cos(r), 0], [0, 0, 1]])


def shift(x: float, y: float) -> np.ndarray:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])


def cut_out(values: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """TransformTensorBilinearV2."""
    height, width, channels = values.shape
    found = np.zeros((4, 5, channels))
    padded = np.pad(values, ((0, 1), (0, 1), (0, 0)))
    for row, column in np.ndindex(4, 5):
        x, y = (matrix @ [column + 0.5, row + 0.5, 0, 1])[:2] - 0.5
        if 0 <= x <= width - 1 and 0 <= y <= height - 1:
            (i, down), (j, across) = divmod(y, 1), divmod(x, 1)
            square = padded[int(i) : int(i) + 2, int(j) : int(j) + 2]
            found[row, column] = np.einsum(
                "i,j,ijc", [1 - down, down], [1 - across, across], square
            )
    return found


def moved(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """TransformLandmarksV2."""
    return np.array([[*(matrix @ [x, y, 0, 1])[:2], *more] for x, y, *more in points])


@pytest.fixture
def add(writer):
    """Adds a custom op with options."""

    def op(name, inputs, shape, **options):
        output = writer.tensor(f"{name}_{len(writer.graph.tensors)}", shape)
        return writer.op(name, inputs, [output], custom_options=typed(options))

    return op


def all_three(writer, add) -> None:
    """A cut-out along landmarks, the landmarks set back, and two numbers of each."""
    x, features = writer.input("x", (1, 5, 3)), writer.input("features", (1, 6, 7, 2))
    flat = writer.input("flat", (1, 5, 2))
    matrix = add("Landmarks2TransformMatrix", [x], (1, 4, 4), **CUT)
    cut = add("TransformTensorBilinear", [features, matrix], (1, 4, 5, 2), **SIZE)
    deep = add("TransformLandmarks", [x, matrix], (1, 5, 3))
    level = add("TransformLandmarks", [flat, matrix], (1, 5, 2))
    writer.graph.outputs = [matrix, cut, deep, level]


@pytest.mark.parametrize(("extent", "is_inside"), [(2.0, True), (9.0, False)])
def test_they_give_what_mediapipe_computes(writer, read, add, rng, extent, is_inside):
    """Also where a part of the cut-out is outside of the features."""
    all_three(writer, add)
    x = rng.uniform(1.5, 1.5 + extent, (1, 5, 3)).astype(np.float32)
    features = rng.normal(size=(1, 6, 7, 2)).astype(np.float32)
    flat = rng.uniform(0, 5, (1, 5, 2)).astype(np.float32)
    given = {"x": x, "features": features, "flat": flat}
    found = [t.numpy()[0] for t in GraphModel(read(writer)).predict(given).values()]
    matrix = matrix_of(x[0].astype(np.float64))
    expected = (matrix, cut_out(features[0], matrix), moved(x[0], matrix), moved(flat[0], matrix))
    for ours, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, right, atol=1e-5)
    inside = expected[1].any(axis=2)
    assert inside.any() and inside.all() == is_inside


@pytest.mark.parametrize(
    ("name", "shape", "lacking"),
    [
        ("Landmarks2TransformMatrix", (1, 5, 3), "scale_y"),
        ("TransformTensorBilinear", (1, 6, 7, 2), "output_width"),
    ],
)
def test_options_of_another_version_are_refused(writer, read, add, name, shape, lacking):
    options = {key: value for key, value in CUT.items() if key != lacking}
    inputs = [writer.input("x", shape), writer.input("matrix", (1, 4, 4))]
    writer.graph.outputs = [add(name, inputs, (1, 4, 4), **options)]
    with pytest.raises(WeightsError, match=f"lack {lacking}: only version 2"):
        read(writer)


def test_points_of_another_form_are_refused(writer, read, add):
    inputs = [writer.input("x", (1, 5, 4)), writer.input("matrix", (1, 4, 4))]
    writer.graph.outputs = [add("TransformLandmarks", inputs, (1, 5, 4))]
    with pytest.raises(WeightsError, match=r"\[n, points, 2 or 3\], not \(1, 5, 4\)"):
        read(writer)


@pytest.mark.parametrize("size", [(0, 5), (4, -1), (2**30, 2**30)])
def test_sizes_of_cut_outs_are_limited(writer, read, add, size):
    inputs = [writer.input("x", (1, 6, 7, 2)), writer.input("matrix", (1, 4, 4))]
    options = dict(zip(SIZE, size, strict=True))
    writer.graph.outputs = [add("TransformTensorBilinear", inputs, (1, 4, 5, 2), **options)]
    with pytest.raises(WeightsError, match="must be at least 1, not|places of cut-outs"):
        read(writer)
