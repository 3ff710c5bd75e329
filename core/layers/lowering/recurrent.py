"""Layers over time: recurrent layers, TimeDistributed and Bidirectional.

Recurrent layers are unrolled if the number of steps is known and small, and else become a loop of
the graph, or of the compiled function that calls them.

Source: ``keras.backend.rnn``; TensorFlow.js's ``recurrent.js`` has equal results.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.engine.trace_hook import FunctionTrace, active_trace
from core.errors import CoreError
from core.graph.nodes import DataType, Function, FunctionName, Node
from core.layers.graph_calls import GraphCall
from core.layers.keras_config import LayerSpec, read_layer
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.lowering.arguments import arguments
from core.layers.lowering.cells import Cell, cell_of, cells_of_stack
from core.layers.lowering.common_ops import (
    as_float,
    concat,
    expand,
    filled,
    length,
    of_shape,
    reshape,
    reshape_like,
    transpose,
    unpack,
)
from core.layers.lowering.recurrent_arguments import (
    RESULTS,
    arguments_of_cell,
    arguments_of_layer,
)
from core.layers.lowering.rows import LayerType, results, weighted

#: The most unrolled steps; longer sequences become a loop.
MOST_UNROLLED = 64

_OWN_CELLS = {
    "SimpleRNN": ("SimpleRNNCell", "simple_rnn_cell"),
    "LSTM": ("LSTMCell", "lstm_cell"),
    "GRU": ("GRUCell", "gru_cell"),
    **{f"ConvLSTM{n}D": (f"ConvLSTM{n}DCell", f"conv_lstm{n}d_cell") for n in (1, 2, 3)},
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


def _recurrent(call: LayerCall, x: Operand, *initial: Operand) -> list[Any]:
    options, mask = call.options, call.mask
    keeps = options.flag("stateful", False)
    if keeps and isinstance(call, GraphCall):
        raise call.error(
            "keeps its state between calls, which is not supported: save it with stateful=False"
        )
    x = as_float(call, x)
    shape = call.shape(x)
    cell_call = call.child(_cell(call.spec)[0])
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


def over_time(
    call: LayerCall, cell: Cell, x: Operand, mask: Operand | None, states: list[Operand]
) -> tuple[Operand, list[Operand]]:
    """Return the output of all steps or the last one, as the layer's options say, and the states.

    Args:
        call: call of the layer.
        cell: cell of the layer.
        x: inputs of all steps, [batch, time, ...].
        mask: [batch, time], or None.
        states: states before the first step.
    """
    given = cell.project(x)
    steps = call.shape(x)[1]
    is_short = steps is not None and 0 < steps <= MOST_UNROLLED
    if isinstance(call, GraphCall) and not is_short:
        return _looped(call, cell, given, mask, states)
    if call.is_abstract and steps is None:
        return _of_open_length(call, cell, given, states)
    trace = active_trace() if call.has_tensors and not is_short and steps else None
    found = None if trace is None else _looped_in(trace, call, cell, given, mask, states)
    return found or _unrolled(call, cell, given, mask, states)


def _reversed(call: LayerCall, x: Operand) -> Any:
    return call.ops.reverse(x, axis=(1,))


def _unrolled(
    call: LayerCall, cell: Cell, given: Operand, mask: Operand | None, states: list[Operand]
) -> tuple[Operand, list[Operand]]:
    """Step through all inputs, one after the other."""
    steps = unpack(call, given, 1)
    masks = [None] * len(steps) if mask is None else unpack(call, mask, 1)
    outputs: list[Operand] = []
    for x, is_valid in zip(steps, masks, strict=True):
        before = outputs[-1] if outputs else None
        y, states = _masked_step(call, cell, x, is_valid, states, before)
        outputs.append(y)
    if call.options.flag("return_sequences", False):
        return call.ops.stack(outputs, axis=1), states
    return outputs[-1], states


def _of_open_length(
    call: LayerCall, cell: Cell, given: Operand, states: list[Operand]
) -> tuple[Operand, list[Operand]]:
    """Return the shapes of the results for any number of steps."""
    shape = call.shape(given)
    y, states = cell.step(of_shape(call, given, (shape[0], *shape[2:])), states)
    if call.options.flag("return_sequences", False):
        batch, *rest = call.shape(y)
        y = of_shape(call, y, (batch, None, *rest))
    return y, states


def _masked_step(
    call: LayerCall,
    cell: Cell,
    x: Operand,
    is_valid: Operand | None,
    states: Sequence[Operand],
    before: Operand | None,
) -> tuple[Any, list[Any]]:
    """Return output and states of a step; both stay unchanged where the mask is false.

    Args:
        call: call of the layer.
        cell: cell of the layer.
        x: projected step.
        is_valid: mask of the step.
        states: states before the step.
        before: output of the previous step.
    """
    y, new = cell.step(x, states)
    if is_valid is None:
        return y, new
    if before is None or call.options.flag("zero_output_for_mask", False):
        before = call.ops.zeros_like(y)
    new = [_chosen(call, is_valid, a, b) for a, b in zip(new, states, strict=True)]
    return _chosen(call, is_valid, y, before), new


def _chosen(call: LayerCall, is_valid: Operand, new: Operand, old: Operand) -> Any:
    for _ in call.shape(new)[1:]:
        is_valid = expand(call, is_valid, -1)
    return call.ops.select(is_valid, new, old)


def _looped_in(
    trace: FunctionTrace,
    call: LayerCall,
    cell: Cell,
    given: Operand,
    mask: Operand | None,
    states: list[Operand],
) -> tuple[Operand, list[Operand]] | None:
    """Add a loop over the steps to a function that is compiled; None if it can have none."""
    order = (1, 0, *range(2, len(call.shape(given))))
    rows = [transpose(call, given, order)]
    if mask is not None:
        rows.append(transpose(call, mask, (1, 0)))
    sequences = call.options.flag("return_sequences", False)
    # The output of a step stays for the next one, which may be masked, or for the end.
    stays = mask is not None or not sequences
    start = [filled(call, (call.shape(given)[0], *cell.output), given)] if stays else []

    def step(olds: list[Any], items: list[Any]) -> tuple[list[Any], list[Any]]:
        is_valid, before = (*items[1:], None)[0], olds[0] if stays else None
        y, new = _masked_step(call, cell, items[0], is_valid, olds[len(start) :], before)
        return [y, *new] if stays else new, [y] if sequences else []

    found = trace.loop(step, [*start, *(as_float(call, state) for state in states)], rows)
    if found is None:
        return None
    after, outputs = found
    if not sequences:
        return after[0], [*after[1:]]
    y = outputs[0]
    return transpose(call, y, (1, 0, *range(2, len(call.shape(y))))), [*after[len(start) :]]


def _looped(
    call: GraphCall, cell: Cell, given: Operand, mask: Operand | None, states: list[Operand]
) -> tuple[Operand, list[Operand]]:
    """Add a loop over the steps, with results equal to those of unrolled steps."""
    order = (1, 0, *range(2, len(call.shape(given))))
    batch = call.shape(given)[0]
    initial = {
        "index": call.integer(0),
        "count": length(call, given, 1),
        "output": filled(call, (batch, *cell.output), given),
        "steps": transpose(call, given, order),
        **{f"state{i}": state for i, state in enumerate(states)},
    }
    if mask is not None:
        initial["mask"] = transpose(call, mask, (1, 0))
    lengths = [-1 if n is None else n for n in (batch, *cell.output)]
    shape = call.constant(np.array(lengths, np.int32), "ints")
    element = {"element_dtype": DataType("DT_FLOAT")}
    sequences = call.options.flag("return_sequences", False)
    if sequences:
        initial["outputs"] = call.node("TensorListReserve", [shape, initial["count"]], element, ())
    found = _run(call, cell, initial)
    new = [found[f"state{i}"] for i in range(len(states))]
    if not sequences:
        return found["output"], new
    stacked = (call.shape(given)[1], batch, *cell.output)
    y = call.node("TensorListStack", [found["outputs"], shape], element, stacked, "float32")
    return transpose(call, y, (1, 0, *range(2, len(stacked)))), new


def _run(call: GraphCall, cell: Cell, initial: dict[str, Any]) -> dict[str, Any]:
    """Add the node of a loop with some variables, and return their final values."""
    scope = call.builder.unique(f"{call.scope}/loop")
    condition, arguments = _signature(call, f"{scope}/condition", initial)
    with call.builder.body() as nodes:
        goes_on = call.ops.less(arguments["index"], arguments["count"])
    _add(call, condition, nodes, arguments, [goes_on])
    body, arguments = _signature(call, f"{scope}/body", initial)
    with call.builder.body() as nodes:
        new = _next(call, cell, arguments)
    _add(call, body, nodes, arguments, [new[key] for key in arguments])
    attributes = {"cond": condition, "body": body}
    name = call.node("StatelessWhile", list(initial.values()), attributes).reference
    return {
        key: value._replace(reference=f"{name}:{i}" if i else name)
        for i, (key, value) in enumerate(initial.items())
    }


def _signature(
    call: GraphCall, name: str, variables: dict[str, Any]
) -> tuple[FunctionName, dict[str, Any]]:
    """Return the name of a function of all variables, and its arguments."""
    arguments = {
        key: value._replace(reference=call.builder.unique(f"{name}/{key}"))
        for key, value in variables.items()
    }
    return FunctionName(name), arguments


def _add(
    call: GraphCall,
    name: FunctionName,
    nodes: Sequence[Node],
    arguments: dict[str, Any],
    results: Sequence[Any],
) -> None:
    inputs = tuple(value.reference for value in arguments.values())
    outputs = tuple(value.reference for value in results)
    call.builder.add_function(Function(name, nodes, inputs, outputs))


def _next(call: GraphCall, cell: Cell, now: dict[str, Any]) -> dict[str, Any]:
    """Return the variables after one more step."""
    index, states = now["index"], [v for key, v in now.items() if key.startswith("state")]
    x = _at(call, now["steps"], index)
    is_valid = _at(call, now["mask"], index) if "mask" in now else None
    y, new = _masked_step(call, cell, x, is_valid, states, now["output"])
    after = {**now, "output": y, **{f"state{i}": state for i, state in enumerate(new)}}
    after["index"] = call.ops.add(index, 1)
    if "outputs" in now:
        after["outputs"] = call.node("TensorListSetItem", [now["outputs"], index, y])
    return after


def _at(call: LayerCall, steps: Operand, index: Operand) -> Any:
    """Return one step of [time, batch, ...]."""
    return call.ops.gather(steps, index, axis=0)


def _not_called(call: LayerCall, *_: Operand) -> Any:
    raise call.error("is a cell, which runs in an RNN layer only")


def _inner(spec: LayerSpec) -> LayerSpec:
    return read_layer(spec.config.get("layer"), spec.dialect, "layer")


def _time_distributed(call: LayerCall, x: Operand) -> Any:
    """Lower to the inner layer on a larger batch, whose items are the steps."""
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


def _bidirectional(call: LayerCall, x: Operand, *states: Operand) -> list[Any]:
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


def _held(spec: LayerSpec) -> Sequence[LayerSpec]:
    if "layer" not in spec.config:
        raise CoreError(f"layer {spec.name!r} ({spec.class_name}) lacks its inner layer")
    return _both(spec) if spec.class_name == "Bidirectional" else (_inner(spec),)


def _layer_of(name: str) -> LayerType:
    """Return the row of a recurrent layer with a cell of its own."""
    given = arguments_of_layer(name)
    return LayerType(
        _recurrent,
        children=_cell,
        keeps_mask=False,
        takes_mask=True,
        arguments=given,
        several=True,
    )


def _cell_of(name: str) -> LayerType:
    """Return the row of a cell."""
    return LayerType(
        _not_called,
        weighted("kernel", "recurrent_kernel", use_bias="bias"),
        arguments=arguments_of_cell(name),
        several=True,
    )


LAYER_TYPES = {
    "RNN": LayerType(
        _recurrent,
        children=_cell,
        keeps_mask=False,
        takes_mask=True,
        arguments=arguments("cell", **RESULTS),
        several=True,
    ),
    **{name: _layer_of(name) for name in _OWN_CELLS},
    **{_OWN_CELLS[name][0]: _cell_of(name) for name in _OWN_CELLS},
    "StackedRNNCells": LayerType(
        _not_called, children=cells_of_stack, arguments=arguments("cells"), several=True
    ),
    "TimeDistributed": LayerType(
        _time_distributed,
        children=_held,
        takes_mask=True,
        arguments=arguments("layer"),
        several=True,
    ),
    "Bidirectional": LayerType(
        _bidirectional,
        children=_held,
        keeps_mask=False,
        takes_mask=True,
        arguments=arguments("layer", merge_mode="concat", backward_layer=None),
        several=True,
    ),
}
