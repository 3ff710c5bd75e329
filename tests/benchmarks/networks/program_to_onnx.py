"""A program of the engine as an ONNX model: the form in which ONNX Runtime gets a network.

Steps are taken after the passes of programs: constants are folded, batch norm is part of weights,
and a bias goes into its convolution. Images have their channels first throughout, inputs and
outputs too, so that nothing is transposed but before steps that change what an axis is.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from core.engine.program import HERE, Program, Step
from core.engine.specs import Shape
from tests.benchmarks.networks.onnx_rules import RULES, WITH_BIAS
from tests.benchmarks.networks.onnx_writer import (
    IR_VERSION,
    OPSET,
    TO_FIRST,
    NotExportedError,
    OnnxWriter,
)


class Export(NamedTuple):
    """An ONNX model.

    Attributes:
        content: of the file.
        inputs: for each input that a step reads whether its channels come first.
        outputs: likewise for each output.
    """

    content: bytes
    inputs: dict[str, bool]
    outputs: dict[str, bool]


def export(program: Program) -> Export:
    """Return a program as an ONNX model, in which inputs and outputs have their references.

    Raises:
        NotExportedError: a step has an op without a counterpart here; the message is its name.
    """
    from onnx import checker, helper

    steps, shapes = _plain_steps(program)
    writer = OnnxWriter(shapes, program.constants)
    read = {reference for step in steps for reference in step.inputs}
    given = [_input(writer, reference) for reference in program.inputs if reference in read]
    for step in steps:
        if step.op.name not in RULES:
            raise NotExportedError(step.op.name)
        RULES[step.op.name](writer, step)
    wanted = [_output(writer, reference) for reference in dict.fromkeys(program.outputs)]
    graph = helper.make_graph(writer.nodes, "program", given, wanted, writer.initializers)
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
    checker.check_model(model, full_check=True)
    return Export(
        model.SerializeToString(),
        {value.name: writer.is_first(value.name) for value in given},
        {value.name: writer.is_first(value.name) for value in wanted},
    )


def _input(writer: OnnxWriter, reference: str) -> Any:
    first = len(writer.shape(reference)) == 4
    writer.keep(reference, reference, first=first)
    return _declared(writer, reference, first)


def _output(writer: OnnxWriter, reference: str) -> Any:
    form = writer.made(reference)
    writer.rename(form.name, reference)
    return _declared(writer, reference, form.first)


def _declared(writer: OnnxWriter, reference: str, first: bool) -> Any:
    from onnx import TensorProto, helper

    shape = writer.shape(reference)
    shape = tuple(shape[i] for i in TO_FIRST) if first else shape
    return helper.make_tensor_value_info(reference, TensorProto.FLOAT, shape)


def _plain_steps(program: Program) -> tuple[list[Step], dict[str, Shape]]:
    """Return steps without epilogues, each with its bias, and the shapes of all values."""
    shapes = {reference: spec.shape for reference, spec in program.specs.items()}
    steps: list[Step] = []
    for step in program.steps:
        chain = list(_chain(_with_bias(step, program)))
        shapes.update((made.name, shapes[step.name]) for made in chain)
        steps += chain
    return steps, shapes


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
    channels = program.specs[step.name].shape[-1]
    if others or program.specs[bias].shape not in ((channels,), (1, 1, 1, channels)):
        return step
    if bias not in program.constants:
        return step
    return step._replace(inputs=(*step.inputs, bias), epilogue=step.epilogue[1:])
