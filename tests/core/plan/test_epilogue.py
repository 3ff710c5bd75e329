"""Element-wise steps after convolutions and products: all forms of operands, in blocks."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.lowering_rules import Views
from core.engine.program import HERE
from tests.core.plan.harness import call_of, check, lower, node, numbers

MARGINS = {
    "none": {},
    "result": {"y": ((1, 1), (2, 0))},
    "residual": {"r": ((0, 1), (1, 1)), "x": ((1, 1), (1, 1))},
}
#: A result in several blocks, and those in several parts.
SHAPE = (2, 30, 50, 40)


@pytest.fixture
def arrays(rng):
    return {
        "x": numbers(rng, *SHAPE[:3], 6),
        "f": numbers(rng, 1, 1, 6, 40),
        "f3": numbers(rng, 3, 3, 6, 40),
        "d": numbers(rng, 3, 3, 40, 1),
        "b": numbers(rng, 40),
        "r": numbers(rng, *SHAPE),
        "one": numbers(rng, 1),
        "gate": numbers(rng, 2, 1, 1, 40),
        "column": numbers(rng, 30, 1, 1),
        "map": numbers(rng, 2, 30, 50, 1),
        "whole": numbers(rng, *SHAPE[1:]),
    }


def of_input(base, arrays):
    """A convolution's node whose result has the shape of the residual."""
    if base == "depthwise_conv2d":
        arrays["x"] = arrays["r"] * np.float32(0.5)
        return ("x", "d"), {"pad": "same"}
    return ("x", "f" if base == "conv2d" else "f3"), {"pad": "same"}


BASES = ["conv2d", "im2col", "depthwise_conv2d"]
STEPS = {
    "bias, relu6": [("add", HERE, "b"), ("relu6", HERE)],
    "bias, residual": [("add", HERE, "b"), ("add", "r", HERE)],
    "residual twice": [("add", HERE, "r"), ("relu", HERE), ("mul", HERE, "r")],
    "own value twice": [("mul", HERE, HERE), ("add", HERE, "b")],
    "hard swish": [("add", HERE, "one"), ("relu6", HERE), ("mul", "r", HERE)],
    "gate": [("add", HERE, "b"), ("sigmoid", HERE), ("mul", HERE, "gate")],
    "by rows": [("sub", "column", HERE), ("div", HERE, "map")],
    "whole": [("prelu", HERE, "whole"), ("maximum", HERE, "one")],
    "prelu": [("add", HERE, "b"), ("prelu", HERE, "b")],
}


@pytest.mark.parametrize("constants", [("f", "f3", "d", "b", "one", "whole", "column"), ("f",)])
@pytest.mark.parametrize("margins", MARGINS.values(), ids=MARGINS)
@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("base", BASES)
def test_steps_after_convolutions(arrays, base, steps, margins, constants):
    inputs, how = of_input(base, arrays)
    op = "conv2d" if base == "im2col" else base
    epilogue = [node(op, *references) for op, *references in steps]
    used = {*inputs, *(r for s in steps for r in s[1:] if r != HERE)}
    given = {r: a for r, a in arrays.items() if r in used}
    check(
        node(op, *inputs, epilogue=epilogue, **how),
        given,
        constants=tuple(c for c in constants if c in used),
        margins={r: m for r, m in margins.items() if r in {*used, "y"}},
    )


def test_quantized_rounding_after_a_sum(arrays):
    quanta = {"scale": 0.05, "zero_point": 3, "low": -128, "high": 127, "nudge": False}
    steps = [node("add", HERE, "b"), node("quantise_round", HERE, **quanta)]
    given = {r: np.round(arrays[r] * 4) / 4 for r in ("x", "f", "b")}  # sums without rounding
    step = node("conv2d", "x", "f", epilogue=steps)
    check(step, given, constants=("f", "b"), exact=True)


def test_steps_after_a_product(rng):
    arrays = {
        "a": numbers(rng, 3, 300, 20),
        "w": numbers(rng, 20, 12),
        "bias": numbers(rng, 12),
        "r": numbers(rng, 3, 300, 12),
        "rows": numbers(rng, 300, 1),
    }
    steps = [node("add", HERE, "bias"), node("add", "r", HERE), node("mul", HERE, "rows")]
    for constants in ((), ("w", "bias", "rows")):
        check(node("matmul", "a", "w", epilogue=steps), arrays, constants)


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_chain_without_steps(rng, op):
    arrays = {"x": numbers(rng, 1, 5, 5, 4), "f": numbers(rng, 1, 1, 4, 1)}
    call = call_of(node(op, "x", "f"), arrays, constants=("f",))
    result = np.empty(call.result.shape, np.float32)
    lowered = lower(call)
    assert len(lowered.bind(Views({**arrays, "y": result}, {}))) == 1
