"""Pooling of images: NaN, padding, ties, dtypes, refusals."""

import numpy as np
import pytest

import core

NAN, INF = np.nan, np.inf


def image(*values):
    """A square image of one channel."""
    side = round(len(values) ** 0.5)
    return np.float32(values).reshape(1, side, side, 1)


def flat(tensor):
    return tensor.numpy().ravel()


def test_golden_values_of_tensorflow_js():
    x = image(1, 2, 3, 4, 5, 6, 7, 8, 9)
    np.testing.assert_array_equal(flat(core.max_pool(x, 2, 2, 0, "ceil")), [5, 6, 8, 9])
    np.testing.assert_array_equal(flat(core.pool(-x, 2, "avg", "same", 2))[:5], np.float32(
        [-1.25, -2.5, -1.25, -2.5, -5]
    ))  # fmt: skip
    np.testing.assert_array_equal(
        flat(core.pool(-x, 2, "max", "same", 2)), [0, 0, 0, 0, -1, 0, 0, 0, 0]
    )


def test_nan_is_passed_over_by_the_largest():
    x = image(NAN, 1, 2, NAN)
    np.testing.assert_array_equal(flat(core.max_pool(x, 2, 1, "same")), [2, 1, 2, -INF])
    np.testing.assert_array_equal(flat(core.max_pool(x, 1, 2, "same")), [-INF])
    np.testing.assert_array_equal(flat(core.max_pool(x, 1, 1, "same")), [NAN, 1, 2, NAN])
    np.testing.assert_array_equal(flat(core.pool(x, 1, "max", "same", 2)), [NAN, 1, 2, NAN])
    np.testing.assert_array_equal(flat(core.avg_pool(x, 2, 1, "valid")), [NAN])
    found = core.max_pool_with_argmax(image(NAN, -INF, NAN, NAN), 1, 1, "valid")
    np.testing.assert_array_equal(flat(found.result), [-INF] * 4)
    np.testing.assert_array_equal(flat(found.indexes), [-1] * 4)


def test_windows_of_padding_alone():
    x = image(1, 2, 3, 4)
    inside = (slice(None), slice(1, 3), slice(1, 3))
    for y, outside in ((core.max_pool(x, 1, 1, 1), -INF), (core.avg_pool(x, 1, 1, 1), NAN)):
        expected = np.full((1, 4, 4, 1), outside, np.float32)
        expected[inside] = x
        np.testing.assert_array_equal(y.numpy(), expected)
    whole = core.max_pool(x.astype(np.int32) - 9, 1, 1, 1)
    assert whole.dtype == "int32"
    np.testing.assert_array_equal(flat(whole)[:6], [0, 0, 0, 0, 0, -8])
    slope = core.grad(lambda t: core.avg_pool(t, 1, 1, 1))(x)
    np.testing.assert_array_equal(flat(slope), [1, 1, 1, 1])


def test_padding_does_not_count():
    np.testing.assert_array_equal(
        flat(core.avg_pool(image(1, 2, 3, 4), 2, 1, "same")), [2.5, 3, 3.5, 4]
    )
    dx = core.grad(lambda t: core.avg_pool(t, 2, 1, "same"))(image(1, 2, 3, 4))
    np.testing.assert_array_equal(flat(dx), [0.25, 0.75, 0.75, 2.25])


def test_averages_are_rounded_once():
    x = np.full((1, 64, 64, 1), 0.003, np.float32)  # too little to count beside 1e5
    x[0, 0, 0, 0] = 1e5
    exact = np.float32(np.mean(x, dtype=np.float64))
    assert core.avg_pool(x, 64, 1, "valid").item() == exact


def test_gradients_of_averages_are_rounded_once():
    """Shares of a third, and a large one whose windows' smaller neighbours count beside it."""
    dy = np.full((1, 3, 3, 1), 1e-3, np.float32)
    dy[0, 0, 0] = 1e4
    dx = core.avg_pool_grad(dy, np.zeros((1, 5, 5, 1)), 3, 1, "valid").numpy()
    exact = np.zeros((1, 5, 5, 1))
    for i, j in np.ndindex(3, 3):
        exact[:, i : i + 3, j : j + 3] += dy[:, i : i + 1, j : j + 1].astype(np.float64) / 9
    np.testing.assert_array_equal(dx, exact.astype(np.float32))


def test_the_gradient_of_equals_goes_to_the_first():
    dx = core.grad(lambda t: core.max_pool(t, 2, 1, "valid"))(image(1, 3, 3, 3))
    np.testing.assert_array_equal(flat(dx), [0, 1, 0, 0])
    dx = core.grad(lambda t: core.max_pool(t, 2, 1, "valid"))(image(NAN, -INF, NAN, NAN))
    np.testing.assert_array_equal(flat(dx), [0, 0, 0, 0])
    dx = core.grad(lambda t: core.max_pool(t, 2, 1, "same"))(image(9, 3, 3, 3))
    np.testing.assert_array_equal(flat(dx), [1, 1, 1, 1])


