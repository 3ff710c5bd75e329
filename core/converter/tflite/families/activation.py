"""Activations and normalisations."""

from math import pi, sqrt

from core.converter.tflite.step import ACTIVATION_NODES, Step
from core.converter.tflite.translation import Rule

#: The smallest length that LiteRT divides by.
_SHORTEST = 1e-6


def _activation(name: str) -> Rule:
    return Rule(lambda step: step.applied(name, step.input(0)))


def _simple(kind: str) -> Rule:
    return Rule(lambda step: step.node(kind, step.input(0)))


def _relu_0_to_1(step: Step) -> str:
    return step.node("ClipByValue", step.input(0), step.value(0.0), step.value(1.0))


def _leaky_relu(step: Step) -> str:
    return step.node("LeakyRelu", step.input(0), alpha=step.options["alpha"])


def _prelu(step: Step) -> str:
    return step.node("Prelu", step.input(0), step.input(1))


def _hard_swish(step: Step) -> str:
    """That is x * relu6(x + 3) / 6."""
    x = step.input(0)
    gate = step.node("Relu6", step.node("AddV2", x, step.value(3.0)))
    return step.node("Mul", step.node("Mul", x, gate), step.value(1 / 6))


def _gelu(step: Step) -> str:
    """Its input times the normal distribution's share below it, or tanh for that."""
    x = step.input(0)
    if step.options["approximate"]:
        cube = step.node("Mul", step.node("Square", x), x)
        bent = step.node("AddV2", x, step.node("Mul", cube, step.value(0.044715)))
        share = step.node("Tanh", step.node("Mul", bent, step.value(sqrt(2 / pi))))
    else:
        share = step.node("Erf", step.node("Mul", x, step.value(sqrt(0.5))))
    half = step.node("Mul", x, step.value(0.5))
    return step.node("Mul", half, step.node("AddV2", share, step.value(1.0)))


def _softmax(step: Step) -> str:
    x, beta = step.input(0), step.options["beta"]
    return step.node("Softmax", x if beta == 1 else step.node("Mul", x, step.value(beta)))


def _l2_normalization(step: Step) -> str:
    """Along the last axis."""
    x = step.input(0)
    total = step.node("Sum", step.node("Square", x), step.integers([-1]), keep_dims=True)
    length = step.node("Maximum", step.node("Sqrt", total), step.value(_SHORTEST))
    return step.activated(step.node("RealDiv", x, length))


def _local_response_normalization(step: Step) -> str:
    options = dict(step.options)
    return step.node("LRN", step.input(0), depth_radius=options.pop("radius"), **options)


RULES = {
    **{name: _activation(name) for name in ACTIVATION_NODES},
    "RELU_0_TO_1": Rule(_relu_0_to_1),
    "ELU": _simple("Elu"),
    "GELU": Rule(_gelu),
    "HARD_SWISH": Rule(_hard_swish),
    "LEAKY_RELU": Rule(_leaky_relu),
    "LOGISTIC": _simple("Sigmoid"),
    "LOG_SOFTMAX": _simple("LogSoftmax"),
    "PRELU": Rule(_prelu),
    "SOFTMAX": Rule(_softmax),
    "L2_NORMALIZATION": Rule(_l2_normalization),
    "LOCAL_RESPONSE_NORMALIZATION": Rule(_local_response_normalization),
}
