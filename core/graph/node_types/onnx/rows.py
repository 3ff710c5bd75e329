"""The rows of ONNX's ops, and the node types that they are.

A row is a function of tensors, in ONNX's order and None where one is absent, with the attributes as
keywords of ONNX's names. What it does is of ops alone, so that it runs on each backend, has
gradients, and is traced into plans, where shapes and all that follows from them are constants.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Annotated, Any, NamedTuple, get_args

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes

#: Begins the names of node types.
PREFIX = "ONNX:"

#: The attribute with the positions of the inputs that are there, where one before them is not.
PRESENT = "present inputs"

#: The attribute with the names of the element types of inputs, for rows with such a keyword.
TYPES = "types"

#: The attribute with the number of results that the file names, for rows with such a keyword.
OUTPUTS = "outputs"

#: A tensor of floats whose values a row must know when a plan is made: it cannot train.
Numbers = Annotated[Tensor, "numbers"]

Function = Callable[..., Any]

#: Functions by name of op; where an op changed, by the opset since which each is right.
Rows = Mapping[str, "Function | Needs | Mapping[int, Function | Needs]"]


class Needs(NamedTuple):
    """Marks a function that is called with more than tensors.

    Attributes:
        run: takes a `core.graph.executor.Call` before the values.
    """

    run: Function


def type_name(name: str, since: int = 0) -> str:
    """Return the node type of an op; of a version that is not its last one with its opset."""
    return f"{PREFIX}{name}:{since}" if since else f"{PREFIX}{name}"


def node_types(rows: Rows) -> dict[str, NodeType]:
    """Return the node types that rows are."""
    found = {}
    for name, row in rows.items():
        versions = row if isinstance(row, Mapping) else {1: row}
        last = max(versions)
        for since, function in versions.items():
            found[type_name(name, 0 if since == last else since)] = _node_type(function)
    return found


def _node_type(function: Function | Needs) -> NodeType:
    if isinstance(function, Needs):
        return NodeType(function.run, in_run=True)
    return NodeType(
        _with_absent(function),
        attributes=partial(_known, function),
        numbers=partial(_numbers, function),
    )


def _numbers(function: Function, attributes: Attributes) -> list[int]:
    """Return the positions of a node's inputs that are annotated as `Numbers`."""
    parameters = [*inspect.signature(function).parameters.values()]
    present = attributes.get(PRESENT, range(len(parameters)))
    kinds = {i: parameters[p].annotation for i, p in enumerate(present) if p < len(parameters)}
    return [i for i, kind in kinds.items() if Numbers in (kind, *get_args(kind))]


def _with_absent(function: Function) -> Function:
    """Return a function that takes just the inputs that are there."""

    @wraps(function)
    def run(*values: Any, **attributes: Any) -> Any:
        positions = attributes.pop(PRESENT, None)
        if positions is None:
            return function(*values, **attributes)
        given = dict(zip(positions, values, strict=True))
        return function(*(given.get(i) for i in range(max(given) + 1)), **attributes)

    return run


def _known(function: Function, attributes: Attributes) -> dict[str, Any]:
    """Return the attributes of a node; an error for one that its row does not take."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return dict(attributes)
    names = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    unknown = [name for name in attributes if name not in names and name != PRESENT]
    if unknown:
        raise CoreError(f"the attribute {unknown[0]!r} is not supported")
    return dict(attributes)


def facts_for(row: Function | Needs | None, types: Sequence[str], outputs: int) -> dict[str, Any]:
    """Return the keywords that the reader adds for a row: those of them that it takes."""
    known = {TYPES: tuple(types), OUTPUTS: outputs}
    if row is None or isinstance(row, Needs):
        return {}
    parameters = inspect.signature(row).parameters
    return {name: value for name, value in known.items() if name in parameters}


def numbers(x: Tensor | None) -> tuple[Any, ...]:
    """Return the values of a vector that must be known when a plan is made; () for None."""
    return () if x is None else tuple(x.numpy().ravel().tolist())


def number(x: Tensor) -> Any:
    """Return the first value of a tensor that must be known when a plan is made."""
    return numbers(x)[0]


def axes_of(axes: Tensor | Sequence[int] | None, x: Tensor, default: Any = None) -> Any:
    """Return axes, which are an attribute in old opsets and an input later; counted from 0."""
    given = numbers(axes) if isinstance(axes, Tensor) else tuple(axes or ())
    if any(not -max(x.ndim, 1) <= axis < max(x.ndim, 1) for axis in given):
        raise CoreError(f"axes {given} are not all axes of a tensor of shape {x.shape}")
    return tuple(axis % max(x.ndim, 1) for axis in given) if given else default
