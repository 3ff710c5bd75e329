"""Attention, and the rotation by positions that goes before it."""

from functools import reduce

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows


def heads_of(x: Tensor, count: int) -> Tensor:
    """Return [n, time, heads * size] as [n, heads, time, size]."""
    if count < 1 or x.shape[2] % count:
        raise CoreError(f"{x.shape[2]} values cannot be shared by {count} heads")
    parts = ops.reshape(x, shape=(*x.shape[:2], count, x.shape[2] // count))
    return ops.transpose(parts, perm=(0, 2, 1, 3))


def joined(x: Tensor) -> Tensor:
    """Return [n, heads, time, size] as [n, time, heads * size]."""
    x = ops.transpose(x, perm=(0, 2, 1, 3))
    return ops.reshape(x, shape=(*x.shape[:2], x.shape[2] * x.shape[3]))


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
    """Return what queries attend to, keys and values with those before, and the scores."""
    is_flat = q.ndim == 3
    if is_flat:
        q = heads_of(q, q_num_heads)
        k, v = (heads_of(x, kv_num_heads) for x in (k, v))
    before = 0 if past_key is None else past_key.shape[2]
    if past_key is not None and past_value is not None:
        k, v = ops.concat([past_key, k], axis=2), ops.concat([past_value, v], axis=2)
    root = float(np.sqrt(max(q.shape[-1], 1) ** -0.5 if scale is None else _scale_of(scale)))
    raw = _shared(q * root, k * root, transpose_b=True)
    capped = softcap * ops.tanh(raw / softcap) if softcap else raw
    bias = [] if mask is None else [_mask_bias(mask, k.shape[2])]
    bias += _place_bias(raw, before, lengths, is_causal, left_window_size, right_window_size)
    biased = reduce(ops.add, [capped, *bias])
    is_open = mask is None and lengths is None and max(left_window_size, right_window_size) < 0
    shares = ops.softmax(biased) if is_open else _shares(biased, reduce(ops.add, bias))
    y = _shared(shares, v)
    modes = (raw, capped, biased, shares)
    return [joined(y) if is_flat else y, k, v, modes[qk_matmul_output_mode]]


def _scale_of(scale: float) -> float:
    if scale < 0:
        raise CoreError(f"the scale {scale} must not be negative: queries and keys get its root")
    return scale


def _shared(x: Tensor, y: Tensor, transpose_b: bool = False) -> Tensor:
    """Multiply matrices of heads; several heads of x in turn may share one of y."""
    n, heads, rows, size = x.shape
    if heads % y.shape[1]:
        raise CoreError(f"{heads} heads cannot share {y.shape[1]} heads of keys and values")
    grouped = ops.reshape(x, shape=(n, y.shape[1], heads // y.shape[1] * rows, size))
    found = ops.matmul(grouped, y, transpose_b=transpose_b)
    return ops.reshape(found, shape=(n, heads, rows, found.shape[-1]))


def _mask_bias(mask: Tensor, columns: int) -> Tensor:
    """Return what a mask adds to scores; keys beyond its end are hidden."""
    bias = ops.where(mask, 0.0, -np.inf) if mask.dtype == "bool" else mask
    sides = [(0, 0)] * (mask.ndim - 1) + [(0, columns - mask.shape[-1])]
    return ops.pad(bias, paddings=sides, constant_value=-np.inf) if sides[-1][1] else bias


def _place_bias(
    scores: Tensor, before: int, lengths: Tensor | None, is_causal: int, left: int, right: int
) -> list[Tensor]:
    """Return what hides keys by their place: behind a query, far from it, or beyond the end."""
    rows, columns = scores.shape[-2:]
    places = np.arange(columns, dtype=np.int32)
    ends = None if lengths is None else ops.reshape(lengths, shape=(-1, 1, 1, 1))
    offset = before if ends is None else ends - rows
    ahead = tensor(places - np.arange(rows, dtype=np.int32)[:, None]) - offset
    hidden = [] if ends is None else [tensor(places) >= ends]
    hidden += [ahead > (0 if is_causal else right)] if is_causal or right >= 0 else []
    hidden += [ahead < -left] if left >= 0 else []
    return [ops.where(each, -np.inf, 0.0) for each in hidden]


def _shares(scores: Tensor, bias: Tensor) -> Tensor:
    """Return the softmax of scores; queries from which all keys are hidden get zeros."""
    sees = ops.max(bias, axis=-1, keep_dims=True) > -np.inf
    return ops.where(sees, ops.softmax(ops.where(sees, scores, 0.0)), 0.0)


def _rotary(
    x: Tensor,
    cosine: Tensor,
    sine: Tensor,
    positions: Tensor | None = None,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    """Rotate pairs of values, beside each other or a half apart, by the angle of a position."""
    heads = heads_of(x, num_heads) if x.ndim == 3 else x
    size = rotary_embedding_dim or heads.shape[-1]
    if positions is not None:
        cosine, sine = ops.gather(cosine, positions), ops.gather(sine, positions)
    cosine, sine = ops.expand_dims(cosine, axis=1), ops.expand_dims(sine, axis=1)
    turned = _turned(heads[..., :size], cosine, sine, interleaved)
    y = ops.concat([turned, heads[..., size:]], axis=-1) if size < heads.shape[-1] else turned
    return joined(y) if x.ndim == 3 else y


def _turned(x: Tensor, cosine: Tensor, sine: Tensor, interleaved: int) -> Tensor:
    pairs, axis = ((-1, 2), x.ndim) if interleaved else ((2, -1), x.ndim - 1)
    a, b = ops.unstack(ops.reshape(x, shape=(*x.shape[:-1], *pairs)), axis=axis)
    turned = ops.stack([a * cosine - b * sine, a * sine + b * cosine], axis=axis)
    return ops.reshape(turned, shape=x.shape)


ROWS: Rows = {
    "Attention": _attention,
    "RotaryEmbedding": _rotary,
}
