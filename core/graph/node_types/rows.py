"""The rows of the tables, and how they are found."""

import os
import pkgutil
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from core import ops
from core.engine.operation import Op
from core.engine.registry import NODE_OPS, OPS
from core.graph.nodes import Attributes

ops.load_families()  # declares the ops that nodes are

#: Attributes of a node → those of its op.
Translation = Callable[[Attributes], dict[str, Any]]


def no_attributes(_: Attributes) -> dict[str, Any]:
    """For ops that have none."""
    return {}


def no_positions(_: Attributes) -> tuple[int, ...]:
    """For node types all of whose inputs may change from run to run."""
    return ()


def copied(*same: str, **renamed: str) -> Translation:
    """Attributes that are copied where the node has them: by the same name, or op's=node's.

    >>> copied("epsilon", keep_dims="keepdims")({"keepdims": True, "T": "DT_FLOAT"})
    {'keep_dims': True}
    """
    names = {**{name: name for name in same}, **renamed}
    return lambda attributes: {
        ours: attributes[theirs]
        for ours, theirs in names.items()
        if attributes.get(theirs) is not None
    }


def required(*same: str, **renamed: str) -> Translation:
    """Translate attributes that a node must have.

    >>> required("block_size")({"block_size": 2})
    {'block_size': 2}
    """
    names = {**{name: name for name in same}, **renamed}
    return lambda attributes: {ours: attributes[theirs] for ours, theirs in names.items()}


class NodeType(NamedTuple):
    """The op of a node type, and the mapping of the node's inputs and attributes to the op's.

    Attributes:
        run: name of an op or function of ``core``, or a function of tensors with attributes as
            keywords. Several results are a list or tuple.
        tensors: which of the node's inputs are arguments, by position; a slice is a list of them.
            None means all inputs that are not read.
        reads: attributes of the op that the node takes as inputs: name → position. They reach the
            op as numbers, bools, strings or (nested) tuples of them.
        attributes: translates the node's attributes.
        outputs: names of several outputs, as function bodies refer to them.
        in_run: ``run`` is called with the `core.graph.executor.Call` and the values of all data
            inputs, which may be other objects than tensors.
        folds: the result depends on the inputs alone, and has no more values than all inputs have
            or than they have when broadcast: constants may replace it. By default ops fold
            whose rules give the size of the result; functions do not.
        makes_resource: a result is an object that other nodes change, so the node must run once in
            a run, and in no plan.
        numbers: from the node's attributes, positions of inputs whose values ``run`` must know when
            a plan is made.
    """

    run: str | Callable[..., Any]
    tensors: tuple[int | slice, ...] | None = None
    reads: Mapping[str, int] = {}
    attributes: Translation = no_attributes
    outputs: tuple[str, ...] = ()
    in_run: bool = False
    folds: bool | None = None
    makes_resource: bool = False
    numbers: Callable[[Attributes], Collection[int]] = no_positions


def find_node_type(name: str) -> NodeType | None:
    """Return the row of a node type, or None.

    Most types are declared with their ops. A file of rows is imported when no earlier one has the
    type: a command that runs one network need not wait for all of them.
    """
    op = NODE_OPS.get(name)
    if op is not None:
        return _row_of(op)
    for category in _categories():
        found = _rows(category).get(name)
        if found is not None:
            return found
    return None


def node_type_names() -> list[str]:
    """Return the names of all node types."""
    return sorted({*NODE_OPS, *(name for category in _categories() for name in _rows(category))})


def advice_for(unknown: Collection[str]) -> list[str]:
    """Return what to do about unknown node types: texts of families by how such types begin."""
    known = (getattr(_module(category), "ADVICE", {}) for category in _categories())
    return [
        text
        for texts in known
        for start, text in texts.items()
        if any(name.startswith(start) for name in unknown)
    ]


def folding_op(kind: NodeType) -> Op | None:
    """Return the op that a node type runs, if constants may replace its results."""
    op = OPS.get(kind.run) if isinstance(kind.run, str) and kind.folds is not False else None
    if op is None or op.traits.random or op.traits.data_dependent or op.traits.heavy:
        return None
    return op


@cache
def _row_of(op: Op) -> NodeType:
    """The row that an op's spellings stand for: inputs in its order, attributes by its names."""
    tensors = (slice(None),) if op.list_inputs else tuple(range(op.count))
    needed = required(*(name for name in op.attributes if name in op.required_attributes))
    others = copied(*op.defaults)
    outputs = op.outputs
    if not op.attributes:
        return NodeType(op.name, tensors, outputs=outputs)
    return NodeType(
        op.name, tensors, attributes=lambda a: {**needed(a), **others(a)}, outputs=outputs
    )


@cache
def _categories() -> tuple[str, ...]:
    """Files of this folder that hold a table: first those that most networks need.

    The folder of ONNX's rows, which are in many files, is the last one.
    """
    first, last = ("convolution", "arrangement", "elementwise", "control"), ("onnx",)
    folder = __file__.rpartition(os.sep)[0]
    names = {m.name for m in pkgutil.iter_modules([folder])} - {"rows"}
    return (*(n for n in first if n in names), *sorted(names - {*first, *last}), *last)


@cache
def _rows(category: str) -> Mapping[str, NodeType]:
    found: Mapping[str, NodeType] = _module(category).NODE_TYPES
    return found


def _module(category: str) -> ModuleType:
    return import_module(f"core.graph.node_types.{category}")
