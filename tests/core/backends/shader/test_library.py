"""The GLSL functions that no op shows, or not at all their values."""

import re

import numpy as np
import pytest

from core.backends.cpu.kernels.binary import floor_divide, remainder
from core.backends.cpu.kernels.shape import cast
from core.backends.shader.codegen.expressions import EXPRESSIONS, expression
from core.backends.shader.codegen.library import FUNCTIONS, functions_for
from core.engine.backends import load_backend
from core.engine.registry import OPS
from core.engine.specs import Spec
from tests.core.conftest import start_or_skip


@pytest.fixture
def computed():
    """What GLSL makes of arrays called a, b, ..."""
    start_or_skip()
    backend = load_backend("shader")

    def run(text, *arrays, dtype="float32"):
        spec = Spec(arrays[0].shape, dtype)

        def kernel(call, *operands):
            return call.each(text, **dict(zip("abc", operands, strict=False)))

        handles = [backend.upload(array.copy()) for array in arrays]
        return backend.download(backend.run(OPS["neg"], kernel, handles, {}, spec), spec)

    return run


def of_every_size(rng, size=20_000):
    """Random bits of numbers whose quotients and products are no denormal ones."""
    x = rng.integers(0x20000000, 0x5F000000, size, np.uint32).view(np.float32)
    return x * rng.choice(np.array([-1, 1], np.float32), size)


def test_quotients_and_roots_are_rounded_correctly(computed, rng):
    a, b = of_every_size(rng), of_every_size(rng)
    np.testing.assert_array_equal(computed("divide(a, b)", a, b), a / b)
    np.testing.assert_array_equal(computed("sqrt_(a)", abs(a)), np.sqrt(abs(a)))


def test_remainders_are_exact(computed, rng):
    a, b = of_every_size(rng), of_every_size(rng)
    np.testing.assert_array_equal(computed("truncated_mod(a, b)", a, b), np.fmod(a, b))


def test_float_to_integer_rounding(computed, rng):
    a = np.concatenate([of_every_size(rng), np.array([np.nan, np.inf, -np.inf, 0.9], np.float32)])
    a = np.concatenate([a, rng.uniform(-(2.0**34), 2.0**34, 1000).astype(np.float32)])
    np.testing.assert_array_equal(computed("to_int(a)", a, dtype="int32"), cast(a, "int32"))


def test_rounded_down_quotients_are_those_of_float64(computed, rng):
    a = rng.uniform(-1e9, 1e9, 20_000).astype(np.float32)
    b = rng.uniform(0.6, 99, 20_000).astype(np.float32)
    a[:5000] = b[:5000] * rng.integers(-1000, 1000, 5000).astype(np.float32)
    expected = np.floor(np.divide(a, b, dtype=np.float64)).astype(np.int32)
    found = computed("floor_of_quotient(a, b)", a, b, dtype="int32")
    np.testing.assert_array_equal(found, expected)


def test_rounded_down_quotients_wrap_around(computed, rng):
    sizes, signs = 10.0 ** rng.uniform(-12, 24, (2, 20_000)), rng.choice([-1, 1], (2, 20_000))
    a, b = (sizes * signs).astype(np.float32)
    ends = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1, -1, 1e20, 3e38, 3], np.float32)
    a, b = np.append(a, np.repeat(ends, 10)), np.append(b, np.tile(ends, 10))
    with np.errstate(all="ignore"):
        expected = floor_divide(a, b)
    found = computed("floor_of_quotient(a, b)", a, b, dtype="int32")
    np.testing.assert_array_equal(found, expected)


def test_remainders_where_float64_adds_nothing(computed):
    """Next to b, what remains of a may be too little to change it: by the last bit of b."""
    b = np.repeat(np.array([1, 1.5, 1.9999999], np.float32), 40)
    a = -np.tile(2.0 ** np.linspace(-56, -52, 40), 3).astype(np.float32)
    np.testing.assert_array_equal(computed("floor_mod(a, b)", a, b), remainder(a, b))


def test_integer_powers_wrap_around(computed, rng):
    base = np.concatenate([rng.integers(-40, 40, 2000), rng.integers(-(2**31), 2**31, 500)])
    n = np.concatenate([rng.integers(-2, 90, 2000), rng.integers(0, 4, 500)])
    base = np.append(base, [2**31 - 1, -(2**31), 65536, -65536, 65535, 7, 2]).astype(np.int32)
    n = np.append(n, [2, 3, 2, 3, 5, 31, 2**31 - 1]).astype(np.int32)
    found = computed("integer_power(a, b)", base, n, dtype="int32")
    # NumPy's own powers are off by a unit in the last place of float64 on some processors.
    expected = [last_bits(b, k) for b, k in zip(base.tolist(), n.tolist(), strict=True)]
    np.testing.assert_array_equal(found, expected)
    assert found[-2] == 0


def last_bits(base: int, n: int) -> int:
    """Of a power in float64, as int32."""
    if base in (0, 1, -1):
        return {0: int(n == 0), 1: 1, -1: -1 if n % 2 else 1}[base]
    if not 0 <= n <= 200:
        return 0
    return (int(float(base**n)) + 2**31) % 2**32 - 2**31


def test_called_functions_are_declared_first():
    text = functions_for("tanh_(x) + sin_(y)")
    for name in ("tanh_", "exp_", "scaled_exp", "scaled", "quarter_turns"):
        assert text.count(f" {name}(float x") == 1, name
    assert text.index("float scaled(") < text.index("float exp_(") < text.index("float tanh_(")
    assert "cosh_" not in text


def test_values_are_no_names_in_functions():
    """A value is a macro: one that is called like a variable of a function would break it."""
    named = set(re.findall(r"\w+", " ".join(FUNCTIONS.values())))
    given = {
        "alpha": 0.5,
        "clip_value_min": 0,
        "clip_value_max": 1,
        **{"scale": 1.0, "zero_point": 0, "low": 0, "high": 1, "nudge": True},
        **{"least": 0, "most": 1, "is_small": True, "kind": "add", "numbers": (0,) * 9},
    }
    for op, row in EXPRESSIONS.items():
        if callable(row):
            names = row.__code__.co_varnames[1 : row.__code__.co_argcount]
            for dtype in ("float32", "int32"):
                values = expression(op, [dtype], {name: given[name] for name in names}).values
                assert not named & {*values}, op
