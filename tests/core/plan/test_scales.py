"""Scales and shifts of channels that are folded into the weights before them."""

import numpy as np
import pytest

import core
from core import Endpoint, Graph, GraphModel, Node, PartialSpec
from core.engine.program import Program
from core.engine.registry import OPS
from core.plan.passes import INFERENCE_PASSES, PROGRAM_PASSES, fold_scales
from tests.core.plan.harness import node
from tests.core.plan.programs import computed, program_of, same, shown

#: Of the largest value: weights are rounded once more.
ROUNDING = 1e-5


def floats(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def folded(program: Program, **arrays) -> list[str]:
    """What the pass makes of a program, which gives the same."""
    found = fold_scales(program)
    (expected,) = computed(program, arrays)
    same(found, program, arrays, ROUNDING * float(np.abs(expected).max()))
    assert shown(fold_scales(found)) == shown(found)
    return shown(found)


WEIGHTED = {
    "conv2d": ((2, 5, 6, 3), (3, 3, 3, 4), {"strides": 1, "pad": "same"}),
    "conv3d": ((1, 3, 4, 5, 2), (2, 2, 2, 2, 4), {"strides": 1, "pad": "valid"}),
    "depthwise_conv2d": ((2, 5, 6, 2), (3, 3, 2, 2), {"strides": 2, "pad": "valid"}),
    "conv2d_backprop_input": (
        (2, 3, 4, 5),
        (2, 2, 4, 5),
        {"input_shape": (2, 6, 8, 4), "strides": 2, "pad": "valid"},
    ),
    "matmul": ((2, 5, 3), (3, 4), {}),
    "matmul transposed": ((6, 3), (4, 3), {"transpose_b": True}),
}


@pytest.mark.parametrize("kind", WEIGHTED)
def test_a_row_of_products_and_sums_becomes_weights_and_a_bias(rng, kind):
    shape, filters, how = WEIGHTED[kind]
    op = kind.split()[0]
    steps = [
        node(op, "x", "w", name="c", **how),
        node("add", "c", "b", name="d"),
        node("mul", "s", "d", name="e"),
        node("sub", "e", "b", name="f"),
        node("div", "f", "half", name="g"),
        node("sub", "one", "g", name="h"),
        node("relu", "h"),
    ]
    constants = {"w": floats(rng, *filters), "b": floats(rng, 4), "s": floats(rng, 1, 1, 4)[0]}
    numbers = {"half": np.float32(0.5), "one": np.float32([1])}
    x = floats(rng, *shape)
    program = program_of(*steps, inputs={"x": x}, **constants, **numbers)
    found = fold_scales(program)
    assert folded(program, x=x) == [
        f"c = {op} x c/scaled",
        "h = add c c/offset",
        "y = relu h",
    ]
    assert found.constants.keys() == {"c/scaled", "c/offset"}


KEPT = {
    "no scale": [node("add", "c", "b")],
    "a row of pixels": [node("mul", "c", "rows")],
    "another reader": [node("mul", "c", "b", name="d"), node("add", "c", "d")],
    "an output": [node("mul", "c", "b", name="d"), node("add", "d", "c")],
    "a quotient": [node("div", "b", "c")],
    "a division by 0": [node("div", "c", "zeros")],
    "a broadcast": [node("mul", "c", "wide")],
    "too large": [node("mul", "c", "huge")],
    "data": [node("mul", "c", "x")],
}


@pytest.mark.parametrize("why", KEPT)
def test_others_stay(rng, why):
    x = floats(rng, 1, 5, 6, 4)
    constants = {
        "w": floats(rng, 1, 1, 4, 4),
        "b": floats(rng, 4),
        "rows": floats(rng, 6, 1),
        "zeros": np.zeros(4, np.float32),
        "wide": floats(rng, 3, 1, 1, 4)[:, :, :, :1],
        "huge": np.float32([1e38] * 4) * 3,
    }
    steps = [node("conv2d", "x", "w", name="c", strides=1, pad="same"), *KEPT[why]]
    program = program_of(*steps, inputs={"x": x}, **constants)
    assert shown(fold_scales(program)) == shown(program)


def test_weights_that_are_inputs_stay(rng):
    """As variables are in the programs of functions that train."""
    x, w, s = floats(rng, 1, 5, 6, 4), floats(rng, 1, 1, 4, 4), floats(rng, 4)
    steps = [node("conv2d", "x", "w", name="c", strides=1, pad="same"), node("mul", "c", "s")]
    for given, known in (({"x": x, "w": w}, {"s": s}), ({"x": x, "s": s}, {"w": w})):
        program = program_of(*steps, inputs=given, **known)
        assert fold_scales(program) is program


def test_functions_that_train_compute_with_their_own_weights():
    assert fold_scales in INFERENCE_PASSES and fold_scales not in PROGRAM_PASSES


def test_a_kernel_of_a_user_is_run(rng, monkeypatch):
    x, constants = floats(rng, 3, 4), {"w": floats(rng, 4, 4), "s": floats(rng, 4)}
    program = program_of(
        node("matmul", "x", "w", name="c"), node("mul", "c", "s"), inputs={"x": x}, **constants
    )
    assert len(fold_scales(program).constants) == 2 and "add" in shown(fold_scales(program))[1]
    for name in ("matmul", "mul"):
        with monkeypatch.context() as patched:
            patched.setattr("core.plan.passes.scales.is_replaced", lambda op, n=name: op is OPS[n])
            assert fold_scales(program) is program


def test_batch_norm_of_onnx_is_in_the_weights(rng):
    """For plans alone: gradients go to the weights of the graph."""
    weights = {
        "w": floats(rng, 5, 3, 3, 3),
        **{name: np.abs(floats(rng, 5)) + 0.5 for name in ("scale", "mean", "variance")},
        "shift": floats(rng, 5),
    }
    inputs = ("scale", "shift", "mean", "variance")
    nodes = [
        *(Node(name, "Const") for name in weights),
        Node("x", "Placeholder"),
        Node("c", "ONNX:Conv", ("x", "w"), {"pads": (1, 1, 1, 1)}),
        Node("n", "ONNX:BatchNormalization", ("c", *inputs), {}),
        Node("y", "ONNX:Relu", ("n",)),
    ]
    ends = (
        {"x": Endpoint("x", PartialSpec((1, 3, 6, 7)))},
        {"y": Endpoint("y", PartialSpec(None))},
    )
    model = GraphModel(Graph(nodes, weights, *ends))
    x = floats(rng, 1, 3, 6, 7)
    plan = model.plan(x)
    assert [(s.op, s.fused) for s in plan.steps if s.op not in ("transpose", "reshape")] == [
        ("conv2d", ("add", "relu"))
    ]
    eager = GraphModel(model.graph, plans=False).predict(x)["y"]
    np.testing.assert_allclose(model.predict(x)["y"], eager, rtol=0, atol=ROUNDING * eager.max())
    trained = model.trainable("w")
    gradient = core.grad(lambda v: core.sum(trained(v)))(core.tensor(x))
    assert gradient.shape == x.shape
