"""Layers that call a layer on each step, or in both directions of time."""

from collections.abc import Sequence
from typing import Any, Literal

from core.errors import CoreError
from core.layers.built_in_layer import BuiltIn
from core.layers.common_ops import concat, reshape, reshape_like
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer import Layer
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.layer_results import results


def _inner(spec: LayerSpec) -> LayerSpec:
    """Return the layer that another one calls."""
    if "layer" not in spec.config:
        raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its inner layer")
    return read_layer(spec.config["layer"], spec.dialect, "layer")


class TimeDistributed(BuiltIn):
    """Call a layer on every step of sequences alike.

    Called on `[batch, steps, ...]`, returns the layer's results `[batch, steps, ...]`.

    Args:
        layer: layer to call; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.TimeDistributed(core.layers.Dense(2, kernel_initializer="ones"))
    >>> layer([[[1.0, 2.0], [3.0, 4.0]]]).numpy()
    array([[[3., 3.],
            [7., 7.]]], dtype=float32)
    """

    layer: Layer

    takes_mask = True

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        return (_inner(spec),)

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        """Call the inner layer on a larger batch, whose items are the steps."""
        if len(call.shape(x)) < 3:  # as Keras has it
            raise call.error(f"takes [batch, steps, ...], got shape {x.shape}")
        batch, steps, *rest = call.shape(x)
        if None in rest:
            raise call.error(f"the lengths after the time axis must be known, got shape {x.shape}")
        flat = reshape(call, x, (None, *rest))
        (y, _), *others = results(call.child(_inner(call.spec)), [flat])
        if others or None in call.shape(y)[1:]:
            raise call.error("the inner layer must return one tensor of a known shape")
        return reshape_like(call, y, (batch, steps, *call.shape(y)[1:]), x)


def _both(spec: LayerSpec) -> tuple[LayerSpec, LayerSpec]:
    """Return the forward and backward layers; the backward one defaults to the forward one."""
    inner = _inner(spec)._replace(layer=None)  # both are layers like the given one
    document = spec.config.get("backward_layer")
    plain = inner.name.removeprefix("forward_")
    if document is None:
        config = {**inner.config, "go_backwards": not inner.config.get("go_backwards", False)}
        backward = inner._replace(config=config, name=f"backward_{plain}")
    else:
        backward = read_layer(document, spec.dialect, "backward_layer")._replace(layer=None)
    forward = inner._replace(name=f"forward_{plain}")
    return _masked_as_zeros(forward, "forward_layer"), _masked_as_zeros(backward, "backward_layer")


def _masked_as_zeros(spec: LayerSpec, holder: str) -> LayerSpec:
    """Set zero outputs for masked steps, as Bidirectional does with the layers that it takes."""
    zeros = {"zero_output_for_mask": spec.config.get("return_sequences", False)}
    return spec._replace(holder=holder, config={**spec.config, **zeros})


class Bidirectional(BuiltIn):
    """Go through sequences in both directions with a recurrent layer and one like it.

    Called on `[batch, steps, features]`, returns both results joined by merge_mode: with "concat"
    `[batch, 2 x units]`, or all steps if the layer returns them.

    Source: Schuster, Paliwal, "Bidirectional Recurrent Neural Networks" (1997).

    Args:
        layer: layer to call; needed.
        merge_mode: how both results become one; None returns both.
        backward_layer: layer for the other direction, by default one alike.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Bidirectional(core.layers.GRU(4))(core.ones((1, 3, 2))).shape
    (1, 8)
    """

    layer: Layer
    merge_mode: Literal["concat", "sum", "mul", "ave"] | None = "concat"
    backward_layer: Layer | None = None

    keeps_mask = False
    takes_mask = True

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        return _both(spec)

    @staticmethod
    def compute(call: LayerCall, x: Operand, *states: Operand) -> list[Any]:
        forward, backward = map(call.child, _both(call.spec))
        half = len(states) // 2
        (ahead, _), *states_ahead = results(forward, [x, *states[:half]], [call.mask])
        (back, _), *states_back = results(backward, [x, *states[half:]], [call.mask])
        sequences = forward.options.flag("return_sequences", False)
        if sequences:
            back = call.ops.reverse(back, axis=(1,))
        merged = _merged(call, ahead, back)
        if sequences and call.mask is not None:
            merged = [Masked(value, call.mask) for value in merged]
        return [*merged, *states_ahead, *states_back]


def _merged(call: LayerCall, ahead: Operand, back: Operand) -> list[Any]:
    mode = call.options.values.get("merge_mode", "concat")
    if mode is None:
        return [ahead, back]
    if mode == "concat":
        return [concat(call, [ahead, back], -1)]
    if mode == "ave":
        return [call.ops.mul(call.ops.add(ahead, back), 0.5)]
    if mode not in ("sum", "mul"):
        raise call.options.error("merge_mode", "sum, mul, ave, concat or null")
    return [call.ops.add(ahead, back) if mode == "sum" else call.ops.mul(ahead, back)]
