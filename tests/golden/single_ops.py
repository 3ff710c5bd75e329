"""Each op of a quantised file alone, fed with what LiteRT's reference kernels had."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.graph_model.graph_model import GraphModel
from tests.golden.litert import Ran, Reference
from tests.golden.staged import Staged, cases, loaded, read_golden

#: Quantised outputs, in quanta; a little more than 1, as they are compared in float32.
QUANTUM = 1.001
#: Float outputs, relative to their range.
FLOAT_BOUND = 1e-5


class Measured(NamedTuple):
    """How far an output of an op is from the reference kernel's."""

    type: str
    tensor: str
    error: float
    bound: float
    others: int = 0  # values that are another quantum
    values: int = 0

    @property
    def holds(self) -> bool:
        """Whether it is near enough."""
        return bool(self.error <= self.bound)


def quantised_files() -> list[tuple[Staged, str]]:
    """Every quantised file that LiteRT runs without more custom ops, with its first golden."""
    quantised = {"quantised", "keypoints", "detections"}
    first: dict[str, tuple[Staged, str]] = {}
    for staged, name in cases():
        if staged.rule in quantised and "512_512" not in staged.file:
            first.setdefault(staged.path, (staged, name))
    return list(first.values())


def measure_ops(
    weights: Path, staged: Staged, name: str, *, each_type_once: bool = False
) -> Iterator[Measured]:
    """Measure the ops of a file on the input of a golden.

    Args:
        weights: folder of the staged models.
        staged: the model.
        name: of the golden.
        each_type_once: only the first op of each type.

    Yields:
        A `Measured` for each output of each op.
    """
    reference = run_reference(weights, staged, name)
    model, seen = loaded(weights / staged.path), set()
    computed = {o for op in reference.ops() for o in op.outputs}
    computed |= {d["index"] for d in reference.interpreter.get_input_details()}
    for op in reference.ops():
        if not (each_type_once and op.type in seen):
            yield from _measure(reference, model, op, computed)
        seen.add(op.type)


def run_reference(weights: Path, staged: Staged, name: str) -> Reference:
    """The file on the reference kernels, after it ran on the golden's input."""
    given = read_golden(weights, staged, name).input
    if staged.before:
        first = Reference(weights / staged.folder / staged.before)
        first.run(given)
        given = first.interpreter.get_tensor(first.interpreter.get_output_details()[0]["index"])
    reference = Reference(weights / staged.path, keep_all=True)
    reference.run(given)
    return reference


def _measure(
    reference: Reference, model: GraphModel, op: Ran, computed: set[int]
) -> Iterator[Measured]:
    names = {i: reference.details[i]["name"] for i in (*op.inputs, *op.outputs)}
    feeds = {names[i]: _fed(reference, i) for i in op.inputs if i in computed}
    found = model.execute(feeds, [names[i] for i in op.outputs])
    for index in op.outputs:
        theirs, ours = reference.real(index), found[names[index]].numpy()
        assert ours.shape == theirs.shape, f"{op.type} {names[index]}: {ours.shape} {theirs.shape}"
        quanta = reference.scale(index)
        away = np.abs(ours.astype(np.float64) - theirs)
        error = float(np.max(away, initial=0))
        if reference.details[index]["dtype"] == np.float32:
            extent = np.ptp(theirs) or np.abs(theirs).max() or 1
            yield Measured(op.type, names[index], error / extent, FLOAT_BOUND)
        elif quanta:
            others = int(np.count_nonzero(away > quanta[0] / 2))
            yield Measured(op.type, names[index], error / quanta[0], QUANTUM, others, ours.size)
        else:
            yield Measured(op.type, names[index], error, 0)


def _fed(reference: Reference, index: int) -> np.ndarray:
    """The values of a tensor; whole numbers are int32, but for the input of the file."""
    (given,) = reference.interpreter.get_input_details()
    if index == given["index"]:
        return reference.interpreter.get_tensor(index)
    value = reference.real(index)
    return value if value.dtype in (np.float32, np.bool_) else value.astype(np.int32)
