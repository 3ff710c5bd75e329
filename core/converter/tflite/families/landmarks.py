"""MediaPipe's ops of the attention mesh: features are cut out along landmarks, and points set back.

Source: mediapipe/util/tflite/operations, version 2 of each op.
"""

import numpy as np

from core.converter.tflite.flexbuffer import read_options
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import CUSTOM, Rule
from core.errors import CoreError

#: Approximate bytes, while a file is read, of each pixel of a cut-out.
PLACE_BYTES = 32


def _landmarks_to_matrix(op: TranslatedOp) -> str:
    """Return matrices [n, 4, 4] from pixels of a cut-out to those that landmarks [n, p, 3] are in.

    The cut-out is a box about some landmarks, turned so that two of them are level.
    """
    options = _options(op, "subset_idxs", "scale_x", "scale_y", "target_rotation_radians")
    sides = np.array([options["output_width"], options["output_height"]])
    points = _slice(op, op.input(0), 0, 2)
    axes = _axes(op, points, options)
    subset = _gather(op, points, options["subset_idxs"])
    turned = op.node("BatchMatMulV2", subset, axes)
    high, low = (op.node(kind, turned, op.integers([1]), keep_dims=True) for kind in ("Max", "Min"))
    scale = op.value([options["scale_x"], options["scale_y"]] / sides)
    steps = op.node("Mul", axes, op.node("Mul", op.node("Sub", high, low), scale))
    middle = op.node("Mul", op.node("AddV2", high, low), op.value(0.5))
    middle = op.node("BatchMatMulV2", axes, middle, adj_y=True)
    corner = op.node("Mul", steps, op.value(sides / 2))
    corner = op.node("Sum", corner, op.integers([2]), keep_dims=True)
    shift = op.node("Sub", middle, corner)
    rows = op.node("ConcatV2", _padded(op, steps, 0, 1), shift, op.integers(2), N=2)
    return op.node("AddV2", _padded(op, rows, 2, 0), op.value(np.diag([0, 0, 1, 1])))


def _axes(op: TranslatedOp, points: str, options: dict) -> str:
    """Return the directions of a cut-out's columns and rows as columns [n, 2, 2]."""
    ends = [_gather(op, points, [options[f"{side}_rotation_idx"]]) for side in ("left", "right")]
    along = op.node("Sub", *reversed(ends))
    angle = op.node("Atan2", _slice(op, along, 1, 1), _slice(op, along, 0, 1))
    angle = op.node("Sub", angle, op.value(options["target_rotation_radians"]))
    cosine, sine = (op.node(kind, angle) for kind in ("Cos", "Sin"))
    rows = [
        op.node("ConcatV2", *row, op.integers(2), N=2)
        for row in ((cosine, op.node("Neg", sine)), (sine, cosine))
    ]
    return op.node("ConcatV2", *rows, op.integers(1), N=2)


def _transform_bilinear(op: TranslatedOp) -> str:
    """Return what a matrix cuts out of features [n, h, w, c]; it is 0 outside of their middles."""
    options = _options(op)
    size = options["output_height"], options["output_width"]
    op.graph.constants.take(PLACE_BYTES * size[0] * size[1], "constants and places of cut-outs")
    height, width = op.shape(0)[1:3]
    if height is None or width is None:
        raise CoreError(f"height and width of its input must be known: {op.shape(0)}")
    matrix = _slice(op, op.input(1), 0, 2, axis=1)
    # Pixels are meant by their middles: half a pixel is added before, and taken away after.
    middles = op.value([[[1, 0, 0.5], [0, 1, 0.5], [0, 0, 0], [0, 0, 1]]])
    matrix = op.node("Sub", op.node("BatchMatMulV2", matrix, middles), op.value([0, 0, 0.5]))
    rows = op.node("Reshape", matrix, op.integers([-1, 6]))
    rows = op.node("Pad", rows, op.integers([[0, 0], [0, 2]]))
    cut = op.node(
        "ImageProjectiveTransformV3",
        *(op.input(0), rows, op.integers(size), op.value(0)),
        interpolation="BILINEAR",
        fill_mode="CONSTANT",
    )
    y, x = np.indices(size).reshape(2, -1)
    places = op.node("BatchMatMulV2", matrix, op.value([[x, y, np.ones_like(x)]]))
    ends = op.value([[width - 1], [height - 1]])
    inside = op.node(
        "LogicalAnd",
        op.node("GreaterEqual", places, op.value(0)),
        op.node("LessEqual", places, ends),
    )
    inside = op.node("All", inside, op.integers([1]), keep_dims=True)
    inside = op.node("Reshape", op.cast(inside, "float32"), op.integers([-1, *size, 1]))
    return op.node("Mul", cut, inside)


def _transform_landmarks(op: TranslatedOp) -> str:
    """Move points [n, p, 2 or 3] by a matrix; a third number stays as it is."""
    dimensions = op.shape(0)[-1]
    if len(op.shape(0)) != 3 or dimensions not in (2, 3):
        raise CoreError(f"its points must be [n, points, 2 or 3], not {op.shape(0)}")
    matrix = _slice(op, op.input(1), 0, 2, axis=1)
    points = _slice(op, op.input(0), 0, 2)
    moved = op.node("BatchMatMulV2", points, _slice(op, matrix, 0, 2), adj_y=True)
    shift = op.node("Transpose", _slice(op, matrix, 3, 1), op.integers([0, 2, 1]))
    moved = op.node("AddV2", moved, shift)
    if dimensions == 2:
        return moved
    return op.node("ConcatV2", moved, _slice(op, op.input(0), 2, 1), op.integers(2), N=2)


def _options(op: TranslatedOp, *names: str) -> dict:
    options = read_options(op.operator.custom_options)
    missing = {"output_height", "output_width", *names} - options.keys()
    if missing:
        raise CoreError(f"its options lack {', '.join(sorted(missing))}: only version 2 is known")
    size = options["output_height"], options["output_width"]
    if min(size) < 1:
        raise CoreError(f"height and width of its cut-out must be at least 1, not {size}")
    return options


def _slice(op: TranslatedOp, x: str, start: int, size: int, axis: int = 2) -> str:
    """Return a part of one of three axes."""
    begin, sizes = [0, 0, 0], [-1, -1, -1]
    begin[axis], sizes[axis] = start, size
    return op.node("Slice", x, op.integers(begin), op.integers(sizes))


def _gather(op: TranslatedOp, points: str, indices: list[int]) -> str:
    return op.node("GatherV2", points, op.integers(indices), op.integers(1))


def _padded(op: TranslatedOp, x: str, rows: int, columns: int) -> str:
    return op.node("Pad", x, op.integers([[0, 0], [0, rows], [0, columns]]))


RULES = {
    f"{CUSTOM}Landmarks2TransformMatrix": Rule(_landmarks_to_matrix),
    f"{CUSTOM}TransformTensorBilinear": Rule(_transform_bilinear),
    f"{CUSTOM}TransformLandmarks": Rule(_transform_landmarks),
}
