"""Programs as WebAssembly modules, beside the NumPy tier."""

import numpy as np
import pytest

from core.engine.registry import OPS
from core.engine.specs import Spec
from core.errors import CoreError
from core.wasm.binary.reader import read_module
from core.wasm.plans.compiler import object_of
from core.wasm.plans.object_linker import Placement, link
from core.wasm.plans.program_module import compile_module
from core.wasm.validation.modules import validate
from tests.core.backends.cpu_codegen.one_step import HERE, by_numpy, make_step
from tests.core.wasm.plans.module_runs import run_module


def assert_equal_to_numpy(program, values):
    expected = by_numpy(program, values)
    (found,) = run_module(compile_module({"run": program}), values)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


def convolution(seed, kind):
    """A convolution of some random shape with a bias and an activation, and its input."""
    rng = np.random.default_rng(seed)
    size, strides = rng.integers(1, 6, 2), int(rng.integers(1, 3))
    height, width = size + rng.integers(0, 20, 2)
    depth, channels = rng.integers(1, 40), rng.integers(1, 50)
    how = {
        "strides": strides,
        "pad": ("same", "valid")[int(rng.integers(2))],
        "data_format": "NHWC",
        "dilations": 1,
        "dim_rounding_mode": None,
    }
    x = rng.standard_normal((1, height, width, depth)).astype(np.float32)
    last = channels if kind == "conv2d" else 1
    f = rng.standard_normal((*size, depth, last)).astype(np.float32)
    result = OPS[kind].rule(Spec(x.shape), Spec(f.shape), **how).shape
    constants = {"f": f, "b": rng.standard_normal(result[-1]).astype(np.float32)}
    steps = [("add", (HERE, "b"), {}), ("sigmoid", (HERE,), {})]
    return make_step(kind, {"x": x}, constants, ("x", "f"), result, how, steps), {"x": x}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["conv2d", "depthwise_conv2d"])
def test_a_convolution_equals_the_numpy_tier(kind, seed):
    assert_equal_to_numpy(*convolution(seed, kind))


@pytest.mark.parametrize("op", ["exp", "tanh", "erf", "log", "sqrt", "rsqrt", "round"])
def test_functions_need_no_library(op, rng):
    x = rng.uniform(0.1, 3.0, (3, 37)).astype(np.float32)
    program = make_step(op, {"x": x}, {}, ("x",), x.shape)
    assert_equal_to_numpy(program, {"x": x})


def test_a_module_is_valid_and_imports_nothing():
    program, _ = convolution(0, "conv2d")
    module = read_module(compile_module({"run": program}).binary())
    validate(module)
    assert not module.imports
    assert [export.name for export in module.exports] == ["memory", "run"]


def test_weights_lie_apart_from_the_module():
    program, _ = convolution(1, "conv2d")
    made = compile_module({"run": program})
    doubled = program._replace(constants={r: 2 * c for r, c in program.constants.items()})
    other = compile_module({"run": doubled})
    assert made.binary() == other.binary()
    assert made.weights != other.weights


def test_a_step_without_a_kernel_is_refused_by_its_name(rng):
    x = rng.standard_normal((3, 4)).astype(np.float32)
    attributes = {"axis": 1, "exclusive": False, "reverse": False}
    program = make_step("cumsum", {"x": x}, {}, ("x",), x.shape, attributes)
    with pytest.raises(CoreError, match=r"no kernel for WebAssembly .* node .* \(cumsum\)"):
        compile_module({"run": program})


def test_a_function_of_a_library_is_refused():
    text = "declare float @sinf(float)\ndefine float @run(float %x) {\n"
    text += "  %y = call float @sinf(float %x)\n  ret float %y\n}\n"
    with pytest.raises(CoreError, match="sinf"):
        link(object_of(text), Placement(0, 0, 1), {"run": "run"})


def test_data_of_the_object_moves_to_its_place():
    text = "@table = internal constant [2 x i32] [i32 5, i32 7]\n"
    text += "@at = constant ptr getelementptr (i8, ptr @table, i32 4)\n"
    text += "define ptr @run() {\n  %p = load volatile ptr, ptr @at\n  ret ptr %p\n}\n"
    module = link(object_of(text), Placement(256, 1024, 1024), {"run": "run"})
    content = {d.offset[0].immediates[0]: d.content for d in module.data}
    assert min(content) == 256
    (address,) = (int.from_bytes(c, "little") for c in content.values() if len(c) == 4)
    table = next(at for at, c in content.items() if len(c) == 8)
    assert address == table + 4
    validate(module)


def test_programs_of_one_module_share_kernels_and_run_in_any_order():
    one, values = convolution(2, "conv2d")
    other = one._replace(constants={r: c + 1 for r, c in one.constants.items()})
    made = compile_module({"one": one, "other": other})
    alone = compile_module({"one": one})
    expected = {"one": by_numpy(one, values), "other": by_numpy(other, values)}
    for name in ("other", "one"):
        (found,) = run_module(made, values, name)
        assert np.abs(found - expected[name]).max() <= 1e-5 * np.abs(expected[name]).max()
    assert len(made.module.functions) == len(alone.module.functions) + 1
