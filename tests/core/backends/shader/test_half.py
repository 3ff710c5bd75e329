"""Numbers of 16 bits in tiles and plans: stored, and multiplied where the driver has that.

Where it has not, macros stand for its types: the texts are checked, in products of 32 bits.
"""

from dataclasses import replace

import numpy as np
import pytest

import core
from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand
from core.backends.shader.codegen.tiles.choices import (
    CANDIDATES,
    OF_HALVES,
    SEPARABLE,
    TUNED_HALVES,
    choose,
)
from core.backends.shader.codegen.tiles.convolution import gathered_tile
from core.backends.shader.codegen.tiles.depthwise import Depthwise, depthwise_tile
from core.backends.shader.codegen.tiles.fused import separable_tile
from core.backends.shader.codegen.tiles.held import EXTENSION, FLOATS, HALVES, PACKED
from core.backends.shader.codegen.tiles.matrix import product_tile
from core.backends.shader.codegen.tiles.tile_source import Choice, Product, TileLimits
from core.backends.shader.runtime import starting
from core.backends.shader.runtime.compiled_kernel import compile_kernel
from core.backends.shader.runtime.context import Device
from core.backends.shader.runtime.memory_blocks import Storing
from core.backends.shader.runtime.programs import Programs
from core.engine.registry import load_backend
from core.engine.specs import Spec
from core.errors import SettingError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.backends.shader.conftest import normal
from tests.core.backends.shader.test_tiles import convolution, patches

LIMITS = TileLimits(49152, 1024, 4)
#: What stands for the extension.
MACROS = "#define f16vec4 vec4\n#define unpackFloat2x16 unpackHalf2x16"
FORMS = {"stored": PACKED, "multiplied": HALVES}
#: Of the range of a result: a number of 16 bits has 11 bits, and sums of 32 products lose some.
MOST_APART = 3e-3


@pytest.fixture
def halves(opengl, monkeypatch):
    """A driver that multiplies numbers of 16 bits, if need be by macros; yields whether it does."""
    core.start_shader()
    has_them = load_backend("shader").session.device.multiplies_halves
    if not has_them:
        made, of = Programs._compile, Device.of
        text_of = f"#extension {EXTENSION} : require"

        def compiled(self, text, compute):
            return made(self, text.replace(text_of, MACROS), compute)

        monkeypatch.setattr(Programs, "_compile", compiled)
        monkeypatch.setattr(
            Device, "of", lambda context, gl: replace(of(context, gl), multiplies_halves=True)
        )
    core.stop_shader()
    monkeypatch.setenv("ZOO_CODE_CACHE", "0")
    yield has_them
    core.stop_shader()


@pytest.fixture(params=FORMS)
def run(request, halves):
    """Runs a tile of stored numbers of 16 bits by the backend; the form is its attribute."""
    core.start_shader(precision="half")
    session = load_backend("shader").session

    def computed(make, inputs, shape):
        specs = {name: Spec(array.shape) for name, array in inputs.items()}
        operands = {n: Operand(i, spec) for i, (n, spec) in enumerate(specs.items())}
        builder = KernelBuilder(Spec(shape), LIMITS)
        dispatch = builder.tile(make(FORMS[request.param]), to=Spec(shape), **operands)
        layout = MemoryLayout("float32", half=True)
        compiled = compile_kernel((dispatch,), [layout] * len(specs), Storing(False, True))
        backend = load_backend("shader")
        blocks = [backend.upload(array).block for array in inputs.values()]
        result = session.storing.layout(Spec(shape))
        assert result == layout
        found = backend.upload(np.full(shape, np.nan, np.float32))
        session.run(session.keep(object(), compiled), blocks, [found.block])
        return backend.download(found, Spec(shape)), compiled.steps[-1].program.text

    computed.form = FORMS[request.param]
    return computed


def rounded(*arrays):
    """The numbers that are stored, in float64."""
    return [array.astype(np.float16).astype(np.float64) for array in arrays]


def assert_near(found, expected):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= MOST_APART * np.ptp(expected)


