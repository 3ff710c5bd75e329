"""Complex numbers and their parts."""

import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison


def _draw_complex(name):
    def draw(rng, dtype):
        return {name: draws.values(rng, dtype, draws.shape(rng))}, {}

    return draw


def _draw_parts(rng, dtype):
    shape = draws.shape(rng)
    return {n: draws.values(rng, dtype, shape) for n in ("real", "imag")}, {}


COMPARISONS = [
    Comparison(
        "Complex",
        _draw_parts,
        lambda inputs, _: [tf.complex(inputs["real"], inputs["imag"])],
        gradient=True,
    ),
    Comparison(
        "Real",
        _draw_complex("input"),
        lambda inputs, _: [tf.math.real(inputs["input"])],
        dtypes=("complex64",),
        gradient=True,
    ),
    Comparison(
        "Imag",
        _draw_complex("input"),
        lambda inputs, _: [tf.math.imag(inputs["input"])],
        dtypes=("complex64",),
        gradient=True,
    ),
    Comparison(
        "ComplexAbs",
        _draw_complex("x"),
        lambda inputs, _: [tf.abs(inputs["x"])],
        dtypes=("complex64",),
        gradient=True,
    ),
]
