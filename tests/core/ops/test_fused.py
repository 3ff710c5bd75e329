"""Fused ops: what may be fused, NaN, and gradients as of the parts."""

import numpy as np
import pytest

import core
from core.ops.fused import ACTIVATIONS

#: Filters that give two channels.
FILTERS = {"fused_conv2d": 2, "fused_depthwise_conv2d": 1}
NOT_A_NUMBER = [np.nan, -2.0, np.inf, -np.inf]


def apart(y, activation, weights):
    """The activation as an op of its own."""
    if activation == "leakyrelu":
        return core.maximum(y, 0.0) + core.minimum(y, 0.0) * -0.3
    if activation == "prelu":
        return core.maximum(y, 0.0) + core.minimum(y, 0.0) * weights
    return y if activation == "linear" else getattr(core, activation)(y)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_of_all_parts(activation, rng):
    x, filter = rng.standard_normal((1, 4, 4, 2)), rng.standard_normal((2, 2, 2, 3))
    bias, weights = rng.standard_normal(3), rng.standard_normal(3)

    def fused(x, filter, bias, weights):
        y = core.fused_conv2d(x, filter, bias, weights, activation=activation, leakyrelu_alpha=-0.3)
        return core.sum(core.square(y))

    def unfused(x, filter, bias, weights):
        return core.sum(core.square(apart(core.conv2d(x, filter) + bias, activation, weights)))

    count = 4 if activation == "prelu" else 3
    parts = [x, filter, bias, weights]
    found = core.grads(lambda *p: fused(*p, *parts[count:]))(*parts[:count])
    expected = core.grads(lambda *p: unfused(*p, *parts[count:]))(*parts[:count])
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-4)


def test_weights_that_are_not_used_have_no_slope():
    a, b, weights = core.ones((2, 3)), core.ones((3, 2)), core.ones((2,))
    slope = core.grad(lambda w: core.sum(core.fused_matmul(a, b, None, w, activation="relu")))
    np.testing.assert_array_equal(slope(weights).numpy(), [0, 0])


@pytest.mark.parametrize(
    "activation, expected",
    [
        ("linear", [np.nan, -2, np.inf, -np.inf]),
        ("relu", [np.nan, 0, np.inf, 0]),
        ("relu6", [np.nan, 0, 6, 0]),
        ("elu", [np.nan, np.expm1(-2), np.inf, -1]),
        ("sigmoid", [np.nan, 1 / (1 + np.exp(2)), 1, 0]),
        ("leakyrelu", [np.nan, -1, np.inf, -np.inf]),
        ("prelu", [np.nan, 4, np.inf, np.inf]),
    ],
)
def test_special_values(activation, expected):
    x = np.array(NOT_A_NUMBER, np.float32)
    y = core.fused_matmul(
        x.reshape(4, 1), [[1.0]], None, -2.0, activation=activation, leakyrelu_alpha=0.5
    )
    np.testing.assert_allclose(y.numpy().ravel(), np.float32(expected), rtol=1e-6)


@pytest.mark.parametrize("name", ["fused_conv2d", "fused_depthwise_conv2d"])
@pytest.mark.parametrize(
    "parts, how, message",
    [
        ((), {"activation": "prelu"}, "needs prelu_activation_weights"),
        ((), {"activation": "tanh"}, "unknown activation 'tanh'"),
        (((3,),), {}, r"bias has shape \(3,\)"),
        (((4, 3, 3, 2),), {}, "bias has shape"),
        (((1, 3, 3, 2, 1),), {}, "bias has shape"),
        (((2,), (3,)), {"activation": "prelu"}, r"prelu_activation_weights has shape \(3,\)"),
    ],
)
def test_refusals(name, parts, how, message):
    parts = [core.ones(shape) for shape in parts]
    with pytest.raises(core.CoreError, match=message):
        getattr(core, name)(
            core.ones((1, 4, 4, 2)), core.ones((2, 2, 2, FILTERS[name])), *parts, **how
        )


def test_weights_of_a_batch():
    """TensorFlow.js takes them for depthwise convolutions alone."""
    x, filter, weights = -core.ones((1, 2, 2, 1)), core.ones((1, 1, 1, 1)), core.ones((1, 2, 2, 1))
    how = {"activation": "prelu", "prelu_activation_weights": weights * 3.0}
    y = core.fused_depthwise_conv2d(x, filter, **how)
    np.testing.assert_array_equal(y.numpy().ravel(), [-3] * 4)
    with pytest.raises(core.CoreError, match="no axis, one or three"):
        core.fused_conv2d(x, filter, **how)


def test_bias_with_the_channels_second():
    x, filter = core.ones((1, 2, 4, 4)), core.ones((1, 1, 2, 3))
    y = core.fused_conv2d(x, filter, [1.0, 2.0, 3.0], data_format="NCHW").numpy()
    np.testing.assert_array_equal(y[0, :, 0, 0], [3, 4, 5])
    with pytest.raises(core.CoreError, match=r"\[out\] or one number"):
        core.fused_conv2d(x, filter, core.ones((3, 1, 1)), data_format="NCHW")


def test_by_their_tensorflow_js_names():
    (y,) = core.run_kernel(
        "_FusedMatMul",
        {"a": [[1.0, -2.0]], "b": [[1.0], [1.0]], "bias": [0.5]},
        {
            "transposeA": False,
            "transposeB": False,
            "activation": "leakyrelu",
            "leakyreluAlpha": 0.1,
        },
    )
    assert y.item() == pytest.approx(-0.05)
    inputs = {
        "x": np.full((1, 1, 1, 1), -2.0),
        "filter": np.ones((1, 1, 1, 1)),
        "preluActivationWeights": np.float32(0.25),
    }
    for name in ("FusedConv2D", "FusedDepthwiseConv2D"):
        how = {"strides": 1, "pad": "same", "dataFormat": "NHWC", "dilations": 1}
        (y,) = core.run_kernel(name, inputs, {**how, "activation": "prelu"})
        assert y.item() == -0.5


@pytest.mark.parametrize(
    "a, b, parts, message",
    [
        ((2, 3), (2, 3), (), "inner lengths 3 and 2"),
        ((2, 3), (3, 4), ((2,),), r"bias has shape \(2,\)"),
        ((3,), (3, 4), (), "two axes"),
    ],
)
def test_products_that_do_not_fit(a, b, parts, message):
    with pytest.raises(core.CoreError, match=message):
        core.fused_matmul(core.ones(a), core.ones(b), *map(core.ones, parts))
