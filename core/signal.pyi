"""Fourier transforms, windows and frames. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import cosine_window as cosine_window
from core.ops import enclosing_power_of_two as enclosing_power_of_two, fft as fft, frame as frame
from core.ops import hamming_window as hamming_window, hann_window as hann_window, ifft as ifft
from core.ops import irfft as irfft, rfft as rfft, stft as stft
