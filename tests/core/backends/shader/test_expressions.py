"""The table of element-wise ops: as epilogues, with many inputs, at edges of whole numbers."""

import numpy as np
import pytest

import core
from core.backends.shader.codegen.expressions import EXPRESSIONS, epilogue_text, expression
from core.backends.shader.codegen.kernel_language import EpilogueStep, KernelBuilder, Operand
from core.backends.shader.runtime.compiled_kernel import compile_kernel
from core.backends.shader.runtime.memory_blocks import Block
from core.engine.backends import load_backend
from core.engine.registry import OPS
from core.engine.specs import Spec
from tests.core.conftest import start_or_skip

ATTRIBUTES = {
    "clip_by_value": {"clip_value_min": -0.5, "clip_value_max": 1.5},
    "leaky_relu": {"alpha": 0.25},
    "step": {"alpha": 0.25},
    "quantise_round": {"scale": 0.125, "zero_point": 3, "low": -4, "high": 9, "nudge": True},
}


@pytest.fixture
def shader():
    start_or_skip()
    with core.backend("shader"):
        yield load_backend("shader")


@pytest.mark.parametrize("op", sorted(n for n, op in OPS.items() if op.traits.elementwise))
def test_as_an_epilogue(op, shader, rng):
    """Applied to what a pass gives, with the value at hand as the last operand."""
    count = 3 if op == "add_n" else len(OPS[op].inputs)
    arrays = [rng.uniform(0.2, 2, (3, 5)).astype(np.float32) for _ in range(count)]
    attributes, names = ATTRIBUTES.get(op, {}), ["here", "y1", "y2"][:count]
    with core.backend("cpu"):
        inputs = [arrays] if op == "add_n" else arrays
        expected = OPS[op](*inputs, **attributes).numpy()
    operands = [Operand(i, Spec((3, 5))) for i in range(1, count)]
    step = EpilogueStep(
        epilogue_text(op, attributes, names), dict(zip(names[1:], operands, strict=True))
    )
    np.testing.assert_allclose(finished(shader, arrays, [step]), expected, rtol=1e-5, atol=1e-6)


def finished(shader, arrays, steps):
    """The first array with an epilogue."""
    spec = Spec(arrays[0].shape)
    handles = [shader.upload(array.copy()) for array in arrays]
    made = KernelBuilder(spec).each("x", x=Operand(0, spec)).finished(steps)
    layouts = [handle.block.layout for handle in handles]
    compiled = compile_kernel([made], layouts, shader.session.storing)
    result = Block(*compiled.results[0])
    shader.session.run(compiled, [handle.block for handle in handles], [result])
    found = shader.session.gl_thread.call(lambda: shader.session.memory.read(result))
    return found.reshape(spec.shape)


@pytest.mark.parametrize("last", ["asinh", "atan", "erf", "sign", "sinh", "tanh"])
def test_one_after_the_other_in_one_program(last, shader):
    """What compilers make of two functions together: some have got selections by bits wrong."""
    x = np.append(np.linspace(-8, 8, 90), [np.nan, np.inf, -np.inf, 1e10]).astype(np.float32)
    for first in ("abs", "expm1", "reciprocal", "softplus", "tanh"):
        with np.errstate(all="ignore"), core.backend("cpu"):
            expected = OPS[last](OPS[first](x)).numpy()
        steps = [EpilogueStep(epilogue_text(op, {}, ["here"]), {}) for op in (first, last)]
        found = finished(shader, [x], steps)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=first)


def test_zeros_keep_their_sign(shader):
    zeros = np.array([-0.0, 0.0], np.float32)
    names = ["sqrt", "expm1", "log1p", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh"]
    for name in [*names, "atanh", "erf", "relu6", "neg", "floor", "ceil", "round"]:
        found = OPS[name](zeros).numpy()
        with core.backend("cpu"):
            expected = OPS[name](zeros).numpy()
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected), name)
    np.testing.assert_array_equal(np.signbit(core.clip_by_value(zeros, 0, 1).numpy()), [1, 0])
    multiples = core.mod(np.array([6, -6, 6, -6]), np.array([3.0, 3, -3, -3])).numpy()
    np.testing.assert_array_equal(np.signbit(multiples), [0, 0, 1, 1])


