"""Draws whose outcome is sure; `tests.core.ops.test_random_numbers` looks at the others."""

import numpy as np

from tests.core.ops.records.case import Case


def _sure(*shape, low):
    """Rows of which one value is far above the others."""

    def draw(rng):
        x = np.full(shape, low, np.float32)
        chosen = rng.integers(0, shape[-1], shape[:-1])
        np.put_along_axis(x, np.expand_dims(chosen, -1), 1, axis=-1)
        return x

    return draw


def _chosen(logits, num_samples, **_):
    return np.repeat(np.argmax(logits, axis=-1)[..., None], num_samples, axis=-1)


CASES = [
    Case("multinomial", (_sure(4, 3, low=-200),), _chosen, {"num_samples": 5, "seed": 1}),
    Case("multinomial", (_sure(6, low=-200),), _chosen, {"num_samples": 5}, "one row"),
    Case(
        "multinomial",
        (_sure(3, 4, low=0),),
        _chosen,
        {"num_samples": 2, "normalized": True},
        "probabilities",
    ),
    Case("multinomial", (_sure(2, 2, low=-200),), _chosen, {"num_samples": 0}, "no samples"),
    Case("multinomial", (_sure(0, 3, low=-200),), _chosen, {"num_samples": 2}, "no rows"),
]
