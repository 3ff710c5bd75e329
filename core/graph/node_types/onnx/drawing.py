"""Ops that draw random numbers: each run gives others, or with a seed the same."""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows, number
from core.graph.node_types.onnx.type_table import NAMES
from core.graph.node_types.onnx.typed import cast_to


def _typed(x: Tensor, dtype: int) -> Tensor:
    """Return values in a type by its number, which is absent for that of an input."""
    return cast_to(x, NAMES[dtype]) if dtype else x


def _uniform(
    shape: Sequence[int],
    dtype: int = 1,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
) -> Tensor:
    return _typed(ops.random_uniform(tuple(shape), low, high, seed=seed), dtype)


def _normal(
    shape: Sequence[int],
    dtype: int = 1,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Tensor:
    return _typed(ops.random_normal(tuple(shape), mean, scale, seed=seed), dtype)


def _bernoulli(x: Tensor, dtype: int = 0, seed: float | None = None) -> Tensor:
    """Ones with the probabilities that are given, else zeros."""
    ones = ops.cast(ops.random_uniform(x.shape, seed=seed) < x, dtype="float32")
    return _typed(ones, dtype)


def _multinomial(
    x: Tensor, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Tensor:
    return _typed(ops.multinomial(x, num_samples=sample_size, seed=seed), dtype)


def _dropout(
    x: Tensor,
    ratio: Tensor | None = None,
    training: Tensor | None = None,
    seed: int | None = None,
) -> list[Tensor]:
    """Leave values out in training; the second result says which are kept."""
    share = 0.5 if ratio is None else float(number(ratio))
    if training is None or not number(training) or share == 0:
        return _kept(x)
    if not 0 <= share < 1:
        raise CoreError(f"the ratio {share} is not from 0 up to, but without, 1")
    kept = ops.random_uniform(x.shape, seed=seed) >= share
    return [x * ops.cast(kept, dtype="float32") / (1 - share), kept]


def _kept(x: Tensor, **attributes: Any) -> list[Tensor]:
    """Leave values as they are, as before opset 12 networks that run do."""
    return [x, ops.ones_like(x) > 0]


ROWS: Rows = {
    "Bernoulli": _bernoulli,
    "Dropout": {1: _kept, 12: _dropout},
    "Multinomial": _multinomial,
    "RandomNormal": _normal,
    "RandomNormalLike": lambda x, dtype=0, **how: _normal(x.shape, dtype, **how),
    "RandomUniform": _uniform,
    "RandomUniformLike": lambda x, dtype=0, **how: _uniform(x.shape, dtype, **how),
}
