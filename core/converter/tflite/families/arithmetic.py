"""Functions of values by themselves, of two tensors, and comparisons."""

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule, plain

_UNARY = {
    "ABS": "Abs",
    "CEIL": "Ceil",
    "COS": "Cos",
    "EXP": "Exp",
    "FLOOR": "Floor",
    "LOG": "Log",
    "LOGICAL_NOT": "LogicalNot",
    "NEG": "Neg",
    "ROUND": "Round",
    "RSQRT": "Rsqrt",
    "SIGN": "Sign",
    "SIN": "Sin",
    "SQRT": "Sqrt",
    "SQUARE": "Square",
    "ZEROS_LIKE": "ZerosLike",
}

_BINARY = {
    "ADD": "AddV2",
    "ATAN2": "Atan2",
    "EQUAL": "Equal",
    "FLOOR_DIV": "FloorDiv",
    "FLOOR_MOD": "FloorMod",
    "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterEqual",
    "LESS": "Less",
    "LESS_EQUAL": "LessEqual",
    "LOGICAL_AND": "LogicalAnd",
    "LOGICAL_OR": "LogicalOr",
    "MAXIMUM": "Maximum",
    "MINIMUM": "Minimum",
    "MUL": "Mul",
    "NOT_EQUAL": "NotEqual",
    "POW": "Pow",
    "SQUARED_DIFFERENCE": "SquaredDifference",
    "SUB": "Sub",
}


def _binary(kind: str) -> Rule:
    return Rule(lambda op: op.activated(op.node(kind, op.input(0), op.input(1))))


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
    **{name: plain(kind, 0) for name, kind in _UNARY.items()},
    **{name: _binary(kind) for name, kind in _BINARY.items()},
    "ADD_N": Rule(_add_n),
    "DIV": Rule(_div),
    "SELECT": Rule(_select),
    "SELECT_V2": plain("SelectV2", 0, 1, 2),
}