@pytest.mark.parametrize(
    "choice", [*CANDIDATES, *OF_HALVES, Choice(32, 32, 4, 1, 2, 8, 2)], ids=str
)
def test_products(run, rng, choice):
    turned = (choice.thread_rows % 4 == 0, True)
    products = (
        Product(70, 96, 68),
        Product(10, 132, 36, 1, *turned),
        Product(33, 16, 24),
        Product(33, 17, 20),
    )
    for p in products:
        if not choice.fits(LIMITS, p):
            continue
        a, b = normal(rng, p.rows, p.inner), normal(rng, p.inner, p.columns)
        x, y = rounded(a, b)
        given = {"a": a.T.copy() if p.transpose_a else a, "b": b.T.copy() if p.transpose_b else b}
        found, text = run(
            lambda held, p=p: product_tile(p, choice, held=held), given, (p.rows, p.columns)
        )
        assert_near(found, x @ y)
        has_turns = p.inner > choice.strip and not choice.resident
        assert ("f16vec4" in text) == (run.form.is_multiplied and has_turns)
        assert "shared uvec2 tile" in text


@pytest.mark.parametrize("channels", [8, 6])
def test_convolutions(run, rng, channels):
    c = convolution((2, 9, 10, channels, 12, 3, (2, 1), "same", 1))
    x, w = normal(rng, 2, 9, 10, channels), normal(rng, 3, 3, channels, 12)
    a, b = rounded(x, w)
    expected = np.einsum("yxnhwc,yxcf->nhwf", patches(a, c.window), b)
    for choice in (CANDIDATES[4], CANDIDATES[7], SEPARABLE[4]):
        if not choice.fits(LIMITS, c.product):
            continue  # rows of whole vectors only
        found, _ = run(
            lambda held, choice=choice: gathered_tile(c, choice, held),
            {"x": x, "w": w},
            expected.shape,
        )
        assert_near(found, expected)


def depthwise(x, w, c):
    return np.einsum("yxnhwc,yxcm->nhwcm", patches(x, c.window), w)[..., 0]


@pytest.mark.parametrize("size", [(3, 3), (1, 3), (5, 1)])
def test_depthwise_convolutions(run, rng, size):
    c = convolution((2, 9, 10, 8, 1, size, 1, "same", 1))
    d = Depthwise(2, 8, 1, c.window)
    x, w = normal(rng, 2, 9, 10, 8), normal(rng, *size, 8, 1)
    expected = depthwise(*rounded(x, w), c)
    found, text = run(
        lambda held: depthwise_tile(d, LIMITS._replace(held=held)),
        {"x": x, "w": w},
        expected.shape,
    )
    assert_near(found, expected)
    assert ("f16vec4" in text) == (run.form.is_multiplied and size[0] > 1)


@pytest.mark.parametrize("choice", SEPARABLE[:5], ids=str)
def test_separable_convolutions(run, rng, choice):
    c = convolution((1, 8, 8, 40, 1, 3, 1, "same", 1))
    d = Depthwise(1, 40, 1, c.window)
    x, f, w = normal(rng, 1, 8, 8, 40), normal(rng, 3, 3, 40, 1), normal(rng, 40, 24)
    a, b, last = rounded(x, f, w)
    found, _ = run(
        lambda held: separable_tile(d, 24, LIMITS._replace(held=held), choice),
        {"x": x, "d": f, "w": w},
        (1, 8, 8, 24),
    )
    assert choice.fits(LIMITS, Product(64, 40, 24))
    assert_near(found, depthwise(a, b, c) @ last)


# --- settings and plans -------------------------------------------------------------------------


def session():
    return load_backend("shader").session


