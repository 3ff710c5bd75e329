"""Element-wise nodes: bit for bit what the kernels give, alone, chained and in place."""

import numpy as np
import pytest

import core
from core.backends.cpu.numpy_steps.chain import lower_elementwise
from core.backends.cpu.numpy_steps.lowering_rules import find_lowering
from core.engine.operation import Traits
from core.engine.program import HERE
from core.engine.registry import KERNEL_NAMES, KERNELS, OPS, READY
from core.engine.settings import active_backend
from core.engine.specs import Spec
from tests.core.plan.harness import MARGIN, check, expected, node, random_margins, run

ELEMENTWISE = sorted(name for name, op in OPS.items() if op.traits.elementwise)
BINARY = [name for name in ELEMENTWISE if OPS[name].count == 2]
UNARY = [name for name in ELEMENTWISE if name not in (*BINARY, "add_n")]
ATTRIBUTES = {
    "clip_by_value": {"clip_value_min": -0.5, "clip_value_max": 1.25},
    "leaky_relu": {"alpha": 0.3},
    "step": {"alpha": 0.3},
    "quantise_round": {"scale": 0.13, "zero_point": 3, "low": -128, "high": 127},
}
SPECIAL = np.float32([np.nan, np.inf, -np.inf, 0, -0.0, 1e-40, -1e-40, 3e38, -3e38, 1, -1, 6, 88])


def values(rng, *shape):
    """Numbers of all sizes, some of them special."""
    x = (rng.normal(size=shape) * 3).astype(np.float32)
    flat = x.reshape(-1)
    flat[: len(SPECIAL)] = SPECIAL[: flat.size]
    rng.shuffle(flat)
    return x


@pytest.mark.parametrize("in_place", ["", "x"])
@pytest.mark.parametrize("op", UNARY)
def test_one_operand(op, in_place, rng):
    step = node(op, "x", **ATTRIBUTES.get(op, {}))
    for shape in ((), (1,), (7,), (2, 5, 3), (1, 9, 11, 24), (1, 48, 40, 24)):
        check(step, {"x": values(rng, *shape)}, in_place=in_place, exact=True)


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize(
    "shape", [(), (1,), (24,), (1, 1, 1, 24), (8, 12, 24), (1, 8, 1, 24), (1, 8, 12, 1)]
)
@pytest.mark.parametrize("constants", [(), ("y_2",)])
def test_operands_broadcast(op, shape, constants, rng):
    arrays = {"x": values(rng, 2, 8, 12, 24), "y_2": values(rng, *shape)}
    if op == "prelu":  # of finite slopes
        arrays["y_2"] = rng.normal(size=shape).astype(np.float32)
    else:
        check(node(op, "y_2", "x"), arrays, constants, exact=True)
    check(node(op, "x", "y_2"), arrays, constants, in_place="x", exact=True)


@pytest.mark.parametrize("margins", [{}, {"x": MARGIN}, {"y": MARGIN}, {"x": MARGIN, "y": MARGIN}])
@pytest.mark.parametrize("shape", [(1, 5, 7, 3), (2, 40, 33, 24), (1, 3, 2, 2000)])
def test_a_chain_next_to_margins(margins, shape, rng):
    channels = shape[-1]
    arrays = {
        "x": values(rng, *shape),
        "bias": rng.normal(size=channels).astype(np.float32),
        "slope": rng.normal(size=channels).astype(np.float32),
        "gate": rng.normal(size=(shape[0], 1, 1, channels)).astype(np.float32),
        "other": values(rng, *shape),
    }
    steps = [
        node("prelu", HERE, "slope"),
        node("mul", "gate", HERE),
        node("sigmoid", HERE),
        node("sub", "other", HERE),
        node("quantise_round", HERE, **ATTRIBUTES["quantise_round"]),
    ]
    step = node("add", "x", "bias", epilogue=steps)
    check(step, arrays, ("bias", "slope"), margins, exact=True)
    if len(margins) != 1:
        check(step, arrays, ("bias", "slope"), margins, in_place="x", exact=True)


def test_every_elementwise_op_is_lowered():
    assert all(find_lowering(OPS[op]) is lower_elementwise for op in ELEMENTWISE)


@pytest.mark.parametrize("limits", [(-128, 127, -128), (0, 255, 3), (-128, 127, 127), (0, 255, 0)])
@pytest.mark.parametrize("nudge", [False, True])
def test_quantized_rounding_equals_the_kernel(limits, nudge, rng):
    low, high, zero_point = limits
    how = {"low": low, "high": high, "zero_point": zero_point, "nudge": nudge}
    for scale in (0.5, 0.13, 1 / 3):
        halves = (np.arange(-600, 600) * 0.5 * scale).astype(np.float32)
        near = np.concatenate([np.nextafter(halves, np.float32(s)) for s in (-1e9, 1e9)])
        x = np.concatenate([halves, near, SPECIAL, rng.normal(size=40000) * 60])
        step = node("quantise_round", "x", scale=scale, **how)
        check(step, {"x": x.astype(np.float32)}, exact=True)


