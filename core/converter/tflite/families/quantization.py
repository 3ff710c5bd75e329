"""Ops between quantised and real values."""

from collections.abc import Sequence

import numpy as np

from core.converter.tflite.constants import parameters_of
from core.converter.tflite.translated_op import TranslatedOp, quantization_of
from core.converter.tflite.translation import Rule
from core.errors import CoreError

_LARGEST_BITS = 16


def _dequantize(op: TranslatedOp) -> str | Sequence[str]:
    """Constants have their real values already, and so has what is computed."""
    if not op.is_constant(0):
        return op.input(0)
    op.graph.same(op.operator.outputs[0], op.tensor(0))
    return ()


def _densify(op: TranslatedOp) -> Sequence[str]:
    if not op.is_constant(0):
        raise CoreError("it takes a constant")
    op.graph.same(op.operator.outputs[0], op.tensor(0))
    return ()


def _quantize(op: TranslatedOp) -> str:
    """The rounding that every output on quanta gets."""
    if parameters_of(op.output()) is None:
        raise CoreError("its output needs a scale")
    return op.input(0)


def _cast(op: TranslatedOp) -> str:
    """Quanta are cast as the whole numbers that they are."""
    x, quantization = op.input(0), quantization_of(op.info(0))
    if quantization is not None:
        quanta = op.node("RealDiv", x, op.value(quantization.scale))
        shifted = op.node("AddV2", quanta, op.value(quantization.zero_point))
        x = op.node("Round", shifted)
    cast = op.cast(x, op.output_dtype(as_stored=True))
    meant = quantization_of(op.output())
    if meant is None:
        return cast
    whole = op.node("Sub", op.cast(cast, "float32"), op.value(meant.zero_point))
    return op.node("Mul", whole, op.value(meant.scale))


def _fake_quant(op: TranslatedOp) -> str:
    """Values on quanta of so many bits between two limits, which move until 0 is a quantum."""
    options = op.options
    bits, low, high = options["num_bits"], options["min"], options["max"]
    if not (2 <= bits <= _LARGEST_BITS and low <= 0 <= high and low < high):
        raise CoreError(f"limits {low}..{high} must hold 0, and {bits} bits be 2..{_LARGEST_BITS}")
    smallest, largest = int(options["narrow_range"]), 2**bits - 1
    scale = np.float32(high - low) / np.float32(largest - smallest)
    zero_point = int(np.clip(np.floor(smallest - low / scale + 0.5), smallest, largest))
    # Counted from the lowest value, as LiteRT does it, halves are rounded up.
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
