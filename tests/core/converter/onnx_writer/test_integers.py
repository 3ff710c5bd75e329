"""Networks of integers as ONNX files: what ONNX Runtime gives is what their kernels give."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.converter.onnx_writer.rules.integers import can_write, has_integers
from core.converter.onnx_writer.writing import write_onnx
from core.converter.tflite import read_tflite
from core.engine.program import HERE, Program, Step
from core.engine.registry import OPS
from core.engine.specs import Spec
from core.graph_model.graph_model import GraphModel
from core.plan.integer_ops import INTEGER_RESIZE, QUANTA_BINARY, REQUANTISE
from core.plan.integer_rounding import STEPS, binary_numbers, limits_of, rounded, rounded_pair
from core.plan.passes.integer_numbers import positions
from core.plan.passes.integers_as_bytes import with_bytes
from core.plan.passes.integers_as_floats import with_quanta
from tests.core.converter.onnx_writer.onnx_runs import by_runtime, written
from tests.core.converter.tflite.fixtures.models import FOLDER, load
from tests.core.plan.test_fixed_point import near_steps, numbers_of
from tests.core.plan.test_integer_networks import assert_equal_steps, drawn, product
from tests.core.plan.test_integers import EXACT

#: Numbers of a sum whose operands must be rounded before they are added, of MoveNet.
ROUNDED = (0, 1305271251, 1, 0, 1073741824, 0, 1752274263, 0, 19)


def run(program, path, *given):
    """The outputs of a program, as a file in ONNX Runtime."""
    return [
        *by_runtime(written(program, path), dict(zip(program.inputs, given, strict=True))).values()
    ]


@pytest.mark.parametrize("least, most", [(0, 255), (-128, 127), (-255, 0), (-3, 252)])
def test_sums_on_both_sides_of_each_step(least, most, rng, tmp_path):
    """Halves, sums below 0, shifts to the left, and ratios that are powers of two among them."""
    attributes = {"least": least, "most": most, "is_small": True}
    powers = 2.0 ** np.arange(-14, 2)
    numbers = numbers_of(np.concatenate((2.0 ** rng.uniform(-14, 1, 60), powers)))
    sums = near_steps(numbers, attributes)
    upper, lower = numbers.in_floats()
    constants = {"upper": upper, "lower": lower}
    specs = {"x": Spec(sums.shape), "y": Spec(sums.shape)}
    specs |= {name: Spec(array.shape) for name, array in constants.items()}
    step = Step(REQUANTISE, ("x", "upper", "lower"), attributes, (), ("y",))
    program = Program((step,), constants, specs, ("x",), ("y",))
    (found,) = run(program, tmp_path / "x.onnx", sums.astype(np.float32))
    expected = rounded(sums, *map(np.int64, numbers), limits_of(attributes))
    assert_equal_steps(found, expected)


@pytest.mark.parametrize(
    "kind, numbers, has_table",
    [
        ("add", ROUNDED, True),
        ("sub", ROUNDED, True),
        ("add", (0, 1073741824, 0, 0, 1305271251, 2, 1752274263, 0, 18), False),
        ("mul", (0, 0, 0, 0, 0, 0, 1610612736, 0, 6), False),
    ],
)
@pytest.mark.parametrize("least, most", [(0, 255), (-160, 95)])
def test_every_two_bytes(kind, numbers, has_table, least, most, tmp_path):
    attributes = {"kind": kind, "numbers": numbers, "least": least, "most": most}
    assert isinstance(binary_numbers(attributes).first, np.ndarray) is has_table
    shape = (len(STEPS),) * 2
    specs = {name: Spec(shape) for name in "xyz"}
    step = Step(QUANTA_BINARY, ("x", "y"), attributes, (), ("z",))
    program = Program((step,), {}, specs, ("x", "y"), ("z",))
    given = np.meshgrid(STEPS, STEPS)
    (found,) = run(program, tmp_path / "x.onnx", *(each.astype(np.float32) for each in given))
    expected = rounded_pair(*given, numbers, {"kind": kind, **limits_of(attributes)})
    assert_equal_steps(found, expected)


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d", "matmul"])
@pytest.mark.parametrize("dtype, zero", [(np.int8, 0), (np.uint8, 120)])
def test_products(op, dtype, zero, rng, tmp_path):
    """Their filters are stored in bytes, also those whose steps from 0 no int8 holds."""
    channels = 40
    shapes = {"conv2d": (3, 3, 16, channels), "depthwise_conv2d": (3, 3, channels, 1)}
    shape = shapes.get(op, (64, channels))
    images = (7, 64) if op == "matmul" else (1, 9, 11, shape[2])
    limits = np.iinfo(dtype)
    filter = rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
    bias = rng.integers(-30_000, 30_000, channels).astype(np.int32)
    rounding = {"scale": 0.5, "zero_point": -9, "low": -128, "high": 127}
    program = product(op, images, filter, bias, [2.0**-8], rounding)
    stored = program.integers["f"]._replace(zero_point=zero)
    program = program._replace(integers={**program.integers, "f": stored})
    exact, x = with_quanta(program, is_exact=True), drawn(rng, images)
    assert has_integers(exact) and can_write(exact)
    (expected,) = CpuExecutable(with_bytes(program)).run([x])
    (found,) = run(exact, tmp_path / "x.onnx", x)
    assert_equal_steps(found, expected)
    assert (tmp_path / "x.onnx").stat().st_size < filter.size * 2 + 4000


def test_programs_that_stay_floats(rng):
    """Sums beyond 2**24 have no form here; then nothing of the network has."""
    filter = rng.integers(100, 128, (1600, 4)).astype(np.int8)
    filter[::2] *= -1
    rounding = {"scale": 0.5, "zero_point": 0, "low": -128, "high": 127}
    program = product("matmul", (5, 1600), filter, np.zeros(4, np.int32), [2.0**-9], rounding)
    exact = with_quanta(program, is_exact=True)
    assert has_integers(exact) and not can_write(exact)


def test_rounding_that_no_numbers_have_is_not_written(monkeypatch):
    attributes = {"kind": "add", "numbers": ROUNDED, "least": 0, "most": 255}
    specs = {name: Spec((2,)) for name in "xyz"}
    step = Step(OPS["add"], ("x", "y"), {}, (Step(QUANTA_BINARY, (HERE, "y"), attributes),), ("z",))
    program = Program((step,), {}, specs, ("x", "y"), ("z",))
    assert can_write(program)
    monkeypatch.setattr(
        "core.converter.onnx_writer.rules.integers.binary_numbers", lambda how: None
    )
    assert not can_write(program)


@pytest.mark.parametrize("name", EXACT)
def test_networks_of_litert(name, tmp_path):
    """Outputs of models that LiteRT's reference kernels ran, bit for bit, and what is said."""
    graph, values = read_tflite(FOLDER / f"{name}.tflite"), load(name)
    model = GraphModel(graph)
    feeds = {n: values[f"in/{n}"] for n in model.inputs}
    expected = model.predict(feeds)
    made = write_onnx(graph, tmp_path / "x.onnx")
    given = {n: x.astype(model.inputs[n].dtype) for n, x in feeds.items()}
    for key, end in graph.inputs.items():
        if end.quantization is not None:
            scale, zero, _ = end.quantization
            given[key] = (feeds[key].astype(np.float32) - zero) * np.float32(scale)
    found = by_runtime(made.path, given)
    assert "exact integers" in made.format
    for output in EXACT[name]:
        np.testing.assert_array_equal(found[output], expected[output].numpy(), output)


@pytest.mark.parametrize("size", [(7, 9), (2, 3), (4, 13)])
@pytest.mark.parametrize("base", [-20, 128])
def test_resizing(size, base, rng, tmp_path):
    """Values on both sides of the base, of which some are halves."""
    shape = (2, 4, 6, 5)
    tables = [positions(*each, False, True) for each in zip(shape[1:3], size, strict=True)]
    constants = dict(zip(("rows", "columns"), tables, strict=True))
    specs = {"x": Spec(shape), "y": Spec((2, *size, 5))}
    specs |= {name: Spec(array.shape, "int32") for name, array in constants.items()}
    step = Step(INTEGER_RESIZE, ("x", "rows", "columns"), {"base": base}, (), ("y",))
    program = Program((step,), constants, specs, ("x",), ("y",))
    x = rng.integers(-108, 148, shape).astype(np.float32)
    (expected,) = CpuExecutable(program).run([x])
    (found,) = run(program, tmp_path / "x.onnx", x)
    assert_equal_steps(found, expected)
