"""Layers of language models that carry a state from one part of a text to the next."""

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.attention import heads_of, joined
from core.graph.node_types.onnx.rows import Rows
from core.graph.node_types.onnx.spatial import convolution

#: Whether the state decays, and whether it is corrected, by the rule of an update.
_RULES = {
    "linear": (False, False),
    "gated": (True, False),
    "delta": (False, True),
    "gated_delta": (True, True),
}


def _linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    past_state: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    chunk_size: int = 64,
    kv_num_heads: int = 0,
    q_num_heads: int = 0,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
) -> list[Tensor]:
    """Return what queries read from a matrix that keys write values to, and the last matrix."""
    if update_rule not in _RULES:
        raise CoreError(f"update_rule {update_rule!r:.40} must be one of {', '.join(_RULES)}")
    decays, corrects = _RULES[update_rule]
    if (decay is not None, beta is not None) != (decays, corrects):
        raise CoreError(f"update_rule {update_rule!r} does not go with the given decay and beta")
    q, k, v = (
        heads_of(query, q_num_heads),
        heads_of(key, kv_num_heads),
        heads_of(value, kv_num_heads),
    )
    n, _, times, size = k.shape
    gates = None if decay is None else ops.exp(heads_of(decay, kv_num_heads))
    rates = None if beta is None else heads_of(beta, beta.shape[-1])
    shape = (n, kv_num_heads, size, v.shape[-1])
    state = ops.zeros(shape) if past_state is None else past_state
    groups = (n, kv_num_heads, q_num_heads // kv_num_heads, times, size)
    reads, q = [], ops.reshape(q, shape=groups) * (scale or max(size, 1) ** -0.5)
    for t in range(times):
        k_t, v_t = k[:, :, t : t + 1], v[:, :, t : t + 1]
        if gates is not None:
            state = state * ops.transpose(gates[:, :, t : t + 1], perm=(0, 1, 3, 2))
        if rates is not None:
            v_t = rates[:, :, t : t + 1] * (v_t - ops.matmul(k_t, state))
        state = state + ops.transpose(k_t, perm=(0, 1, 3, 2)) * v_t
        reads.append(ops.matmul(q[:, :, :, t], state))
    y = ops.reshape(ops.stack(reads, axis=3), shape=(n, q_num_heads, times, v.shape[-1]))
    return [joined(y), state]


def _causal_conv(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None = None,
    past_state: Tensor | None = None,
    activation: str = "none",
) -> list[Tensor]:
    """Convolve each channel with what is before it, and return the end for the next part, too."""
    if activation not in ("none", "silu", "swish"):
        raise CoreError(f"activation {activation!r:.40} must be one of none, silu, swish")
    n, channels, _ = x.shape
    before = w.shape[2] - 1
    past = ops.zeros((n, channels, before)) if past_state is None else past_state
    whole = ops.concat([past, x], axis=2) if before else x
    y = convolution(whole, w, bias, group=channels)
    state = whole[:, :, whole.shape[2] - before :]
    return [y if activation == "none" else y * ops.sigmoid(y), state]


ROWS: Rows = {
    "CausalConvWithState": _causal_conv,
    "LinearAttention": _linear_attention,
}
