"""Complex numbers through the ops that take them."""

import numpy as np
import pytest

import core


def test_parts_may_be_infinite_or_unknown(backend):
    z = core.complex([1.0, np.inf, np.nan], [np.inf, 2.0, 3.0])
    np.testing.assert_array_equal(core.real(z).numpy(), [1, np.inf, np.nan])
    np.testing.assert_array_equal(core.imag(z).numpy(), [np.inf, 2, 3])
    np.testing.assert_array_equal(core.abs(z).numpy(), [np.inf, np.inf, np.nan])


def test_magnitudes_are_float32(backend):
    z = core.tensor([3 + 4j, -3e30 + 4e30j])
    for function in (core.abs, core.complex_abs):
        assert function(z).dtype == "float32"
        np.testing.assert_array_equal(function(z).numpy(), np.float32([5, 5e30]))


def test_arithmetic(backend):
    a, b = np.array([1 + 3j, 2 - 4j], np.complex64), np.array([1, 2 + 1j], np.complex64)
    for name, expected in [("add", a + b), ("sub", a - b), ("mul", a * b), ("div", a / b)]:
        result = getattr(core, name)(a, b)
        assert result.dtype == "complex64"
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(core.neg(a).numpy(), -a)
    np.testing.assert_array_equal(core.equal(a, [1 + 3j, 0]).numpy(), [True, False])
    np.testing.assert_array_equal(core.ones_like(a).numpy(), [1, 1])
    np.testing.assert_array_equal((core.tensor([1.0, 2.0]) + b).numpy(), [2, 4 + 1j])
    np.testing.assert_array_equal(core.sum(a).numpy(), 3 - 1j)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: core.complex([1.0], [1.0, 2.0]), "the parts must have one shape"),
        (lambda: core.complex(["a"], ["b"]), "complex needs .* got string"),
        (lambda: core.real([1.0]), "real needs complex64 as .*, got float32"),
        (lambda: core.imag([1]), "imag needs complex64 as .*, got int32"),
        (lambda: core.complex_abs([1.0]), "complex_abs needs complex64"),
        (lambda: core.sign([1j]), "sign needs .* got complex64"),
        (lambda: core.pow([1j], [2.0]), "pow needs .* got complex64"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_gradients_of_real_inputs_are_real(backend):
    x = core.tensor([1.0, 2.0])
    slope = core.grad(lambda t: core.abs(t * core.tensor([3 + 4j, 1j])))(x)
    assert slope.dtype == "float32"
    np.testing.assert_allclose(slope.numpy(), [5, 1], rtol=1e-6)


def test_the_slope_of_a_magnitude(backend):
    slope = core.grad(core.abs)(np.array([3 + 4j, 0, -2], np.complex64))
    np.testing.assert_allclose(slope.numpy(), [0.6 + 0.8j, 0, -1], rtol=1e-6)
    parts = core.grads(lambda a, b: core.square(core.abs(core.complex(a, b))))([3.0], [4.0])
    np.testing.assert_allclose([p.item() for p in parts], [6, 8], rtol=1e-6)
