"""Steps of recurrent layers with masks, and loops of any number of them."""

from collections.abc import Sequence

from core.graph.nodes import DataType, Function, FunctionName, Node
from core.layers.builder import LayerCall, Value
from core.layers.lowering.cells import Cell
from core.layers.lowering.common_nodes import expand, filled, length, transpose


class MaskedStep:
    """A step that leaves all as it is where the mask is false."""

    def __init__(self, call: LayerCall, cell: Cell):
        self.call, self.cell = call, cell

    def __call__(
        self, x: Value, is_there: Value | None, states: Sequence[Value], before: Value | None
    ) -> tuple[Value, list[Value]]:
        """The output and the states; ``before`` is the output of the step before."""
        y, new = self.cell.step(x, states)
        if is_there is None:
            return y, new
        call = self.call
        if before is None or call.options.flag("zero_output_for_mask", False):
            before = call.node("ZerosLike", [y])
        new = [self._chosen(is_there, a, b) for a, b in zip(new, states, strict=True)]
        return self._chosen(is_there, y, before), new

    def _chosen(self, is_there: Value, new: Value, old: Value) -> Value:
        for _ in self.call.shape(new)[1:]:
            is_there = expand(self.call, is_there, -1)
        inputs = [is_there, new, old]
        return self.call.node("SelectV2", inputs, {}, new.shape, new.dtype)


class _Loop:
    """The variables of a loop by name: what it is fed, and what its body has for them."""

    def __init__(self, call: LayerCall, values: dict[str, Value]):
        self.call, self.values = call, values
        self.scope = call.builder.unique(f"{call.scope}/loop")

    def function(self, name: str) -> tuple[FunctionName, dict[str, Value]]:
        """The name of a function of all variables, and its arguments."""
        arguments = {
            key: value._replace(reference=self.call.builder.unique(f"{self.scope}/{name}/{key}"))
            for key, value in self.values.items()
        }
        return FunctionName(f"{self.scope}/{name}"), arguments


def looped(
    call: LayerCall, cell: Cell, given: Value, mask: Value | None, states: list[Value]
) -> tuple[Value, list[Value]]:
    """A loop over the steps; it gives what unrolled steps do."""
    order = (1, 0, *range(2, len(call.shape(given))))
    batch = call.shape(given)[0]
    fed = {
        "index": call.whole(0),
        "count": length(call, given, 1),
        "output": filled(call, (batch, *cell.output), given),
        "steps": transpose(call, given, order),
        **{f"state{i}": state for i, state in enumerate(states)},
    }
    if mask is not None:
        fed["mask"] = transpose(call, mask, (1, 0))
    shape = call.ints(*(-1 if n is None else n for n in (batch, *cell.output)))
    element = {"element_dtype": DataType("DT_FLOAT")}
    sequences = call.options.flag("return_sequences", False)
    if sequences:
        fed["outputs"] = call.node("TensorListReserve", [shape, fed["count"]], element, ())
    found = _run(call, cell, _Loop(call, fed))
    new = [found[f"state{i}"] for i in range(len(states))]
    if not sequences:
        return found["output"], new
    stacked = (call.shape(given)[1], batch, *cell.output)
    y = call.node("TensorListStack", [found["outputs"], shape], element, stacked, "float32")
    return transpose(call, y, (1, 0, *range(2, len(stacked)))), new


def _run(call: LayerCall, cell: Cell, loop: _Loop) -> dict[str, Value]:
    """The node of a loop, and its variables at the end."""
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
    """The variables after one more step."""
    index, states = now["index"], [v for key, v in now.items() if key.startswith("state")]
    x = _at(call, now["steps"], index)
    is_there = _at(call, now["mask"], index) if "mask" in now else None
    y, new = MaskedStep(call, cell)(x, is_there, states, now["output"])
    after = {**now, "output": y, **{f"state{i}": state for i, state in enumerate(new)}}
    after["index"] = call.node("AddV2", [index, call.whole(1)])
    if "outputs" in now:
        after["outputs"] = call.node("TensorListSetItem", [now["outputs"], index, y])
    return after


def _at(call: LayerCall, steps: Value, index: Value) -> Value:
    """One step of [time, batch, ...]."""
    inputs = [steps, index, call.whole(0)]
    return call.node("GatherV2", inputs, {"batch_dims": 0}, call.shape(steps)[1:])
