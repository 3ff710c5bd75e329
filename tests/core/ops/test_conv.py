"""Convolutions over images: formats, rounding, refusals, single images, second derivatives."""

import numpy as np
import pytest

import core


def numbers(*shape):
    """1, 2, 3, ..."""
    return np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)


def test_golden_values_of_tensorflow_js():
    x, filter = numbers(1, 3, 3, 1), numbers(2, 2, 1, 1)
    for mode, expected in [
        (None, [4, 18, 36, 77]),
        ("floor", [4, 18, 36, 77]),
        ("round", [4, 18, 0, 36, 77, 0, 0, 0, 0]),
        ("ceil", [4, 18, 0, 36, 77, 0, 0, 0, 0]),
    ]:
        y = core.conv2d(x, filter, strides=2, pad=1, dim_rounding_mode=mode)
        np.testing.assert_array_equal(y.numpy().ravel(), expected)
    y = core.conv2d(numbers(1, 4, 4, 1), filter, strides=3, pad=0, dim_rounding_mode="ceil")
    np.testing.assert_array_equal(y.numpy().ravel(), [44, 28, 41, 16])


@pytest.mark.parametrize(
    "mode, shape", [(None, (1, 1)), ("floor", (1, 1)), ("round", (2, 1)), ("ceil", (2, 2))]
)
def test_the_size_is_rounded_as_asked(mode, shape):
    x = numbers(1, 5, 4, 1)  # 1.67 windows high and 1.33 wide
    y = core.conv2d(x, core.ones((3, 3, 1, 1)), strides=3, pad=0, dim_rounding_mode=mode)
    assert y.shape[1:3] == shape


@pytest.mark.parametrize("name", ["conv2d", "depthwise_conv2d"])
def test_channels_second(name, rng):
    x, filter = rng.standard_normal((2, 5, 4, 3)), rng.standard_normal((2, 3, 3, 2))
    function = getattr(core, name)
    last = function(x, filter, strides=2, pad=((1, 0), (0, 2))).numpy()
    first = function(
        x.transpose(0, 3, 1, 2),
        filter,
        strides=2,
        pad=((0, 0), (0, 0), (1, 0), (0, 2)),
        data_format="NCHW",
    )
    np.testing.assert_allclose(first.numpy(), last.transpose(0, 3, 1, 2), rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: core.conv2d(x, numbers(2, 2, 3, 2), pad="same"),
        lambda x: core.depthwise_conv2d(x, numbers(2, 2, 3, 2)),
        lambda x: core.separable_conv2d(x, numbers(2, 2, 3, 1), numbers(1, 1, 3, 2)),
        lambda x: core.conv2d_transpose(
            x, numbers(2, 2, 2, 3), (*x.shape[:-3], 5, 4, 2), strides=1, pad="valid"
        ),
        lambda x: core.fused_conv2d(x, numbers(2, 2, 3, 2), [1.0, 2.0], activation="relu"),
        lambda x: core.max_pool(x, 2, 1, "valid"),
        lambda x: core.avg_pool(x, 2, 1, "same"),
        lambda x: core.pool(x, 2, "max", "same", dilations=2),
        lambda x: core.dilation2d(x, numbers(2, 2, 3), 1, "same"),
    ],
)
def test_a_single_image_is_a_batch_of_one(call):
    image = core.tensor(numbers(4, 3, 3))
    alone, batch = call(image), call(core.expand_dims(image))
    assert batch.shape == (1, *alone.shape)
    np.testing.assert_array_equal(alone.numpy(), batch.numpy()[0])
    gradient = core.grad(lambda t: core.sum(core.square(call(t))))(image)
    assert gradient.shape == (4, 3, 3) and np.isfinite(gradient.numpy()).all()


def test_the_image_by_keyword_and_the_rest_by_position():
    x, filter = core.ones((3, 3, 1)), core.ones((2, 2, 1, 1))
    assert core.conv2d(x=x, filter=filter, pad="same").shape == (3, 3, 1)
    assert core.conv2d(x, filter, 2, "same", "NHWC", 1).shape == (2, 2, 1)
    with pytest.raises(core.CoreError, match="conv2d takes"):
        core.conv2d()