@pytest.mark.parametrize("in_place", ["", "a", "b", "c"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_add_n(in_place, count, rng):
    arrays = {name: values(rng, 2, 30, 40, 24) for name in "abcd"[:count]}
    place = in_place if in_place in arrays else ""
    check(node("add_n", *arrays), arrays, in_place=place, exact=True)


def test_integers_and_empty_arrays(rng):
    whole = {n: rng.integers(-9, 9, (3, 40)).astype(np.int32) for n in "ab"}
    for op in ("add", "sub", "mul", "maximum", "minimum"):
        check(node(op, "a", "b"), whole, exact=True)
    assert run(node("squared_difference", "a", "b"), whole) is None
    for op in ("relu", "sigmoid", "add_n"):
        check(node(op, "x"), {"x": np.zeros((2, 0, 3), np.float32)}, exact=True)


@pytest.mark.parametrize("constants", [(), ("b",)])
@pytest.mark.parametrize("shape", [(40,), (48, 1), (1,), (64, 1, 1)])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "maximum", "minimum"])
def test_integers_broadcast(op, shape, constants, rng):
    arrays = {
        "a": rng.integers(-(2**31), 2**31, (64, 48, 40)).astype(np.int32),
        "b": rng.integers(-(2**31), 2**31, shape).astype(np.int32),
    }
    after = [node("maximum", HERE, "b")]
    check(node(op, "a", "b"), arrays, constants, exact=True)
    check(node(op, "b", "a", epilogue=after), arrays, constants, exact=True)
    check(node("reverse", "a", epilogue=[node(op, HERE, "b")]), arrays, constants, exact=True)


@pytest.mark.parametrize("op", UNARY)
def test_strided_columns_of_pixels(op):
    x = np.arange(1, 10, dtype=np.float32).reshape(1, 9, 1, 1)
    margins = dict.fromkeys("xy", ((0, 0), (1, 2)))  # which makes steps of four values
    step = node(op, "x", **ATTRIBUTES.get(op, {}))
    check(step, {"x": x}, margins=margins, exact=True)
    check(step, {"x": x}, margins=margins, in_place="x", exact=True)


@pytest.mark.parametrize("slope", [np.nan, np.inf, -np.inf, 0.0, -2.0, 1e-40])
@pytest.mark.parametrize("constants", [(), ("slope",)])
def test_nan_slopes_keep_positive_values(slope, constants, rng):
    arrays = {"x": values(rng, 2, 30, 24), "slope": np.full(24, 0.5, np.float32)}
    arrays["slope"][::2] = slope
    step = node("prelu", "x", "slope")
    check(step, arrays, constants, exact=True)
    check(step, arrays, constants, in_place="x", exact=True)
    joined = node("neg", "x", epilogue=[node("prelu", HERE, "slope")])
    check(joined, arrays, constants, exact=True)


@pytest.mark.usefixtures("_tasks")
@pytest.mark.parametrize("seed", range(20))
def test_a_sweep(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([1, 2, 5, 16, 33], 4))
    arrays, steps = {"x": values(rng, *shape)}, [node("add", "x", "x")]
    for i, op in enumerate(rng.choice([*BINARY, *UNARY], 4)):
        other, how = f"x_{i}", ATTRIBUTES.get(op, {})
        if op in BINARY:
            own = tuple(n if rng.integers(2) else 1 for n in shape)[rng.integers(4) :]
            arrays[other] = rng.normal(size=own).astype(np.float32)
            steps.append(node(op, HERE, other))
        else:
            steps.append(node(op, HERE, **how))
    step = node("add", "x", "x", epilogue=steps[1:])
    constants = [r for r in arrays if r != "x" and rng.integers(2)]
    check(step, arrays, constants, random_margins(rng, "x", "y"), exact=True)


def test_signs_of_zero_stay(rng):
    x = np.float32([-0.0, 0.0, -0.3, 0.3] * 400)
    for op in ("relu", "relu6", "quantise_round", "floor", "round", "neg"):
        step = node(op, "x", **ATTRIBUTES.get(op, {}))
        found = run(step, {"x": x})
        assert found.results[0].tobytes() == expected(step, {"x": x})[0].tobytes(), op


@pytest.fixture
def cube():
    """A user-defined element-wise op, whose kernel has no formula for blocks."""

    @core.op(name="test_cube", traits=Traits(elementwise=True), input_dtype="float32")
    def cube(x: Spec) -> Spec:
        """The third power."""
        return x

    core.kernel("test_cube", "cpu")(lambda x: x * x * x)
    yield cube
    del OPS["test_cube"], KERNEL_NAMES["TestCube"], KERNELS["test_cube", "cpu"]
    READY.pop(("test_cube", "cpu"), None)


@pytest.mark.usefixtures("cube")
def test_a_user_defined_op_is_fused_by_its_kernel(rng):
    arrays = {"x": values(rng, 4, 50, 700), "w": values(rng, 700)}
    step = node("mul", "x", "w", epilogue=[node("test_cube", HERE), node("neg", HERE)])
    found = run(step, arrays)
    np.testing.assert_array_equal(found.results[0], expected(step, arrays)[0])
    assert active_backend().can_fuse(OPS["test_cube"], Spec((3,)))


@pytest.mark.usefixtures("cube")
def test_a_kernel_that_is_not_element_wise_is_refused(rng):
    READY["test_cube", "cpu"] = lambda x: x if x.ndim == 2 else x[:1]  # blocks are rows
    with pytest.raises(core.CoreError, match="element-wise op 'test_cube' returned float32"):
        run(node("test_cube", "x"), {"x": values(rng, 5, 2)})
