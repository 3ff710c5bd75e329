"""LSTM layers of sequences, images and volumes over time, whose products are convolutions.

Source: Shi et al., "Convolutional LSTM Network" (2015), https://arxiv.org/abs/1506.04214.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.built_in.activation import ActivationLike
from core.layers.built_in.cells import Cell, RecurrentCell, lstm_step, one_mask
from core.layers.built_in.convolution import Window
from core.layers.built_in.recurrent import RecurrentLayer
from core.layers.common_ops import bias_of, is_channels_first, reshape, reshape_like
from core.layers.layer_call import LayerCall, Lengths, Operand
from core.layers.layer_kind import weighted
from core.layers.op_shapes import windows
from core.regularizers import RegularizerLike


class _ConvLSTM(RecurrentLayer, is_base=True):
    """A layer that calls the cell of a convolutional LSTM at each step."""

    filters: int
    kernel_size: int | Sequence[int]
    strides: int | Sequence[int] = 1
    padding: Literal["valid", "same", "causal"] = "valid"
    data_format: Literal["channels_last", "channels_first"] | None = None
    dilation_rate: int | Sequence[int] = 1
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


class ConvLSTM1D(_ConvLSTM):
    """Go through sequences with gates that are convolutions along steps.

    Called on `[batch, steps, steps, channels]`, returns `[batch, new steps, filters]`, or the
    results of all steps with return_sequences. The call takes `mask` `[batch, steps]` and
    `initial_state`, a tensor or a list of them. With return_state the result is a list: results,
    then the states after the last step.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
    >>> layer = core.layers.ConvLSTM1D(2, 3, padding="same")
    >>> layer(core.ones((1, 3, 4, 1))).shape
    (1, 4, 2)
    """

    own_cell = "ConvLSTM1DCell"


class ConvLSTM2D(_ConvLSTM):
    """Go through sequences with gates that are convolutions along rows, columns.

    Called on `[batch, steps, rows, columns, channels]`, returns
    `[batch, new rows, columns, filters]`, or the results of all steps with return_sequences. The
    call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them. With
    return_state the result is a list: results, then the states after the last step.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
    >>> layer = core.layers.ConvLSTM2D(2, 3, padding="same")
    >>> layer(core.ones((1, 3, 4, 4, 1))).shape
    (1, 4, 4, 2)
    """

    own_cell = "ConvLSTM2DCell"


class ConvLSTM3D(_ConvLSTM):
    """Go through sequences with gates that are convolutions along depth, rows, columns.

    Called on `[batch, steps, depth, rows, columns, channels]`, returns
    `[batch, new depth, rows, columns, filters]`, or the results of all steps with return_sequences.
    The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them. With
    return_state the result is a list: results, then the states after the last step.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
    >>> layer = core.layers.ConvLSTM3D(2, 3, padding="same")
    >>> layer(core.ones((1, 3, 4, 4, 4, 1))).shape
    (1, 4, 4, 4, 2)
    """

    own_cell = "ConvLSTM3DCell"


class _ConvLSTMCell(RecurrentCell, is_base=True):
    """The cell of a convolutional LSTM."""

    rank: ClassVar[int]

    filters: int
    kernel_size: int | Sequence[int]
    strides: int | Sequence[int] = 1
    padding: Literal["valid", "same", "causal"] = "valid"
    data_format: Literal["channels_last", "channels_first"] | None = None
    dilation_rate: int | Sequence[int] = 1
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
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None

    weight_names = weighted("kernel", "recurrent_kernel", use_bias="bias")

    @classmethod
    def cell(cls, call: LayerCall, inputs: Lengths) -> Cell:
        """Return an LSTM of images whose products are convolutions."""
        options, rank = call.options, cls.rank
        if is_channels_first(call):
            raise call.error("with the channels first is not supported")
        if len(inputs) != rank + 2 or None in inputs[1:]:
            raise call.error(f"takes images of a known size per step, got {inputs}")
        filters, window = options.integer("filters"), Window(call, rank)
        row = window.row
        kernel = _of_images(call, window, "kernel", (inputs[-1], 4 * filters))
        recurrent = _of_images(call, window, "recurrent_kernel", (filters, 4 * filters))
        bias = bias_of(call, 4 * filters)
        how = window.attributes
        pixels = windows(
            call, inputs[1:-1], window.size, window.strides, window.dilations, how["pad"]
        )
        dropped = one_mask(call, "recurrent_dropout")
        convolve = call.ops.conv3d if rank == 3 else call.ops.conv2d
        ones = (1,) * len((*row, *pixels))
        same = {**how, "strides": ones, "dilations": ones, "pad": "same"}

        def project(x: Operand) -> Any:
            images = reshape(call, x, (None, *row, *inputs[1:]))
            y = convolve(images, kernel, **how)
            y = y if bias is None else call.ops.add(y, bias)
            return reshape_like(call, y, (*call.shape(x)[: -rank - 1], *pixels, 4 * filters), x)

        def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
            images = dropped(states[0])
            images = images if not row else reshape(call, images, (None, *row, *pixels, filters))
            y = convolve(images, recurrent, **same)
            y = y if not row else reshape(call, y, (None, *pixels, 4 * filters))
            return lstm_step(call, x, y, states[1])

        return Cell([(*pixels, filters)] * 2, project, step)


def _of_images(call: LayerCall, window: Window, name: str, channels: tuple[int | None, int]) -> Any:
    """Return the kernel of a convolution of images, which have a row if of one dimension."""
    shape = (*window.size, *channels)
    known = [n for n in shape if n is not None]
    return call.weight(name, shape, (*window.row, *known) if window.row else None)


class ConvLSTM1DCell(_ConvLSTMCell):
    """Make one step of `ConvLSTM1D`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, steps, channels]`.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RNN(core.layers.ConvLSTM1DCell(2, 3, padding="same"))
    >>> layer(core.ones((1, 3, 4, 1))).shape
    (1, 4, 2)
    """

    rank = 1


class ConvLSTM2DCell(_ConvLSTMCell):
    """Make one step of `ConvLSTM2D`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, rows, columns, channels]`.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RNN(core.layers.ConvLSTM2DCell(2, 3, padding="same"))
    >>> layer(core.ones((1, 3, 4, 4, 1))).shape
    (1, 4, 4, 2)
    """

    rank = 2


class ConvLSTM3DCell(_ConvLSTMCell):
    """Make one step of `ConvLSTM3D`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, depth, rows, columns, channels]`.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RNN(core.layers.ConvLSTM3DCell(2, 3, padding="same"))
    >>> layer(core.ones((1, 3, 4, 4, 4, 1))).shape
    (1, 4, 4, 4, 2)
    """

    rank = 3
