"""Graphs as ONNX graphs, by the programs that runs of known shapes record."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import prod
from typing import NamedTuple

from core.converter.onnx_writer.program_graph import Ends, program_graph, unique_ends
from core.converter.onnx_writer.protos import WrittenGraph, WrittenNode
from core.converter.onnx_writer.rules.integers import can_write, has_integers
from core.engine.program import Program
from core.engine.specs import Shape, Spec
from core.errors import CoreError
from core.graph.node_types import find_node_type
from core.graph.nodes import Graph, Node, node_of
from core.graph_model.graph_model import GraphModel
from core.graph_model.trainable_constants import Constants, reached
from core.plan.passes.integers_as_floats import with_quanta
from core.plan.passes.pruning import drop_unused
from core.plan.tracing import COMPUTED, NUMBER

#: The numbers of samples with which a free batch is recorded: what differs then is free.
BATCHES = (2, 3)

#: The most nodes of a type that an error names.
_MOST_NAMED = 4


class Recorded(NamedTuple):
    """A graph to write.

    Attributes:
        graph: the graph.
        is_fixed: whether the batch is fixed though the model takes any.
        has_integers: whether products of integers are exact.
    """

    graph: WrittenGraph
    is_fixed: bool = False
    has_integers: bool = False


def recorded_graph(graph: Graph, shapes: Mapping[str, Sequence[int | None]] = {}) -> Recorded:
    """Return a graph in the ops of ONNX.

    The batch stays free where runs of two and of three samples become equal files.

    Args:
        graph: of any reader.
        shapes: shapes of inputs that declare too little, by name.

    Raises:
        CoreError: an input declares too little of its shape; or nodes have no counterpart in ONNX,
            all of which are listed.
    """
    if graph.states:
        raise CoreError(f"it keeps {', '.join(graph.states):.200} from run to run: ONNX cannot")
    unknown = [n for n in drop_unused(graph).nodes if _is_unknown(n, graph)]
    if unknown:
        raise CoreError(_left_text(unknown, graph))
    model = GraphModel(graph, "cpu")
    ends = unique_ends([*model.inputs], [*model.outputs])
    wanted = {name: _declared(model, name, shapes.get(name)) for name in model.inputs}
    is_free = any(shape[:1] == (None,) for shape in wanted.values())
    if is_free:
        with suppress(CoreError):
            return _with_free_batch(model, wanted, ends)
    program = _record(model, _with_batch(model, wanted, 1))
    written = program_graph(program, ends, fixed=_fixed(graph, program, {}))
    return Recorded(written, is_free, has_integers(program))


def _is_unknown(node: Node, graph: Graph) -> bool:
    return node.type in graph.custom_types and find_node_type(node.type) is None


def _declared(
    model: GraphModel, name: str, given: Sequence[int | None] | None
) -> tuple[int | None, ...]:
    """Return the shape of an input, of which the batch alone may be free."""
    declared = model.inputs[name]
    shape = declared.shape if given is None else tuple(given)
    filled = Spec(tuple(1 if n is None else n for n in shape or ()), declared.dtype)
    if given is not None and not declared.accepts(filled):
        raise CoreError(f"input {name!r} has the shape {declared.shape}, got {shape}")
    if shape is None or None in shape[1:]:
        raise CoreError(
            f"input {name!r} has the shape {shape} with free lengths beside the batch, and ONNX "
            f"files are written for known ones: give those that you need to "
            f"core.converter.convert, as inputs={{{name!r}: (1, 224, 224, 3)}}"
        )
    return shape


def _with_batch(
    model: GraphModel, shapes: Mapping[str, tuple[int | None, ...]], batch: int
) -> dict[str, Spec]:
    filled = {name: tuple(batch if n is None else n for n in s) for name, s in shapes.items()}
    return {name: Spec(shape, model.inputs[name].dtype) for name, shape in filled.items()}


def _record(model: GraphModel, specs: Mapping[str, Spec]) -> Program:
    program, left = model.record(specs)
    if left:
        raise CoreError(_left_text(left, model.graph))
    exact = with_quanta(program, is_exact=True)
    return exact if can_write(exact) else program


def _left_text(left: Sequence[Node], graph: Graph) -> str:
    """Return the text of the error for nodes whose results depend on values, or are not known."""
    kinds: dict[str, list[str]] = {}
    for node in left:
        kinds.setdefault(node.type, []).append(node.name)
    listed = "; ".join(f"{kind} ({_shortened(names)})" for kind, names in kinds.items())
    known = {*(node.name for node in left), *graph.weights}
    before = [r for node in left for r in node.inputs if node_of(r) not in known]
    return (
        f"these nodes have no counterpart in the ONNX files written here, or their shapes depend "
        f"on values: {listed}; name outputs before them by outputs=, such as "
        f"{_shortened([*dict.fromkeys(before)])}"
    )


def _shortened(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _with_free_batch(
    model: GraphModel, shapes: Mapping[str, tuple[int | None, ...]], ends: Ends
) -> Recorded:
    """Return the graph for any batch.

    Raises:
        CoreError: the graphs for two batches differ, or cannot be written with free lengths.
    """
    programs = [_record(model, _with_batch(model, shapes, batch)) for batch in BATCHES]
    free = _free_axes(*programs)
    first, second = (
        program_graph(program, ends, free, _fixed(model.graph, program, free))
        for program in programs
    )
    if not _equal(first, second):
        raise CoreError("what it computes for each sample depends on their number")
    return Recorded(first, has_integers=has_integers(programs[0]))


def _fixed(graph: Graph, program: Program, free: Mapping[str, frozenset[int]]) -> set[str]:
    """Return the constants of a program that are numbers of its computation, no weights.

    Those of a free batch are, such as what states of zeros give in the first step, unless they
    repeat a whole weight.
    """
    numbers = Constants(graph, ()).numbers
    nodes = {node.name: node for node in graph.nodes}

    def is_fixed(name: str) -> bool:
        if name in graph.weights:
            return name in numbers
        if name in nodes:  # it was folded
            read = reached(nodes, [name]) & graph.weights.keys()
            return bool(read) and read <= numbers
        before, slash, _ = name.rpartition("/")
        return is_fixed(before) if slash else name.rstrip("0123456789_") == NUMBER

    def repeats_weight(name: str) -> bool:
        weight = graph.weights.get(name.partition(COMPUTED)[0])
        lengths = enumerate(program.specs[name].shape)
        row = prod(length for i, length in lengths if i not in free[name])
        return weight is not None and weight.size == row

    return {
        name
        for name in program.constants
        if is_fixed(name) or (name in free and not repeats_weight(name))
    }


def _free_axes(first: Program, second: Program) -> dict[str, frozenset[int]]:
    """Return the axes whose lengths differ in two programs of the same steps."""
    if first.specs.keys() != second.specs.keys():
        raise CoreError("its steps depend on the number of samples")
    free = {}
    for reference, spec in first.specs.items():
        shapes: list[Shape] = [spec.shape, second.specs[reference].shape]
        if len(shapes[0]) != len(shapes[1]):
            raise CoreError("its shapes depend on the number of samples")
        axes = frozenset(i for i, (a, b) in enumerate(zip(*shapes, strict=True)) if a != b)
        if axes:
            free[reference] = axes
    return free


def _equal(first: WrittenGraph, second: WrittenGraph) -> bool:
    """Return whether two graphs have equal nodes and constants."""
    arrays = [{**each.initializers, **each.numbers} for each in (first, second)]
    if arrays[0].keys() != arrays[1].keys() or len(first.nodes) != len(second.nodes):
        return False
    same_arrays = all(
        a is b or (a.shape == b.shape and a.tobytes() == b.tobytes())
        for a, b in zip(arrays[0].values(), arrays[1].values(), strict=True)
    )
    nodes = zip(first.nodes, second.nodes, strict=True)
    return same_arrays and all(_same_node(a, b) for a, b in nodes)


def _same_node(a: WrittenNode, b: WrittenNode) -> bool:
    return a[:3] == b[:3] and repr(a.attributes) == repr(b.attributes)