def test_precision_is_a_setting(halves, monkeypatch):
    core.start_shader(precision="half")
    assert session().limits.held == HALVES and session().storing.half
    assert session().form == "float16, products of 16 bits"
    assert "shaders, float16 storage and products, " in starting.describe(session())
    core.start_shader(float16=True)
    assert session().limits.held == PACKED and session().form == "float16"
    core.start_shader(precision="float32")
    assert session().limits.held == FLOATS and not session().storing.half
    core.start_shader(precision="half", path="fragment")
    assert session().limits.held == FLOATS and session().storing == (True, True)
    core.stop_shader()
    monkeypatch.setenv("CORE_SHADER_PRECISION", "half")
    core.start_shader()
    assert session().limits.held == HALVES
    core.start_shader(float16=False)  # arguments count more than the environment
    assert session().limits.held == FLOATS and not session().storing.half
    monkeypatch.setenv("CORE_SHADER_FLOAT16", "1")
    core.start_shader(precision="float32")
    assert session().limits.held == FLOATS and not session().storing.half


def test_without_16_bit_products_storage_is_16_bits(opengl, monkeypatch):
    of = Device.of
    monkeypatch.setattr(
        Device, "of", lambda context, gl: replace(of(context, gl), multiplies_halves=False)
    )
    core.stop_shader()
    core.start_shader(precision="half")
    assert session().limits.held == PACKED and session().storing.half
    core.stop_shader()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"precision": "double"}, "precision='double' must be 'float32' or 'half'"),
        ({"precision": "half", "float16": False}, "precision='half' stores floats in 16 bits"),
    ],
)
def test_contradictory_settings(settings, words):
    with pytest.raises(SettingError, match=words):
        starting._resolved(**settings)


def graph(rng):
    """A convolution of three channels, a separable one, and the mean of each channel."""
    nodes = [Node("x", "Placeholder")]
    weights = {}

    def add(name, kind, shape, **attributes):
        weights[f"{name}_w"] = normal(rng, *shape) / np.sqrt(np.prod(shape[:-1]))
        nodes.append(Node(f"{name}_w", "Const"))
        nodes.append(Node(name, kind, (nodes[-2].name, f"{name}_w"), attributes))
        nodes.append(Node(f"{name}_relu", "Relu6", (name,)))

    how = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    add("first", "Conv2D", (3, 3, 3, 16), **how)
    add("wide", "DepthwiseConv2dNative", (3, 3, 16, 1), **how)
    add("deep", "Conv2D", (1, 1, 16, 40), **how)
    add("last", "Conv2D", (1, 1, 40, 24), **how)
    spec = PartialSpec((None, 12, 10, 3))
    taken, given = Endpoint("x", spec), Endpoint("last_relu", PartialSpec((None, 12, 10, 24)))
    return Graph(nodes, weights, {"x": taken}, {"y": given})


@pytest.mark.parametrize("settings", [{"float16": True}, {"precision": "half"}], ids=str)
def test_plans_take_arrays_and_tensors(halves, rng, settings):
    made, x = graph(rng), normal(rng, 2, 12, 10, 3)
    with core.backend("cpu"):
        expected = GraphModel(made, "cpu").predict({"x": x})["y"].numpy()
    core.start_shader(**settings)
    with core.backend("shader"):
        model = GraphModel(made)
        plan = model.plan({"x": x})
        (reference,) = plan.inputs
        (found,) = plan.run({reference: x}).values()
        assert_near(found.numpy(), expected)
        (own,) = plan._executable._ready._inputs
        assert not own.layout.half and found.handle.block.layout.half
        on_device = core.add(core.tensor(x), 0.0)  # in 16 bits
        assert on_device.handle.block.layout.half
        (found,) = plan.run({reference: on_device}).values()
        assert_near(found.numpy(), expected)
        (again,) = plan.run_to_arrays([x])
        assert_near(again, expected)


def test_measured_tiles_of_float16(opengl):
    large = TileLimits(49152, 1024, 132)
    of_halves = large._replace(held=HALVES)
    for size, choice in TUNED_HALVES.items():
        p = Product(*size)
        assert choice.fits(of_halves, p) and choose(p, of_halves) == choice
        assert choose(p, large) not in OF_HALVES
        assert choose(p, large._replace(held=PACKED)) == choose(p, large)
