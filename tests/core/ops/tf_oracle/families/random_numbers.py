"""Random draws, as far as they are no matter of chance."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag


def _drawn(rng: np.random.Generator, dtype: str) -> tuple[Named, Named]:
    """Distributions that leave one outcome in each row."""
    rows, outcomes = int(rng.integers(1, 5)), int(rng.integers(2, 7))
    sure = np.eye(outcomes, dtype=dtype)[rng.integers(0, outcomes, rows)]
    normalized = flag(rng)
    attributes = {
        "numSamples": int(rng.integers(0, 9)),
        "seed": float(rng.integers(1, 1000)),
        "normalized": normalized,
    }
    return {"logits": sure if normalized else (sure - 1) * np.float32(200)}, attributes


def _sampled(inputs: Named, a: Named) -> list[tf.Tensor]:
    logits = tf.math.log(inputs["logits"]) if a["normalized"] else inputs["logits"]
    return [tf.random.categorical(logits, a["numSamples"], dtype=tf.int32)]


COMPARISONS = [
    Comparison(
        "Multinomial",
        _drawn,
        _sampled,
        differs="another generator: only distributions with one possible outcome are compared, "
        "frequencies of others in the tests of the op",
    ),
]
