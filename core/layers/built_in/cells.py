"""Cells of recurrent layers: one step from an input and states to an output and new states."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.built_in.activation import ActivationLike, activated
from core.layers.built_in.basic import matmul
from core.layers.built_in.training import dropped_out, dropped_share
from core.layers.built_in_layer import BuiltIn
from core.layers.common_ops import bias_of, split
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer import Layer
from core.layers.layer_call import LayerCall, Lengths, Operand
from core.layers.layer_kind import weighted
from core.layers.lookup import built_in_classes, find_layer_class
from core.regularizers import RegularizerLike

#: A function from a projected step and the states to the output and the new states.
Step = Callable[[Operand, Sequence[Operand]], tuple[Operand, list[Operand]]]


class Cell(NamedTuple):
    """A cell with its weights.

    Attributes:
        states: the shapes of its states, without the batch.
        project: function on the inputs of all steps, [batch, time, ...], with as many steps as
            its result.
        step: function from a projected step and the states to the output and the new states.
        last: index of the state with the shape of the output.
    """

    states: Sequence[Lengths]
    project: Callable[[Operand], Operand]
    step: Step
    last: int = 0

    @property
    def output(self) -> Lengths:
        """The shape of the output, without the batch."""
        return self.states[self.last]


class RecurrentCell(BuiltIn, is_base=True):
    """A cell, which recurrent layers run."""

    @classmethod
    def cell(cls, call: LayerCall, inputs: Lengths) -> Cell:
        """Return the cell of a call for inputs of a shape [batch, ...]."""
        raise call.error("has no rule for its steps")

    @classmethod
    def compute(cls, call: LayerCall, *_: Operand) -> Any:
        raise call.error("is a cell, which runs in an RNN layer only")


def cell_of(call: LayerCall, inputs: Lengths) -> Cell:
    """Return the cell of a layer for inputs of a shape [batch, ...]."""
    kind = find_layer_class(call.spec.class_name)
    if kind is None or not issubclass(kind, RecurrentCell):
        known = [n for n, each in built_in_classes().items() if issubclass(each, RecurrentCell)]
        raise call.error(f"is not a supported cell: expected one of {known}")
    cell = kind.cell(call, inputs)
    if not cell.states:
        raise call.error("has no cells")
    dropped, rank = one_mask(call, "dropout"), len(inputs)

    def project(x: Operand) -> Any:
        return cell.project(dropped(x, len(call.shape(x)) > rank))

    return cell._replace(project=project) if call.training else cell


def one_mask(call: LayerCall, option: str) -> Callable[..., Operand]:
    """Return a function that drops values of each step of a call by one mask, in training.

    The function takes a value, and whether its second axis is that of the steps.
    """
    share = dropped_share(call, option, 0.0)
    rate = share if call.training else 0.0
    masks: list[Operand] = []

    def dropped(x: Operand, has_steps: bool = False) -> Any:
        if not rate:
            return x
        if not masks:
            ones = call.ops.ones_like(x)
            shape = (None, 1, *[None] * (len(call.shape(x)) - 2)) if has_steps else None
            masks.append(dropped_out(call, ones, rate, shape, call.options.get("seed")))
        return call.ops.mul(x, masks[0])

    return dropped


class SimpleRNNCell(RecurrentCell):
    """Make one step of `SimpleRNN`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

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
    >>> core.layers.RNN(core.layers.SimpleRNNCell(4))(core.ones((1, 3, 2))).shape
    (1, 4)
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
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None

    weight_names = weighted("kernel", "recurrent_kernel", use_bias="bias")

    @staticmethod
    def cell(call: LayerCall, inputs: Lengths) -> Cell:
        units = call.options.integer("units")
        kernel = call.weight("kernel", (inputs[-1], units))
        recurrent = call.weight("recurrent_kernel", (units, units))
        bias, dropped = bias_of(call, units), one_mask(call, "recurrent_dropout")

        def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
            y = call.ops.add(x, matmul(call, dropped(states[0]), recurrent))
            y = activated(call, y, default="tanh")
            return y, [y]

        return Cell([(units,)], lambda x: matmul(call, x, kernel, bias), step)


