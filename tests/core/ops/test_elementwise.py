"""What declarations of element-wise ops cannot say: dtypes, special values, precision, refusals."""

from math import inf, nan

import numpy as np
import pytest

import core
from core.engine.registry import OPS
from tests.core.ops.records.elementwise import UNARY, kind_of, oracle_of

FLOAT_OPS = [op.name for op in UNARY if kind_of(op) == "float32"]


def check(result, dtype, expected):
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.numpy(), expected)


#: Units in the last place that functions may be off, by backend: as measured, with software GL.
UNITS = {
    "cpu": {},
    "shader": {
        **dict.fromkeys(("expm1", "log1p", "sin", "cos", "asin", "atan", "sinh", "asinh"), 2),
        **dict.fromkeys(("acosh", "sigmoid", "softplus", "elu", "selu", "atan2"), 2),
        "tan": 3,
    },
    "tf": {
        **dict.fromkeys(("log", "sin", "cos", "sinh", "cosh", "asinh", "pow"), 2),
        **dict.fromkeys(("rsqrt", "log1p", "atan", "atan2"), 3),
        **dict.fromkeys(("expm1", "asin", "acos", "erf", "elu", "selu"), 4),
        **{"tanh": 5, "sigmoid": 6, "softplus": 7},
    },
}

#: Backends on which numbers too small for all 24 bits may become 0, as they do on many GPUs and
#: in TensorFlow.
FLUSHING = {"shader", "tf"}


def flushed(x, backend):
    return np.where(abs(x) < 2.0**-126, 0 * x, x) if backend in FLUSHING else x


def in_order(x, backend):
    """The floats as integers: neighbours differ by 1."""
    bits = x.view(np.int32).astype(np.int64)
    size = bits & 0x7FFFFFFF
    if backend in FLUSHING:
        size = np.maximum(size - 0x7FFFFF, 0)
    return np.where(bits < 0, -size, size)


def units_off(found, expected, backend):
    return abs(in_order(found, backend) - in_order(expected, backend))


def float32_of_every_size(rng):
    """Random bits, and values where functions do their work."""
    bits = rng.integers(0, 2**32, 40_000, np.uint32).view(np.float32)
    ranges = [rng.uniform(-r, r, 15_000).astype(np.float32) for r in (1e-3, 1, 10, 100)]
    return np.concatenate([bits[np.isfinite(bits)], *ranges])


@pytest.mark.parametrize("name", FLOAT_OPS)
def test_within_units_in_the_last_place(name, backend, rng):
    x = flushed(float32_of_every_size(rng), backend)
    with np.errstate(all="ignore"):
        expected = np.asarray(oracle_of(name)(x.astype(np.float64))).astype(np.float32)
    found = OPS[name](x).numpy()
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    off = units_off(found, expected, backend)[known].max()
    assert off <= UNITS[backend].get(name, 1)


