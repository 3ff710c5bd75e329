"""Non-maximum suppression beyond the records: values of TensorFlow.js, ties, special values."""

import asyncio
import threading

import numpy as np
import pytest

import core
from core.backends.cpu.kernels import suppression
from tests.core.ops.records.suppression import kept_boxes, random_boxes

#: Two piles of three boxes, some the wrong way round, and one apart.
BOXES = np.float32(
    [
        [0, 0, 1, 1],
        [0, 0.1, 1, 1.1],
        [0, -0.1, 1, 0.9],
        [0, 10, 1, 11],
        [1, 11.1, 0, 10.1],
        [0, 100, 1, 101],
    ]
)
SCORES = np.float32([0.9, 0.75, 0.6, 0.95, 0.5, 0.3])
TOWERS = [[0, 0, np.inf, 1], [0, 0, np.inf, 2], [0, 0, 1, 1]]


@pytest.mark.parametrize(
    "how, indices, scores",
    [
        (
            {"iou_threshold": 1.0, "score_threshold": 0.0, "soft_nms_sigma": 0.5},
            [3, 0, 1, 5, 4, 2],
            [0.95, 0.9, 0.38400352, 0.3, 0.2560026, 0.19697244],
        ),
        (
            {"iou_threshold": 0.5, "score_threshold": 0.2, "soft_nms_sigma": 0.3},
            [3, 0, 5],
            [0.95, 0.9, 0.3],
        ),
        ({"iou_threshold": 0.5}, [3, 0, 5], [0.95, 0.9, 0.3]),
        ({"iou_threshold": 0.5, "score_threshold": 0.4}, [3, 0], [0.95, 0.9]),
        ({"iou_threshold": 0.0}, [3], [0.95]),
    ],
)
def test_values(how, indices, scores):
    kept = core.non_max_suppression_with_score(BOXES, SCORES, max_output_size=6, **how)
    np.testing.assert_array_equal(kept.selected_indices.numpy(), indices)
    np.testing.assert_allclose(kept.selected_scores.numpy(), scores, rtol=1e-6)


def test_of_equal_scores_the_first_comes_first():
    apart = np.float32([[i, 0, i + 1, 1] for i in (0, 5, 10, 15)])
    kept = core.non_max_suppression(apart, [0.5, 0.7, 0.5, 0.7], max_output_size=9)
    np.testing.assert_array_equal(kept.numpy(), [1, 3, 0, 2])


def test_the_threshold_is_not_rounded():
    kept = core.non_max_suppression([[0, 0, 1, 1]], np.float32([0.1]), 1, score_threshold=0.1)
    assert kept.shape == (1,)  # 0.1 in float32 is above 0.1


@pytest.mark.parametrize("count", [100, 20])
def test_many_boxes_go_in_blocks(count, monkeypatch, rng):
    monkeypatch.setattr(suppression, "BLOCK", 8)
    boxes = random_boxes(100)(rng)
    scores = rng.integers(0, 20, 100).astype(np.float32)
    expected, _ = kept_boxes(boxes.astype(np.float64), scores, count, 0.3)
    assert len(expected) > 16
    kept = core.non_max_suppression(boxes, scores, count, 0.3)
    np.testing.assert_array_equal(kept.numpy(), expected)


def test_boxes_without_area_share_nothing():
    kept = core.non_max_suppression([[0, 0, 0, 1], [0, 0, 0, 1]], [0.9, 0.8], max_output_size=3)
    np.testing.assert_array_equal(kept.numpy(), [0, 1])


def test_scores_that_are_no_numbers_never_win():
    apart = np.float32([[i, 0, i + 1, 1] for i in (0, 5, 10, 15)])
    scores = np.float32([np.nan, np.inf, -np.inf, 0.5])
    kept = core.non_max_suppression(apart, scores, max_output_size=9)
    np.testing.assert_array_equal(kept.numpy(), [1, 3])


