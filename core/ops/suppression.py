"""Non-maximum suppression: of boxes that overlap, keep the one with the best score."""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from core.engine.argument_types import TensorLike
from core.engine.async_run import run_async
from core.engine.operation import Op, Parameters, Result, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, integer
from core.engine.tensors import Tensor
from core.errors import CoreError

NO_THRESHOLD = float("-inf")


@op(kernel_name="NonMaxSuppressionV3", input_dtype="float32")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = NO_THRESHOLD,
) -> None:
    """Indices of the best boxes that do not overlap much, best first.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: how many to keep at most.
        iou_threshold: a box is dropped if it shares this part or more (intersection over union)
            with a better one, 0 to 1.
        score_threshold: boxes need a higher score than this.

    Returns:
        int32 [kept]

    >>> boxes = [[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]
    >>> core.non_max_suppression(boxes, [0.8, 0.9, 0.3], max_output_size=3).numpy()
    array([1, 2], dtype=int32)
    """
    boxes, scores = spec_of(boxes), spec_of(scores)
    if len(boxes.shape) != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise CoreError(f"boxes {boxes.shape} must be [boxes, 4] and scores {scores.shape} [boxes]")
    integer(max_output_size, "max_output_size", 0)
    if not 0 <= iou_threshold <= 1:
        raise CoreError(f"iou_threshold={iou_threshold} must be in 0..1")


class NonMaxSuppressionPaddedResults(NamedTuple):
    """The results of `non_max_suppression_padded`."""

    selected_indices: Tensor
    valid_outputs: Tensor


@op(
    kernel_name="NonMaxSuppressionV4", input_dtype="float32", results=NonMaxSuppressionPaddedResults
)
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = NO_THRESHOLD,
    pad_to_max_output_size: bool = False,
) -> tuple[Spec, Spec] | None:
    """`non_max_suppression`, padded to a fixed number of indices, with the number of kept boxes.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: see `non_max_suppression`.
        iou_threshold: see `non_max_suppression`.
        score_threshold: see `non_max_suppression`.
        pad_to_max_output_size: fill up with zeros to ``max_output_size`` indices.

    Returns:
        A named tuple: selected_indices, int32 [kept or padded], and valid_outputs, how many of
        them were kept.

    >>> core.non_max_suppression_padded([[0, 0, 1, 1], [0, 0, 1, 1]], [0.8, 0.9], max_output_size=2,
    ...                                 pad_to_max_output_size=True).selected_indices.numpy()
    array([1, 0], dtype=int32)
    """
    boxes, scores = spec_of(boxes), spec_of(scores)
    non_max_suppression.rule(boxes, scores, max_output_size, iou_threshold, score_threshold)
    if not pad_to_max_output_size:
        return None
    return Spec((max_output_size,), "int32"), Spec((), "int32")


class NonMaxSuppressionWithScoreResults(NamedTuple):
    """The results of `non_max_suppression_with_score`."""

    selected_indices: Tensor
    selected_scores: Tensor


@op(
    kernel_name="NonMaxSuppressionV5",
    input_dtype="float32",
    results=NonMaxSuppressionWithScoreResults,
)
def non_max_suppression_with_score(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = NO_THRESHOLD,
    soft_nms_sigma: float = 0.0,
) -> None:
    """`non_max_suppression` with scores, which soft NMS lowers for overlapping boxes.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: see `non_max_suppression`.
        iou_threshold: see `non_max_suppression`.
        score_threshold: see `non_max_suppression`.
        soft_nms_sigma: 0 to 1: how far an overlap reaches that lowers a score, by
            exp(-overlap² / (2 sigma)); 0 lowers none. Lowered scores must exceed
            ``score_threshold``, too.

    Returns:
        A named tuple: selected_indices, int32 [kept], and selected_scores, float32 [kept].

    >>> kept = core.non_max_suppression_with_score([[0, 0, 1, 1], [0, 0, 1, 2]], [0.9, 0.8],
    ...                                            max_output_size=2, soft_nms_sigma=0.5)
    >>> kept.selected_indices.numpy()
    array([0], dtype=int32)
    """
    boxes, scores = spec_of(boxes), spec_of(scores)
    non_max_suppression.rule(boxes, scores, max_output_size, iou_threshold, score_threshold)
    if not 0 <= soft_nms_sigma <= 1:
        raise CoreError(f"soft_nms_sigma={soft_nms_sigma} must be in 0..1")


def _in_worker(
    op: Op[Parameters, Result], result: str = ""
) -> Callable[Parameters, Coroutine[Any, Any, Result]]:
    """Declare a function that awaits an op in a worker thread; an example shows a result."""

    def awaitable(
        *inputs: Parameters.args, **attributes: Parameters.kwargs
    ) -> Coroutine[Any, Any, Result]:
        return run_async(op, *inputs, **attributes)

    awaitable.__name__ = f"{op.name}_async"
    awaitable.__doc__ = _async_document(op.name, op.__doc__ or "", result)
    signature = inspect.signature(op)
    returned = f"Coroutine[Any, Any, {inspect.formatannotation(signature.return_annotation)}]"
    awaitable.__signature__ = signature.replace(return_annotation=returned)  # type: ignore[attr-defined]
    return composite(awaitable)


def _async_document(name: str, document: str, result: str) -> str:
    """The arguments and results of an op under another summary, and an example that awaits."""
    sections = document[document.find("    Args:") : document.find("    >>>")]
    return f"""`{name}` in a worker thread: an awaitable of its result.

{sections}    >>> import asyncio, core
    >>> boxes, scores = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]], [0.8, 0.9, 0.3]
    >>> kept = asyncio.run(core.{name}_async(boxes, scores, max_output_size=3))
    >>> kept{result}.numpy()
    array([1, 2], dtype=int32)
    """


non_max_suppression_async = _in_worker(non_max_suppression)
non_max_suppression_padded_async = _in_worker(non_max_suppression_padded, ".selected_indices")
non_max_suppression_with_score_async = _in_worker(
    non_max_suppression_with_score, ".selected_indices"
)
