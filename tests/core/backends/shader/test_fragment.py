"""The path without compute shaders: drawn kernels, their layers, and the tables of ops."""

import os
import re
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import core
from core.backends.shader.codegen.compiler.memory_layouts import layout_of
from core.backends.shader.codegen.fragment.convolution import (
    drawn_convolution,
    drawn_depthwise,
    drawn_transpose,
)
from core.backends.shader.codegen.fragment.pooling import drawn_average, drawn_largest
from core.backends.shader.codegen.fragment.products import Matrices, drawn_product
from core.backends.shader.codegen.kernel_language import EpilogueStep, KernelBuilder, Operand, Table
from core.backends.shader.runtime.compiled_kernel import compile_kernel, passes_of
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.textures import to_texels
from core.engine.backends import load_backend
from core.engine.dispatch import tensor
from core.engine.registry import OPS, find_kernel
from core.engine.specs import Spec
from core.engine.windows import window
from core.errors import CoreError
from tests.conftest import ROOT
from tests.core.autodiff.test_derivatives import SMOOTH, lines
from tests.core.backends.shader.conftest import normal
from tests.core.graph.control_graphs import model
from tests.core.ops.records.case import to_list, tolerance
from tests.core.ops.test_ops import assert_close

FAMILIES = (
    "activation",
    "conv",
    "depthwise",
    "elementwise",
    "fused",
    "image",
    "indexing",
    "linear",
    "normalization",
    "pooling",
    "reduce",
    "resize",
    "shape",
    "slice",
    "space",
)
ELEMENTWISE = ("activation", "elementwise")


def cases_of(families):
    """Those of ops for inference."""
    found = [c for name in families for c in import_module(f"tests.core.ops.records.{name}").CASES]
    return [c for c in found if not re.search("_grad|_backprop", c.op)]


def one_of_each(cases):
    """The largest case of each op: `CORE_SHADER_PATH` runs all of them on this path."""
    largest = {}
    for case in cases:
        inputs = case.draw(np.random.default_rng(0))
        size = sum(x.size for i in inputs if i is not None for x in to_list(i))
        if size > largest.get(case.op, (-1, None))[0]:
            largest[case.op] = size, case
    return [case for _, case in largest.values()]


@pytest.fixture(scope="module", params=[False, True], ids=["float32", "float16"])
def session(request, opengl):
    """A session of the fragment path, and how far from the truth its results may be."""
    from core.backends.shader.runtime.starting import new_session

    made = new_session(path="fragment", float16=request.param)
    yield made
    made.stop()


class Runs:
    """Runs what a kernel says in a session, on arrays."""

    def __init__(self, session):
        self.session = session
        self.tolerance = 2e-3 if session.storing.half else 2e-6
        self.layers = ()

    def __call__(self, kernel, arrays, shape, constants=(), epilogue=(), dtype="float32"):
        """The result; ``layers`` is then how many each value in between and the result have."""
        result, storing = Spec(shape, dtype), self.session.storing
        specs = [Spec(a.shape) for a in arrays]
        operands = [
            Operand(i, s, a if i in constants else None)
            for i, (s, a) in enumerate(zip(specs, arrays, strict=True))
        ]
        call = KernelBuilder(result, self.session.limits, has_tiles=False)
        (made,) = passes_of(kernel(call, *operands), [result])
        layouts = [storing.layout(s) for s in specs]
        compiled = compile_kernel(
            [made.finished(epilogue)], layouts, storing, baked=bool(constants)
        )
        self.layers = [layout.layers for layout, _ in (*compiled.results, *compiled.intermediates)]
        blocks = [Block(*each) for each in compiled.results]
        given = [Block(la, a.size, a.reshape(-1)) for la, a in zip(layouts, arrays, strict=True)]
        self.session.run(compiled, given, blocks)
        return self.session.read(blocks[0]).reshape(shape)

    def check(self, found, expected):
        """By the largest of what is expected."""
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found / scale, expected / scale, atol=self.tolerance)


@pytest.fixture
def runs(session):
    return Runs(session)


def on_cpu(name, inputs, attributes, shape):
    return load_backend("cpu").run(
        OPS[name], find_kernel(name, "cpu"), inputs, attributes, Spec(shape)
    )


# --- drawn kernels -------------------------------------------------------------------------------

PRODUCTS = [(16, 8, 8, 1), (16, 8, 8, 8), (15, 7, 9, 4), (1, 300, 17, None), (600, 12, 32, None)]


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("transposed", ["none", "left", "right", "constant right"])
@pytest.mark.parametrize("rows, inner, columns, targets", PRODUCTS)
def test_products(rows, inner, columns, targets, transposed, runs, rng):
    a, b = normal(rng, rows, inner), normal(rng, inner, columns)
    left, right = transposed == "left", "right" in transposed
    given = [np.ascontiguousarray(a.T) if left else a, np.ascontiguousarray(b.T) if right else b]

    def kernel(call, x, w):
        sizes = Matrices(1, rows, inner, columns)
        return drawn_product(call, sizes, x, w, call.to, left, right, targets)

    constants = (1,) if "constant" in transposed else ()
    runs.check(runs(kernel, given, (rows, columns), constants), a @ b)
    if targets:
        assert max(runs.layers) == targets


