"""What decoders share: anchors, overlapping boxes, mirrored results, batches of any length."""

import numpy as np
import pytest

from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.plan.passes import free_batch
from zoo.pipeline.mirroring import flipped_result
from zoo.shared.anchors import AnchorGrid, anchor_centres, find_candidates
from zoo.shared.boxes import box_around, overlap, suppress
from zoo.shared.logistic import log_odds, sigmoid
from zoo.shared.placement import Placement, Region


@pytest.mark.parametrize(
    "strides, size, per_cell, count",
    [
        ((8, 16, 32, 32, 32), 224, 2, 2254),  # MediaPipe's pose detector
        ((8, 16, 16, 16), 192, 2, 2016),  # palms
        ((8, 16, 16, 16), 128, 2, 896),  # faces, short range
        ((4,), 192, 1, 2304),  # faces, full range
        ((8, 16, 32, 32, 32), 256, 2, 2944),  # the older palms
    ],
)
def test_anchors_are_as_many_as_the_networks_rows(strides, size, per_cell, count):
    centres = anchor_centres(strides, size, per_cell)
    assert centres.shape == (count, 2)
    assert centres.min() > 0 and centres.max() < size
    assert centres[0].tolist() == [strides[0] / 2, strides[0] / 2]
    assert centres[per_cell].tolist() == [strides[0] * 1.5, strides[0] / 2]  # along x first


def grid_of_one() -> AnchorGrid:
    return AnchorGrid(("boxes",), ("scores",), keypoints=1, strides=(8,), size=16, per_cell=1)


def test_candidates_are_decoded_from_their_anchors():
    """Anchor 3 of a grid of 2 x 2 has its centre at (12, 12)."""
    scores = np.array([-9.0, -9, -9, 0.0]).reshape(1, 4, 1)
    rows = np.zeros((1, 4, 6))
    rows[0, 3] = 1, -2, 4, 6, 3, 5  # x, y, width, height, then a point
    found = find_candidates({"boxes": rows, "scores": scores}, grid_of_one(), score_threshold=0.5)
    assert found.scores.tolist() == [0.5]
    assert found.boxes.tolist() == [[11, 7, 15, 13]]
    assert found.points.tolist() == [[[15, 17]]]
    in_image = found.in_image(Placement.of_scale(0.5, 0.5, 1, 0))
    assert in_image.boxes.tolist() == [[20, 14, 28, 26]]
    assert in_image.points.tolist() == [[[28, 34]]]


def test_boxes_without_an_area_are_no_candidates():
    rows = np.ones((1, 4, 6))
    rows[0, :3, 2:4] = [[-4, 6], [4, -6], [0, 6]]  # width, height
    outputs = {"boxes": rows, "scores": np.full((1, 4, 1), 3.0)}
    found = find_candidates(outputs, grid_of_one(), score_threshold=0.5)
    assert found.boxes.tolist() == [[12.5, 12.5, 13.5, 13.5]]


def test_logits_of_any_size_become_probabilities():
    logits = np.array([-800.0, -1.0, 0.0, 1.0, 800.0])
    chances = sigmoid(logits)
    assert chances[[0, 2, 4]].tolist() == [0.0, 0.5, 1.0]
    np.testing.assert_allclose(chances[[1, 3]], 1 / (1 + np.exp(-logits[[1, 3]])), rtol=1e-12)
    assert sigmoid(logits.astype(np.float32)).dtype == np.float32
    assert [log_odds(p) for p in chances.tolist()] == pytest.approx([-np.inf, -1, 0, 1, np.inf])


def test_points_in_space_turn_as_flat_ones_do(rng):
    """Whatever the region's place and size."""
    placement = Region(50, 60, 30, 30, 0.7).placement((256, 256))
    points = rng.normal(size=(9, 3))
    turned = placement.turned(points)
    flat = placement.points_to_image(points[:, :2]) - placement.to_image(0, 0)
    np.testing.assert_allclose(turned[:, :2] * placement.scale, flat, atol=1e-9)
    np.testing.assert_array_equal(turned[:, 2], points[:, 2])


def test_nothing_found_has_the_right_shapes():
    outputs = {"boxes": np.zeros((1, 4, 6)), "scores": np.full((1, 4, 1), -500.0)}
    found = find_candidates(outputs, grid_of_one(), score_threshold=0.1)
    assert (found.scores.shape, found.boxes.shape, found.points.shape) == ((0,), (0, 4), (0, 1, 2))
    assert suppress(found.boxes, found.scores, iou_threshold=0.5) == []


def naive_suppression(boxes, scores, threshold) -> list[int]:
    left, kept = sorted(range(len(scores)), key=lambda i: -scores[i]), []
    while left:
        best = left.pop(0)
        kept.append(best)
        left = [i for i in left if overlap(boxes[best], boxes[[i]])[0] <= threshold]
    return kept


