"""Fourier transforms, windows and frames. Written by ``python -m core.public.stubs``."""

from core import cosine_window as cosine_window
from core import enclosing_power_of_two as enclosing_power_of_two
from core import fft as fft
from core import frame as frame
from core import hamming_window as hamming_window
from core import hann_window as hann_window
from core import ifft as ifft
from core import irfft as irfft
from core import rfft as rfft
from core import stft as stft
