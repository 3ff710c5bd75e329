"""Networks of integers as programs of integers: what LiteRT's kernels give, to the bit."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.converter.tflite import read_tflite
from core.engine.program import HERE, Program, Quantization, Step, StoredIntegers
from core.engine.registry import OPS
from core.engine.specs import Spec
from core.graph.feeds import ArrayView, as_view
from core.graph_model.graph_model import GraphModel
from core.plan.passes import integers
from core.plan.passes.integer_numbers import Quanta, fits_sums, ratios
from core.plan.passes.integers_as_bytes import with_bytes
from core.plan.passes.integers_as_floats import with_quanta
from core.plan.planner import Planner
from tests.core.converter.tflite.fixtures.models import FOLDER, load

#: Outputs of the files that are computed by integers; the others of them differ in some values.
EXACT = {
    "quanta": (
        *("conv", "conv_relu", "conv_relu6", "depth", "dense", "resized", "mean"),
        *("ADD", "ADD_relu", "SUB", "SUB_relu", "MUL", "MUL_relu"),
    ),
    "unsigned": ("conv", "depth", "sum"),
}


@dataclass
class Case:
    """A file, its plan for integers, and the program of integers of that."""

    model: GraphModel
    values: dict

    def __post_init__(self):
        self.feeds = {n: self.values[f"in/{n}"] for n in self.model.inputs}
        self.plan = self.model.plan(self.feeds)
        self.program = with_bytes(self.plan.program)

    def views(self):
        """The feeds of the plan, by reference."""
        ends = {end.node: (name, end) for name, end in self.model.graph.inputs.items()}
        named = {reference: ends[reference] for reference in self.plan.inputs}
        return {r: as_view(self.feeds[name], end.quantization) for r, (name, end) in named.items()}

    def given(self):
        """The feeds of the program, in its order."""
        views = self.views().values()
        return [view.array if isinstance(view, ArrayView) else view for view in views]


@pytest.fixture(scope="module", params=EXACT)
def case(request):
    name = request.param
    return name, Case(GraphModel(read_tflite(FOLDER / f"{name}.tflite")), load(name))


@pytest.mark.parametrize("form", [with_bytes, partial(with_quanta, is_exact=True)])
def test_integers_are_those_of_litert(case, form):
    name, of = case
    made = CpuExecutable(form(of.plan.program))
    found = dict(zip(of.plan.outputs, made.run(of.given()), strict=True))
    for output in EXACT[name]:
        end, wanted = of.model.graph.outputs[output], of.values[f"out/{output}"]
        how = end.quantization
        quanta = np.rint(found[end.node] / np.float32(how.scale)) + how.zero_point
        np.testing.assert_array_equal(quanta.astype(int), wanted, err_msg=output)


def test_what_is_computed_by_integers(case):
    name, of = case
    made = [step.op.name for step in of.program.steps]
    if name == "quanta":
        assert made.count("integer_conv2d") == 4 and made.count("integer_binary") == 6
        assert "integer_resize_bilinear" in made
    assert "integer_depthwise_conv2d" in made


def test_floats_for_an_input_stay_as_they_are(case):
    """They need not be quanta, so the first products are those of floats."""
    name, of = case
    inputs = of.model.graph.inputs
    real = {n: v.astype(np.float32) if inputs[n].quantization else v for n, v in of.feeds.items()}
    program = with_bytes(of.model.plan(real).program)
    assert not program.quantised
    names = {step.op.name for step in program.steps}
    assert "conv2d" in names and "integer_conv2d" not in names


def test_other_weights_stand_for_no_integers(case):
    name, of = case
    graph = of.model.graph
    changed = {n: np.array(a) for n, a in graph.weights.items()}
    model = GraphModel(graph._replace(weights=changed))
    program = model.plan(of.feeds).program
    assert of.plan.program.integers and not program.integers


def test_other_values_of_a_planner_stand_for_no_integers(case):
    """Those of a graph that trains are in its graph alone."""
    _, of = case
    graph, executor = of.model.graph, of.model._executor
    counts = []
    for weights in (graph.weights, {n: np.array(a) for n, a in graph.weights.items()}):
        planner = Planner(graph._replace(weights=weights), executor)
        ((stage, _),) = planner.stages(of.views(), [*of.plan.outputs])
        counts.append(len(stage.plan.program.integers))
    assert counts[0] > 0 and counts[1] == 0


def test_a_replaced_kernel_is_called(case, monkeypatch):
    _, of = case
    monkeypatch.setattr(integers, "is_replaced", lambda op: op.name == "conv2d")
    names = [step.op.name for step in with_bytes(of.plan.program).steps]
    assert "conv2d" in names and "integer_depthwise_conv2d" in names


@pytest.mark.parametrize("side, op", [(16, "integer_conv2d"), (17, "conv2d")])
def test_large_windows_are_those_of_floats(side, op):
    """Kernels of integers have text for each pixel of a window."""
    integers = np.ones((side, side, 1, 1), np.int8)
    real = integers.astype(np.float32)
    how = {"strides": 1, "pad": "valid", "data_format": "NHWC", "dilations": 1}
    how["dim_rounding_mode"] = None
    rounding = {"scale": 8.0, "zero_point": 0, "low": -128, "high": 127, "nudge": False}
    epilogue = (Step(OPS["quantise_round"], (HERE,), rounding, (), ("y/0",)),)
    step = Step(OPS["conv2d"], ("x", "f"), how, epilogue, ("y",))
    shapes = {"x": (1, 20, 20, 1), "f": real.shape, "y": (1, 21 - side, 21 - side, 1)}
    specs = {name: Spec(shape) for name, shape in shapes.items()}
    program = Program((step,), {"f": real}, specs, ("x",), ("y",))._replace(
        integers={"f": StoredIntegers(integers, np.float32([1]), 0, real)},
        quantised={"x": Quantization(1.0, 0, "int8")},
    )
    assert op in {step.op.name for step in with_bytes(program).steps}


def test_sums_that_may_leave_int32():
    bias, none = np.zeros(3, np.int32), np.zeros(3, np.int32)
    assert fits_sums(33_000, bias, none) and not fits_sums(33_100, bias, none)
    assert not fits_sums(1, np.int32([0, 2**31 - 1, 0]), none)
    assert not fits_sums(9000, bias, np.int32([0, 2, 0]))


@pytest.mark.parametrize("scale", [np.inf, np.nan, -1.0])
def test_scales_of_a_damaged_file(case, scale):
    _, of = case
    filter = next(i for i in of.plan.program.integers.values() if i.values.ndim == 4)
    changed = filter._replace(scales=np.float32([scale]))
    assert ratios(0.1, changed, 0.2, is_matrix=False) is None


def test_scales_are_multiplied_as_litert_does():
    """In float32 for uint8, and for matrices of one scale; else in float64."""
    scales = np.float32([0.0123]), np.float32([0.0123, 0.7])
    whole = np.float64(np.float32(0.0235)) * np.float64(np.float32(0.0123))
    rounded = np.float64(np.float32(0.0235) * np.float32(0.0123))
    assert whole != rounded
    for dtype, kept, is_matrix, wanted in (
        (np.uint8, scales[0], False, rounded),
        (np.int8, scales[0], False, whole),
        (np.int8, scales[0], True, rounded),
        (np.int8, scales[1], True, whole),
    ):
        filter = StoredIntegers(np.zeros((2, 2), dtype), kept, 0, np.zeros((2, 2), np.float32))
        found = ratios(0.0235, filter, 0.5, is_matrix=is_matrix)
        assert found[0] == wanted / 0.5


def test_quanta_that_bytes_do_not_hold():
    assert Quanta.between(0.1, 0, -32768, 32767) is None
    assert Quanta.between(0.1, 300, 0, 255) is None
    assert Quanta.between(0.1, -3, -128, 127) == Quanta(0.1, 125, 0, 255, 128)
    limits = Quantization(0.1, -3, "int8").limits
    assert limits == (-128, 127)
