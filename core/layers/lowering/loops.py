"""Masked steps of recurrent layers, and loops over any number of steps."""

from collections.abc import Sequence

from core.graph.nodes import DataType, Function, FunctionName, Node
from core.layers.builder import LayerCall, Value
from core.layers.lowering.cells import Cell
from core.layers.lowering.common_nodes import expand, filled, length, transpose


class MaskedStep:
    """A step that keeps output and states where the mask is false."""

    def __init__(self, call: LayerCall, cell: Cell):
        self.call, self.cell = call, cell

    def __call__(
        self, x: Value, is_valid: Value | None, states: Sequence[Value], before: Value | None
    ) -> tuple[Value, list[Value]]:
        """Return the output and the states; ``before`` is the output of the previous step."""
        y, new = self.cell.step(x, states)
        if is_valid is None:
            return y, new
        call = self.call
        if before is None or call.options.flag("zero_output_for_mask", False):
            before = call.node("ZerosLike", [y])
        new = [self._chosen(is_valid, a, b) for a, b in zip(new, states, strict=True)]
        return self._chosen(is_valid, y, before), new

    def _chosen(self, is_valid: Value, new: Value, old: Value) -> Value:
        for _ in self.call.shape(new)[1:]:
            is_valid = expand(self.call, is_valid, -1)
        inputs = [is_valid, new, old]
        return self.call.node("SelectV2", inputs, {}, new.shape, new.dtype)


class _Loop:
    """The variables of a loop by name, with their initial values."""

    def __init__(self, call: LayerCall, values: dict[str, Value]):
        self.call, self.values = call, values
        self.scope = call.builder.unique(f"{call.scope}/loop")

    def function(self, name: str) -> tuple[FunctionName, dict[str, Value]]:
        """Return the name of a function of all variables, and its arguments."""
        arguments = {
            key: value._replace(reference=self.call.builder.unique(f"{self.scope}/{name}/{key}"))
            for key, value in self.values.items()
        }
        return FunctionName(f"{self.scope}/{name}"), arguments


def looped(
    call: LayerCall, cell: Cell, given: Value, mask: Value | None, states: list[Value]
) -> tuple[Value, list[Value]]:
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
    shape = call.ints(*(-1 if n is None else n for n in (batch, *cell.output)))
    element = {"element_dtype": DataType("DT_FLOAT")}
    sequences = call.options.flag("return_sequences", False)
    if sequences:
        initial["outputs"] = call.node("TensorListReserve", [shape, initial["count"]], element, ())
    found = _run(call, cell, _Loop(call, initial))
    new = [found[f"state{i}"] for i in range(len(states))]
    if not sequences:
        return found["output"], new
    stacked = (call.shape(given)[1], batch, *cell.output)
    y = call.node("TensorListStack", [found["outputs"], shape], element, stacked, "float32")
    return transpose(call, y, (1, 0, *range(2, len(stacked)))), new


def _run(call: LayerCall, cell: Cell, loop: _Loop) -> dict[str, Value]:
    """Add the node of a loop, and return its final variables."""
    condition, arguments = loop.function("condition")
    with call.builder.body() as nodes:
        inputs = [arguments["index"], arguments["count"]]
        goes_on = call.node("Less", inputs, shape=(), dtype="bool")
    _add(call, condition, nodes, arguments, [goes_on])
    body, arguments = loop.function("body")
    with call.builder.body() as nodes:
        results = _next(call, cell, arguments)
    _add(call, body, nodes, arguments, [results[key] for key in arguments])
    attributes = {"cond": condition, "body": body}
    name = call.node("StatelessWhile", list(loop.values.values()), attributes).reference
    return {
        key: value._replace(reference=f"{name}:{i}" if i else name)
        for i, (key, value) in enumerate(loop.values.items())
    }


def _add(
    call: LayerCall,
    name: FunctionName,
    nodes: Sequence[Node],
    arguments: dict[str, Value],
    results: Sequence[Value],
) -> None:
    inputs = tuple(value.reference for value in arguments.values())
    outputs = tuple(value.reference for value in results)
    call.builder.functions[name] = Function(name, nodes, inputs, outputs)


def _next(call: LayerCall, cell: Cell, now: dict[str, Value]) -> dict[str, Value]:
    """Return the variables after one more step."""
    index, states = now["index"], [v for key, v in now.items() if key.startswith("state")]
    x = _at(call, now["steps"], index)
    is_valid = _at(call, now["mask"], index) if "mask" in now else None
    y, new = MaskedStep(call, cell)(x, is_valid, states, now["output"])
    after = {**now, "output": y, **{f"state{i}": state for i, state in enumerate(new)}}
    after["index"] = call.node("AddV2", [index, call.integer(1)])
    if "outputs" in now:
        after["outputs"] = call.node("TensorListSetItem", [now["outputs"], index, y])
    return after


def _at(call: LayerCall, steps: Value, index: Value) -> Value:
    """Return one step of [time, batch, ...]."""
    inputs = [steps, index, call.integer(0)]
    return call.node("GatherV2", inputs, {"batch_dims": 0}, call.shape(steps)[1:])
