"""Networks of integers on every backend: one answer, that of LiteRT's reference kernels."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.converter.tflite import read_tflite
from core.engine.backends import load_backend
from core.engine.program import HERE, Program, Quantization, Step, StoredIntegers
from core.engine.registry import OPS
from core.engine.specs import Spec
from core.graph_model.graph_model import GraphModel
from core.plan.passes import integers_as_floats
from core.plan.passes.integer_numbers import Quanta, are_exact, positions, sum_limits
from core.plan.passes.integers_as_bytes import with_bytes
from core.plan.passes.integers_as_floats import with_quanta
from tests.core.converter.tflite.fixtures.models import FOLDER, load
from tests.core.plan.test_integers import EXACT

WINDOWS = {"strides": 1, "pad": "same", "data_format": "NHWC", "dilations": 1}
WINDOWS["dim_rounding_mode"] = None

#: By a factor that is no power of two: as float32 on backends other than cpu.
INEXACT = "resized"


@pytest.mark.parametrize("name", EXACT)
def test_outputs_are_those_of_litert(name, backend):
    model, values = GraphModel(read_tflite(FOLDER / f"{name}.tflite")), load(name)
    found = model.predict({n: values[f"in/{n}"] for n in model.inputs}, raw=True)
    for output in EXACT[name]:
        if output == INEXACT and backend != "cpu":
            continue
        np.testing.assert_array_equal(found[output].numpy(), values[f"out/{output}"], output)


# --- single steps beside the twins of the kernels of bytes ----------------------------------------


def product(op, shape, filter, bias, scales, rounding, given="uint8"):
    """A program of one product that is rounded, with integers for its weights."""
    real = filter.astype(np.float32)
    result = (*shape[:-1], len(bias))
    epilogue = (
        Step(OPS["add"], (HERE, "b"), {}),
        Step(OPS["quantise_round"], (HERE,), {**rounding, "nudge": False}),
    )
    how = {"transpose_a": False, "transpose_b": False} if op == "matmul" else WINDOWS
    specs = {"x": Spec(shape), "f": Spec(real.shape), "b": Spec(bias.shape), "y": Spec(result)}
    constants = {"f": real, "b": bias.astype(np.float32)}
    step = Step(OPS[op], ("x", "f"), how, epilogue, ("y",))
    return Program((step,), constants, specs, ("x",), ("y",))._replace(
        integers={
            "f": StoredIntegers(filter, np.float32(scales), 0, real),
            "b": StoredIntegers(bias, np.float32([1]), 0, constants["b"]),
        },
        quantised={"x": Quantization(0.5, 0, given)},
    )


def computed(program, name, *given):
    """The output of a program on a backend."""
    backend = load_backend(name)
    (made,) = backend.lower(program).run([*given])
    return made if name == "cpu" else backend.download(made, program.specs[program.outputs[0]])


def drawn(rng, shape, low=0, high=256):
    """Real values of integers whose scale is a half."""
    return (rng.integers(low, high, shape) * 0.5).astype(np.float32)


def assert_equal_steps(found, expected):
    """Results that are not all one limit, of which all are equal."""
    assert len(np.unique(expected)) > 10
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("low", [0, -128])
@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d", "matmul"])
def test_sums_are_rounded_as_bytes_are(op, low, backend, rng):
    """With one scale and several, of which some make ties; with shifts of 1 to 13 bits."""
    channels = 40
    shapes = {"conv2d": (3, 3, 16, channels), "depthwise_conv2d": (3, 3, channels, 1)}
    shape = shapes.get(op, (64, channels))
    images = (7, 64) if op == "matmul" else (1, 9, 11, shape[2])
    filter = rng.integers(-127, 128, shape).astype(np.int8)
    bias = rng.integers(-30_000, 30_000, channels).astype(np.int32)
    rounding = {"scale": 0.5, "zero_point": low, "low": low, "high": low + 255}
    for scales in ([0.0123], [2.0**-7], 2.0 ** rng.uniform(-13, 0, channels)):
        program = product(op, images, filter, bias, scales, rounding)
        x = drawn(rng, images)
        (expected,) = CpuExecutable(with_bytes(program)).run([x])
        assert_equal_steps(computed(program, backend, x), expected)


@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
def test_pairs_are_rounded_as_bytes_are(kind, backend, rng):
    shape, rounding = (2, 9, 13, 6), {"scale": 0.71, "zero_point": 7, "low": 0, "high": 255}
    first = product(
        "conv2d", shape, np.ones((1, 1, 6, 6), np.int8), np.zeros(6, np.int32), [0.3], rounding
    )
    end = {"scale": 1.13, "zero_point": -9, "low": -128, "high": 127, "nudge": True}
    last = Step(OPS[kind], ("y", "x"), {}, (Step(OPS["quantise_round"], (HERE,), end),), ("z",))
    specs = {**first.specs, "z": Spec(shape)}
    program = first._replace(steps=(*first.steps, last), specs=specs, outputs=("z",))
    x = drawn(rng, shape)
    (expected,) = CpuExecutable(with_bytes(program)).run([x])
    assert "quanta_binary" in {step.op.name for step in with_quanta(program).steps}
    assert_equal_steps(computed(program, backend, x), expected)


def test_sums_beyond_float32_are_those_of_float64_on_cpu(rng):
    """Beyond 2**24 as on the way to a small sum; `is_exact` says whether that counts."""
    filter = rng.integers(100, 128, (1600, 4)).astype(np.int8)
    filter[::2] *= -1
    rounding = {"scale": 0.5, "zero_point": 0, "low": -128, "high": 127}
    program = product("matmul", (5, 1600), filter, np.zeros(4, np.int32), [2.0**-9], rounding)
    names = [step.op.name for step in with_quanta(program, is_exact=True).steps]
    assert "integer_conv2d" in names
    assert "matmul" in {step.op.name for step in with_quanta(program).steps}
    x = drawn(rng, (5, 1600), 100)
    (expected,) = CpuExecutable(with_bytes(program)).run([x])
    np.testing.assert_array_equal(computed(program, "cpu", x), expected)


def test_a_channel_that_is_always_at_a_limit_needs_no_float64(rng, backend):
    """Files have channels with a bias of any size, which float32 does not hold."""
    filter = rng.integers(-127, 128, (1, 1, 8, 6)).astype(np.int8)
    bias = np.int32([0, 2**29 + 1, -(2**29) - 1, 100, 5, -7])
    rounding = {"scale": 0.5, "zero_point": 3, "low": 0, "high": 255}
    program = product("conv2d", (1, 4, 5, 8), filter, bias, np.full(6, 2.0**-7), rounding)
    assert "conv2d" in {step.op.name for step in with_quanta(program, is_exact=True).steps}
    x = drawn(rng, (1, 4, 5, 8))
    (expected,) = CpuExecutable(with_bytes(program)).run([x])
    np.testing.assert_array_equal(computed(program, backend, x), expected)
    assert {*expected[..., 1].flat} == {126.0} and {*expected[..., 2].flat} == {-1.5}


def test_limits_of_sums(rng):
    taps = rng.integers(-127, 128, (3, 3, 20, 7)).astype(np.float32)
    given = Quanta.between(0.1, 20, 0, 255)
    low, high = sum_limits(taps, given, 7)
    flat = taps.reshape(-1, 7)
    np.testing.assert_array_equal(high, np.where(flat > 0, flat * 235, flat * -20).sum(0))
    np.testing.assert_array_equal(low, np.where(flat > 0, flat * -20, flat * 235).sum(0))


@pytest.mark.parametrize(
    "old, new, align, half, wanted",
    [
        (6, 12, False, True, True),
        (6, 24, False, False, True),
        (24, 6, False, True, True),
        (5, 9, True, False, True),
        (6, 10, False, True, False),
        (6, 12, True, False, False),
        (3, 1, True, False, False),
    ],
)
def test_resizing_that_float32_does_exactly(old, new, align, half, wanted):
    table = positions(old, new, align, half)
    assert are_exact(old, new, table, align) is wanted


@pytest.mark.parametrize("size", [(8, 12), (7, 9)])
def test_images_are_resized_as_bytes_are(size, backend, rng):
    """By other factors than powers of two on cpu alone."""
    shape, how = (2, 4, 6, 5), {"align_corners": False, "half_pixel_centers": True}
    rounding = {"scale": 0.5, "zero_point": -20, "low": -128, "high": 127}
    ones = np.eye(5, dtype=np.int8)[None, None] * np.int8(64)
    first = product("conv2d", shape, ones, np.zeros(5, np.int32), [2.0**-6], rounding)
    end = (Step(OPS["quantise_round"], (HERE,), {**rounding, "nudge": True}),)
    last = Step(OPS["resize_bilinear"], ("y",), {"size": size, **how}, end, ("z",))
    specs = {**first.specs, "z": Spec((2, *size, 5))}
    program = first._replace(steps=(*first.steps, last), specs=specs, outputs=("z",))
    x = drawn(rng, shape, 0, 148)
    (expected,) = CpuExecutable(with_bytes(program)).run([x])
    if backend == "cpu" or size == (8, 12):
        assert_equal_steps(computed(program, backend, x), expected)
    names = [step.op.name for step in with_quanta(program, is_exact=True).steps]
    assert ("integer_resize_bilinear" in names) == (size == (7, 9))


def test_plans_share_the_quanta_of_constants(rng):
    filter = rng.integers(-127, 128, (1, 1, 8, 6)).astype(np.int8)
    rounding = {"scale": 0.5, "zero_point": 3, "low": 0, "high": 255}
    program = product("conv2d", (1, 4, 5, 8), filter, np.zeros(6, np.int32), [0.01], rounding)
    first, second = (with_quanta(program).constants["f/quanta"] for _ in range(2))
    assert first is second
    del first, second
    assert id(filter) not in integers_as_floats._known
