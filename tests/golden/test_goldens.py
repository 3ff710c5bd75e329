"""Every staged model gives what the reference implementation gave for the stored input."""

import json

import numpy as np
import pytest

import core
from tests.golden.comparison import DUST, QUANTA_BOUND, Row, assert_near, compare, float_row
from tests.golden.matching import ANCHORS, SCORES, distances, one_to_one, percentile, places_of
from tests.golden.staged import (
    BODYPIX,
    STAGED,
    WITHOUT_TOPOLOGY,
    cases,
    id_of,
    loaded,
    read_golden,
)

BODYPIX_DECODER = next(s for s in STAGED if s.folder == BODYPIX and "512_512" in s.file)


@pytest.mark.parametrize("staged, name", [pytest.param(*c, id=id_of(*c)) for c in cases()])
def test_golden(shared, staged, name):
    assert_near(compare(shared / "weights", staged, name))


def test_no_model_and_no_golden_is_left_out(shared):
    index = json.loads((shared / "weights" / "INDEX.json").read_text())
    files = [f"{model['name']}/{f['file']}" for model in index for f in model["files"]]
    carrying = {f for f in files if f.endswith(("/model.json", ".tflite"))}
    assert carrying == {staged.path for staged in STAGED}
    stored = {
        (path.parent.parent.name, path.stem)
        for path in (shared / "weights").glob("*/reference/*.npz")
        if not path.parent.parent.name.startswith(WITHOUT_TOPOLOGY)
    }
    assert stored == {(s.folder, name) for s, name in cases() if s.rule != "live"}


def test_an_unknown_custom_op_is_named(shared):
    model = loaded(shared / "weights" / BODYPIX_DECODER.path)
    golden = read_golden(shared / "weights", BODYPIX_DECODER, "pose_core")
    with pytest.raises(core.KernelNotFound, match="PosenetDecoderOp"):
        model.predict(golden.input)


def test_a_wrong_output_is_found():
    golden = np.linspace(-3, 5, 9)
    assert float_row("x", golden + 7e-3, golden).holds
    assert not float_row("x", golden + 9e-3, golden).holds
    assert not float_row("x", golden * np.nan, golden).holds


def test_dust_is_no_distance_and_a_quantum_is_one():
    assert Row("x", 2.0000002, QUANTA_BOUND + DUST, "quanta").holds
    assert percentile([0.0123456] * 9, 0.01) == pytest.approx(1.23456, abs=1e-9)
    assert not Row("x", percentile([2.0011], 1), QUANTA_BOUND + DUST, "quanta").holds


def test_no_row_is_matched_twice():
    nearness = np.array([[0.9, 0.8, -np.inf], [1.0, -np.inf, -np.inf], [0.95, -np.inf, -np.inf]])
    assert one_to_one(nearness) == [1, 0, None]
    theirs = {ANCHORS: np.array([[7, 7, 3]]), SCORES: np.array([[0.9, 0.9, 0.5]])}
    assert places_of(theirs, theirs) == [0, 1, 2]
    ours = {ANCHORS: np.array([[7, 3, 4]]), SCORES: np.array([[0.9, 0.5, 0.5]])}
    assert places_of(theirs, ours) == [0, None, 1]


def test_a_detection_that_is_missing_is_counted():
    box = [0.1, 0.1, 0.5, 0.5]
    moved = [0.1, 0.104, 0.5, 0.5]
    golden = detections([box, moved], [1, 1], [0.9, 0.5])
    assert distances(golden, golden, (0.01, 0.1)) == (0, 0, 0)
    once = detections([box, [0.6, 0.6, 0.9, 0.9]], [1, 1], [0.8, 0.5])
    missing, edge, score = distances(once, golden, (0.01, 0.1))
    assert (missing, edge) == (1, 0) and score == pytest.approx(1)
    assert distances(detections([moved, box], [1, 2], [0.5, 0.9]), golden, (0.01, 0.1)).missing == 1
    assert distances(detections([box], [2], [0.9]), golden, (0.01, 0.1)).missing == 2
    padded = {k: np.concatenate([a, a[:, :1] * 0], 1) for k, a in golden.items() if k != "count"}
    assert distances(padded | {"count": np.array([2])}, golden, (0.01, 0.1)) == (0, 0, 0)
    missing, edge, _ = distances(detections([moved], [1], [0.9]), golden, (0.01, 0.1))
    assert (missing, edge) == (1, 0)


def detections(boxes, classes, scores):
    arrays = {"boxes": boxes, "classes": classes, "scores": scores}
    return {k: np.array([v]) for k, v in arrays.items()} | {"count": np.array([len(boxes)])}
