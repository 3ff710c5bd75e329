"""Functions between layers, such as ``x + y``: Keras 3's operations and tf.keras's TFOpLambda.

Names in the table are those of the functions, in lower case after "ops.".
"""

from collections.abc import Callable
from typing import Any

from core.layers.builder import LayerCall, Value
from core.layers.lowering.activation import ACTIVATIONS
from core.layers.lowering.common_nodes import as_float, binary
from core.layers.lowering.rows import LayerType
from core.registry import OPS


def _binary(type: str) -> LayerType:
    def lower(call: LayerCall, *values: Value) -> Value:
        a, b = (_operand(call, value) for value in _operands(call, values))
        return binary(call, type, a, b)

    return LayerType(lower, keeps_mask=False)


def _operands(call: LayerCall, values: tuple[Value, ...]) -> list[Any]:
    """Return the two tensors or numbers on which a function is called."""
    given = call.keywords.get("arguments", list(values))
    others = [call.keywords[key] for key in ("x2", "y") if key in call.keywords]
    flat = [part for item in given for part in (item if isinstance(item, list) else [item])]
    if len(flat) == 1:
        flat += others or list(values[1:])
    if len(flat) != 2:
        raise call.error(f"takes two tensors or numbers, got {len(flat)}")
    return flat


def _operand(call: LayerCall, value: Any) -> Value:
    if isinstance(value, Value):
        return as_float(call, value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise call.error(f"is called on {value!r:.80}, which is neither a tensor nor a number")
    return call.number(value)


def _unary(activation: Callable[[LayerCall, Value], Value]) -> LayerType:
    return LayerType(lambda call, x: activation(call, as_float(call, x)))


def _node(type: str) -> LayerType:
    return LayerType(lambda call, x: call.node(type, [as_float(call, x)]))


def _spelled() -> dict[str, LayerType]:
    """Return the functions that ops declare: a node of one or two inputs."""
    kinds = {1: _node, 2: _binary}
    return {
        f"ops.{name}": kinds[op.count](op.spellings.tensorflow[0])
        for op in OPS.values()
        for name in op.spellings.keras
    }


_ACTIVATIONS = {
    **{name: name for name in ("silu", "swish", "softsign")},
    "hardsigmoid": "hard_sigmoid",
    "hardsilu": "hard_silu",
    "logsoftmax": "log_softmax",
}

LAYER_TYPES = {
    **_spelled(),
    **{f"ops.{name}": _unary(ACTIVATIONS[known]) for name, known in _ACTIVATIONS.items()},
}