@pytest.mark.parametrize("nudge", [True, False])
@pytest.mark.parametrize("scale", [0.5, 0.02, 0.0078431377, 3.7])
def test_quantized_values_equal_cpu_bit_for_bit(nudge, scale, shader, rng):
    halves = (np.arange(-300, 300) + 0.5) * scale
    near = halves * (1 + rng.integers(-9, 9, 600) * 2.0**-23)
    x = np.concatenate([halves, near, rng.normal(0, 90 * scale, 5000), [np.nan, np.inf, 0]])
    x = x.astype(np.float32)
    how = {"scale": scale, "zero_point": -5, "low": -128, "high": 127, "nudge": nudge}
    found = core.quantise_round(x, **how).numpy()
    with core.backend("cpu"):
        np.testing.assert_array_equal(found, core.quantise_round(x, **how).numpy())


def test_more_terms_than_a_pass_reads(shader, rng):
    terms = list(rng.integers(-9, 9, (40, 7)).astype(np.float32))
    for count in (1, 15, 16, 29, 30, 40):
        found = core.add_n(terms[:count]).numpy()
        np.testing.assert_array_equal(found, np.sum(terms[:count], axis=0))


def test_integers_at_their_limits(shader):
    x = np.array([-(2**31), -3, -2, 0, 2, 3, 2**31 - 1], np.int32)
    for low, high in [(-2.5, 2.5), (-np.inf, 2), (-2, np.inf), (-1e10, 1e10), (0, 0)]:
        found = core.clip_by_value(x, low, high).numpy()
        with core.backend("cpu"):
            np.testing.assert_array_equal(found, core.clip_by_value(x, low, high).numpy())
    with np.errstate(all="ignore"):
        for name in ("floor_div", "mod", "div"):
            for divisor in (-1, 1, 7, -7, 0):
                found = OPS[name](x, divisor).numpy()
                with core.backend("cpu"):
                    np.testing.assert_array_equal(found, OPS[name](x, divisor).numpy())


@pytest.mark.parametrize(
    ("shape", "axis"), [((2, 5000), 1), ((5000, 3), 0), ((3, 70, 2), 1), ((3000, 40), 1)]
)
def test_long_rows_are_read_in_parts(shape, axis, shader, rng):
    x, dy = rng.normal(0, 3, (2, *shape)).astype(np.float32)

    def results():
        y = core.log_softmax(x, axis)
        return [core.softmax(x, axis), y, core.log_softmax_grad(dy, y, axis=axis)]

    found = [each.numpy() for each in results()]
    with core.backend("cpu"):
        for left, right in zip(found, results(), strict=True):
            np.testing.assert_allclose(left, right.numpy(), rtol=1e-5, atol=2e-6)


def test_rows_of_infinities_and_nan(shader):
    inf, nan = np.inf, np.nan
    x = np.array([[0, -inf, 1], [-inf] * 3, [nan, -inf, -inf], [inf, 0, 1]], np.float32)
    x = np.repeat(x, 30, axis=1)
    with np.errstate(all="ignore"):
        for function in (core.softmax, core.log_softmax):
            found = function(x).numpy()
            with core.backend("cpu"):
                np.testing.assert_allclose(found, function(x).numpy(), rtol=1e-5)


def test_names_in_epilogues_are_whole_words():
    assert epilogue_text("exp", {}, ["here"]) == "exp_(here)"
    assert epilogue_text("prelu", {}, ["b", "here"]) == "b < 0.0 ? here * b : b"
    assert epilogue_text("clip_by_value", ATTRIBUTES["clip_by_value"], ["here"]) == (
        "clamped(here, (-0.5), 1.5)"
    )


def test_every_row_has_a_text_of_float32():
    for op, row in EXPRESSIONS.items():
        if not callable(row) and not (isinstance(row, dict) and "float32" not in row):
            assert expression(op, ["float32"] * 2, {}).text