def test_places_of_the_largest():
    x = np.float32([[1, 5], [5, 2], [7, 0], [3, 7]]).reshape(2, 2, 1, 2)
    each, both = (
        core.max_pool_with_argmax(x, (2, 1), 1, "valid", include_batch_in_index=b)
        for b in (False, True)
    )
    np.testing.assert_array_equal(flat(each.result), [5, 5, 7, 7])
    np.testing.assert_array_equal(flat(each.indexes), [2, 1, 0, 3])
    np.testing.assert_array_equal(flat(both.indexes), [2, 1, 4, 7])
    assert (each.result.dtype, each.indexes.dtype) == ("float32", "int32")
    lowest = np.full((1, 1, 1, 1), -(2**31), np.int32)
    assert core.max_pool_with_argmax(lowest, 1, 1, "valid").indexes.item() == 0


def test_second_derivative_of_the_average(rng):
    x = rng.standard_normal((1, 4, 4, 2))

    def power(t):
        slope = core.grad(lambda u: core.sum(core.square(core.avg_pool(u, 2, 1, "same"))))(t)
        return core.sum(core.square(slope))

    found, step, moved = core.grad(power)(x).numpy(), 1e-2, np.zeros_like(x)
    moved[0, 1, 2, 0] = step
    quotient = (power(x + moved).item() - power(x - moved).item()) / (2 * step)
    assert found[0, 1, 2, 0] == pytest.approx(quotient, rel=1e-2)


@pytest.mark.parametrize("pooling_type", ["avg", "max"])
def test_a_dilated_pool_is_a_plain_one_of_every_second_pixel(pooling_type, rng):
    x = rng.standard_normal((1, 6, 6, 1)).astype(np.float32)
    apart = core.pool(x, 2, pooling_type, "valid", dilations=2).numpy()
    plain = core.pool(x[:, ::2, 1::2], 2, pooling_type, "valid").numpy()
    np.testing.assert_array_equal(apart[:, ::2, 1::2], plain)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: core.max_pool(x, 2, 1, "same", "floor"), "needs pad in pixels"),
        (lambda x: core.avg_pool(x, 2, 1, 1.5), "pad=1.5"),
        (lambda x: core.avg_pool(x, 2, 0, "same"), "strides=0"),
        (lambda x: core.avg_pool(x, 0, 1, "same"), "filter size=0"),
        (lambda x: core.max_pool(x, (1, 2, 3), 1, "same"), "one or 2 numbers"),
        (lambda x: core.max_pool(x, 5, 1, "valid"), "does not fit"),
        (lambda x: core.max_pool(core.ones((4, 4)), 2, 1, "same"), "got shape"),
        (lambda x: core.max_pool(x, 2, pad="same"), "needs the attribute 'strides'"),
        (lambda x: core.max_pool_with_argmax(core.ones((4, 4, 1)), 2, 1, "same"), "got shape"),
        (lambda x: core.pool(x, 2, "sum", "same"), "'avg', 'max'"),
        (lambda x: core.pool(x, 2, "avg", "same", 2, 2), "exclude each other"),
        (lambda x: core.max_pool(np.ones((1, 2, 2, 1), np.complex64), 2, 1, "same"), "no order"),
        (lambda x: core.max_pool_grad(x, x, x, 2, 1, "valid"), "dy has shape"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.ones((1, 4, 4, 1)))


def test_kernels_by_their_tensorflow_js_names():
    x = image(1, 2, 3, 4)
    how = {"filterSize": [2, 2], "strides": [1, 1], "pad": "valid", "dimRoundingMode": None}
    (y,) = core.run_kernel("AvgPool", {"x": x}, how)
    assert y.item() == 2.5
    (y,) = core.run_kernel("MaxPool", {"x": x}, how)
    assert y.item() == 4
    (dx,) = core.run_kernel("MaxPoolGrad", {"dy": y, "input": x, "output": y}, how)
    np.testing.assert_array_equal(flat(dx), [0, 0, 0, 4])
    del how["dimRoundingMode"]
    (dx,) = core.run_kernel("AvgPoolGrad", {"dy": y, "input": x}, how)
    np.testing.assert_array_equal(flat(dx), [1, 1, 1, 1])
    result, indexes = core.run_kernel(
        "MaxPoolWithArgmax", {"x": x}, {**how, "includeBatchInIndex": False}
    )
    assert (result.item(), indexes.item()) == (4, 3)
    how = {"windowShape": 2, "poolingType": "avg", "pad": "valid"}
    (y,) = core.run_kernel("Pool", {"input": x}, {**how, "dilations": [1, 1], "strides": 1})
    assert y.item() == 2.5


def test_second_derivatives_take_the_same_of_equals(rng):
    """The first of equal values, and none that is NaN."""
    x = np.float32([2, 2, NAN, 1, NAN, NAN, -INF, 0]).reshape(1, 1, 8, 1)
    how = ((1, 2), (1, 2), "valid")
    y = core.max_pool(x, *how)
    g = np.arange(1, 9, dtype=np.float32).reshape(x.shape)
    slope = core.grad(lambda dy: core.max_pool_grad(dy, x, y, *how))
    assert flat(slope(core.ones(y.shape), dy=g)).tolist() == [1, 4, 0, 8]


def test_the_gradient_of_the_largest_does_not_follow_its_input(rng):
    x = core.tensor(rng.normal(size=(1, 4, 4, 1)))
    y = core.max_pool(x, 2, 2, "valid")
    to_input, to_output = core.grads(
        lambda a, b: core.max_pool_grad(core.ones(y.shape), a, b, 2, 2, "valid")
    )(x, y)
    assert to_input.shape == x.shape and not to_input.numpy().any()
    assert to_output.shape == y.shape and not to_output.numpy().any()
