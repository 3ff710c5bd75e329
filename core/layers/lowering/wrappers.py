"""Wrapper layers: TimeDistributed and Bidirectional."""

from collections.abc import Sequence

from core.errors import CoreError
from core.graph.json_values import mapping
from core.layers.builder import LayerCall, Value
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer_calls import results
from core.layers.lowering.common_nodes import binary, concat, reshape, reshape_like, scaled
from core.layers.lowering.rows import LayerType


def _inner(spec: LayerSpec) -> LayerSpec:
    return read_layer(spec.config.get("layer"), spec.dialect, "layer")


def _time_distributed(call: LayerCall, x: Value) -> Value:
    """Lower to the inner layer on a larger batch, whose items are the steps."""
    batch, steps, *rest = call.shape(x)
    if None in rest:
        raise call.error(f"the lengths after the time axis must be known, got shape {x.shape}")
    flat = reshape(call, x._replace(mask=None), (None, *rest))
    y, *others = results(call.child(_inner(call.spec)), [flat])
    if others or None in call.shape(y)[1:]:
        raise call.error("the inner layer must return one tensor of a known shape")
    return reshape_like(call, y, (batch, steps, *call.shape(y)[1:]), x)


def _both(spec: LayerSpec) -> tuple[LayerSpec, LayerSpec]:
    """Return the forward and backward layers; the backward one defaults to the forward one."""
    inner = _inner(spec)
    document = spec.config.get("backward_layer")
    plain = inner.name.removeprefix("forward_")
    if document is None:
        config = {**inner.config, "go_backwards": not inner.config.get("go_backwards", False)}
        backward = inner._replace(config=config, name=f"backward_{plain}")
    else:
        mapping(document, "the backward_layer")
        backward = read_layer(document, spec.dialect)
    forward = inner._replace(name=f"forward_{plain}")
    return _masked_as_zeros(forward, "forward_layer"), _masked_as_zeros(backward, "backward_layer")


def _masked_as_zeros(spec: LayerSpec, holder: str) -> LayerSpec:
    """Set zero outputs for masked steps, which Keras 2 has in Bidirectional but does not write."""
    config = spec.config
    if spec.dialect == "keras2":
        config = {**config, "zero_output_for_mask": config.get("return_sequences", False)}
    return spec._replace(holder=holder, config=config)


def _bidirectional(call: LayerCall, x: Value, *states: Value) -> list[Value]:
    forward, backward = map(call.child, _both(call.spec))
    half = len(states) // 2
    ahead, *states_ahead = results(forward, [x, *states[:half]])
    back, *states_back = results(backward, [x, *states[half:]])
    sequences = forward.options.flag("return_sequences", False)
    if sequences:
        back = call.node("ReverseV2", [back, call.ints(1)])
    merged = _merged(call, ahead, back)
    if sequences and x.mask is not None:
        merged = [value._replace(mask=x.mask) for value in merged]
    return [*merged, *states_ahead, *states_back]


def _merged(call: LayerCall, ahead: Value, back: Value) -> list[Value]:
    mode = call.options.values.get("merge_mode", "concat")
    if mode is None:
        return [ahead, back]
    if mode == "concat":
        return [concat(call, [ahead, back], -1)]
    if mode == "ave":
        return [scaled(call, binary(call, "AddV2", ahead, back), 0.5)]
    if mode not in ("sum", "mul"):
        raise call.options.error("merge_mode", "sum, mul, ave, concat or null")
    return [binary(call, "AddV2" if mode == "sum" else "Mul", ahead, back)]


def _held(spec: LayerSpec) -> Sequence[LayerSpec]:
    if "layer" not in spec.config:
        raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its inner layer")
    return _both(spec) if spec.class_name == "Bidirectional" else (_inner(spec),)


LAYER_TYPES = {
    "TimeDistributed": LayerType(_time_distributed, children=_held),
    "Bidirectional": LayerType(_bidirectional, children=_held, keeps_mask=False),
}
