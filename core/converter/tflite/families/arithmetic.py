"""Element-wise operators: those that ops declare, and those that are more than a node."""

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule, plain
from core.registry import OPS


def _unary(kind: str) -> Rule:
    return plain(kind, 0)


def _binary(kind: str) -> Rule:
    return Rule(lambda op: op.activated(op.node(kind, op.input(0), op.input(1))))


def _spelled() -> dict[str, Rule]:
    """Return the rules of operators that ops declare: a node of the same inputs."""
    rules = {1: _unary, 2: _binary}
    found = [op for op in OPS.values() if op.spellings.tflite]
    return {op.spellings.tflite: rules[op.count](op.spellings.tensorflow[0]) for op in found}


def _div(op: TranslatedOp) -> str:
    """Whole numbers are divided towards 0."""
    a, b = op.input(0), op.input(1)
    if op.output().dtype == "int32":
        quotient = op.node("FloorDiv", op.node("Abs", a), op.node("Abs", b))
        signs = op.node("Mul", op.node("Sign", a), op.node("Sign", b))
        return op.activated(op.node("Mul", quotient, signs))
    return op.activated(op.node("RealDiv", a, b))


def _select(op: TranslatedOp) -> str:
    """A condition of one axis picks rows, where Select and SELECT_V2 would broadcast it."""
    condition = op.input(0)
    if len(op.info(0).shape) == 1:
        rank = len(op.shape(1))
        condition = op.node("Reshape", condition, op.integers([-1] + [1] * (rank - 1)))
    return op.node("Select", condition, op.input(1), op.input(2))


def _add_n(op: TranslatedOp) -> str:
    return op.node("AddN", *op.inputs(), N=len(op.inputs()))


RULES = {
    **_spelled(),
    "ADD_N": Rule(_add_n),
    "DIV": Rule(_div),
    "SELECT": Rule(_select),
    "SELECT_V2": plain("SelectV2", 0, 1, 2),
}
