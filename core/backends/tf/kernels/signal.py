"""Fourier transforms, in complex64: the error stays below 1e-6 of the largest value."""

from core.backends.tf.raw_ops import raw
from core.registry import kernel

kernel("fft", "tf")(lambda input: raw.FFT(input=input))
kernel("ifft", "tf")(lambda input: raw.IFFT(input=input))