class LSTMCell(RecurrentCell):
    """Make one step of `LSTM`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

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
    >>> core.layers.RNN(core.layers.LSTMCell(4))(core.ones((1, 3, 2))).shape
    (1, 4)
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
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None

    weight_names = weighted("kernel", "recurrent_kernel", use_bias="bias")

    @staticmethod
    def cell(call: LayerCall, inputs: Lengths) -> Cell:
        units = call.options.integer("units")
        kernel = call.weight("kernel", (inputs[-1], 4 * units))
        recurrent = call.weight("recurrent_kernel", (units, 4 * units))
        bias, dropped = bias_of(call, 4 * units), one_mask(call, "recurrent_dropout")

        def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
            return lstm_step(call, x, matmul(call, dropped(states[0]), recurrent), states[1])

        return Cell([(units,), (units,)], lambda x: matmul(call, x, kernel, bias), step)


def lstm_step(
    call: LayerCall, x: Operand, recurrent: Operand, carry: Operand
) -> tuple[Operand, list[Operand]]:
    """Return output and states from the sums of input, forget, candidate and output gates."""
    gates = split(call, call.ops.add(x, recurrent), 4, -1)
    enter, forget, leave = (_gate(call, gates[i]) for i in (0, 1, 3))
    candidate = activated(call, gates[2], default="tanh")
    kept = call.ops.mul(forget, carry)
    carry = call.ops.add(kept, call.ops.mul(enter, candidate))
    y = call.ops.mul(leave, activated(call, carry, default="tanh"))
    return y, [y, carry]


def _gate(call: LayerCall, x: Operand) -> Any:
    default = "hard_sigmoid" if call.dialect == "tfjs" else "sigmoid"
    return activated(call, x, "recurrent_activation", default)


class GRUCell(RecurrentCell):
    """Make one step of `GRU`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

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
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        reset_after: apply the reset gate after the product with the state.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RNN(core.layers.GRUCell(4))(core.ones((1, 3, 2))).shape
    (1, 4)
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
    kernel_constraint: ConstraintLike = None
    recurrent_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    seed: int | None = None
    reset_after: bool = True

    weight_names = weighted("kernel", "recurrent_kernel", use_bias="bias")

    @staticmethod
    def cell(call: LayerCall, inputs: Lengths) -> Cell:
        units = call.options.integer("units")
        after = call.options.flag("reset_after", call.dialect == "keras3")
        kernel = call.weight("kernel", (inputs[-1], 3 * units))
        full = 3 * units
        first = second = None
        if call.options.flag("use_bias", True) and after:
            first, second = call.weight_parts("bias", (2, full), (1, 1), 0, lambda _: (full,))
        elif call.options.flag("use_bias", True):
            first = call.weight("bias", (full,))
        if after:
            step = _gru_step_after(call, call.weight("recurrent_kernel", (units, full)), second)
        else:
            sizes = 2 * units, units
            gates, candidate = call.weight_parts("recurrent_kernel", (units, full), sizes, 1)
            step = _gru_step_before(call, gates, candidate)
        return Cell([(units,)], lambda x: matmul(call, x, kernel, first), step)


def _gru_step_after(call: LayerCall, recurrent: Operand, bias: Operand | None) -> Step:
    """Return the step of a GRU whose reset gate multiplies the projected state."""
    dropped = one_mask(call, "recurrent_dropout")

    def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
        given = split(call, x, 3, -1)
        inner = split(call, matmul(call, dropped(states[0]), recurrent, bias), 3, -1)
        update, reset = (_gate(call, call.ops.add(given[i], inner[i])) for i in (0, 1))
        reset_state = call.ops.mul(reset, inner[2])
        candidate = activated(call, call.ops.add(given[2], reset_state), default="tanh")
        return _mixed(call, update, states[0], candidate)

    return step


def _gru_step_before(call: LayerCall, gates: Operand, candidate: Operand) -> Step:
    """Return the step of a GRU whose reset gate multiplies the state before its projection."""
    dropped = one_mask(call, "recurrent_dropout")

    def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
        given, before = split(call, x, 3, -1), dropped(states[0])
        inner = split(call, matmul(call, before, gates), 2, -1)
        update, reset = (_gate(call, call.ops.add(given[i], inner[i])) for i in (0, 1))
        state = matmul(call, call.ops.mul(reset, before), candidate)
        new = activated(call, call.ops.add(given[2], state), default="tanh")
        return _mixed(call, update, states[0], new)

    return step


def _mixed(
    call: LayerCall, update: Operand, old: Operand, new: Operand
) -> tuple[Operand, list[Operand]]:
    """Return the old state where update is 1, the new one where update is 0."""
    rest = call.ops.add(call.ops.neg(update), 1.0)
    y = call.ops.add(call.ops.mul(update, old), call.ops.mul(rest, new))
    return y, [y]


class StackedRNNCells(RecurrentCell):
    """Use several cells as one, each on the results of the one before.

    `RNN` gives each step `[batch, features]`, and gets the result of the last cell,
    `[batch, units]`. A list of cells means the same there.

    Args:
        cells: cells, each on the results of the one before; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> cells = core.layers.StackedRNNCells([core.layers.GRUCell(4), core.layers.LSTMCell(2)])
    >>> core.layers.RNN(cells, return_sequences=True)(core.ones((1, 3, 5))).shape
    (1, 3, 2)
    """

    cells: Sequence[Layer]

    @classmethod
    def children(cls, spec: LayerSpec) -> Sequence[LayerSpec]:
        """Return the cells, with unique names."""
        documents = spec.config.get("cells")
        cells = [
            read_layer(document, spec.dialect, "cells")
            for document in (documents if isinstance(documents, list) else ())
        ]
        names = [cell.name for cell in cells]
        return [
            cell._replace(name=f"{cell.name}_{i}") if names.count(cell.name) > 1 else cell
            for i, cell in enumerate(cells)
        ]

    @classmethod
    def cell(cls, call: LayerCall, inputs: Lengths) -> Cell:
        """Return a stack of cells, each of which steps on the output of the previous one."""
        cells: list[Cell] = []
        for spec in cls.children(call.spec):
            cells.append(cell_of(call.child(spec), inputs))
            inputs = (None, *cells[-1].states[0])
        if not cells:
            raise call.error("has no cells: give one or more")
        order = list(range(len(cells)))
        # TensorFlow.js lists the states of the last cell first.
        listed = order[::-1] if call.dialect == "tfjs" else order

        def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
            rest, old = list(states), dict[int, list[Operand]]()
            for i in listed:
                count = len(cells[i].states)
                old[i], rest = rest[:count], rest[count:]
            new: dict[int, list[Operand]] = {}
            for i in order:
                x, new[i] = cells[i].step(cells[i].project(x), old[i])
            return x, [state for i in listed for state in new[i]]

        shapes = [shape for i in listed for shape in cells[i].states]
        last = 0 if listed != order else len(shapes) - len(cells[-1].states)
        return Cell(shapes, lambda x: x, step, last)
