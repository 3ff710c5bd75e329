"""What the cases of running sums and products cannot say."""

import numpy as np
import pytest

import core


def test_whole_numbers_wrap_around(backend):
    sums = core.cumsum([2147483647, 1, 5])
    assert sums.dtype == "int32"
    np.testing.assert_array_equal(sums.numpy(), [2147483647, -2147483648, -2147483643])
    np.testing.assert_array_equal(core.cumprod([65536, 65536, 3]).numpy(), [65536, 0, 0])


def test_floats_round_once(backend):
    np.testing.assert_array_equal(core.cumsum([1e8, 1.0, -1e8]).numpy(), [1e8, 1e8, 1])


def test_unknown_values_stay(backend):
    rows = np.array([[1, np.nan, 2], [np.inf, 1, -np.inf]], np.float32)
    np.testing.assert_array_equal(
        core.cumsum(rows, 1).numpy(), [[1, np.nan, np.nan], [np.inf, np.inf, np.nan]]
    )
    np.testing.assert_array_equal(
        core.cumprod(rows, axis=-1, exclusive=True, reverse=True).numpy(),
        [[np.nan, 2, 1], [-np.inf, -np.inf, 1]],
    )


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_refusals(name):
    function = getattr(core, name)
    for x, message in [(3.0, "axis 0 is outside"), (["a"], "string"), ([1j], "complex64")]:
        with pytest.raises(core.CoreError, match=message):
            function(x)
    with pytest.raises(core.CoreError, match="axis 2 is outside of a tensor with 1 axes"):
        function([1.0], 2)


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_gradient_of_running_products_with_zeros(exclusive, reverse, backend, rng):
    """Against the product rule, written out in float64."""
    x = np.array([[2.0, 0.0, 3.0, 0.5, 0.0, 1.5, -2.0]])
    g = rng.uniform(0.5, 1, x.shape).astype(np.float32)
    how = {"axis": 1, "exclusive": exclusive, "reverse": reverse}
    found = core.grad(lambda t: core.cumprod(t, **how))(x, dy=g).numpy()
    expected = np.zeros_like(x)
    places = range(x.size)
    for end in places:
        behind = [k for k in places if (k > end if reverse else k < end)]
        factors = behind if exclusive else [*behind, end]
        for j in factors:
            expected[0, j] += g[0, end] * np.prod([x[0, k] for k in factors if k != j])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_gradients_of_nothing(backend):
    for function in (core.cumsum, core.cumprod):
        slope = core.grad(lambda t, f=function: f(t, exclusive=True))(np.zeros((0, 2)))
        assert slope.shape == (0, 2)