def test_products_of_a_batch(runs, rng):
    a, b = normal(rng, 3, 5, 8), normal(rng, 3, 8, 12)

    def kernel(call, x, w):
        return drawn_product(call, Matrices(3, 5, 8, 12, False), x, w, call.to)

    runs.check(runs(kernel, [a, b], (3, 5, 12)), a @ b)


#: Images [n, h, w, c], filters, the filter's size, stride, padding, dilation, targets.
CONVOLUTIONS = [
    ((2, 9, 8, 4), 8, 3, 1, "same", 1, 1),
    ((2, 9, 8, 4), 8, 3, 2, "same", 1, 5),
    ((1, 12, 12, 3), 10, 3, 2, "valid", 1, None),
    ((2, 7, 7, 8), 4, 3, 1, "same", 2, 8),
    ((2, 6, 6, 5), 7, 1, 1, "same", 1, 4),
    ((1, 33, 33, 16), 16, 3, 1, "same", 1, None),
]
NAMES = "shape, filters, size, stride, pad, dilation, targets"
BY_CONVOLUTION = pytest.mark.parametrize(NAMES, CONVOLUTIONS)


def window_of(shape, size, stride, pad, dilation):
    """The window, and attributes of the cpu kernel."""
    how = {"strides": stride, "pad": pad, "dilations": dilation, "dim_rounding_mode": None}
    how["data_format"] = "NHWC"
    return window(shape, (size, size), **how), how


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("constants", [(), (1,)], ids=["fed", "constant"])
@BY_CONVOLUTION
def test_convolutions(shape, filters, size, stride, pad, dilation, targets, constants, runs, rng):
    w, how = window_of(shape, size, stride, pad, dilation)
    inputs = [normal(rng, *shape), normal(rng, size, size, shape[-1], filters)]
    to = (shape[0], *w.out_size, filters)

    def kernel(call, x, filter):
        return drawn_convolution(call, x, filter, w, targets)

    runs.check(runs(kernel, inputs, to, constants), on_cpu("conv2d", inputs, how, to))
    if targets:
        assert max(runs.layers) == targets


@BY_CONVOLUTION
def test_transposed_convolutions(shape, filters, size, stride, pad, dilation, targets, runs, rng):
    w, how = window_of(shape, size, stride, pad, dilation)
    inputs = [normal(rng, shape[0], *w.out_size, filters)]
    inputs.append(normal(rng, size, size, shape[-1], filters))

    def kernel(call, dy, filter):
        return drawn_transpose(call, dy, filter, w, targets)

    how["input_shape"] = shape
    expected = on_cpu("conv2d_backprop_input", inputs, how, shape)
    runs.check(runs(kernel, inputs, shape, (1,)), expected)


IN_FOURS = [c for c in CONVOLUTIONS if c[0][-1] % 4 == 0 and c[2] > 1]


@pytest.mark.sweep("whole")
@pytest.mark.parametrize(NAMES, IN_FOURS)
def test_depthwise_convolutions(shape, filters, size, stride, pad, dilation, targets, runs, rng):
    w, how = window_of(shape, size, stride, pad, dilation)
    inputs = [normal(rng, *shape), normal(rng, size, size, shape[-1], 1)]
    to = (shape[0], *w.out_size, shape[-1])

    def kernel(call, x, filter):
        return drawn_depthwise(call, x, filter, w, targets or 1)

    runs.check(runs(kernel, inputs, to), on_cpu("depthwise_conv2d", inputs, how, to))


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("pad", ["same", "valid", 1])
@pytest.mark.parametrize("op", ["max_pool", "avg_pool"])
def test_pools(op, pad, runs, rng):
    x = normal(rng, 2, 9, 8, 4)
    x[0, 4, 4] = np.nan if op == "max_pool" else 1.0
    how = {"strides": 2, "pad": pad, "dim_rounding_mode": None}
    w = window(x.shape, (3, 3), data_format="NHWC", **how)
    to = (2, *w.out_size, 4)
    draw = drawn_largest if op == "max_pool" else drawn_average
    expected = on_cpu(op, [x], {**how, "filter_size": 3}, to)
    runs.check(runs(lambda call, x: draw(call, x, w), [x], to), expected)