@pytest.mark.parametrize("pad", [1, (1, 1), ((0, 0), (0, 0), (1, 1), (0, 0))])
def test_padding_of_rows(pad):
    y = core.conv1d([[1.0], [2.0], [3.0]], core.ones((3, 1, 1)), pad=pad)
    np.testing.assert_array_equal(y.numpy().ravel(), [3, 6, 5])


def test_rows():
    x, filter = numbers(2, 5, 2), numbers(2, 2, 3)
    y = core.conv1d(x, filter, stride=2, pad="same")
    assert y.shape == (2, 3, 3)
    np.testing.assert_array_equal(y.numpy()[0, 0], [70, 80, 90])  # as tf.conv1d
    np.testing.assert_array_equal(core.conv1d(x[1], filter, 2, "same").numpy(), y.numpy()[1])
    apart = core.conv1d(x, filter, dilation=3)
    np.testing.assert_array_equal(apart.numpy()[0, 0], x[0, 0] @ filter[0] + x[0, 3] @ filter[1])


def test_a_transposed_convolution_is_the_gradient(rng):
    x, filter = rng.standard_normal((2, 3, 2, 3)), rng.standard_normal((3, 2, 4, 3))
    how = {"strides": 2, "pad": "same"}
    y = core.conv2d_transpose(x, filter, (2, 5, 4, 4), **how)
    gradient = core.grad(lambda t: core.conv2d(t, filter, **how))(core.zeros_like(y), dy=x)
    np.testing.assert_array_equal(y.numpy(), gradient.numpy())
    to_filter = core.grad(lambda f: core.conv2d_transpose(x, f, (2, 5, 4, 4), **how))(filter)
    assert to_filter.shape == filter.shape


def test_second_derivatives_through_channels_second(rng):
    x, filter = rng.standard_normal((1, 2, 4, 4)), rng.standard_normal((3, 3, 2, 2))

    def power(f):
        slope = core.grad(
            lambda t: core.sum(core.square(core.conv2d(t, f, pad="same", data_format="NCHW")))
        )(x)
        return core.sum(core.square(slope))

    found = core.grad(power)(filter).numpy()
    step, where = 1e-2, (1, 0, 1, 1)
    moved = np.zeros_like(filter)
    moved[where] = step
    quotient = (power(filter + moved).item() - power(filter - moved).item()) / (2 * step)
    assert found[where] == pytest.approx(quotient, rel=1e-2)


