"""The Fourier transform and its inverse, of lengths with all kinds of factors."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import shape, values

_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 30, 37, 64, 100, 121)


def _drawn(rng: np.random.Generator, dtype: str) -> tuple[Named, Named]:
    size = (*shape(rng, 0, 2), int(rng.choice(_LENGTHS)))
    return {"input": values(rng, dtype, size)}, {}


def _transformed(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.signal.fft(inputs["input"])]


def _transformed_back(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.signal.ifft(inputs["input"])]


COMPARISONS = [
    Comparison("FFT", _drawn, _transformed, ("complex64",), gradient=True),
    Comparison("IFFT", _drawn, _transformed_back, ("complex64",), gradient=True),
]
