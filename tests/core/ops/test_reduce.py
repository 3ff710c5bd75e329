"""What the cases of reductions cannot say: NaN, nothing, overflow, ties, refusals."""

from math import inf, nan

import numpy as np
import pytest

import core
from core.engine.registry import OPS


def check(result, dtype, expected):
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("max", "float32", [nan, nan, 1]),
        ("min", "float32", [nan, nan, 0]),
        ("argmax", "int32", [2, 0, 1]),
        ("argmin", "int32", [0, 0, 0]),
        ("sum", "float32", [nan, nan, 1]),
        ("prod", "float32", [nan, nan, 0]),
    ],
)
def test_unknown_values(name, dtype, expected, backend):
    rows = np.array([[1, nan, 3], [nan, 2, 5], [0, 1, 0]], np.float32)
    check(OPS[name](rows, axis=1), dtype, expected)


def test_infinities(backend):
    rows = [[-inf, -inf], [inf, 1.0]]
    check(core.max(rows, 1), "float32", [-inf, inf])
    check(core.sum(rows, 0), "float32", [nan, -inf])
    check(core.argmax(rows, 1), "int32", [0, 0])
    check(core.argmin(rows, 1), "int32", [0, 1])


def test_the_first_of_equals_wins(backend):
    assert core.argmax([1.0, 3.0, 3.0]).item() == 1
    assert core.argmin([3, 1, 1]).item() == 1
    check(core.argmax([[True, False], [False, True]], 1), "int32", [0, 1])
    assert core.argmin([2147483647, -2147483648]).item() == 1


def test_reductions_of_nothing(backend):
    nothing = np.zeros((2, 0), np.float32)
    for name, expected in [("sum", 0), ("prod", 1), ("mean", 0), ("max", nan), ("min", nan)]:
        check(OPS[name](nothing, axis=1), "float32", [expected] * 2)
        assert OPS[name](nothing, axis=0).shape == (0,)
    for name, expected in [("sum", 0), ("prod", 1), ("max", 0), ("min", 0)]:
        check(
            OPS[name](nothing.astype(np.int32), axis=1, keep_dims=True), "int32", [[expected]] * 2
        )
    check(core.all(nothing.astype(bool), 1), "bool", [True, True])
    check(core.any(nothing.astype(bool), 1), "bool", [False, False])


def test_no_axes_reduce_nothing(backend):
    x = [[1.0, 2.0], [3.0, 4.0]]
    for name in ("sum", "prod", "mean", "max", "min"):
        check(OPS[name](x, axis=[]), "float32", x)


def test_dtypes(backend):
    bools = [[True, False], [True, True]]
    check(core.sum(bools, 1), "int32", [1, 2])
    check(core.prod(bools, 1), "int32", [0, 1])
    check(core.mean(bools, 1), "float32", [0.5, 1])
    check(core.max(bools, 1), "bool", [True, True])
    check(core.mean([2147483647, 2147483647]), "float32", 2147483648)


def test_whole_numbers_wrap_around_and_floats_round_once(backend):
    check(core.sum([2147483647, 2147483647, 5]), "int32", 3)
    check(core.prod([65536, 65536, 7]), "int32", 0)
    check(core.sum([1e8, 1.0, -1e8]), "float32", 1)
    check(core.sum([3e38, 3e38, -3e38]), "float32", np.float32(3e38))
    check(core.prod([1e30, 1e30, 1e-30]), "float32", np.float32(1e30))
    assert core.mean(np.full(2**20 + 1, 0.1, np.float32)).item() == np.float32(0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: core.all([1.0]), "all needs bool as .*, got float32"),
        (lambda: core.any([1]), "any needs bool as .*, got int32"),
        (lambda: core.max(core.complex([1.0], [1.0])), "max needs real numbers, got complex64"),
        (lambda: core.min(["a"]), "min needs real numbers, got string"),
        (lambda: core.sum(["a"]), "sum needs .* got string"),
        (lambda: core.mean(core.complex([1.0], [1.0])), "mean needs .* got complex64"),
        (lambda: core.sum([1.0], 1), "axis 1 is outside of a tensor with 1 axes"),
        (lambda: core.sum(1.0, -1), "axis -1 is outside of a tensor with 0 axes"),
        (lambda: core.argmax(1.0), "axis 0 is outside"),
        (lambda: core.argmax(np.zeros((2, 0)), 1), "axis 1 of shape .* is empty"),
        (lambda: core.argmin(core.complex([1.0], [1.0])), "argmin needs real numbers"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_kernels_take_the_names_of_tensorflow_js(backend):
    x = [[1.0, 2.0], [3.0, 4.0]]
    for name, attributes, expected in [
        ("Max", {"reductionIndices": [0], "keepDims": True}, [[3, 4]]),
        ("Min", {"axis": 0, "keepDims": False}, [1, 2]),
        ("Prod", {"axis": None, "keepDims": False}, 24),
        ("ArgMin", {"axis": 1}, [0, 0]),
    ]:
        (result,) = core.run_kernel(name, {"x": x}, attributes)
        np.testing.assert_array_equal(result.numpy(), expected)


def test_all_equal_extremes_get_the_gradient(backend):
    x = core.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    slope = core.grad(lambda t: core.max(t, 1))(x, dy=[5.0, 7.0])
    np.testing.assert_array_equal(slope.numpy(), [[0, 5, 5], [7, 7, 7]])


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_an_index_has_no_slope(name, backend):
    slope = core.grad(lambda t: core.cast(OPS[name](t, axis=1), dtype="float32"))([[1.0, 2.0]])
    np.testing.assert_array_equal(slope.numpy(), [[0, 0]])


def test_the_gradient_of_a_product_with_zeros(backend):
    rows = core.tensor([[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 0.0, 4.0]])
    slope = core.grad(lambda t: core.prod(t, -1))(rows)
    np.testing.assert_array_equal(slope.numpy(), [[12, 8, 6], [0, 8, 0], [0, 0, 0]])
    pairs = core.grad(lambda t: core.prod(t, [2, 0]))(np.ones((2, 3, 2)) * 2, dy=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(pairs.numpy()[1, :, 0], [8, 16, 24])
    # The second slope of x0 * x1 * x2 along all three at once is 2 * (x0 + x1 + x2).
    once = core.grad(core.prod)
    twice = core.grad(lambda t: core.sum(once(t)))([5.0, 0.0, 0.0])
    np.testing.assert_array_equal(twice.numpy(), [0, 5, 5])