def test_infinite_boxes_as_in_tensorflow_js():
    scores = [0.9, 0.8, 0.7]
    kept = core.non_max_suppression(TOWERS, scores, max_output_size=3)
    np.testing.assert_array_equal(kept.numpy(), [0, 2, 1])
    kept = core.non_max_suppression(TOWERS, scores, max_output_size=3, score_threshold=0.0)
    np.testing.assert_array_equal(kept.numpy(), [0, 2])
    far = [*TOWERS, [9, 9, 10, 10], [9, 9, 10, 13]]  # these two overlap by a quarter
    kept = core.non_max_suppression_with_score(far, [*scores, 0.6, 0.5], 5, score_threshold=0.0)
    np.testing.assert_array_equal(kept.selected_indices.numpy(), [0, 2, 3, 4])
    np.testing.assert_array_equal(kept.selected_scores.numpy(), np.float32([0.9, 0.7, 0.6, 0.5]))


def test_padding_goes_on_beyond_the_number_of_boxes():
    how = {"max_output_size": 9, "pad_to_max_output_size": True}
    padded = core.non_max_suppression_padded(BOXES, SCORES, **how)
    np.testing.assert_array_equal(padded.selected_indices.numpy(), [3, 0, 5, 0, 0, 0, 0, 0, 0])
    assert padded.valid_outputs.item() == 3 and padded.valid_outputs.shape == ()


@pytest.mark.parametrize(
    "name", ["non_max_suppression", "non_max_suppression_padded", "non_max_suppression_with_score"]
)
def test_the_awaitable_forms_work_in_another_thread(name, monkeypatch):
    expected = getattr(core, name)(BOXES, SCORES, max_output_size=4)
    here, threads = threading.get_ident(), []
    run = core.engine.registry.READY[name, "cpu"]

    def noted(*inputs, **attributes):
        threads.append(threading.get_ident())
        return run(*inputs, **attributes)

    monkeypatch.setitem(core.engine.registry.READY, (name, "cpu"), noted)
    found = asyncio.run(getattr(core, f"{name}_async")(BOXES, SCORES, max_output_size=4))
    assert type(found) is type(expected)
    several = (list(v) if isinstance(v, tuple) else [v] for v in (found, expected))
    for one, other in zip(*several, strict=True):
        np.testing.assert_array_equal(one, other)
    assert threads and here not in threads


def test_the_awaitable_form_refuses_when_awaited():
    waiting = core.non_max_suppression_async(BOXES, SCORES[:2], max_output_size=4)
    with pytest.raises(core.CoreError, match="boxes"):
        asyncio.run(waiting)


@pytest.mark.parametrize(
    "boxes, scores, how, message",
    [
        (BOXES[0], SCORES[:1], {"max_output_size": 3}, r"must be \[boxes, 4\]"),
        (BOXES[:, :3], SCORES, {"max_output_size": 3}, r"must be \[boxes, 4\]"),
        (BOXES, SCORES[:3], {"max_output_size": 3}, "scores"),
        (BOXES, SCORES[:, None], {"max_output_size": 3}, "scores"),
        (BOXES, SCORES, {"max_output_size": -1}, "0 or more"),
        (BOXES, SCORES, {"max_output_size": 2.5}, "integer"),
        (BOXES, SCORES, {"max_output_size": 3, "iou_threshold": 1.5}, "iou_threshold=1.5"),
        (BOXES, SCORES, {"max_output_size": 3, "iou_threshold": np.nan}, "iou_threshold=nan"),
        (BOXES, SCORES, {}, "needs the attribute 'max_output_size'"),
    ],
)
def test_refusals(boxes, scores, how, message):
    for name in ("", "_padded", "_with_score"):
        with pytest.raises(core.CoreError, match=message):
            getattr(core, f"non_max_suppression{name}")(boxes, scores, **how)


@pytest.mark.parametrize("sigma", [-0.1, 1.5])
def test_sigma_lies_between_0_and_1(sigma):
    with pytest.raises(core.CoreError, match="soft_nms_sigma="):
        core.non_max_suppression_with_score(BOXES, SCORES, 3, soft_nms_sigma=sigma)


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.non_max_suppression(BOXES, SCORES, (3, 4)),
        lambda: core.non_max_suppression_padded(BOXES, SCORES, True),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()
