"""Functions of values by themselves, of two tensors, and comparisons."""

from core.converter.tflite.step import Step
from core.converter.tflite.translation import Rule

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


def _unary(kind: str) -> Rule:
    return Rule(lambda step: step.node(kind, step.input(0)))


def _binary(kind: str) -> Rule:
    return Rule(lambda step: step.activated(step.node(kind, step.input(0), step.input(1))))


def _div(step: Step) -> str:
    """Whole numbers are divided towards 0."""
    a, b = step.input(0), step.input(1)
    if step.output().dtype == "int32":
        quotient = step.node("FloorDiv", step.node("Abs", a), step.node("Abs", b))
        signs = step.node("Mul", step.node("Sign", a), step.node("Sign", b))
        return step.activated(step.node("Mul", quotient, signs))
    return step.activated(step.node("RealDiv", a, b))


def _select(kind: str) -> Rule:
    return Rule(lambda step: step.node(kind, *step.inputs()))


def _add_n(step: Step) -> str:
    return step.node("AddN", *step.inputs(), N=len(step.inputs()))


RULES = {
    **{name: _unary(kind) for name, kind in _UNARY.items()},
    **{name: _binary(kind) for name, kind in _BINARY.items()},
    "ADD_N": Rule(_add_n),
    "DIV": Rule(_div),
    "SELECT": _select("Select"),
    "SELECT_V2": _select("SelectV2"),
}
