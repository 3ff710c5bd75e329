"""Steps of a cell over time.

Steps are unrolled if their number is known and small, and else become a loop of the graph, or of
the compiled function that calls them.

Source: ``keras.backend.rnn``; TensorFlow.js's ``recurrent.js`` has equal results.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.engine.trace_hook import FunctionTrace, active_trace
from core.graph.nodes import DataType, Function, FunctionName, Node
from core.layers.built_in.cells import Cell
from core.layers.common_ops import (
    as_float,
    expand,
    filled,
    length,
    of_shape,
    transpose,
    unpack,
)
from core.layers.graph_calls import GraphCall
from core.layers.layer_call import LayerCall, Operand

#: The most unrolled steps; longer sequences become a loop.
MOST_UNROLLED = 64


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
    if call.is_abstract and (steps is None or steps > MOST_UNROLLED):
        return _shapes_of_steps(call, cell, given, states)
    trace = active_trace() if call.has_tensors and not is_short and steps else None
    found = None if trace is None else _looped_in(trace, call, cell, given, mask, states)
    return found or _unrolled(call, cell, given, mask, states)


def _unrolled(
    call: LayerCall, cell: Cell, given: Operand, mask: Operand | None, states: list[Operand]
) -> tuple[Operand, list[Operand]]:
    """Step through all inputs, one after the other."""
    steps = unpack(call, given, 1)
    if not steps:
        raise call.error("got no steps")
    masks = [None] * len(steps) if mask is None else unpack(call, mask, 1)
    outputs: list[Operand] = []
    for x, is_valid in zip(steps, masks, strict=True):
        before = outputs[-1] if outputs else None
        y, states = _masked_step(call, cell, x, is_valid, states, before)
        outputs.append(y)
    if call.options.flag("return_sequences", False):
        return call.ops.stack(outputs, axis=1), states
    return outputs[-1], states


def _shapes_of_steps(
    call: LayerCall, cell: Cell, given: Operand, states: list[Operand]
) -> tuple[Operand, list[Operand]]:
    """Return the shapes of the results, whose steps have the shapes of the first one."""
    shape = call.shape(given)
    y, states = cell.step(of_shape(call, given, (shape[0], *shape[2:])), states)
    if call.options.flag("return_sequences", False):
        batch, *rest = call.shape(y)
        y = of_shape(call, y, (batch, shape[1], *rest))
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
