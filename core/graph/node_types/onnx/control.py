"""Loops and scans, and the sequences and optionals that they carry.

Sequences are lists of tensors, an optional without an element is None. The body of a loop is a
function of the graph: it takes the body's own inputs (at the positions ``given``), then as many
values as it reads around it (``around``).
"""

from collections.abc import Callable, Iterable, Sequence
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


def _body_of(call: Any, values: Sequence[Any]) -> tuple[list[Any], Callable[..., list[Any]]]:
    """Return a node's own inputs, None where absent, and the function that runs its body."""
    at, body, guard = call.node.attributes, call.function("body"), active_guard()
    own = dict(zip(at["given"], values, strict=False))
    around = values[len(values) - at["around"] :] if at["around"] else ()

    def run(*inputs: Any) -> list[Any]:
        if guard is not None:
            guard.count_loop_step()
        found: list[Any] = body.call([*inputs, *around])
        return found

    return [own.get(i) for i in range(max(at["given"], default=-1) + 1)], run


def _loop(call: Any, *values: Any) -> list[Any]:
    """Run a body while its condition holds, at most so many times; stack its other results."""
    own, run = _body_of(call, values)
    most, condition, *states = [*own, None, None][: max(len(own), 2)]
    keeps = tensor(True) if condition is None else condition
    rows: list[list[Any]] = []
    for step in count() if most is None else range(int(numbers(most)[0])):
        if not is_true(keeps):
            break
        keeps, *results = run(tensor(np.int32(step)), keeps, *states)
        states, scanned = results[: len(states)], results[len(states) :]
        rows.append(scanned)
    if not rows:
        missing = len(call.function("body").results) - 1 - len(states)
        return [*states, *(ops.zeros((0,)) for _ in range(missing))]
    return [*states, *_stacked(rows)]


def _scan(call: Any, *values: Any) -> list[Any]:
    """Run a body for each slice of some inputs, and stack its results."""
    own, run = _body_of(call, values)
    at, first = call.node.attributes, _first_of_scanned(call, own)
    inputs = _placed(own[first:], at.get("scan_input_axes"), at.get("scan_input_directions"))
    states, rows = _over(run, own[:first], inputs)
    columns = [*zip(*rows, strict=True)]
    outputs = _placed(columns, at.get("scan_output_axes"), at.get("scan_output_directions"))
    return [*states, *(ops.stack(c[::step], axis=axis) for c, axis, step in outputs)]


def _scan_of_batch(call: Any, *values: Any) -> list[Any]:
    """Scan each sample of a batch, as opset 8 has it."""
    (lengths, *own), run = _body_of(call, values)
    if lengths is not None:
        raise CoreError("the input sequence_lens, which opset 8 alone has, is not supported")
    at, first, made = call.node.attributes, _first_of_scanned(call, own), []
    for sample in zip(*(ops.unstack(x, axis=0) for x in own), strict=True):
        inputs = _placed(sample[first:], None, at.get("directions"))
        states, rows = _over(run, sample[:first], inputs)
        made.append([*states, *_stacked(rows)])
    return _stacked(made)


def _first_of_scanned(call: Any, own: Sequence[Any]) -> int:
    """Return the position of the first input that is scanned; states are before it."""
    count = call.node.attributes.get("num_scan_inputs", 0)
    if not 0 < count <= len(own):
        raise CoreError(f"num_scan_inputs is {count}, but it has {len(own)} inputs")
    return len(own) - int(count)


#: Values with their axis and step: -1 for those in the other direction.
_Placed = Iterable[tuple[Any, int, int]]


def _placed(values: Sequence[Any], axes: Any, turns: Any) -> _Placed:
    """Return values with their axes and directions, which attributes may leave out."""
    steps = [-1 if turn else 1 for turn in turns or [0] * len(values)]
    return zip(values, axes or [0] * len(values), steps, strict=True)


def _over(
    run: Callable[..., list[Any]], states: Sequence[Any], inputs: _Placed
) -> tuple[Sequence[Any], list[list[Any]]]:
    """Run a body for each slice; return the last states, and the other results of each run."""
    slices = [ops.unstack(x, axis=axis)[::step] for x, axis, step in inputs]
    rows = []
    for row in zip(*slices, strict=True):
        results = run(*states, *row)
        states, scanned = results[: len(states)], results[len(states) :]
        rows.append(scanned)
    return states, rows


def _stacked(rows: Sequence[Sequence[Any]]) -> list[Tensor]:
    """Return each column of some rows as a tensor."""
    return [ops.stack(column, axis=0) for column in zip(*rows, strict=True)]


def _sequence_map(call: Any, *values: Any) -> list[Any]:
    """Run a body for each member of a sequence; other tensors are given to all."""
    own, run = _body_of(call, values)
    made = [
        run(*(each[i] if isinstance(each, list) else each for each in own))
        for i in range(len(own[0]))
    ]
    return [[*each] for each in zip(*made, strict=True)] or [
        [] for _ in call.function("body").results
    ]


def _position(at: Tensor | None, values: list[Any], default: int, end: int = 0) -> int:
    """Return a position in a sequence, or up to ``end`` behind it; negative ones are from there."""
    if not isinstance(values, list):
        raise CoreError("its first input is a tensor, not a sequence of tensors")
    if at is None:
        return default
    (found,) = numbers(at)
    place = found + len(values) if found < 0 else found
    if not 0 <= place < len(values) + end:
        raise CoreError(f"position {found} is outside of a sequence of {len(values)}")
    return int(place)


def _insert(values: list[Any], value: Any, at: Tensor | None = None) -> Any:
    place = _position(at, values, len(values), 1)
    return [[*values[:place], value, *values[place:]]]


def _erase(values: list[Any], at: Tensor | None = None) -> Any:
    place = _position(at, values, len(values) - 1)
    return [[*values[:place], *values[place + 1 :]]]


def _split_to_sequence(
    x: Tensor, split: Tensor | None = None, axis: int = 0, keepdims: int = 1
) -> Any:
    """Split into parts of a length or of several, or into slices of 1, which may lose the axis."""
    if split is None and not keepdims:
        return [ops.unstack(x, axis=axis)]
    length, sizes = x.shape[axis], numbers(split) or (1,)
    if split is None or split.ndim == 0:
        (size,) = sizes
        sizes = tuple(min(size, length - start) for start in range(0, length, size))
    return [ops.split(x, num_or_size_splits=sizes, axis=axis)]


def _concat_from_sequence(values: list[Tensor], axis: int, new_axis: int = 0) -> Tensor:
    return ops.stack(values, axis=axis) if new_axis else ops.concat(values, axis=axis)


def _element(x: Any) -> list[Any]:
    if x is None:
        raise CoreError("the optional has no element: ask OptionalHasElement first")
    return [x]


ROWS: Rows = {
    "ConcatFromSequence": _concat_from_sequence,
    "Loop": Needs(_loop),
    "Optional": lambda x=None, type=None: [x],
    "OptionalGetElement": _element,
    "OptionalHasElement": lambda x=None: tensor(x is not None),
    "Scan": {8: Needs(_scan_of_batch), 9: Needs(_scan)},
    "SequenceAt": lambda values, at: values[_position(at, values, 0)],
    "SequenceConstruct": lambda *values: [[*values]],
    "SequenceEmpty": lambda dtype=1: [[]],
    "SequenceErase": _erase,
    "SequenceInsert": _insert,
    "SequenceLength": lambda values: tensor(np.int32(len(values))),
    "SequenceMap": Needs(_sequence_map),
    "SplitToSequence": _split_to_sequence,
}