@pytest.mark.parametrize("name", ["atan2", "pow", "mod"])
def test_two_inputs_within_units_in_the_last_place(name, backend, rng):
    a, b = (flushed(rng.permutation(float32_of_every_size(rng)), backend) for _ in range(2))
    size = min(len(a), len(b))
    a, b = abs(a[:size]), b[:size] if name != "mod" else np.abs(b[:size]) + np.float32(1e-30)
    oracle = {"atan2": np.arctan2, "pow": np.power, "mod": np.fmod}[name]
    with np.errstate(all="ignore"):
        expected = oracle(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    off = units_off(OPS[name](a, b).numpy(), expected, backend).max()
    assert off <= UNITS[backend].get(name, 1)


def test_no_oracle_is_what_the_backend_runs():
    with pytest.raises(LookupError, match="no 'my_curve': give it a formula"):
        oracle_of("my_curve")


@pytest.mark.parametrize("name", ["neg", "abs", "sign", "square", "relu", "relu6", "floor", "step"])
def test_whole_numbers_stay_whole(name, backend):
    x = np.array([-7, -1, 0, 3, 9], np.int32)
    check(OPS[name](x), "int32", oracle_of(name)(x))


def test_functions_of_whole_numbers_are_float32(backend):
    for name in ("exp", "log1p", "reciprocal", "selu", "leaky_relu", "erf"):
        x = np.array([0, 1, 3], np.int32) + (name == "reciprocal")
        result = OPS[name](x)
        assert result.dtype == "float32"
        np.testing.assert_allclose(result.numpy(), oracle_of(name)(x * 1.0), rtol=1e-6)


def test_halves_round_to_even(backend):
    check(core.round([0.5, 1.5, 2.5, -0.5, -1.5, 2.4]), "float32", [0, 2, 2, 0, -2, 2])


def test_arithmetic_of_bools_counts(backend):
    a, b = [True, True, False], [True, False, False]
    check(core.add(a, b), "int32", [2, 1, 0])
    check(core.sub(a, b), "int32", [0, 1, 0])
    check(core.squared_difference(a, b), "int32", [0, 1, 0])
    check(core.maximum(a, b), "int32", [1, 1, 0])
    assert core.relu(a).dtype == core.square(a).dtype == core.neg(a).dtype == "int32"
    assert core.ones_like(a).dtype == "bool"


def test_whole_numbers_wrap_around(backend):
    most, least = 2**31 - 1, -(2**31)
    check(core.pow([2, 0, 46341], [33, -1, 2]), "int32", [0, 0, -2147479015])
    check(core.add([most, 3], [1, 4]), "int32", [least, 7])
    check(core.sub([least], [1]), "int32", [most])
    check(core.mul([46341], [46341]), "int32", [-2147479015])
    check(core.square([46341]), "int32", [-2147479015])
    check(core.abs([least, most]), "int32", [least, most])
    check(core.add_n([[most], [most], [3]]), "int32", [1])


def test_division_of_whole_numbers_rounds_down(backend):
    a, b = np.array([7, -7, 7, -7, 5, 0], np.int32), np.array([2, 2, -2, -2, 0, 0], np.int32)
    check(core.div(a, b), "int32", [3, -4, -4, 3, 0, 0])
    check(core.floor_div(a, b), "int32", [3, -4, -4, 3, 0, 0])
    check(core.mod(a, b), "int32", [1, 1, -1, -1, 0, 0])
    check(core.pow(a[:4], [2, 2, 2, -1]), "int32", [49, 49, 49, 0])


def test_a_rounded_quotient_is_int32(backend):
    a, b = [-7.5, 0.0, 0.5, 2.0, inf, -3.0], [2.0, 0.0, -0.5, nan, 1.0, -2.0]
    check(core.floor_div(a, b), "int32", [-4, 0, -1, 0, 0, 1])


def test_remainders_as_in_javascript(backend):
    a = [-7.5, 7.0, 0.5, 2.0, 3.0, -3.0, 7.0, inf]
    b = [2.0, -2.0, -0.5, 0.0, inf, inf, -inf, 2.0]
    check(core.mod(a, b), "float32", [0.5, -1, 0, nan, 3, nan, nan, nan])


def test_powers_as_in_javascript(backend):
    a = [1.0, -1.0, 1.0, nan, 0.0, -8.0, 2.0, -2.0, 0.0]
    b = [nan, inf, -inf, 0.0, 0.0, 1 / 3, -inf, 3.0, -1.0]
    check(core.pow(a, b), "float32", [nan, nan, nan, 1, 1, nan, 0, -8, inf])


def test_comparisons_with_nan_are_false_but_for_not_equal(backend):
    x = [nan, 1.0, inf]
    for name, expected in [
        ("equal", [False, True, True]),
        ("not_equal", [True, False, False]),
        ("less_equal", [False, True, True]),
        ("less", [False, False, False]),
        ("maximum", [nan, 1, inf]),
        ("minimum", [nan, 1, inf]),
    ]:
        np.testing.assert_array_equal(OPS[name](x, x).numpy(), expected)


def test_activations_at_the_edges(backend):
    x = [nan, inf, -inf, 0.0, -1.0]
    check(core.prelu(x, 0.5), "float32", [nan, inf, -inf, 0, -0.5])
    check(core.prelu([0.0, -1.0], inf), "float32", [0, -inf])
    check(core.leaky_relu(x, 0.5), "float32", [nan, inf, -inf, 0, -0.5])
    check(core.step(x, 0.25), "float32", [nan, 1, 0.25, 0.25, 0.25])
    check(core.step([-1, 2], -1.9), "int32", [-1, 1])
    check(core.sign(x), "float32", [0, 1, -1, 0, -1])
    check(core.clip_by_value(x, -0.5, 2), "float32", [nan, 2, -0.5, 0, -0.5])
    check(core.clip_by_value([-9, 9, 1], -2.7, inf), "int32", [-2, 9, 1])
    check(core.clip_by_value(x, 1, 1), "float32", [nan, 1, 1, 1, 1])


def test_golden_values_of_tensorflow_js(backend):
    x = [-1.5, 0.5, 2.0]
    for name, expected in [
        ("elu", [-0.7768698334693909, 0.5, 2]),
        ("selu", [-1.3658143281936646, 0.5253505110740662, 2.1014020442962646]),
        ("softplus", [0.20141327381134033, 0.9740769863128662, 2.1269280910491943]),
        ("asinh", [-1.19476318359375, 0.4812118113040924, 1.4436354637145996]),
        ("tan", [-14.101420402526855, 0.5463024973869324, -2.185039758682251]),
    ]:
        np.testing.assert_allclose(OPS[name](x).numpy(), expected, rtol=2e-7)


def test_small_and_large_arguments(backend):
    least = 1e-39 if backend in FLUSHING else 0
    found = core.sigmoid([-90.0, 90.0]).numpy()
    np.testing.assert_allclose(found, [8.2e-40, 1], rtol=1e-2, atol=least)
    check(core.softplus([1000.0, -1000.0, 1e-30]), "float32", [1000, 0, np.float32(np.log(2))])
    check(core.elu([-1e-20, -1000.0]), "float32", np.array([-1e-20, -1], np.float32))
    check(core.erf([4.0, -9.0, inf, -inf, 0.0]), "float32", [1, -1, 1, -1, 0])


def test_finite_infinite_and_unknown(backend):
    x = [nan, inf, -inf, 3.0]
    check(core.is_nan(x), "bool", [True, False, False, False])
    check(core.is_inf(x), "bool", [False, True, True, False])
    check(core.is_finite(x), "bool", [False, False, False, True])
    check(core.is_finite([1, 2]), "bool", [True, True])


def test_strings_compare_by_their_bytes(backend):
    a, b = [["a"], ["é"]], ["", "a", "z", "é"]
    check(core.equal(a, b), "bool", [[False, True, False, False], [False, False, False, True]])
    check(core.less(a, b), "bool", [[False, False, True, True], [False] * 4])
    check(core.greater_equal(a, b), "bool", [[True, True, False, False], [True] * 4])
    check(core.not_equal("x", b"x"), "bool", False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: core.equal([1.0], ["a"]), "do not mix"),
        (lambda: core.add(["a"], ["b"]), "add needs .* got string"),
        (lambda: core.exp(["a"]), "exp needs .* got string"),
        (lambda: core.less(core.complex([1.0], [1.0]), 1.0), "complex numbers have no order"),
        (lambda: core.relu(core.complex([1.0], [1.0])), "relu needs .* got complex64"),
        (lambda: core.logical_and([1.0], [True]), "logical_and needs bool as .*, got float32"),
        (lambda: core.logical_not([1]), "logical_not needs bool as .*, got int32"),
        (lambda: core.bitwise_and([1.0], [1.0]), "bitwise_and needs .* got float32"),
        (lambda: core.add([1.0, 2.0], [1.0, 2.0, 3.0]), r"\(2,\) and \(3,\) do not broadcast"),
        (lambda: core.clip_by_value([1.0], 2.0, 1.0), "2.0 and 1.0 must ascend"),
        (lambda: core.clip_by_value([1.0], nan, 1.0), "must ascend"),
        (lambda: core.add_n([[1.0], [1.0, 2.0]]), "one shape and dtype"),
        (lambda: core.add_n([[1.0], [1]]), "one shape and dtype"),
        (lambda: core.add_n([]), "needs a list of tensors"),
        (lambda: core.select([1.0], 1.0, 2.0), "select needs a bool condition"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_kernels_take_the_names_of_tensorflow_js(backend):
    x = core.tensor([-2.0, 3.0])
    for name, inputs, attributes, expected in [
        ("Prelu", {"x": x, "alpha": [0.5, 0.5]}, {}, [-1, 3]),
        ("ClipByValue", {"x": x}, {"clipValueMin": -1, "clipValueMax": 1}, [-1, 1]),
        ("LeakyRelu", {"x": x}, {"alpha": 0.5}, [-1, 3]),
        ("Step", {"x": x}, {"alpha": 0.5}, [0.5, 1]),
        ("AddN", {"inputs": [x, x]}, {}, [-4, 6]),
        ("Select", {"condition": [True, False], "t": x, "e": x * 2}, {}, [-2, 6]),
        ("EluGrad", {"dy": x, "y": [1.0, -0.5]}, {}, [-2, 1.5]),
        ("FloorDiv", {"a": x, "b": [2.0, 2.0]}, {}, [-1, 1]),
    ]:
        (result,) = core.run_kernel(name, inputs, attributes)
        np.testing.assert_array_equal(result.numpy(), expected)


def test_gradients_that_are_zero(backend):
    x = core.tensor([-1.0, 0.0, 2.0])
    for name in ("floor", "sign", "is_nan", "is_inf", "is_finite", "step"):
        slope = core.grad(lambda t, name=name: core.cast(OPS[name](t), dtype="float32"))(x)
        np.testing.assert_array_equal(slope.numpy(), [0, 0, 0])
    for slope in core.grads(lambda a, b: core.cast(a >= b, dtype="float32"))(x, x):
        np.testing.assert_array_equal(slope.numpy(), [0, 0, 0])
    through_mask = core.grad(lambda t: core.select(t >= 0.0, t * t, 0.0))(x)
    np.testing.assert_array_equal(through_mask.numpy(), [0, 0, 4])


def test_gradients_at_the_kinks(backend):
    x = core.tensor([-6.0, 0.0, 6.0])
    for name, expected in [
        ("abs", [-1, 0, 1]),
        ("relu", [0, 0, 1]),
        ("relu6", [0, 0, 1]),
        ("leaky_relu", [0.2, 0.2, 1]),
    ]:
        found = core.grad(OPS[name])(x).numpy()
        np.testing.assert_array_equal(found, np.array(expected, np.float32))
    clipped = core.grad(lambda t: core.clip_by_value(t, 0, 6))([-1.0, 0.0, 6.0, 7.0])
    np.testing.assert_array_equal(clipped.numpy(), [0, 1, 1, 0])
    for slope, expected in zip(core.grads(core.maximum)(x, x), ([1, 1, 1], [0, 0, 0]), strict=True):
        np.testing.assert_array_equal(slope.numpy(), expected)


def test_casts_follow_typed_arrays(backend):
    x = [1.9, -1.9, nan, inf, 2.0**32 + 5]
    check(core.cast(x, dtype="int32"), "int32", [1, -1, 0, 0, 0])
    check(core.cast([0.0, 0.5, nan], dtype="bool"), "bool", [False, True, True])
