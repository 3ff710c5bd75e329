"""What the cases of softmax and its kin cannot say."""

from math import inf, nan

import numpy as np
import pytest

import core


def test_large_logits_do_not_overflow(backend):
    np.testing.assert_array_equal(core.softmax([1000.0, 1000.0]).numpy(), [0.5, 0.5])
    np.testing.assert_array_equal(core.softmax([-400.0, -400.0, -inf]).numpy(), [0.5, 0.5, 0])
    np.testing.assert_array_equal(core.log_softmax([0.0, -1e6]).numpy(), [0, -1e6])


def test_unknown_values_spread_along_the_axis(backend):
    x = [[1.0, nan], [2.0, 2.0], [inf, 1.0], [-inf, -inf]]
    for function, known in [(core.softmax, 0.5), (core.log_softmax, np.float32(-np.log(2)))]:
        expected = [[nan, nan], [known, known], [nan, nan], [nan, nan]]
        np.testing.assert_array_equal(function(x).numpy(), expected)


def test_golden_values_of_tensorflow_js(backend):
    x = [1.0, 1.0, 0.0]
    np.testing.assert_allclose(
        core.softmax(x).numpy(), [0.42231881618499756] * 2 + [0.15536241233348846], rtol=2e-7
    )
    np.testing.assert_allclose(
        core.log_softmax(x).numpy(), [-0.8619948029518127] * 2 + [-1.861994743347168], rtol=2e-7
    )


def test_kernels_take_the_names_of_tensorflow_js(backend):
    x = [[0.0, 0.0]]
    for name, attributes in [("Softmax", {"dim": 1}), ("LogSoftmax", {"axis": 1})]:
        (result,) = core.run_kernel(name, {"logits": x}, attributes)
        assert result.shape == (1, 2)


@pytest.mark.parametrize("function", [core.softmax, core.log_softmax])
def test_refusals(function):
    for x, message in [(1.0, "axis -1 is outside"), (["a"], "string"), ([1j], "complex64")]:
        with pytest.raises(core.CoreError, match=message):
            function(x)
    with pytest.raises(core.CoreError, match="an integer"):
        function([[1.0]], axis=(0, 1))


def test_second_slopes(backend):
    """Of softplus by way of log_softmax: sigmoid * (1 - sigmoid)."""
    slope = core.grad(core.grad(lambda t: -core.log_softmax(core.stack([t, 0.0 * t]), 0)[1]))(0.3)
    s = 1 / (1 + np.exp(-0.3))
    assert slope.item() == pytest.approx(s * (1 - s), rel=1e-5)
    twice = core.grad(core.grad(core.elu))([-1.0, 2.0])
    np.testing.assert_allclose(twice.numpy(), [np.exp(-1), 0], rtol=1e-6)


def test_sums_are_rounded_once(backend):
    """Of what is too small to count beside 1, there is so much that the sum is not 1."""
    x = np.full((20_000, 2), -18, np.float32)
    x[0] = 0
    total = 1 + 19_999 * np.exp(-18.0)
    limit = 0 if backend == "cpu" else 1.2e-7  # in float32 a unit of the total is 1.2e-7
    share, log = core.softmax(x, 0).numpy()[0], core.log_softmax(x, 0).numpy()[0]
    np.testing.assert_allclose(share, [np.float32(1 / total)] * 2, rtol=limit)
    np.testing.assert_allclose(log, [np.float32(-np.log(total))] * 2, rtol=0, atol=limit)
