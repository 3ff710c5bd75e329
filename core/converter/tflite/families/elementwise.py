"""Element-wise ops, activations and normalisations."""

from math import pi, sqrt

from core.converter.tflite.translated_op import ACTIVATION_NODES, TranslatedOp
from core.converter.tflite.translation import Rule, plain
from core.engine.registry import OPS

#: The smallest length by which LiteRT divides.
_SHORTEST = 1e-6


def _binary(kind: str) -> Rule:
    return Rule(lambda op: op.activated(op.node(kind, op.input(0), op.input(1))))


def _spelled() -> dict[str, Rule]:
    """Return the rules of ops of the engine with a TFLite spelling: a node of equal inputs."""
    found = [op for op in OPS.values() if op.spellings.tflite]
    kinds = {op.spellings.tflite: (op.spellings.tensorflow[0], op.count) for op in found}
    return {n: plain(kind, 0) if k == 1 else _binary(kind) for n, (kind, k) in kinds.items()}


def _activation(name: str) -> Rule:
    return Rule(lambda op: op.applied(name, op.input(0)))


def _div(op: TranslatedOp) -> str:
    """Divide; quotients of integers are rounded towards 0."""
    a, b = op.input(0), op.input(1)
    if op.output().dtype == "int32":
        quotient = op.node("FloorDiv", op.node("Abs", a), op.node("Abs", b))
        signs = op.node("Mul", op.node("Sign", a), op.node("Sign", b))
        return op.activated(op.node("Mul", quotient, signs))
    return op.activated(op.node("RealDiv", a, b))


def _select(op: TranslatedOp) -> str:
    """Select rows by a condition of one axis, which Select and SELECT_V2 would broadcast."""
    condition = op.input(0)
    if len(op.info(0).shape) == 1:
        rank = len(op.shape(1))
        condition = op.node("Reshape", condition, op.integers([-1] + [1] * (rank - 1)))
    return op.node("Select", condition, op.input(1), op.input(2))


def _add_n(op: TranslatedOp) -> str:
    return op.node("AddN", *op.inputs(), N=len(op.inputs()))


def _hard_swish(op: TranslatedOp) -> str:
    """Return x * relu6(x + 3) / 6."""
    x = op.input(0)
    gate = op.node("Relu6", op.node("AddV2", x, op.value(3.0)))
    return op.node("Mul", op.node("Mul", x, gate), op.value(1 / 6))


def _gelu(op: TranslatedOp) -> str:
    """Return x times the normal distribution's share below x, or an approximation by tanh."""
    x = op.input(0)
    if op.options["approximate"]:
        cube = op.node("Mul", op.node("Square", x), x)
        bent = op.node("AddV2", x, op.node("Mul", cube, op.value(0.044715)))
        share = op.node("Tanh", op.node("Mul", bent, op.value(sqrt(2 / pi))))
    else:
        share = op.node("Erf", op.node("Mul", x, op.value(sqrt(0.5))))
    half = op.node("Mul", x, op.value(0.5))
    return op.node("Mul", half, op.node("AddV2", share, op.value(1.0)))


def _softmax(op: TranslatedOp) -> str:
    x, beta = op.input(0), op.options["beta"]
    return op.node("Softmax", x if beta == 1 else op.node("Mul", x, op.value(beta)))


def _l2_normalization(op: TranslatedOp) -> str:
    """Divide by the Euclidean norm along the last axis."""
    x = op.input(0)
    total = op.node("Sum", op.node("Square", x), op.integers([-1]), keep_dims=True)
    length = op.node("Maximum", op.node("Sqrt", total), op.value(_SHORTEST))
    return op.activated(op.node("RealDiv", x, length))


RULES = {
    **_spelled(),
    **{name: _activation(name) for name in ACTIVATION_NODES},
    "ADD_N": Rule(_add_n),
    "DIV": Rule(_div),
    "ELU": plain("Elu", 0),
    "GELU": Rule(_gelu),
    "HARD_SWISH": Rule(_hard_swish),
    "L2_NORMALIZATION": Rule(_l2_normalization),
    "LEAKY_RELU": plain("LeakyRelu", 0),
    "LOCAL_RESPONSE_NORMALIZATION": plain("LRN", 0),
    "LOGISTIC": plain("Sigmoid", 0),
    "LOG_SOFTMAX": plain("LogSoftmax", 0),
    "PRELU": plain("Prelu", 0, 1),
    "SELECT": Rule(_select),
    "SELECT_V2": plain("SelectV2", 0, 1, 2),
    "SOFTMAX": Rule(_softmax),
}
