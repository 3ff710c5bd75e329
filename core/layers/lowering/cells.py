"""Cells of recurrent layers: one step from an input and states to an output and new states."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer_call import LayerCall, Lengths, Operand
from core.layers.lowering.activation import activated
from core.layers.lowering.common_ops import (
    bias_of,
    is_channels_first,
    reshape,
    reshape_like,
    split,
)
from core.layers.lowering.convolution import Window
from core.layers.lowering.core import matmul
from core.layers.lowering.training import dropped_out
from core.layers.op_shapes import windows

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


def _simple(call: LayerCall, inputs: Lengths) -> Cell:
    units = call.options.integer("units")
    kernel = call.weight("kernel", (inputs[-1], units))
    recurrent = call.weight("recurrent_kernel", (units, units))
    bias, dropped = bias_of(call, units), _one_mask(call, "recurrent_dropout")

    def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
        y = call.ops.add(x, matmul(call, dropped(states[0]), recurrent))
        y = activated(call, y, default="tanh")
        return y, [y]

    return Cell([(units,)], lambda x: matmul(call, x, kernel, bias), step)


def _lstm(call: LayerCall, inputs: Lengths) -> Cell:
    units = call.options.integer("units")
    kernel = call.weight("kernel", (inputs[-1], 4 * units))
    recurrent = call.weight("recurrent_kernel", (units, 4 * units))
    bias, dropped = bias_of(call, 4 * units), _one_mask(call, "recurrent_dropout")

    def step(x: Operand, states: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
        return _lstm_step(call, x, matmul(call, dropped(states[0]), recurrent), states[1])

    return Cell([(units,), (units,)], lambda x: matmul(call, x, kernel, bias), step)


def _lstm_step(
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


def _gru(call: LayerCall, inputs: Lengths) -> Cell:
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
    dropped = _one_mask(call, "recurrent_dropout")

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
    dropped = _one_mask(call, "recurrent_dropout")

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


def _conv_lstm(call: LayerCall, inputs: Lengths) -> Cell:
    """Return an LSTM of images whose products are convolutions."""
    options, rank = call.options, len(inputs) - 2
    if is_channels_first(call):
        raise call.error("with the channels first is not supported")
    if call.spec.class_name != f"ConvLSTM{rank}DCell" or None in inputs[1:]:
        raise call.error(f"takes images of a known size per step, got {inputs}")
    filters, window = options.integer("filters"), Window(call, rank)
    row = window.row
    kernel = _of_images(call, window, "kernel", (inputs[-1], 4 * filters))
    recurrent = _of_images(call, window, "recurrent_kernel", (filters, 4 * filters))
    bias = bias_of(call, 4 * filters)
    how = window.attributes
    pixels = windows(call, inputs[1:-1], window.size, window.strides, window.dilations, how["pad"])
    dropped = _one_mask(call, "recurrent_dropout")
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
        return _lstm_step(call, x, y, states[1])

    return Cell([(*pixels, filters)] * 2, project, step)


def _of_images(call: LayerCall, window: Window, name: str, channels: tuple[int | None, int]) -> Any:
    """Return the kernel of a convolution of images, which have a row if of one dimension."""
    shape = (*window.size, *channels)
    known = [n for n in shape if n is not None]
    return call.weight(name, shape, (*window.row, *known) if window.row else None)


def _stacked(call: LayerCall, inputs: Lengths) -> Cell:
    """Return a stack of cells, each of which steps on the output of the previous one."""
    specs = cells_of_stack(call.spec)
    cells: list[Cell] = []
    for spec in specs:
        cells.append(cell_of(call.child(spec), inputs))
        inputs = (None, *cells[-1].states[0])
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


def cells_of_stack(spec: LayerSpec) -> Sequence[LayerSpec]:
    """Return the cells of StackedRNNCells with unique names."""
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


def cell_of(call: LayerCall, inputs: Lengths) -> Cell:
    """Return the cell of a layer for inputs of a shape [batch, ...]."""
    if call.spec.class_name not in CELLS:
        raise call.error(f"is not a supported cell: expected one of {list(CELLS)}")
    cell = CELLS[call.spec.class_name](call, inputs)
    if not cell.states:
        raise call.error("has no cells")
    dropped, rank = _one_mask(call, "dropout"), len(inputs)

    def project(x: Operand) -> Any:
        return cell.project(dropped(x, len(call.shape(x)) > rank))

    return cell._replace(project=project) if call.training else cell


def _one_mask(call: LayerCall, option: str) -> Callable[..., Operand]:
    """Return a function that drops values of each step of a call by one mask, in training.

    The function takes a value, and whether its second axis is that of the steps.
    """
    rate = call.options.number(option, 0.0) if call.training else 0.0
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


CELLS: dict[str, Callable[[LayerCall, Lengths], Cell]] = {
    "SimpleRNNCell": _simple,
    "LSTMCell": _lstm,
    "GRUCell": _gru,
    **{f"ConvLSTM{rank}DCell": _conv_lstm for rank in (1, 2, 3)},
    "StackedRNNCells": _stacked,
}