def test_suppression_against_the_naive_one(rng):
    low = rng.uniform(0, 50, (60, 2))
    boxes = np.concatenate([low, low + rng.uniform(5, 30, (60, 2))], axis=1)
    scores = rng.uniform(size=60)
    for threshold in (0.0, 0.3, 0.7, 1.0):
        expected = naive_suppression(boxes, scores, threshold)
        assert suppress(boxes, scores, iou_threshold=threshold) == expected
        assert suppress(boxes, scores, iou_threshold=threshold, limit=4) == expected[:4]


def test_empty_boxes_overlap_nothing():
    dot = np.array([5.0, 5, 5, 5])
    assert overlap(dot, np.array([[0.0, 0, 9, 9], [5, 5, 5, 5]])).tolist() == [0, 0]
    assert box_around(np.array([[3.0, 1], [2, 9]])).tolist() == [2, 1, 3, 9]


def test_every_kind_of_result_is_flipped():
    point = {"part": "left_eye", "position": {"x": 2.0, "y": 1.0, "z": 5.0}, "score": 0.5}
    face = {
        "score": 1.0,
        "box": {"x": 1.0, "y": 0.0, "width": 3.0, "height": 4.0},
        "keypoints": [point],
        "iris": {"left": [point]},
        "contours": {"lips": [0, 1]},
        "world": [{"part": "left_eye", "position": {"x": 0.2, "y": 0.1, "z": 0.0}}],
        "segmentation": {"mask": np.array([[1, 0, 0]], np.uint8), "labels": ["a", "b"]},
    }
    (flipped,) = flipped_result([face], 10)
    moved = {**point, "position": {"x": 8.0, "y": 1.0, "z": 5.0}}
    assert flipped["keypoints"] == [moved] and flipped["iris"] == {"left": [moved]}
    assert flipped["box"] == {"x": 6.0, "y": 0.0, "width": 3.0, "height": 4.0}
    assert flipped["world"][0]["position"] == {"x": -0.2, "y": 0.1, "z": 0.0}
    assert flipped["segmentation"]["mask"].tolist() == [[0, 0, 1]]
    assert flipped["contours"] == {"lips": [0, 1]} and flipped["score"] == 1.0
    assert point["position"]["x"] == 2.0  # the original is left alone


def test_a_freed_batch_gives_what_single_pictures_give(rng):
    """The shape is shared by two nodes, of which one keeps what it means."""
    spec = PartialSpec((1, 2, 3))
    nodes = [
        Node("x", "Placeholder"),
        Node("shape", "Const"),
        Node("flat", "Reshape", ("x", "shape")),
        Node("w", "Const"),
        Node("row", "Reshape", ("w", "shape")),
        Node("y", "AddV2", ("flat", "row")),
    ]
    weights = {"shape": np.int32([1, 6]), "w": np.arange(6, dtype=np.float32)}
    ends = Endpoint("x", spec), Endpoint("y", PartialSpec((1, 6)))
    graph = Graph(nodes, weights, {"x": ends[0]}, {"y": ends[1]})
    free = GraphModel(free_batch(graph))
    assert free.inputs["x"].shape == (None, 2, 3)
    batch = rng.normal(size=(3, 2, 3)).astype(np.float32)
    together = free.predict(batch)["y"].numpy()
    one = GraphModel(graph)
    for i in range(3):
        np.testing.assert_array_equal(together[i], one.predict(batch[i : i + 1])["y"].numpy()[0])
    assert graph.weights["shape"].tolist() == [1, 6]
    with pytest.raises(CoreError, match=r"flat reshapes to \[1, -1\]: its batch stays 1"):
        free_batch(graph._replace(weights={**weights, "shape": np.int32([1, -1])}))


@pytest.mark.parametrize(
    ("slicing", "is_whole"),
    [
        (([0, 1], [1, 5], [1, 2], {}), True),
        (([0, 1], [0, 5], [1, 2], {"end_mask": 1}), True),
        (([0, 1], [1, 5], [1, 2], {"shrink_axis_mask": 1}), False),
        (([0, 1], [1, 5], [1, 2], {"new_axis_mask": 1}), False),
        (([0], [1], [1], {}), False),
    ],
)
def test_slices_of_the_one_image_are_of_all(rng, slicing, is_whole):
    """But for those that take the axis away, and those of lists, which may be of sizes."""
    *places, masks = slicing
    names = ("begin", "end", "strides")
    nodes = [Node("x", "Placeholder"), *(Node(name, "Const") for name in names)]
    nodes.append(Node("y", "StridedSlice", ("x", *names), masks))
    weights = {name: np.int32(place) for name, place in zip(names, places, strict=True)}
    ends = Endpoint("x", PartialSpec((1, 6))), Endpoint("y", PartialSpec(None))
    free = GraphModel(free_batch(Graph(nodes, weights, {"x": ends[0]}, {"y": ends[1]})))
    x = rng.normal(size=(3, 6)).astype(np.float32)
    found = free.predict(x)["y"].numpy()
    if is_whole:
        np.testing.assert_array_equal(found, x[:, 1:5:2])
    else:
        assert found.shape[0] == 1 or found.ndim == 1
