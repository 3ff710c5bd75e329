"""Nodes bound to the functions that run them."""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from core.engine.registry import FUNCTIONS, OPS
from core.engine.tensors import Tensor
from core.errors import MISUSE, CoreError, KernelNotFound
from core.graph.attribute_kinds import CheckedAttributes
from core.graph.node_types import NodeType
from core.graph.nodes import Node


class BoundNode(NamedTuple):
    """A node that is ready to run.

    ``inputs`` are the references whose values ``run`` takes, after a `Call` if it is ``in_run``;
    ``after`` are control inputs, which must have run.
    """

    node: Node
    run: Callable[..., Any]
    inputs: tuple[str, ...]
    after: tuple[str, ...] = ()
    in_run: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """Return all references that must have a value before the node runs."""
        return self.inputs + self.after


def bound_to_op(
    node: Node, kind: NodeType, inputs: tuple[str, ...], constants: Mapping[str, Tensor]
) -> BoundNode:
    """Return a step that calls an op; attributes in constants are read now."""
    reads = _positions(kind.reads, len(inputs))
    attributes = _translated(node, kind)
    later = []
    for name, position in reads.items():
        if inputs[position] in constants:
            attributes[name] = read(constants[inputs[position]])
        else:
            later.append((name, inputs[position]))
    arguments = kind.tensors
    if arguments is None:
        arguments = tuple(i for i in range(len(inputs)) if i not in reads.values())
    groups = [inputs[a] if isinstance(a, slice) else inputs[a:][:1] for a in arguments]
    lists = [isinstance(a, slice) for a in arguments]
    run = function_of(kind.run)
    if not later and not any(lists):
        present = tuple(chain.from_iterable(groups))
        return BoundNode(node, lambda *values: run(*values, **attributes), present)
    names, references = zip(*later, strict=True) if later else ((), ())
    sizes = [len(group) for group in groups]

    def run_regrouped(*values: Any) -> Any:
        """Run an op whose values include a list, or attributes."""
        rest = list(values)
        given: list[Any] = []
        for size, listed in zip(sizes, lists, strict=True):
            part, rest = rest[:size], rest[size:]
            given += [part] if listed else part
        return run(*given, **attributes, **dict(zip(names, map(read, rest), strict=True)))

    return BoundNode(node, run_regrouped, (*chain.from_iterable(groups), *references))


def _positions(reads: Mapping[str, int], count: int) -> dict[str, int]:
    """Return the positions of attributes among the inputs; optional ones may be absent."""
    found = {name: p + count if p < 0 else p for name, p in reads.items()}
    return {name: p for name, p in found.items() if 0 <= p < count}


def read(value: Tensor) -> Any:
    """Return the values of a tensor as an attribute: a number, or (nested) tuples of numbers."""
    return as_attribute(value.tolist())


def as_attribute(value: Any) -> Any:
    """Return lists as tuples."""
    return tuple(map(as_attribute, value)) if isinstance(value, (list, tuple)) else value


def function_of(run: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return the op or function of that name."""
    if not isinstance(run, str):
        return run
    found = OPS.get(run) or FUNCTIONS.get(run)
    if found is None:
        raise KernelNotFound(f"core has no op {run!r}")
    return found


def _translated(node: Node, kind: NodeType) -> dict[str, Any]:
    """Return a node's attributes as its op takes them; unchanged for a user's function."""
    is_ours = kind.attributes is not dict
    try:
        given = CheckedAttributes(node.attributes) if is_ours else node.attributes
        translated = kind.attributes(given)
        return {name: as_attribute(value) for name, value in translated.items()}
    except KeyError as error:
        raise CoreError(f"node {node.name!r} ({node.type}) lacks the attribute {error}") from error
    except (CoreError, *MISUSE) as error:
        raise CoreError(f"node {node.name!r} ({node.type}): {error}") from error
