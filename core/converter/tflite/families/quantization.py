"""Ops between quantised and real values."""

from collections.abc import Sequence

import numpy as np

from core.converter.tflite.constants import parameters_of
from core.converter.tflite.file_content import TensorInfo
from core.converter.tflite.translated_op import (
    TranslatedOp,
    quantization_of,
    quantization_with_one_scale,
)
from core.converter.tflite.translation import Rule
from core.errors import CoreError
from core.graph.nodes import Quantization

_LARGEST_BITS = 16


def _dequantize(op: TranslatedOp) -> str | Sequence[str]:
    """Return the input: constants and computed values are real already."""
    return _densify(op) if op.is_constant(0) else op.input(0)


def _densify(op: TranslatedOp) -> Sequence[str]:
    if not op.is_constant(0):
        raise CoreError("it takes a constant")
    op.graph.same(op.operator.outputs[0], op.tensor(0))
    return ()


def _quantize(op: TranslatedOp) -> str:
    """Return the real values, as every quantized output is rounded; int32 stays as it is stored."""
    given, result = op.info(0), op.output()
    x = op.input(0)
    if given.dtype == "int32":
        x = op.real(x, _scale_of(given))
    if result.dtype == "int32":
        return op.cast(op.stored(x, _scale_of(result)), "int32")
    if parameters_of(result) is None:
        raise CoreError("its output needs a scale")
    return x


def _scale_of(info: TensorInfo) -> Quantization:
    """Return the quantization of a tensor, also of int32, which other ops take as integers."""
    found = quantization_with_one_scale(info)
    if found is None:
        raise CoreError(f"{info.name!r:.80} of {info.dtype} needs one scale above 0")
    return found


def _cast(op: TranslatedOp) -> str:
    """Cast values; quantized values are cast as the integers in the file."""
    x, quantization = op.input(0), quantization_of(op.info(0))
    if quantization is not None:
        x = op.stored(x, quantization)
    cast = op.cast(x, op.output_dtype(as_stored=True))
    result = quantization_of(op.output())
    return cast if result is None else op.real(cast, result)


def _fake_quant(op: TranslatedOp) -> str:
    """Round to quantized values between two limits, shifted so that 0 is a quantized value."""
    options = op.options
    bits, low, high = options["num_bits"], options["min"], options["max"]
    if not (2 <= bits <= _LARGEST_BITS and low <= 0 <= high and low < high):
        raise CoreError(f"limits {low}..{high} must hold 0, and {bits} bits be 2..{_LARGEST_BITS}")
    smallest, largest = int(options["narrow_range"]), 2**bits - 1
    scale = np.float32(high - low) / np.float32(largest - smallest)
    zero_point = int(np.clip(np.floor(smallest - low / scale + 0.5), smallest, largest))
    # Relative to the lowest value, as in LiteRT, so halves are rounded up.
    lowest = op.value((smallest - zero_point) * scale)
    rounded = op.node(
        "QuantiseRound",
        op.node("Sub", op.input(0), lowest),
        scale=float(scale),
        zero_point=0,
        low=0,
        high=largest - smallest,
    )
    return op.node("AddV2", rounded, lowest)


RULES = {
    "CAST": Rule(_cast),
    "DENSIFY": Rule(_densify),
    "DEQUANTIZE": Rule(_dequantize),
    "FAKE_QUANT": Rule(_fake_quant),
    "QUANTIZE": Rule(_quantize),
}
