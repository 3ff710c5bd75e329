"""Attention and what goes with it: positions by rotation, normalization by the root mean square."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows


def _heads(x: Tensor, count: int) -> Tensor:
    """[n, time, heads * size] as [n, heads, time, size]."""
    parts = ops.reshape(x, shape=(*x.shape[:2], count, x.shape[2] // count))
    return ops.transpose(parts, perm=(0, 2, 1, 3))


def _repeated(x: Tensor, heads: int) -> Tensor:
    """Heads of keys and values that several heads of queries share."""
    times = heads // x.shape[1]
    if times == 1:
        return x
    order = np.repeat(np.arange(x.shape[1], dtype=np.int32), times)
    return ops.gather(x, tensor(order), axis=1)


def _attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    lengths: Tensor | None = None,
    is_causal: int = 0,
    kv_num_heads: int = 0,
    left_window_size: int = -1,
    q_num_heads: int = 0,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int = 1,
) -> list[Tensor]:
    flat = q.ndim == 3
    if flat:
        q, k, v = (
            _heads(x, n) for x, n in ((q, q_num_heads), (k, kv_num_heads), (v, kv_num_heads))
        )
    if past_key is not None:
        k, v = (ops.concat([a, b], axis=2) for a, b in ((past_key, k), (past_value, v)))
    keys, values = _repeated(k, q.shape[1]), _repeated(v, q.shape[1])
    factor = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    root = float(np.sqrt(factor))
    products = ops.matmul(q * root, keys * root, transpose_b=True)
    shown = [products]
    rows, columns = products.shape[-2:]
    before = 0 if past_key is None else past_key.shape[2]
    at = np.arange(rows)[:, None] + before
    ahead = np.arange(columns) - at
    hidden = np.zeros((rows, columns), bool)
    if is_causal:
        hidden |= ahead > 0
    if left_window_size >= 0:
        hidden |= ahead < -left_window_size
    if right_window_size >= 0:
        hidden |= ahead > right_window_size
    bias: Any = tensor(np.where(hidden, -np.inf, 0).astype(np.float32)) if hidden.any() else None
    if mask is not None:
        missing = columns - mask.shape[-1]
        if mask.dtype == "bool":
            mask = ops.where(mask, 0.0, -np.inf)
        if missing > 0:
            sides = [(0, 0)] * (mask.ndim - 1) + [(0, missing)]
            mask = ops.pad(mask, paddings=sides, constant_value=-np.inf)
        bias = mask if bias is None else bias + mask
    if lengths is not None:
        ends = ops.reshape(lengths, shape=(-1, 1, 1, 1))
        late = tensor(np.arange(columns, dtype=np.int32)) >= ends
        padded = ops.where(late, -np.inf, 0.0)
        bias = padded if bias is None else bias + padded
    if softcap:
        products = softcap * ops.tanh(products / softcap)
    shown.append(products if bias is None else products + bias)
    capped = products
    weights = shown[-1]
    shares = ops.softmax(weights)
    shares = ops.where(ops.is_nan(shares), 0.0, shares) if bias is not None else shares
    y = ops.matmul(shares, values)
    if flat:
        y = ops.transpose(y, perm=(0, 2, 1, 3))
        y = ops.reshape(y, shape=(*y.shape[:2], -1))
    seen = (shown[0], weights, capped, shares)[qk_matmul_output_mode]
    return [y, k, v, seen]


def _rotary(
    x: Tensor,
    cosine: Tensor,
    sine: Tensor,
    positions: Tensor | None = None,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    flat = x.ndim == 3
    heads = _heads(x, num_heads) if flat else x
    size = rotary_embedding_dim or heads.shape[-1]
    turned, kept = heads[..., :size], heads[..., size:]
    if positions is not None:
        cosine, sine = (ops.gather(each, positions) for each in (cosine, sine))
    cosine, sine = (ops.expand_dims(each, axis=1) for each in (cosine, sine))
    if interleaved:
        a, b = turned[..., 0::2], turned[..., 1::2]
    else:
        a, b = turned[..., : size // 2], turned[..., size // 2 :]
    real, imaginary = a * cosine - b * sine, a * sine + b * cosine
    if interleaved:
        y = ops.reshape(ops.stack([real, imaginary], axis=-1), shape=turned.shape)
    else:
        y = ops.concat([real, imaginary], axis=-1)
    y = ops.concat([y, kept], axis=-1) if kept.shape[-1] else y
    if flat:
        y = ops.reshape(ops.transpose(y, perm=(0, 2, 1, 3)), shape=x.shape)
    return y


def _rms_norm(
    x: Tensor, scale: Tensor, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    axes = tuple(range(axis % x.ndim, x.ndim))
    mean = ops.mean(ops.square(x), axis=axes, keep_dims=True)
    return x * ops.rsqrt(mean + epsilon) * scale


def _mean_variance(x: Tensor, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    centred = x - ops.mean(x, axis=tuple(axes), keep_dims=True)
    return centred / (ops.sqrt(ops.mean(ops.square(centred), axis=tuple(axes), keep_dims=True)) + 1e-9)


def _lp_norm(x: Tensor, axis: int = -1, p: int = 2) -> Tensor:
    if p == 1:
        total = ops.sum(ops.abs(x), axis=axis, keep_dims=True)
    else:
        total = ops.sqrt(ops.sum(ops.square(x), axis=axis, keep_dims=True))
    return ops.div_no_nan(x, total)


ROWS: Rows = {
    "Attention": _attention,
    "LpNormalization": _lp_norm,
    "MeanVarianceNormalization": _mean_variance,
    "RMSNormalization": _rms_norm,
    "RotaryEmbedding": _rotary,
}