@pytest.mark.parametrize("name", ["conv2d", "depthwise_conv2d", "fused_conv2d"])
@pytest.mark.parametrize(
    "how, message",
    [
        ({"pad": "same", "dim_rounding_mode": "floor"}, "needs pad in pixels"),
        ({"pad": 1, "dim_rounding_mode": "up"}, "'floor', 'round', 'ceil'"),
        ({"pad": 1.5}, "pad=1.5 must be"),
        ({"pad": -1}, "from 0"),
        ({"pad": True}, "pad=True"),
        ({"pad": ((1, 1), (0, 0), (0, 0), (0, 0))}, "for batch and channels"),
        ({"pad": ((0, 0), (0, 0), (0, 0))}, "must be 'same'"),
        ({"data_format": "NWHC"}, "must be one of"),
        ({"data_format": "NCHW"}, "has 4 channels"),
        ({"dilations": 0}, "dilations=0"),
        ({"strides": (1, 2, 1)}, "one or 2 numbers"),
    ],
)
def test_refusals(name, how, message):
    with pytest.raises(core.CoreError, match=message):
        getattr(core, name)(core.ones((1, 4, 4, 2)), core.ones((2, 2, 2, 1)), **how)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: core.conv2d(x, core.ones((2, 2, 1))), "needs a filter"),
        (lambda x: core.conv2d(core.ones((4, 2)), core.ones((2, 2, 2, 1))), "got shape"),
        (
            lambda x: core.conv1d(core.ones((4, 2)), core.ones((2, 2, 1)), data_format="NCW"),
            "'NWC'",
        ),
        (lambda x: core.conv1d(x, core.ones((2, 2, 1))), "conv1d needs x"),
        (
            lambda x: core.conv2d(x, core.ones((2, 2, 3, 1))),
            r"has 2 channels \(NHWC\), the filter \(2, 2, 3, 1\) is for 3",
        ),
        (
            lambda x: core.conv2d(core.ones((1, 4, 4, 6)), core.ones((2, 2, 2, 4))),
            r"has 6 channels \(NHWC\), 3 groups of the 2 .* its 4 results are no multiple of 3",
        ),
        (lambda x: core.conv2d(x, core.ones((2, 2, 0, 1))), "2 channels"),
        (
            lambda x: core.separable_conv2d(
                x, core.ones((2, 2, 2, 1)), core.ones((1, 1, 2, 1)), data_format="NCHW"
            ),
            "'NHWC'",
        ),
        (
            lambda x: core.separable_conv2d(x, core.ones((2, 2, 2, 1)), core.ones((2, 1, 2, 1))),
            r"\[1, 1, in, out\]",
        ),
        (
            lambda x: core.separable_conv2d(x, core.ones((2, 2, 2, 2)), core.ones((1, 1, 2, 1))),
            "4 channels",
        ),
        (
            lambda x: core.conv2d_transpose(x, core.ones((2, 2, 1, 2)), (5, 5, 1), 1, "valid"),
            "as many axes",
        ),
        (
            lambda x: core.conv2d_transpose(x, core.ones((2, 2, 1, 2)), (1, 9, 5, 1), 1, "valid"),
            "dy has shape",
        ),
    ],
)
def test_refusals_of_other_functions(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.ones((1, 4, 4, 2)))


def test_kernels_by_their_tensorflow_js_names():
    x, filter = numbers(1, 3, 3, 1), numbers(2, 2, 1, 1)
    how = {"strides": [1, 1], "pad": "valid", "dimRoundingMode": None, "dataFormat": "NHWC"}
    (y,) = core.run_kernel("Conv2D", {"x": x, "filter": filter}, {**how, "dilations": [1, 1]})
    np.testing.assert_array_equal(y.numpy().ravel(), [37, 47, 67, 77])
    (dx,) = core.run_kernel(
        "Conv2DBackpropInput", {"dy": y, "filter": filter}, {**how, "inputShape": [1, 3, 3, 1]}
    )
    assert dx.shape == (1, 3, 3, 1)
    (df,) = core.run_kernel(
        "Conv2DBackpropFilter", {"x": x, "dy": y}, {**how, "filterShape": [2, 2, 1, 1]}
    )
    assert df.shape == (2, 2, 1, 1)


def test_no_channels_sum_up_to_zero():
    result = core.conv2d(core.ones((1, 2, 2, 0)), core.ones((1, 1, 0, 3)))
    np.testing.assert_array_equal(result.numpy(), np.zeros((1, 2, 2, 3)))
    assert core.conv2d(core.ones((1, 2, 2, 3)), core.ones((2, 1, 3, 0))).shape == (1, 1, 2, 0)
    gradients = core.grads(core.conv2d)(core.ones((1, 2, 2, 0)), core.ones((2, 2, 0, 1)))
    assert [g.shape for g in gradients] == [(1, 2, 2, 0), (2, 2, 0, 1)]


@pytest.mark.parametrize("name", ["conv2d", "fused_conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize("data_format", ["NDHWC", "", None, 4])
def test_images_have_no_other_data_format(name, data_format):
    x, filter = core.ones((1, 3, 3, 3, 1)), core.ones((2, 2, 2, 1, 1))
    with pytest.raises(core.CoreError, match="data_format"):
        getattr(core, name)(x, filter, data_format=data_format)
