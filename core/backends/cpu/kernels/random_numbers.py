"""Kernels that draw random numbers."""

import numpy as np

from core.engine.generators import Seed, generator
from core.engine.registry import kernel


@kernel("multinomial", "cpu")
def multinomial(logits: np.ndarray, num_samples: int, seed: Seed, normalized: bool) -> np.ndarray:
    """Draw the first outcome whose cumulative probability exceeds a uniform number."""
    rows = np.atleast_2d(logits).astype(np.float64)
    if not normalized:
        rows = np.exp(rows - rows.max(axis=1, keepdims=True))
        rows /= rows.sum(axis=1, keepdims=True)
    sums = np.cumsum(rows[:, :-1], axis=1)
    sums = np.maximum.accumulate(np.where(np.isnan(sums), -np.inf, sums), axis=1)
    drawn = generator(seed).random((len(rows), num_samples))
    outcomes = [np.searchsorted(s, d, side="right") for s, d in zip(sums, drawn, strict=True)]
    return np.array(outcomes, np.int32).reshape(*logits.shape[:-1], num_samples)
