"""Quantisation against the formulas of tensorflowjs and tfjs-core 4.22."""

import numpy as np
import pytest

from weights_cache import WeightsError, dequantise_array, quantise_array

AFFINE = ["uint8", "uint16"]


def tfjs_quantise(data, dtype):
    """tensorflowjs 4.22, quantization.py, as it computes under NumPy 1 (scalars as float32)."""
    low, high = float(data.min()), float(data.max())
    if low == high:
        return np.zeros_like(data, dtype), 1.0, low
    steps = np.iinfo(dtype).max
    scale = (high - low) / steps
    if low <= 0 <= high:
        low = -float(np.round((0 - low) / scale)) * scale
        high = steps * scale + low
    clipped = data.clip(np.float32(low), np.float32(high))
    return np.round((clipped - np.float32(low)) / np.float32(scale)).astype(dtype), scale, low


def samples(rng):
    yield "around zero", rng.normal(size=(40, 50))
    yield "positive", rng.uniform(3, 5, size=2000)
    yield "negative", rng.uniform(-5, -3, size=2000)
    yield "from zero", rng.uniform(0, 1e-3, size=2000)
    yield "to zero", np.append(rng.uniform(-1e6, 0, size=2000), 0.0)
    yield "lopsided", np.append(rng.normal(size=2000), 1000.0)
    yield "constant", np.full(7, -2.5)
    yield "one value", np.array(3.25)


@pytest.mark.parametrize("kind", AFFINE)
def test_the_same_bits_as_tensorflowjs(rng, kind):
    for name, data in samples(rng):
        array = data.astype(np.float32)
        values, scale, minimum = quantise_array(array, kind)
        expected = tfjs_quantise(array, np.dtype(kind))
        np.testing.assert_array_equal(values, expected[0], strict=True, err_msg=name)
        assert (scale, minimum) == expected[1:], name


@pytest.mark.parametrize("kind", AFFINE)
def test_values_come_back_within_half_a_step(rng, kind):
    for name, data in samples(rng):
        array = data.astype(np.float32)
        values, scale, minimum = quantise_array(array, kind)
        assert scale is not None
        back = dequantise_array(values, scale, minimum)
        assert back.dtype == np.float32
        # Moving the range to meet zero cuts off at most another half step at one end.
        bound = scale * 1.001 + np.spacing(np.abs(array).max())
        assert np.abs(back - array).max() <= bound, name


@pytest.mark.parametrize("kind", AFFINE)
def test_zero_stays_zero(rng, kind):
    for _ in range(50):
        array = rng.normal(rng.uniform(-2, 2), 3, size=100).astype(np.float32)
        array[17] = 0.0
        values, scale, minimum = quantise_array(array, kind)
        assert dequantise_array(values, scale, minimum)[17] == 0.0


@pytest.mark.parametrize("kind", AFFINE)
@pytest.mark.parametrize("extreme", [1e-45, 1e-38, 3e38])
def test_the_ends_of_float32(kind, extreme):
    array = np.array([-1, -0.5, 0, 0.5, 1], np.float32) * np.float32(extreme)
    back = dequantise_array(*quantise_array(array, kind))
    np.testing.assert_allclose(back, array, atol=float(extreme) / 100)


@pytest.mark.parametrize("kind", AFFINE)
def test_dequantising_is_rounded_once(rng, kind):
    """As tfjs: a product and a sum of doubles, stored in a Float32Array."""
    dtype = np.dtype(kind)
    values = rng.integers(0, np.iinfo(dtype).max, size=1000, endpoint=True).astype(dtype)
    for scale, minimum in [(0.0123456789, -1.5432), (1e-7, 1.0), (3.0, -400.7)]:
        expected = [np.float32(int(value) * scale + minimum) for value in values]
        np.testing.assert_array_equal(dequantise_array(values, scale, minimum), expected)


def test_integers_round_halves_up_as_in_javascript():
    values = np.arange(8, dtype=np.uint8)
    back = dequantise_array(values, 0.5, -2.0, "int32")
    assert back.dtype == np.int32
    assert back.tolist() == [-2, -1, -1, 0, 0, 1, 1, 2]
    # floor(x + 0.5) would give 1 here
    assert dequantise_array(values[:1], 1.0, 0.49999999999999994, "int32").tolist() == [0]


def test_float16(rng):
    array = np.append(rng.normal(size=1000), [0.0, -0.0, 65504.0, 6e-8]).astype(np.float32)
    values, scale, minimum = quantise_array(array, "float16")
    assert (scale, minimum) == (None, None)
    np.testing.assert_array_equal(values, array.astype(np.float16), strict=True)
    back = dequantise_array(values)
    np.testing.assert_array_equal(back, values.astype(np.float32), strict=True)


@pytest.mark.parametrize("kind", [*AFFINE, "float16"])
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_empty_arrays(kind, shape):
    values, scale, minimum = quantise_array(np.zeros(shape, np.float32), kind)
    assert dequantise_array(values, scale, minimum).shape == shape


@pytest.mark.parametrize("kind", [*AFFINE, "float16"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_values_are_refused(kind, bad):
    with pytest.raises(WeightsError, match="NaN or infinity"):
        quantise_array(np.array([1, bad], np.float32), kind)


def test_values_beyond_float16_are_refused():
    with pytest.raises(WeightsError, match="the value 70000 is beyond 65504"):
        quantise_array(np.array([1, -70000], np.float32), "float16")


@pytest.mark.parametrize("dtype", ["float64", "int32", "float16", "bool"])
def test_another_dtype_is_refused(dtype):
    with pytest.raises(WeightsError, match=f"only float32 is quantised, not {dtype}"):
        quantise_array(np.zeros(3, dtype), "uint8")


def test_an_unknown_kind_lists_the_known():
    with pytest.raises(WeightsError, match="'int8'; there are uint8, uint16, float16"):
        quantise_array(np.zeros(3, np.float32), "int8")


def test_affine_values_need_scale_and_minimum():
    with pytest.raises(WeightsError, match="needs both a scale and a minimum"):
        dequantise_array(np.zeros(3, np.uint8))


@pytest.mark.parametrize(
    ("values", "dtype", "pattern"),
    [
        (np.zeros(3, np.float32), "float32", "no quantisation is called 'float32'"),
        (np.zeros(3, np.uint8), "float64", "cannot dequantise to 'float64'"),
    ],
)
def test_invalid_dequantisation(values, dtype, pattern):
    with pytest.raises(WeightsError, match=pattern):
        dequantise_array(values, 1.0, 0.0, dtype)
