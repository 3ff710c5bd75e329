"""Convolutions and pooling over volumes: single ones, ties, refusals, second derivatives."""

import numpy as np
import pytest

import core


def numbers(*shape):
    """1, 2, 3, ..."""
    return np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)


def test_golden_values_of_tensorflow_js():
    y = core.conv3d(numbers(1, 2, 2, 2, 1), numbers(2, 1, 1, 1, 1), pad="same")
    np.testing.assert_array_equal(y.numpy().ravel(), [11, 14, 17, 20, 5, 6, 7, 8])
    x, inf = numbers(1, 2, 3, 3, 1), -np.inf
    y = core.max_pool3d(x, 2, 2, 1, "ceil").numpy().ravel()
    np.testing.assert_array_equal(
        y, [1, 3, inf, 7, 9, inf, inf, inf, inf, 10, 12, inf, 16, 18, inf, inf, inf, inf]
    )
    y = core.avg_pool3d(x, 2, 2, 1, "ceil").numpy().ravel()
    np.testing.assert_array_equal(
        y, [1, 2.5, 0, 5.5, 7, 0, 0, 0, 0, 10, 11.5, 0, 14.5, 16, 0, 0, 0, 0]
    )


def test_same_padding_is_never_less_than_nothing():
    """Where the stride is longer than the window, TensorFlow.js shifts the windows."""
    x = numbers(1, 5, 1, 1, 1)
    y = core.conv3d(x, core.ones((1, 1, 1, 1, 1)), strides=3, pad="same")
    np.testing.assert_array_equal(y.numpy().ravel(), [1, 4])
    np.testing.assert_array_equal(core.max_pool3d(x, 1, 3, "same").numpy().ravel(), [1, 4])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: core.conv3d(x, numbers(2, 2, 1, 2, 3)),
        lambda x: core.conv3d_transpose(
            x, numbers(2, 1, 1, 3, 2), (*x.shape[:-4], 4, 3, 2, 3), strides=1, pad="valid"
        ),
        lambda x: core.avg_pool3d(x, 2, 1, "valid"),
        lambda x: core.max_pool3d(x, filter_size=2, strides=1, pad="same"),
    ],
)
def test_a_single_volume_is_a_batch_of_one(call):
    volume = core.tensor(numbers(3, 3, 2, 2))
    alone, batch = call(volume), call(core.expand_dims(volume))
    assert batch.shape == (1, *alone.shape)
    np.testing.assert_array_equal(alone.numpy(), batch.numpy()[0])
    assert core.grad(lambda t: core.sum(call(t)))(volume).shape == volume.shape


def test_the_gradient_of_equals_goes_to_the_last():
    x = np.zeros((1, 1, 2, 2, 1), np.float32)
    dx = core.grad(lambda t: core.max_pool3d(t, (1, 2, 2), 1, "valid"))(x)
    np.testing.assert_array_equal(dx.numpy().ravel(), [0, 0, 0, 1])


def test_the_gradient_of_windows_that_are_not_cubes():
    """TensorFlow.js mixes up height and width here."""
    x = np.float32([1, 2, 3, 9, 4, 5]).reshape(1, 1, 2, 3, 1)
    dx = core.grad(lambda t: core.max_pool3d(t, (1, 2, 3), 1, "valid"))(x)
    np.testing.assert_array_equal(dx.numpy().ravel(), [0, 0, 0, 1, 0, 0])


def test_nan_is_passed_over():
    x = np.float32([np.nan, 1, np.nan, np.nan]).reshape(1, 1, 2, 2, 1)
    np.testing.assert_array_equal(
        core.max_pool3d(x, (1, 1, 2), 1, "valid").numpy().ravel(), [1, -np.inf]
    )
    np.testing.assert_array_equal(
        core.avg_pool3d(x, (1, 1, 2), 1, "valid").numpy().ravel(), [np.nan, np.nan]
    )


def test_second_derivatives(rng):
    x, filter = rng.standard_normal((1, 2, 3, 3, 1)), rng.standard_normal((2, 2, 1, 1, 2))

    def power(f):
        slope = core.grad(lambda t: core.sum(core.square(core.conv3d(t, f, pad="same"))))(x)
        return core.sum(core.square(slope))

    found, step, moved = core.grad(power)(filter).numpy(), 1e-2, np.zeros_like(filter)
    moved[1, 0, 0, 0, 1] = step
    quotient = (power(filter + moved).item() - power(filter - moved).item()) / (2 * step)
    assert found[1, 0, 0, 0, 1] == pytest.approx(quotient, rel=1e-2)
    twice = core.grad(
        lambda t: core.sum(core.square(core.grad(lambda u: core.sum(core.square(pooled(u))))(t)))
    )(x)
    assert twice.shape == x.shape and np.any(twice.numpy())


