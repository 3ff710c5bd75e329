"""Ops between quanta and real values."""

from collections.abc import Sequence

import numpy as np

from core.converter.tflite.constants import quanta_of
from core.converter.tflite.step import Step, quantization_of
from core.converter.tflite.translation import Rule
from core.errors import CoreError

_LARGEST_BITS = 16


def _dequantize(step: Step) -> str | Sequence[str]:
    """Constants have their real values already, and so has what is computed."""
    if not step.is_constant(0):
        return step.input(0)
    step.graph.same(step.operator.outputs[0], step.tensor(0))
    return ()


def _densify(step: Step) -> Sequence[str]:
    if not step.is_constant(0):
        raise CoreError("it takes a constant")
    step.graph.same(step.operator.outputs[0], step.tensor(0))
    return ()


def _quantize(step: Step) -> str:
    """The rounding that every output on quanta gets."""
    if quanta_of(step.output()) is None:
        raise CoreError("its output needs a scale")
    return step.input(0)


def _cast(step: Step) -> str:
    """Quanta are cast as the whole numbers that they are."""
    x, quantization = step.input(0), quantization_of(step.info(0))
    if quantization is not None:
        quanta = step.node("RealDiv", x, step.value(quantization.scale))
        shifted = step.node("AddV2", quanta, step.value(quantization.zero_point))
        x = step.node("Round", shifted)
    cast = step.cast(x, step.output_dtype(quanta=True))
    meant = quantization_of(step.output())
    if meant is None:
        return cast
    whole = step.node("Sub", step.cast(cast, "float32"), step.value(meant.zero_point))
    return step.node("Mul", whole, step.value(meant.scale))


def _fake_quant(step: Step) -> str:
    """Values on quanta of so many bits between two limits, which move until 0 is a quantum."""
    options = step.options
    bits, low, high = options["num_bits"], options["min"], options["max"]
    if not (2 <= bits <= _LARGEST_BITS and low <= 0 <= high and low < high):
        raise CoreError(f"limits {low}..{high} must hold 0, and {bits} bits be 2..{_LARGEST_BITS}")
    smallest, largest = int(options["narrow_range"]), 2**bits - 1
    scale = np.float32(high - low) / np.float32(largest - smallest)
    zero_point = int(np.clip(np.floor(smallest - low / scale + 0.5), smallest, largest))
    # Counted from the lowest value, as LiteRT does it, halves are rounded up.
    lowest = step.value((smallest - zero_point) * scale)
    rounded = step.node(
        "QuantiseRound",
        step.node("Sub", step.input(0), lowest),
        scale=float(scale),
        zero_point=0,
        low=0,
        high=largest - smallest,
    )
    return step.node("AddV2", rounded, lowest)


RULES = {
    "CAST": Rule(_cast),
    "DENSIFY": Rule(_densify),
    "DEQUANTIZE": Rule(_dequantize),
    "FAKE_QUANT": Rule(_fake_quant),
    "QUANTIZE": Rule(_quantize),
}
