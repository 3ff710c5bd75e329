"""The networks of the zoo as cases of `zoo_networks`: what they are given, and in which forms."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zoo
from core.converter.onnx_writer.graph_writer import to_first, to_last
from core.converter.onnx_writer.program_graph import Ends, program_graph
from core.converter.onnx_writer.protos import ModelFacts, WrittenGraph, model_parts
from core.errors import CoreError
from core.plan.plan import Plan
from tests.benchmarks.networks.network_sides import (
    EXPORT,
    EXPORT_FEEDS,
    FEEDS,
    OURS,
    Case,
    output_file,
    write_case,
)
from zoo.catalog.entries import find_entry
from zoo.pipeline.model import Model

#: The photo that networks of images are given.
PHOTO = Path(zoo.__file__).parent / "samples" / "astronaut.jpg"


class Prepared(NamedTuple):
    """A network whose case is written.

    Attributes:
        folder: the case.
        sides: the runtimes that can run it.
        expected: the outputs that ours gives in this process.
        is_quantised: whether its file has integers for activations.
        first: of the outputs of the ONNX model, in order, whether their channels come first.
        missing: why there is no ONNX model; "" if there is one.
    """

    folder: Path
    sides: list[str]
    expected: list[np.ndarray]
    is_quantised: bool
    first: list[bool]
    missing: str


def prepare(name: str, weights: Path, folder: Path) -> Prepared:
    """Write the case of a network of the zoo; what is expected is of the tier of this process.

    Args:
        name: of the model.
        weights: the folder of all records.
        folder: of the case.
    """
    model = zoo.load(name)
    network, given = model.network, network_input(model)
    plan = network.plan(given)
    feeds, outputs = _task(model, plan, given)
    np.savez(folder / FEEDS, **feeds)
    files = _files(name, weights)
    write_case(folder, Case(name, outputs, files))
    exported, missing = _exported(network.plan(feeds, outputs), feeds, folder)
    sides = [OURS, *["litert"] * bool(files), *["onnxruntime"] * bool(exported)]
    return Prepared(
        folder,
        sides,
        [*network.execute(feeds, outputs, as_arrays=True).values()],
        any(step.op.name == "quantise_round" for step in _all_steps(plan)),
        [len(value.dims) == 4 for value in exported.outputs] if exported else [],
        missing,
    )


def network_input(model: Model) -> np.ndarray:
    """Return what a network is given for the photo, or seeded values if it takes no image."""
    (spec,) = model.inputs.values()
    if spec.shape is not None and len(spec.shape) == 4:
        return np.asarray(model.network_input(str(PHOTO)))
    shape = [n or 1 for n in spec.shape or ()]
    return np.random.default_rng(7).uniform(-1, 1, shape).astype(np.float32)


def _task(model: Model, plan: Plan, given: np.ndarray) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return what is fed to a network, and what it is asked for.

    It is the whole network unless its plan is one of several stages: then seeded values for what
    that stage reads, and what it gives, as plans and ONNX have no counterpart for the rest. A
    network with a file for LiteRT is always whole.
    """
    (name,) = model.inputs
    read = {reference for step in _all_steps(plan) for reference in step.inputs}
    references = dict(zip(plan.inputs, plan.program.inputs, strict=True))
    feeds = {reference: plan.inputs[reference] for reference, p in references.items() if p in read}
    if len(references) == 1 or find_entry(model.name).file:
        return {name: given}, [*model.network.outputs]
    rng = np.random.default_rng(7)
    drawn = {r: rng.uniform(-1, 1, spec.shape).astype(np.float32) for r, spec in feeds.items()}
    return drawn, [*plan.outputs]


def _all_steps(plan: Plan) -> list[Any]:
    return [part for step in plan.program.steps for part in (step, *step.epilogue)]


def _files(name: str, weights: Path) -> list[str]:
    """Return the TFLite files of a network; none if there are none that LiteRT can run."""
    entry = find_entry(name)
    names = [file for file in (entry.file, entry.head) if file.endswith(".tflite")]
    files = [str(weights / entry.weights / file) for file in names]
    try:
        from ai_edge_litert.interpreter import Interpreter

        for file in files:
            Interpreter(file, num_threads=1).allocate_tensors()
    except (RuntimeError, ValueError):  # an op that LiteRT lacks
        return []
    return files


def _exported(
    plan: Plan, feeds: dict[str, np.ndarray], folder: Path
) -> tuple[WrittenGraph | None, str]:
    """Write a network for ONNX Runtime; return the graph, or why there is none.

    Images have their channels first, inputs and outputs too.
    """
    program = plan.program
    outputs = [f"output_{i}" for i, _ in enumerate(program.outputs)]
    try:
        made = program_graph(program, Ends(program.inputs, outputs, channels_first=True))
    except CoreError as error:
        return None, str(error)
    (folder / EXPORT).write_bytes(b"".join(model_parts(made, ModelFacts())))
    given = dict(zip(program.inputs, feeds.values(), strict=True))
    turned = {
        value.name: np.ascontiguousarray(given[value.name].transpose(to_first(4)))
        if len(value.dims) == 4
        else given[value.name]
        for value in made.inputs
    }
    np.savez(folder / EXPORT_FEEDS, **turned)
    return made, ""


def apart(prepared: Prepared, side: str) -> float:
    """Return how far the outputs of a side are from those that are expected.

    Runtimes give them in orders of their own: each counts beside the nearest one of its shape.

    Args:
        prepared: the case, to which the side has written.
        side: name of the runtime.

    Returns:
        The largest difference, as part of the range of its output with 0 in it, of at least 0.01.
    """
    with np.load(output_file(prepared.folder, side)) as arrays:
        found = [arrays[name] for name in arrays.files]
    if side == "onnxruntime":
        turns = zip(found, prepared.first, strict=True)
        found = [value.transpose(to_last(4)) if first else value for value, first in turns]
    return max(min(_distance(value, e) for e in prepared.expected) for value in found)


def _distance(value: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference of two arrays, as part of the range of the second."""
    if value.shape != expected.shape:
        return float("inf")
    span = max(expected.max(), 0) - min(expected.min(), 0)
    return float(abs(value - expected).max() / max(span, 0.01))
