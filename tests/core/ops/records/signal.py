"""Fourier transforms by their matrix."""

import numpy as np

from tests.core.ops.records.case import Case, complexes


def _waves(length, sign):
    turns = np.outer(np.arange(length), np.arange(length)) / length
    return np.exp(sign * 2j * np.pi * turns)


def _fft(x):
    return x @ _waves(x.shape[-1], -1)


def _ifft(x):
    return x @ _waves(x.shape[-1], 1) / x.shape[-1]


SHAPES = [(8,), (7,), (1,), (2, 3, 5), (0, 4)]

CASES = [
    *(Case("fft", (complexes(*shape),), _fft, {}, str(shape)) for shape in SHAPES),
    *(Case("ifft", (complexes(*shape),), _ifft, {}, str(shape)) for shape in SHAPES),
]
