"""Activations and normalisations."""

from math import pi, sqrt

from core.converter.tflite.translated_op import ACTIVATION_NODES, TranslatedOp
from core.converter.tflite.translation import Rule, plain

#: The smallest length that LiteRT divides by.
_SHORTEST = 1e-6


def _activation(name: str) -> Rule:
    return Rule(lambda op: op.applied(name, op.input(0)))


def _relu_0_to_1(op: TranslatedOp) -> str:
    return op.node("ClipByValue", op.input(0), op.value(0.0), op.value(1.0))


def _leaky_relu(op: TranslatedOp) -> str:
    return op.node("LeakyRelu", op.input(0), alpha=op.options["alpha"])


def _hard_swish(op: TranslatedOp) -> str:
    """That is x * relu6(x + 3) / 6."""
    x = op.input(0)
    gate = op.node("Relu6", op.node("AddV2", x, op.value(3.0)))
    return op.node("Mul", op.node("Mul", x, gate), op.value(1 / 6))


def _gelu(op: TranslatedOp) -> str:
    """Its input times the normal distribution's share below it, or tanh for that."""
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
    """Along the last axis."""
    x = op.input(0)
    total = op.node("Sum", op.node("Square", x), op.integers([-1]), keep_dims=True)
    length = op.node("Maximum", op.node("Sqrt", total), op.value(_SHORTEST))
    return op.activated(op.node("RealDiv", x, length))


def _local_response_normalization(op: TranslatedOp) -> str:
    options = dict(op.options)
    return op.node("LRN", op.input(0), depth_radius=options.pop("radius"), **options)


RULES = {
    **{name: _activation(name) for name in ACTIVATION_NODES},
    "RELU_0_TO_1": Rule(_relu_0_to_1),
    "ELU": plain("Elu", 0),
    "GELU": Rule(_gelu),
    "HARD_SWISH": Rule(_hard_swish),
    "LEAKY_RELU": Rule(_leaky_relu),
    "LOGISTIC": plain("Sigmoid", 0),
    "LOG_SOFTMAX": plain("LogSoftmax", 0),
    "PRELU": plain("Prelu", 0, 1),
    "SOFTMAX": Rule(_softmax),
    "L2_NORMALIZATION": Rule(_l2_normalization),
    "LOCAL_RESPONSE_NORMALIZATION": Rule(_local_response_normalization),
}
