"""Fourier transforms, windows and frames. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import cosine_window as cosine_window
from core.ops import enclosing_power_of_two as enclosing_power_of_two
from core.ops import fft as fft
from core.ops import frame as frame
from core.ops import hamming_window as hamming_window
from core.ops import hann_window as hann_window
from core.ops import ifft as ifft
from core.ops import irfft as irfft
from core.ops import rfft as rfft
from core.ops import stft as stft
