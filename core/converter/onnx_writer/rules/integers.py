"""Rules of steps that compute with quantized values, as float32 in steps from 0.

Sums of products are exact in float32. They are rounded in float64, to the bit as the kernels of
LiteRT round them, so that ONNX Runtime gives what it gives.
"""

from collections.abc import Iterator

import numpy as np

from core.converter.onnx_writer.graph_writer import GraphWriter
from core.converter.onnx_writer.rules.rule import Rule
from core.engine.program import Program, Step
from core.plan.integer_ops import (
    INTEGER_OPS,
    INTEGER_RESIZE,
    POSITION_BITS,
    QUANTA_BINARY,
    REQUANTISE,
)
from core.plan.integer_rounding import STEPS, binary_numbers, known_numbers


def has_integers(program: Program) -> bool:
    """Return whether a program computes with integers."""
    return any(True for _ in _integer_steps(program))


def can_write(program: Program) -> bool:
    """Return whether the steps of a program that compute with integers can be written."""
    return all(_is_writable(step, program) for step in _integer_steps(program))


def _integer_steps(program: Program) -> Iterator[Step]:
    for step in program.steps:
        yield from (each for each in (step, *step.epilogue) if each.op in INTEGER_OPS)


def _is_writable(step: Step, program: Program) -> bool:
    """Return whether float64 rounds as the step does; bytes have no form here."""
    if step.op == QUANTA_BINARY:
        return binary_numbers(step.attributes) is not None
    if step.op != REQUANTISE:
        return step.op == INTEGER_RESIZE
    upper, lower = (program.constants[reference] for reference in step.inputs[1:])
    return known_numbers(upper, lower, step.attributes)[0].dtype == np.float64


def _requantise(writer: GraphWriter, step: Step) -> None:
    x, *numbers = step.inputs
    upper, lower = map(writer.array, numbers)
    assert upper is not None
    assert lower is not None
    factor, added = known_numbers(upper, lower, step.attributes)
    first = writer.is_first(x)
    shape = (-1, *(1,) * (writer.rank(x) - 2)) if first else (-1,)
    names = [
        writer.constant(each.reshape(shape) if each.size > 1 else each.reshape(()))
        for each in (factor, added)
    ]
    value = writer.node("Mul", writer.cast(writer.form(x, first=first), "float64"), names[0])
    writer.keep(step.name, _rounded(writer, step, value, names[1]), first=first)


def _quanta_binary(writer: GraphWriter, step: Step) -> None:
    numbers = binary_numbers(step.attributes)
    assert numbers is not None  # see `can_write`
    names, first = writer.operands(step.inputs, writer.rank(step.name))
    operands = [_moved(writer, *each) for each in zip(names, numbers[:2], strict=True)]
    value = writer.node(str(step.attributes["kind"]).title(), *operands)
    value = writer.node("Mul", value, writer.number(numbers.factor, "float64"))
    half = 0.5 if step.attributes["least"] >= 0 else 0
    added = writer.number(numbers.parts + half, "float64")
    writer.keep(step.name, _rounded(writer, step, value, added), first=first)


def _resize(writer: GraphWriter, step: Step) -> None:
    """Write the mixing of lines, then of columns, as products with matrices of shares."""
    x, *tables = step.inputs
    sizes, parts = writer.shape(x)[1:3], 1 << 2 * POSITION_BITS
    rows, columns = (
        writer.constant(_shares(writer.array(table), size))
        for table, size in zip(tables, sizes, strict=True)
    )
    total = writer.node("MatMul", rows, writer.cast(writer.form(x, first=True), "float64"))
    total = writer.node("MatMul", total, writer.transposed(columns, (1, 0)))
    base = writer.number(step.attributes["base"] * parts, "float64")
    is_below = writer.cast(writer.node("LessOrEqual", total, base), "float64")
    total = writer.node("Sub", total, is_below)  # halves are rounded away from the base
    total = writer.node("Add", total, writer.number(parts / 2, "float64"))
    total = writer.node("Floor", writer.node("Mul", total, writer.number(1 / parts, "float64")))
    writer.keep(step.name, writer.cast(total, "float32"), first=True)


def _shares(table: np.ndarray | None, size: int) -> np.ndarray:
    """Return how much of each old line is in each new one, in parts of a position."""
    assert table is not None
    before, after, share = table.T
    shares, lines = np.zeros((len(table), size)), np.arange(len(table))
    np.add.at(shares, (lines, before), (1 << POSITION_BITS) - share)
    np.add.at(shares, (lines, after), share)
    return shares


def _moved(writer: GraphWriter, name: str, factor: float | np.ndarray) -> str:
    """Write an operand times a factor, or what a table has for it."""
    if isinstance(factor, np.ndarray):
        number = writer.node("Sub", name, writer.number(float(STEPS[0])))
        return writer.node("Gather", writer.constant(factor), writer.cast(number, "int64"))
    value = writer.cast(name, "float64")
    return value if factor == 1 else writer.node("Mul", value, writer.number(factor, "float64"))


def _rounded(writer: GraphWriter, step: Step, value: str, added: str) -> str:
    """Write the rounding of values in float64, see `known_numbers`."""
    least, most = step.attributes["least"], step.attributes["most"]
    if least < 0:
        parts = writer.node("Mul", writer.node("Sign", value), added)
        value = writer.node("Add", value, writer.number(0.5, "float64"))
        added = parts
    value = writer.node("Floor", writer.node("Add", value, added))
    limits = (writer.number(limit, "float64") for limit in (least, most))
    return writer.cast(writer.node("Clip", value, *limits), "float32")


RULES: dict[str, Rule] = {
    "integer_resize_bilinear": _resize,
    "quanta_binary": _quanta_binary,
    "requantise": _requantise,
}
