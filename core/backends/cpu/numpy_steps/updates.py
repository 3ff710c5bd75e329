"""Inputs that a run updates: an output that replaces an input reuses its memory if possible."""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from weakref import ref

import numpy as np

from core.engine.program import Program, Step


class PlacedStep(Protocol):
    """A step of an executable."""

    @property
    def name(self) -> str:
        """Return the reference to its first result."""

    @property
    def step(self) -> Step:
        """Return the step of the program."""

    @property
    def before(self) -> tuple[Step, ...]:
        """Return earlier steps that are computed with it."""

    @property
    def in_place(self) -> bool:
        """Return whether it reads each value before it writes a result at that index."""


class Updates(NamedTuple):
    """The way in which a run replaces inputs.

    Attributes:
        bound: numbers of inputs that steps read, or write, where the caller's array lies.
        owners: outputs that are written over an input, by reference.
        pairs: for each output that replaces an input, by number: the number of that input.
        late: pairs of the numbers of an input and of the output that is copied there at the end.
    """

    bound: tuple[int, ...]
    owners: Mapping[str, str]
    pairs: Mapping[int, int]
    late: tuple[tuple[int, int], ...]


def plan_updates(
    program: Program, steps: Sequence[PlacedStep], owners: Mapping[str, str], *, can_bind: bool
) -> Updates:
    """Return the plan for the inputs that a run replaces.

    An output is written over its input by the step that computes it if no later step reads the
    input. Others are copied there at the end of the run.

    Args:
        program: the program.
        steps: its steps as they run.
        owners: for each value the value that owns its data.
        can_bind: whether steps may work on arrays outside of the arena.
    """
    pairs = {output: number for number, output in program.updates}
    if not can_bind:
        return Updates((), {}, pairs, tuple((number, output) for output, number in pairs.items()))
    bound = tuple(i for i in pairs.values() if program.specs[program.inputs[i]].size)
    last_read = dict.fromkeys((program.inputs[i] for i in bound), -1)
    made: dict[str, int] = {}
    for index, step in enumerate(steps):
        for each in (*step.before, step.step):
            made.update(dict.fromkeys(each.outputs, index))
            last_read.update({owners[r]: index for r in each.reads() if owners[r] in last_read})
    output_owners = [owners[reference] for reference in program.outputs]
    taken: dict[str, str] = {}
    for output, number in pairs.items():
        source, target = program.inputs[number], output_owners[output]
        if number not in bound or target not in made or output_owners.count(target) > 1:
            continue
        index = made[target]
        is_last = last_read[source] < index
        if source not in output_owners and (
            is_last or (last_read[source] == index and steps[index].in_place)
        ):
            taken[target] = source
    late = ((number, o) for o, number in pairs.items() if program.outputs[o] not in taken)
    return Updates(bound, taken, pairs, tuple(late))


def uncounted(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that does not count as its owner; it must not outlive the array."""
    memory = memoryview((ctypes.c_char * array.nbytes).from_address(array.ctypes.data))
    return np.frombuffer(memory, array.dtype).reshape(array.shape)


class BoundArrays:
    """The arrays outside of its arena that a workspace works on.

    Args:
        feeds: the feeds of a run.
        numbers: which of them.
    """

    def __init__(self, feeds: Sequence[Any], numbers: Sequence[int]):
        self._arrays = [(number, ref(feeds[number])) for number in numbers]

    def are(self, feeds: Sequence[Any]) -> bool:
        """Return whether the arrays are the feeds' arrays."""
        return all(array() is feeds[number] for number, array in self._arrays)


def write_back(
    updates: Updates, feeds: Sequence[np.ndarray], outputs: Sequence[np.ndarray]
) -> None:
    """Copy the outputs that replace inputs and do not lie there yet."""
    # An output may be an input that another output replaces.
    values = [
        outputs[output].copy() if updates.bound else outputs[output] for _, output in updates.late
    ]
    for (number, _), value in zip(updates.late, values, strict=True):
        array = feeds[number]
        array.setflags(write=True)
        try:
            np.copyto(array, value)
        finally:
            array.setflags(write=False)
