"""A program of the engine as the graph of an ONNX file.

Steps are taken after the passes of programs: constants are folded, batch norm is part of weights,
and a bias goes into its convolution.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.converter.onnx_writer.graph_writer import GraphWriter, NotWrittenError, to_first
from core.converter.onnx_writer.protos import ELEMENT_TYPES, WrittenGraph, WrittenValue
from core.converter.onnx_writer.rules import RULES
from core.engine.program import HERE, Program, Step
from core.engine.specs import Spec
from core.errors import CoreError
from core.graph.unique_names import UniqueNames
from core.plan.integer_ops import REQUANTISE

#: Ops that take a bias in ONNX.
WITH_BIAS = frozenset({"conv2d", "depthwise_conv2d", "conv2d_backprop_input", "conv3d", "matmul"})

#: The most steps that an error names.
_MOST_NAMED = 8


class Ends(NamedTuple):
    """The names of inputs and outputs, and their form.

    Attributes:
        inputs: names in the order of the program's inputs.
        outputs: likewise.
        channels_first: whether those of four axes have their channels first in the file.
    """

    inputs: Sequence[str]
    outputs: Sequence[str]
    channels_first: bool = False


def program_graph(
    program: Program,
    ends: Ends,
    free: Mapping[str, frozenset[int]] = {},
    fixed: Collection[str] = (),
) -> WrittenGraph:
    """Return a program as a graph.

    Args:
        program: the program.
        ends: names of inputs and outputs.
        free: axes of free length, by reference of the values that have some.
        fixed: constants that do not train.

    Raises:
        CoreError: steps have no counterpart in ONNX; all are named.
    """
    steps, specs, free = _plain_steps(program, free)
    _check_dtypes(steps, specs)
    reserved = (*ends.inputs, *ends.outputs)
    filters = _filters_of_integers(program)
    writer = GraphWriter(specs, program.constants, free, reserved, filters, fixed)
    inputs = []
    for reference, name in zip(program.inputs, ends.inputs, strict=True):
        first = ends.channels_first and writer.rank(reference) == 4
        writer.keep(reference, name, first=first)
        inputs.append(_value(writer, reference, name, first=first))
        if inputs[-1].dims[:1] == (None,):
            writer.batched_input = name
    _write_steps(writer, steps)
    return _with_names(writer, inputs, _outputs(writer, program, ends))


def _filters_of_integers(program: Program) -> set[str]:
    """Return the filters and matrices of products of integers."""
    products = [s for s in program.steps if any(e.op == REQUANTISE for e in s.epilogue)]
    return {step.inputs[1] for step in products if len(step.inputs) > 1}


def _write_steps(writer: GraphWriter, steps: Sequence[Step]) -> None:
    faults: dict[str, list[str]] = {}
    for step in steps:
        writer.part = step.name
        try:
            if step.op.name not in RULES:
                raise NotWrittenError(step.op.name)
            RULES[step.op.name](writer, step)
        except NotWrittenError as error:
            faults.setdefault(str(error), []).append(step.name)
            for reference in step.outputs:
                writer.keep(reference, reference)
    if faults:
        raise CoreError(_listed(faults))


def _listed(faults: Mapping[str, Sequence[str]]) -> str:
    """Return the text of an error.

    >>> _listed({"fft": ["a", "b"]})
    'there is no counterpart in ONNX for fft (a, b): name outputs before it by outputs=, ...
    """
    parts = []
    for reason, names in faults.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        parts.append(f"{reason} ({', '.join(names[:_MOST_NAMED])}{more})")
    return (
        f"there is no counterpart in ONNX for {'; '.join(parts)}: name outputs before it by "
        f"outputs=, or keep the model in its present format"
    )


def _check_dtypes(steps: Sequence[Step], specs: Mapping[str, Spec]) -> None:
    for step in steps:
        for reference in (*step.reads(), *step.outputs):
            if specs[reference].dtype not in ELEMENT_TYPES:
                raise CoreError(
                    f"{step.name} ({step.op.name}) has values of {specs[reference].dtype}, which "
                    f"the ONNX files written here do not hold: name outputs before it by outputs="
                )


def _outputs(writer: GraphWriter, program: Program, ends: Ends) -> list[tuple[str, WrittenValue]]:
    """Return for each output the present name of its value, and the declaration."""
    made: list[tuple[str, WrittenValue]] = []
    taken = set[str]()
    for reference, name in zip(program.outputs, ends.outputs, strict=True):
        first = ends.channels_first and writer.rank(reference) == 4
        writer.part = name
        present = writer.form(reference, first=first)
        is_result = any(present in node.outputs for node in writer.nodes)
        if not is_result or present in taken:  # an input, a constant, or another output
            present = writer.node("Identity", present)
        taken.add(present)
        made.append((present, _value(writer, reference, name, first=first)))
    return made


def _value(writer: GraphWriter, reference: str, name: str, *, first: bool) -> WrittenValue:
    dims = writer.dims(reference)
    dims = tuple(dims[i] for i in to_first(len(dims))) if first else dims
    return WrittenValue(name, writer.dtype(reference), dims)


def _with_names(
    writer: GraphWriter,
    inputs: Sequence[WrittenValue],
    outputs: Sequence[tuple[str, WrittenValue]],
) -> WrittenGraph:
    """Return the graph whose results have the names of the outputs."""
    names = {present: value.name for present, value in outputs}
    nodes = [node.renamed(names) for node in writer.nodes]
    read = {name for node in nodes for name in node.inputs}
    weights, numbers = (
        {name: array for name, array in each.items() if name in read}
        for each in (writer.initializers, writer.numbers)
    )
    return WrittenGraph(nodes, weights, numbers, inputs, [value for _, value in outputs])


def unique_ends(inputs: Sequence[str], outputs: Sequence[str]) -> Ends:
    """Return names for inputs and outputs that differ from each other, as ONNX needs.

    >>> unique_ends(["x"], ["x", "y"]).outputs
    ['x_1', 'y']
    """
    names = UniqueNames()
    first = [names.unique(name, as_is=True) for name in inputs]
    return Ends(first, [names.unique(name, as_is=True) for name in outputs])


# --- steps ----------------------------------------------------------------------------------------


def _plain_steps(
    program: Program, free: Mapping[str, frozenset[int]]
) -> tuple[list[Step], dict[str, Spec], dict[str, frozenset[int]]]:
    """Return steps without epilogues, each with its bias; specs and free axes of all values."""
    specs, axes = dict(program.specs), dict(free)
    steps: list[Step] = []
    for step in program.steps:
        if not step.outputs:  # parts of an empty axis
            continue
        for made in _chain(_with_bias(step, program)):
            specs.setdefault(made.name, specs[step.name])
            if step.name in axes:
                axes.setdefault(made.name, axes[step.name])
            steps.append(made)
    return steps, specs, axes


def _chain(step: Step) -> Iterator[Step]:
    """Yield a step and those of its epilogue, each with a reference of its own."""
    before, last = "", len(step.epilogue)
    for i, part in enumerate((step, *step.epilogue)):
        name = step.name if i == last else f"{step.name}#{i}"
        inputs = tuple(before if reference == HERE else reference for reference in part.inputs)
        yield part._replace(inputs=inputs, epilogue=(), outputs=(name, *part.outputs[1:]))
        before = name


def _with_bias(step: Step, program: Program) -> Step:
    """Return a step that takes the bias that its epilogue begins with as another input."""
    if step.op.name not in WITH_BIAS or not step.epilogue or step.epilogue[0].op.name != "add":
        return step
    (bias, *others) = (r for r in step.epilogue[0].inputs if r != HERE)
    shape = program.specs[step.name].shape
    whole = (*(1,) * (len(shape) - 1), shape[-1])
    if others or program.specs[bias].shape not in (whole[-1:], whole):
        return step
    if bias not in program.constants or step.attributes.get("data_format", "N_C")[1] == "C":
        return step
    return step._replace(inputs=(*step.inputs, bias), epilogue=step.epilogue[1:])
