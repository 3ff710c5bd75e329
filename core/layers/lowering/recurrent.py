"""Recurrent layers: unrolled if the number of steps is known and small, else a loop.

Source: ``keras.backend.rnn``; TensorFlow.js's ``recurrent.js`` has equal results.
"""

from collections.abc import Sequence

from core.errors import CoreError
from core.layers.builder import LayerCall, Value
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.lowering.cells import CELLS, Cell, cell_of, cells_of_stack
from core.layers.lowering.common_nodes import (
    as_float,
    filled,
    pack,
    unpack,
)
from core.layers.lowering.loops import MaskedStep, looped
from core.layers.lowering.rows import LayerType, weighted

#: The most unrolled steps; longer sequences become a loop.
MOST_UNROLLED = 64

_OWN_CELLS = {
    "SimpleRNN": ("SimpleRNNCell", "simple_rnn_cell"),
    "LSTM": ("LSTMCell", "lstm_cell"),
    "GRU": ("GRUCell", "gru_cell"),
    "ConvLSTM2D": ("ConvLSTM2DCell", "conv_lstm2d_cell"),
}


def _cell(spec: LayerSpec) -> Sequence[LayerSpec]:
    """Return the cell of a recurrent layer."""
    if spec.class_name in _OWN_CELLS:
        class_name, name = _OWN_CELLS[spec.class_name]
        return [LayerSpec(class_name, name, spec.config, spec.dialect, holder="cell")]
    cell = spec.config.get("cell")
    if isinstance(cell, list):
        cell = {"class_name": "StackedRNNCells", "config": {"cells": cell}}
    if cell is None:
        raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its cell")
    return [read_layer(cell, spec.dialect, "cell")]


def _recurrent(call: LayerCall, x: Value, *initial: Value) -> list[Value]:
    options, mask = call.options, x.mask
    if options.flag("stateful", False):
        raise call.error(
            "keeps its state between calls, which is not supported: save it with stateful=False"
        )
    x = as_float(call, x._replace(mask=None))
    shape = call.shape(x)
    cell_call = call.child(_cell(call.spec)[0])
    if len(shape) < 3:
        raise call.error(f"takes [batch, time, ...], got shape {shape}")
    cell = cell_of(cell_call, (shape[0], *shape[2:]))
    states = list(initial) or [filled(call, (shape[0], *s), x) for s in cell.states]
    if len(states) != len(cell.states):
        raise call.error(
            f"has {len(cell.states)} states, but is called with {len(states)} initial states"
        )
    if options.flag("go_backwards", False):
        x = _reversed(call, x)
        mask = None if mask is None else _reversed(call, mask)
    given = cell.project(x)
    steps = shape[1]
    run = _unrolled if steps is not None and 0 < steps <= MOST_UNROLLED else looped
    y, states = run(call, cell, given, mask, states)
    if options.flag("return_sequences", False):
        y = y._replace(mask=mask)
    return [y, *states] if options.flag("return_state", False) else [y]


def _reversed(call: LayerCall, x: Value) -> Value:
    return call.node("ReverseV2", [x, call.ints(1)])


def _unrolled(
    call: LayerCall, cell: Cell, given: Value, mask: Value | None, states: list[Value]
) -> tuple[Value, list[Value]]:
    """Add the nodes of each step."""
    steps = unpack(call, given, 1)
    masks = [None] * len(steps) if mask is None else unpack(call, mask, 1)
    step = MaskedStep(call, cell)
    outputs: list[Value] = []
    for x, is_valid in zip(steps, masks, strict=True):
        y, states = step(x, is_valid, states, outputs[-1] if outputs else None)
        outputs.append(y)
    if call.options.flag("return_sequences", False):
        return pack(call, outputs, 1), states
    return outputs[-1], states


def _not_called(call: LayerCall, *_: Value) -> Value:
    raise call.error("is a cell, which runs in an RNN layer only")


_LAYER = LayerType(_recurrent, children=_cell, keeps_mask=False)
_CELL = LayerType(_not_called, weighted("kernel", "recurrent_kernel", use_bias="bias"))

LAYER_TYPES = {
    **dict.fromkeys(("RNN", *_OWN_CELLS), _LAYER),
    **dict.fromkeys(CELLS, _CELL),
    "StackedRNNCells": LayerType(_not_called, children=cells_of_stack),
}