def test_epilogues_are_drawn_at_once(runs, rng):
    """Bias by channel, a residual by value, a scalar; on each of eight targets."""
    x, w = normal(rng, 16, 8), normal(rng, 8, 8)
    bias, other = normal(rng, 8), normal(rng, 16, 8)
    steps = [
        EpilogueStep("here + bias", {"bias": Table(bias)}),
        EpilogueStep("max(here, least)", {"least": Table(np.float32([-0.5]))}),
        EpilogueStep("here + other", {"other": Table(other)}),
    ]

    def kernel(call, x, w):
        return drawn_product(call, Matrices(1, 16, 8, 8), x, w, call.to, targets=8)

    found = runs(kernel, [x, w], (16, 8), epilogue=steps)
    runs.check(found, np.maximum(x @ w + bias, -0.5) + other)


def test_layers_are_read_by_passes_of_every_kind(runs, rng):
    """Eight layers, the last not full: turned by map, added by each, multiplied by draw."""
    x, w = normal(rng, 15, 8), normal(rng, 8, 8)

    def kernel(call, x, w):
        made = drawn_product(call, Matrices(1, 15, 8, 8), x, w, Spec((15, 8)), targets=8)
        flipped = call.map("get_made(14 - o0, 7 - o1)", to=Spec((15, 8)), made=made)
        total = call.each("made + flipped", to=Spec((15, 8)), made=made, flipped=flipped)
        again = drawn_product(call, Matrices(1, 15, 8, 8), made, w, Spec((15, 8)), targets=3)
        return call.each("again + total", again=again.reshaped(1, 15, 8), total=total)

    y = x @ w
    runs.check(runs(kernel, [x, w], (1, 15, 8)), (y @ w + y + y[::-1, ::-1])[None])


def test_texels_of_layers():
    """Seven texels in chunks of two: the last layer has one, and rows are padded with zeros."""
    layout = layout_of(Spec((28,)), in_textures=True, half=False, layers=4, chunk=2)
    texels = to_texels(np.arange(1, 29, dtype=np.float32), layout)
    assert texels.shape == (4, layout.width * layout.rows * 4)
    assert texels[:, :8].ravel().tolist() == [*range(1, 29), 0, 0, 0, 0]


def test_drawings_are_for_whole_texels_and_this_path(runs, rng):
    w, _ = window_of((1, 3, 3, 3), 1, 1, "valid", 1)
    with pytest.raises(CoreError, match="a multiple of four"):
        runs(lambda call, x: drawn_average(call, x, w), [normal(rng, 1, 3, 3, 3)], (1, 3, 3, 3))
    with pytest.raises(CoreError, match="tile or map"):
        drawn_average(KernelBuilder(Spec((1, 3, 3, 4))), Operand(0, Spec((1, 3, 3, 4))), w)


# --- the backend on this path --------------------------------------------------------------------


def test_a_layered_result_goes_into_ops_lists_and_plans(fragment, rng):
    """A plan and a kernel that were made for one layer are not used for several."""
    a, b = normal(rng, 256, 16), normal(rng, 16, 128)
    made = tensor(a) @ tensor(b)
    plain = tensor(a @ b)
    twice = model("x = Placeholder\ny = Add x x\n", "y")
    for value in (plain, made):
        found = {
            "list": core.concat([value, plain], 0).numpy()[:256] * 2,
            "op": (value + value).numpy(),
            "plan": twice.execute({"x": value}, ["y"])["y"].numpy(),
        }
        for how, array in found.items():
            np.testing.assert_allclose(array, a @ b * 2, rtol=1e-5, atol=1e-5, err_msg=how)
    assert [v.handle.block.layout.layers > 1 for v in (plain, made)] == [False, True]


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("case", one_of_each(cases_of(FAMILIES)), ids=str)
def test_ops_equal_cpu(case, fragment, rng):
    inputs = case.draw(rng)
    found = [r.numpy() for r in to_list(OPS[case.op](*inputs, **case.attributes))]
    with core.backend("cpu"):
        expected = [r.numpy() for r in to_list(OPS[case.op](*inputs, **case.attributes))]
    for array, other in zip(found, expected, strict=True):
        assert (array.shape, array.dtype) == (other.shape, other.dtype)
        assert_close(array, other, tolerance())


ELEMENTWISE_OPS = {case.op for case in cases_of(ELEMENTWISE)}
SMOOTH_ONES = one_of_each(case for case in SMOOTH if case.op in ELEMENTWISE_OPS)


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("case", SMOOTH_ONES, ids=str)
def test_gradients_of_elementwise_ops(case, fragment, rng):
    found = lines(case, rng)
    if len(found) > 1:
        found.pop("all")
    for line in found.values():
        line.check_first()


def test_the_environment_forces_this_path(opengl):
    text = """import core
from core.engine.backends import load_backend
with core.backend("shader"):
    total = (core.tensor([1.0, 2.0]) * 3).sum().numpy()
print(load_backend("shader").session.path, float(total))
"""
    environment = {**os.environ, "CORE_SHADER_PATH": "fragment"}
    made = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert made.stdout.split() == ["fragment", "9.0"], made.stderr
