"""Recurrent layers."""

from collections.abc import Sequence
from typing import Any, ClassVar

from core.constraints import ConstraintLike
from core.errors import CoreError
from core.initializers import InitializerLike
from core.keras.configured import snake_case
from core.layers.built_in.activation import ActivationLike
from core.layers.built_in.cells import cell_of
from core.layers.built_in.time_steps import over_time
from core.layers.built_in_layer import BuiltIn
from core.layers.common_ops import as_float, filled
from core.layers.graph_calls import GraphCall
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer import Layer
from core.layers.layer_call import LayerCall, Masked, Operand
from core.regularizers import RegularizerLike


class RecurrentLayer(BuiltIn, is_base=True):
    """A layer that calls a cell at each step."""

    #: The class of the cell, where a layer has one of its own.
    own_cell: ClassVar[str] = ""

    keeps_mask = False
    takes_mask = True

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        """Return the cell."""
        if cls.own_cell:
            name = snake_case(cls.own_cell)
            return [LayerSpec(cls.own_cell, name, spec.config, spec.dialect, holder="cell")]
        cell = spec.config.get("cell")
        if isinstance(cell, list):
            cell = {"class_name": "StackedRNNCells", "config": {"cells": cell}}
        if cell is None:
            raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its cell")
        return [read_layer(cell, spec.dialect, "cell")]

    @classmethod
    def compute(cls, call: LayerCall, x: Operand, *initial: Operand) -> list[Any]:
        options, mask = call.options, call.mask
        keeps = options.flag("stateful", False)
        if keeps and isinstance(call, GraphCall):
            raise call.error(
                "keeps its state between calls, which is not supported: save it with stateful=False"
            )
        x = as_float(call, x)
        shape = call.shape(x)
        cell_call = call.child(cls.children(call.spec)[0])
        if len(shape) < 3:
            raise call.error(f"takes [batch, time, ...], got shape {shape}")
        cell = cell_of(cell_call, (shape[0], *shape[2:]))
        states = list(initial)
        if not states and keeps:
            states = [call.state(i, (shape[0], *s)) for i, s in enumerate(cell.states)]
        states = states or [filled(call, (shape[0], *s), x) for s in cell.states]
        if len(states) != len(cell.states):
            raise call.error(
                f"has {len(cell.states)} states, but is called with {len(states)} initial states"
            )
        if options.flag("go_backwards", False):
            x = _reversed(call, x)
            mask = None if mask is None else _reversed(call, mask)
        y, states = over_time(call, cell, x, mask, states)
        for i, state in enumerate(states if keeps else ()):
            call.keep_state(i, state)
        found = Masked(y, mask if options.flag("return_sequences", False) else None)
        return [found, *states] if options.flag("return_state", False) else [found]


def _reversed(call: LayerCall, x: Operand) -> Any:
    return call.ops.reverse(x, axis=(1,))


class RNN(RecurrentLayer):
    """Go through sequences step by step with a cell, or with several on top of each other.

    Called on `[batch, steps, ...]`, returns the result of the last step, or of all with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list
    of them. With return_state the result is a list: results, then the states after the last step.

    Args:
        cell: cell, or several, each on the results of the one before; needed.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> cells = [core.layers.GRUCell(4), core.layers.LSTMCell(2)]
    >>> core.layers.RNN(cells)(core.ones((1, 3, 5))).shape
    (1, 2)
    """

    cell: Layer | Sequence[Layer]
    return_sequences: bool = False
    return_state: bool = False
    go_backwards: bool = False
    stateful: bool = False
    unroll: bool = False
    zero_output_for_mask: bool = False


class SimpleRNN(RecurrentLayer):
    """Go through sequences step by step with a state and a fully connected network.

    Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list
    of them. With return_state the result is a list: results, then the states after the last step.

    Source: Elman, "Finding Structure in Time" (1990).

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.SimpleRNN(4, return_sequences=True)
    >>> layer(core.ones((1, 3, 2))).shape
    (1, 3, 4)
    """

    units: int
    activation: ActivationLike = "tanh"
    use_bias: bool = True
    kernel_initializer: InitializerLike = "glorot_uniform"
    recurrent_initializer: InitializerLike = "orthogonal"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    recurrent_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None
    return_sequences: bool = False
    return_state: bool = False
    go_backwards: bool = False
    stateful: bool = False
    unroll: bool = False
    zero_output_for_mask: bool = False

    own_cell = "SimpleRNNCell"


class LSTM(RecurrentLayer):
    """Go through sequences step by step with a state and gates to keep, forget and return.

    Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list
    of them. With return_state the result is a list: results, then the states after the last step.

    Source: Hochreiter, Schmidhuber, "Long Short-Term Memory" (1997).

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.LSTM(4, return_sequences=True)
    >>> layer(core.ones((1, 3, 2))).shape
    (1, 3, 4)
    """

    units: int
    activation: ActivationLike = "tanh"
    recurrent_activation: ActivationLike = "sigmoid"
    use_bias: bool = True
    kernel_initializer: InitializerLike = "glorot_uniform"
    recurrent_initializer: InitializerLike = "orthogonal"
    bias_initializer: InitializerLike = "zeros"
    unit_forget_bias: bool = True
    kernel_regularizer: RegularizerLike = None
    recurrent_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None
    return_sequences: bool = False
    return_state: bool = False
    go_backwards: bool = False
    stateful: bool = False
    unroll: bool = False
    zero_output_for_mask: bool = False

    own_cell = "LSTMCell"


class GRU(RecurrentLayer):
    """Go through sequences step by step with a state and gates to keep and reset.

    Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list
    of them. With return_state the result is a list: results, then the states after the last step.

    Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
    Statistical Machine Translation" (2014), https://arxiv.org/abs/1406.1078.

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        reset_after: apply the reset gate after the product with the state.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.GRU(4, return_sequences=True)
    >>> layer(core.ones((1, 3, 2))).shape
    (1, 3, 4)
    """

    units: int
    activation: ActivationLike = "tanh"
    recurrent_activation: ActivationLike = "sigmoid"
    use_bias: bool = True
    kernel_initializer: InitializerLike = "glorot_uniform"
    recurrent_initializer: InitializerLike = "orthogonal"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    recurrent_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None
    return_sequences: bool = False
    return_state: bool = False
    go_backwards: bool = False
    stateful: bool = False
    unroll: bool = False
    zero_output_for_mask: bool = False
    reset_after: bool = True

    own_cell = "GRUCell"
