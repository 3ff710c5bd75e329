"""Loops, scans, sequences and optionals: sequences are lists of tensors, an absent optional None."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.run_guard import active_guard
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.control import is_true
from core.graph.node_types.onnx.rows import Needs, Rows, numbers


def _parts(call: Any, values: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
    """The node's own inputs, None where absent, and the values that its body reads around it."""
    at = call.node.attributes
    given, around = at["given"], at["around"]
    own = dict(zip(given, values, strict=False))
    return [own.get(i) for i in range(max(given, default=-1) + 1)], (
        tuple(values[len(values) - around :]) if around else ()
    )


def _loop(call: Any, *values: Any) -> list[Any]:
    """Run a body while its condition holds, at most so many times; collect its other results."""
    own, around = _parts(call, values)
    most, condition, states = own[0], own[1] if len(own) > 1 else None, own[2:]
    body, guard = call.function("body"), active_guard()
    collected: list[list[Any]] = []
    limit = None if most is None else int(numbers(most)[0])
    goes_on = condition is None or is_true(condition)
    for step in count() if limit is None else range(limit):
        if not goes_on:
            break
        if guard is not None:
            guard.count_loop_step()
        keeps = tensor(True) if condition is None else condition
        found = body.call([tensor(np.int32(step)), keeps, *states, *around])
        condition, rest = found[0], found[1:]
        goes_on = is_true(condition)
        states, scanned = rest[: len(states)], rest[len(states) :]
        collected = collected or [[] for _ in scanned]
        for each, value in zip(collected, scanned, strict=True):
            each.append(value)
    if not collected:
        missing = len(body.results) - 1 - len(states)
        return [*states, *(ops.zeros((0,)) for _ in range(missing))]
    return [*states, *(ops.stack(each, axis=0) for each in collected)]


def _scan(call: Any, *values: Any) -> list[Any]:
    """Run a body for each slice of some inputs, and stack its results."""
    own, around = _parts(call, values)
    at = call.node.attributes
    scanned = at["num_scan_inputs"]
    states, sequences = own[: len(own) - scanned], own[len(own) - scanned :]
    axes = at.get("scan_input_axes") or [0] * scanned
    turns = at.get("scan_input_directions") or [0] * scanned
    rows = [ops.unstack(x, axis=axis) for x, axis in zip(sequences, axes, strict=True)]
    rows = [each[::-1] if turn else each for each, turn in zip(rows, turns, strict=True)]
    body, outputs = call.function("body"), []
    for slices in zip(*rows, strict=True):
        found = body.call([*states, *slices, *around])
        states = found[: len(states)]
        outputs.append(found[len(states) :])
    columns = [[*each] for each in zip(*outputs, strict=True)]
    out_axes = at.get("scan_output_axes") or [0] * len(columns)
    out_turns = at.get("scan_output_directions") or [0] * len(columns)
    return [
        *states,
        *(
            ops.stack(each[::-1] if turn else each, axis=axis)
            for each, axis, turn in zip(columns, out_axes, out_turns, strict=True)
        ),
    ]


def _sequence_map(call: Any, *values: Any) -> list[Any]:
    """Run a body for each member of a sequence; other tensors are given to all."""
    own, around = _parts(call, values)
    first, body = own[0], call.function("body")
    made = []
    for i in range(len(first)):
        row = [each[i] if isinstance(each, list) else each for each in own]
        made.append(body.call([*row, *around]))
    return [[*each] for each in zip(*made, strict=True)] or [[] for _ in body.results]


def _at(position: Tensor | None, length: int, default: int) -> int:
    if position is None:
        return default
    found = int(numbers(position)[0])
    found = found + length if found < 0 else found
    if not 0 <= found <= length:
        raise CoreError(f"position {found} is outside of a sequence of {length}")
    return found


def _insert(values: list[Any], value: Any, position: Tensor | None = None) -> Any:
    at = _at(position, len(values), len(values))
    return [[*values[:at], value, *values[at:]]]


def _erase(values: list[Any], position: Tensor | None = None) -> Any:
    at = _at(position, len(values), len(values) - 1)
    return [[*values[:at], *values[at + 1 :]]]


def _split_to_sequence(
    x: Tensor, split: Tensor | None = None, axis: int = 0, keepdims: int = 1
) -> Any:
    length = x.shape[axis]
    if split is None:
        parts = ops.split(x, num_or_size_splits=[1] * length, axis=axis)
        return [parts if keepdims else [ops.squeeze(part, axis=axis) for part in parts]]
    sizes = numbers(split)
    if split.ndim == 0:
        (size,) = sizes
        sizes = (*(size,) * (length // size), *((length % size,) if length % size else ()))
    return [ops.split(x, num_or_size_splits=sizes, axis=axis)]


def _concat_from_sequence(values: list[Tensor], axis: int, new_axis: int = 0) -> Tensor:
    return ops.stack(values, axis=axis) if new_axis else ops.concat(values, axis=axis)


ROWS: Rows = {
    "ConcatFromSequence": _concat_from_sequence,
    "Loop": Needs(_loop),
    "Optional": lambda x=None, type=None: [x],
    "OptionalGetElement": lambda x: [x],
    "OptionalHasElement": lambda x=None: tensor(x is not None),
    "Scan": Needs(_scan),
    "SequenceAt": lambda values, at: values[_at(at, len(values), 0)],
    "SequenceConstruct": lambda *values: [[*values]],
    "SequenceEmpty": lambda dtype=1: [[]],
    "SequenceErase": _erase,
    "SequenceInsert": _insert,
    "SequenceLength": lambda values: tensor(np.int32(len(values))),
    "SequenceMap": Needs(_sequence_map),
    "SplitToSequence": _split_to_sequence,
}
