"""Fourier transforms of real values, frames and windows."""

import numpy as np
import pytest
import scipy.signal

import core


@pytest.mark.parametrize("shape", [(8,), (7,), (1,), (2, 5), (2, 2, 6)])
@pytest.mark.parametrize("length", [None, 4, 5, 12])
def test_rfft(shape, length, rng):
    x = rng.uniform(-1, 1, shape).astype(np.float32)
    np.testing.assert_allclose(core.rfft(x, length).numpy(), np.fft.rfft(x, length), atol=1e-5)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 2, 4), (2, 1, 2, 3), (2,)])
def test_irfft(shape, rng):
    x = (rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)).astype(np.complex64)
    x[..., [0, -1]] = x[..., [0, -1]].real  # NumPy takes these as real, the kernel does not
    result = core.irfft(x)
    assert (result.dtype, result.shape) == ("float32", (*shape[:-1], 2 * (shape[-1] - 1)))
    np.testing.assert_allclose(result.numpy(), np.fft.irfft(x), atol=1e-6)


def test_irfft_of_one_value_is_that_value():
    np.testing.assert_array_equal(core.irfft(np.array([2 + 1j], np.complex64)).numpy(), [2])


def test_there_and_back(rng):
    x = rng.uniform(-1, 1, (3, 16)).astype(np.float32)
    np.testing.assert_allclose(core.irfft(core.rfft(x)).numpy(), x, atol=1e-6)


@pytest.mark.parametrize("length", [128, 131])
def test_transforms_are_rounded_once(length, rng, backend):
    """Each part is as near as float32 can tell, the small ones too."""
    x = (rng.uniform(-1, 1, length) + 1j * rng.uniform(-1, 1, length)).astype(np.complex64)
    turns = np.outer(np.arange(length), np.arange(length)) % length / length
    waves = np.exp(-2j * np.pi * turns)
    for transform, matrix in ((core.fft, waves), (core.ifft, np.conj(waves) / length)):
        found, expected = transform(x).numpy(), matrix @ x.astype(np.complex128)
        for part in (np.real, np.imag):
            np.testing.assert_allclose(part(found), part(expected), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("length", [None, 3, 8])
def test_gradient_of_rfft(length, rng):
    """That of the energy of the spectrum, against NumPy's difference quotient."""
    x, direction = (rng.uniform(-1, 1, (2, 5)).astype(np.float32) for _ in range(2))
    count = (length or 5) // 2 + 1
    a, b = rng.uniform(-1, 1, count), rng.uniform(-1, 1, count)

    def loss(t):
        spectrum = core.rfft(t, length)
        return core.sum(core.real(spectrum) * a) + core.sum(core.imag(spectrum) * b)

    slope = np.sum(core.grad(loss)(x).numpy() * direction)
    spectrum = np.fft.rfft(direction, length)  # the transform is linear
    expected = np.sum(spectrum.real * a) + np.sum(spectrum.imag * b)
    assert slope == pytest.approx(expected, rel=1e-4)


def test_gradient_of_irfft():
    spectrum = core.grad(lambda t: core.sum(core.irfft(core.rfft(t)) * [1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_allclose(spectrum([0.0, 0.0, 0.0, 0.0]).numpy(), [1, 2, 3, 4], atol=1e-6)


@pytest.mark.parametrize(
    "size, length, step, pad_end, expected",
    [
        (5, 2, 2, False, [[1, 2], [3, 4]]),
        (5, 2, 3, True, [[1, 2], [4, 5]]),
        (5, 3, 2, True, [[1, 2, 3], [3, 4, 5], [5, 9, 9]]),
        (4, 4, 1, True, [[1, 2, 3, 4], [2, 3, 4, 9], [3, 4, 9, 9], [4, 9, 9, 9]]),
        (2, 1, 5, False, [[1]]),
        (2, 3, 1, False, np.zeros((0, 3))),
        (0, 3, 1, True, np.zeros((0, 3))),
    ],
)
def test_frames(size, length, step, pad_end, expected):
    for signal in (np.arange(1, size + 1, dtype=np.int32), np.arange(1.0, size + 1)):
        frames = core.frame(signal, length, step, pad_end, 9)
        assert frames.dtype == core.tensor(signal).dtype
        np.testing.assert_array_equal(frames.numpy(), expected)


def test_gradient_of_frames():
    slope = core.grad(lambda t: core.sum(core.frame(t, 3, 1, pad_end=True)))(np.ones(4))
    np.testing.assert_array_equal(slope.numpy(), [1, 2, 3, 3])


@pytest.mark.parametrize("length", [0, 2, 3, 4, 9, 64])
def test_windows(length):
    for name in ("hann", "hamming"):
        window = getattr(core, f"{name}_window")(length)
        expected = scipy.signal.get_window(name, length, fftbins=length % 2 == 0) if length else []
        assert window.dtype == "float32"
        np.testing.assert_allclose(window.numpy(), expected, atol=1e-7)


def test_a_window_of_one_value_is_one():
    assert core.hann_window(1).numpy() == core.hamming_window(1).numpy() == [1]


@pytest.mark.parametrize(
    "value, expected",
    [(1, 1), (2, 2), (3, 4), (5.5, 8), (0.3, 1), (2**29, 2**29), (2**29 + 1, 2**30)],
)
def test_enclosing_power_of_two(value, expected):
    assert core.enclosing_power_of_two(value) == expected


def test_stft(rng):
    signal = rng.uniform(-1, 1, 50).astype(np.float32)
    result = core.stft(signal, 12, 5)
    window = scipy.signal.get_window("hann", 12)
    frames = np.lib.stride_tricks.sliding_window_view(signal, 12)[::5]
    np.testing.assert_allclose(result.numpy(), np.fft.rfft(frames * window, 16), atol=1e-5)
    result = core.stft(signal, 12, 5, 12, np.ones)
    np.testing.assert_allclose(result.numpy(), np.fft.rfft(frames), atol=1e-5)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.fft([1.0]), "got float32"),
        (lambda: core.fft(np.complex64(1)), "along a last axis"),
        (lambda: core.ifft(np.zeros((2, 0), np.complex64)), "along a last axis"),
        (lambda: core.rfft([1]), "needs float32"),
        (lambda: core.rfft(1.0), "along a last axis"),
        (lambda: core.rfft([1.0], 0), "fft_length=0"),
        (lambda: core.irfft([1.0]), "needs complex64"),
        (lambda: core.frame([[1.0]], 1, 1), "one axis"),
        (lambda: core.frame([1.0], 0, 1), "frame_length=0"),
        (lambda: core.frame([1.0], 1, 0), "frame_step=0"),
        (lambda: core.hann_window(-1), "window_length=-1"),
        (lambda: core.hann_window(2.5), "integer"),
        (lambda: core.enclosing_power_of_two(0), "must be positive"),
        (lambda: core.enclosing_power_of_two(float("nan")), "must be positive"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.hann_window((2,)),
        lambda: core.frame([1.0], (1,), 1),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()


def test_transforms_count_what_numpy_takes_meanwhile():
    """For a length that is a prime number that is many times the result."""
    values = core.complex(core.ones((1009,)), core.zeros((1009,)))
    with core.limits(value_bytes=100_000):
        assert core.square(core.ones((20_000,))).shape == (20_000,)
        with pytest.raises(core.LimitError, match="transform of 1,009 values.*value_bytes"):
            core.fft(values)
    assert core.fft(values).shape == (1009,)
