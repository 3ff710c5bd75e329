"""Fourier transforms; the parts of complex numbers are ops with a spelling."""

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule
from core.errors import CoreError


def _rfft_2d(op: TranslatedOp) -> str:
    """Transform rows of real values, then the columns of the result.

    Both are cut off at the lengths of the second input, or filled up to them with zeros.
    """
    lengths, rank = op.constant(1).ravel().tolist(), len(op.shape(0))
    if len(lengths) != 2 or min(lengths) < 1 or rank < 2:
        raise CoreError(f"it needs two lengths of 1 or more, got {lengths} for {rank} axes")
    height, width = lengths
    rows = op.node("RFFT", _of_height(op, height), op.integers([width]))
    if height == 1:
        return rows
    order = op.integers([*range(rank - 2), rank - 1, rank - 2])
    columns = op.node("FFT", op.node("Transpose", rows, order))
    return op.node("Transpose", columns, order)


def _of_height(op: TranslatedOp, height: int) -> str:
    """Return the values cut off or filled up to a length of the axis before the last."""
    x, shape = op.input(0), op.shape(0)
    given, rank = shape[-2], len(shape)
    if given is None:
        raise CoreError(f"the length of axis {rank - 2} of {shape} must be known")
    if height > given:
        missing = [[0, 0]] * (rank - 2) + [[0, height - given], [0, 0]]
        return op.node("Pad", x, op.integers(missing))
    if height < given:
        sizes = [-1] * (rank - 2) + [height, -1]
        return op.node("Slice", x, op.integers([0] * rank), op.integers(sizes))
    return x


RULES = {"RFFT2D": Rule(_rfft_2d)}