def pooled(x):
    return core.avg_pool3d(x, 2, 1, "same")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x, f: core.conv3d(x, f, data_format="NCDHW"), "must be .NDHWC"),
        (
            lambda x, f: core.conv3d(core.ones((1, 2, 2, 2, 4)), core.ones((1, 1, 1, 2, 2))),
            "as many",
        ),
        (lambda x, f: core.conv3d(x, core.ones((2, 2, 1, 1))), "needs a filter"),
        (lambda x, f: core.conv3d(x, f, pad=[1, 2]), "pad="),
        (lambda x, f: core.conv3d(x, f, strides=(1, 2)), "one or 3 numbers"),
        (lambda x, f: core.avg_pool3d(x, 2, 1, "same", "floor"), "needs pad in pixels"),
        (lambda x, f: core.max_pool3d(x, 2, 1, "same", None, "NCDHW"), "must be .NDHWC"),
        (lambda x, f: core.max_pool3d(x, 2, 0, "same"), "strides=0"),
        (lambda x, f: core.max_pool3d(x, 5, 1, "valid"), "does not fit"),
        (
            lambda x, f: core.avg_pool3d_grad(x, x, filter_size=2, strides=1, pad="valid"),
            "dy has shape",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.ones((1, 3, 3, 3, 1)), core.ones((2, 2, 2, 1, 1)))


def test_kernels_by_their_tensorflow_js_names():
    x, filter = numbers(1, 2, 2, 2, 1), core.ones((2, 2, 2, 1, 1))
    how = {"strides": [1, 1, 1], "pad": "valid"}
    (y,) = core.run_kernel(
        "Conv3D", {"x": x, "filter": filter}, {**how, "dataFormat": "NDHWC", "dilations": [1, 1, 1]}
    )
    assert y.item() == 36
    (dx,) = core.run_kernel(
        "Conv3DBackpropInputV2", {"dy": y, "filter": filter}, {**how, "inputShape": x.shape}
    )
    (df,) = core.run_kernel(
        "Conv3DBackpropFilterV2", {"x": x, "dy": y}, {**how, "filterShape": filter.shape}
    )
    assert dx.numpy().ravel().tolist() == [36] * 8
    np.testing.assert_array_equal(df.numpy().ravel(), 36 * x.ravel())
    how |= {"filterSize": [2, 2, 2], "dimRoundingMode": None}
    for name in ("AvgPool3D", "MaxPool3D"):
        (y,) = core.run_kernel(name, {"x": x}, {**how, "dataFormat": "NDHWC"})
        assert y.item() == {"AvgPool3D": 4.5, "MaxPool3D": 8}[name]
    (dx,) = core.run_kernel("AvgPool3DGrad", {"dy": y, "input": x}, how)
    np.testing.assert_array_equal(dx.numpy().ravel(), [1] * 8)
    (dx,) = core.run_kernel("MaxPool3DGrad", {"dy": y, "input": x, "output": y}, how)
    np.testing.assert_array_equal(dx.numpy().ravel(), [0] * 7 + [8])


@pytest.mark.parametrize("name", ["max_pool3d", "avg_pool3d"])
def test_volumes_do_not_have_the_data_format_of_images(name):
    with pytest.raises(core.CoreError, match="data_format='NHWC' must be 'NDHWC'"):
        getattr(core, name)(core.ones((1, 3, 3, 1)), 2, 1, "valid", None, "NHWC")


def test_second_derivatives_take_the_same_of_equals(rng):
    """The last of equal values, even if that is -inf, and none that is NaN."""
    x = np.float32([0, 2, 2, np.nan, -np.inf, -np.inf, np.nan, np.nan]).reshape(1, 1, 1, 8, 1)
    how = ((1, 1, 2), (1, 1, 2), "valid")
    y = core.max_pool3d(x, *how)
    g = np.arange(1, 9, dtype=np.float32).reshape(x.shape)
    slope = core.grad(lambda dy: core.max_pool3d_grad(dy, x, y, *how))
    assert slope(core.ones(y.shape), dy=g).numpy().ravel().tolist() == [2, 3, 6, 0]
