"""Rules of reductions, matrix products, and ops along an axis."""

from collections.abc import Sequence

import numpy as np

from core.converter.onnx_writer.graph_writer import GraphWriter, NotWrittenError, to_first
from core.converter.onnx_writer.rules.rule import Rule
from core.engine.program import Step
from core.ops.contraction import read_equation

# --- reductions -----------------------------------------------------------------------------------


def _axes(step: Step, rank: int) -> tuple[int, ...]:
    axis = step.attributes["axis"]
    given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(sorted({i % rank for i in given})) if rank else ()


def _reduce(type: str, *, through: str = "") -> Rule:
    """Return the rule of a reduction.

    Args:
        type: of the node.
        through: the dtype in which it computes, if another one.
    """

    def rule(writer: GraphWriter, step: Step) -> None:
        (x,), keeps = step.inputs, bool(step.attributes["keep_dims"])
        rank, dtype = writer.rank(x), writer.dtype(step.name)
        axes = _axes(step, rank)
        first = writer.is_first(x) and (keeps or axes == tuple(range(1, rank - 1)))
        name = writer.form(x, first=first)
        inner = through or ("int32" if dtype == "bool" else dtype)
        name = writer.cast(name, inner) if writer.dtype(x) != inner else name
        name = _reduced(writer, type, name, axes, rank, first=first, keeps=keeps)
        writer.keep(
            step.name, writer.cast(name, dtype) if inner != dtype else name, first=first and keeps
        )

    return rule


def _reduced(
    writer: GraphWriter,
    type: str,
    name: str,
    axes: Sequence[int],
    rank: int,
    *,
    first: bool,
    keeps: bool,
) -> str:
    if first and keeps and type == "ReduceMean" and tuple(axes) == tuple(range(1, rank - 1)):
        return writer.node("GlobalAveragePool", name)
    if not axes:  # none: no axes would mean all
        return name
    order = to_first(rank)
    at = writer.integers([order.index(i) for i in axes] if first else axes)
    return writer.node(type, name, at, keepdims=int(keeps))


def _ordered(writer: GraphWriter, reference: str) -> str:
    """Return the name of a value, of bools as integers, which have an order in ONNX."""
    name = writer.form(reference)
    return writer.cast(name, "int32") if writer.dtype(reference) == "bool" else name


def _arg(type: str) -> Rule:
    """Return the rule of the index of an extreme value."""

    def rule(writer: GraphWriter, step: Step) -> None:
        (x,) = step.inputs
        axis = step.attributes["axis"] % max(writer.rank(x), 1)
        name = writer.node(type, _ordered(writer, x), axis=axis, keepdims=0)
        writer.keep(step.name, writer.cast(name, writer.dtype(step.name)))

    return rule


# --- along an axis --------------------------------------------------------------------------------


def _along(type: str) -> Rule:
    """Return the rule of an op along one axis, in which images stay in their form."""

    def rule(writer: GraphWriter, step: Step) -> None:
        name, first = writer.made(step.inputs[0])
        rank = writer.rank(step.inputs[0])
        axis = step.attributes["axis"] % rank
        axis = to_first(rank).index(axis) if first else axis
        writer.keep(step.name, writer.node(type, name, axis=axis), first=first)

    return rule


def _cumsum(writer: GraphWriter, step: Step) -> None:
    (x,), at = step.inputs, step.attributes
    axis = writer.constant(np.int64(at["axis"] % writer.rank(x)))
    how = {name: int(at[name]) for name in ("exclusive", "reverse")}
    writer.keep(step.name, writer.node("CumSum", writer.form(x), axis, **how))


def _topk(writer: GraphWriter, step: Step) -> None:
    count = writer.integers([step.attributes["k"]])
    (x,) = step.inputs
    values, indices = writer.node_of_several(2, "TopK", _ordered(writer, x), count)
    is_bool = writer.dtype(x) == "bool"
    writer.keep(step.outputs[0], writer.cast(values, "bool") if is_bool else values)
    writer.keep(step.outputs[1], writer.cast(indices, "int32"))


# --- matrix products ------------------------------------------------------------------------------


def _matmul(writer: GraphWriter, step: Step) -> None:
    names = [writer.form(reference) for reference in step.inputs[:2]]
    turned = [int(step.attributes[name]) for name in ("transpose_a", "transpose_b")]
    bias = [writer.form(reference) for reference in step.inputs[2:]]
    ranks = [writer.rank(reference) for reference in step.inputs[:2]]
    if ranks == [2, 2] and writer.dtype(step.name) == "float32":
        bias = [writer.permuted(r, range(writer.rank(r)), (-1,)) for r in step.inputs[2:]]
        name = writer.node("Gemm", *names, *bias, transA=turned[0], transB=turned[1])
    else:
        names = [
            writer.transposed(name, (*range(rank - 2), rank - 1, rank - 2)) if turn else name
            for name, rank, turn in zip(names, ranks, turned, strict=True)
        ]
        name = writer.node("MatMul", *names)
        for added in bias:
            name = writer.node("Add", name, added)
    writer.keep(step.name, name)


def _contract(writer: GraphWriter, step: Step) -> None:
    """Write letters for ``...``, which stands for equally many axes in ONNX."""
    names = [writer.form(reference) for reference in step.inputs]
    terms = read_equation(step.attributes["equation"], [*map(writer.shape, step.inputs)])
    for letters, reference in zip(terms.inputs, step.inputs, strict=True):
        if tuple(terms.sizes[letter] for letter in letters) != writer.shape(reference):
            raise NotWrittenError("einsum that repeats axes of length 1")
    equation = f"{','.join(terms.inputs)}->{terms.output}"
    writer.keep(step.name, writer.node("Einsum", *names, equation=equation))


RULES: dict[str, Rule] = {
    "all": _reduce("ReduceMin", through="int32"),
    "any": _reduce("ReduceMax", through="int32"),
    "argmax": _arg("ArgMax"),
    "argmin": _arg("ArgMin"),
    "contract": _contract,
    "cumsum": _cumsum,
    "log_softmax": _along("LogSoftmax"),
    "matmul": _matmul,
    "max": _reduce("ReduceMax"),
    "mean": _reduce("ReduceMean"),
    "min": _reduce("ReduceMin"),
    "prod": _reduce("ReduceProd"),
    "softmax": _along("Softmax"),
    "sum": _reduce("ReduceSum"),
    "topk": _topk,
}
