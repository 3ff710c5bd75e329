"""Lowers and runs one node as a plan would, and the eager op beside it.

step = node("conv2d", "x", "filter", pad="same", epilogue=[node("relu", HERE)])
arrays = {"x": x, "filter": filter}
check(step, arrays, constants=("filter",), margins={"x": ((1, 1), (1, 1))})
"""

import tracemalloc
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from core.backends.cpu.lowering.table import Call, Lowered, Views, Work, find_lowering, numpy_dtype
from core.dtypes import dtype_of
from core.geometry import Sides
from core.graph.nodes import Node
from core.kernels import OPS
from core.plan.program import ABSENT, HERE, Program, epilogue_of
from core.specs import Spec

Arrays = Mapping[str, np.ndarray]

#: What a run may take for itself, in bytes: views, iterators and counters of NumPy.
SMALL = 8192


class Run(NamedTuple):
    """What a lowered node gave, what it was named, and how many bytes its second run took."""

    results: list[np.ndarray]
    kernel: str
    peak: int


def node(
    op: str, *inputs: str, name: str = "y", epilogue: Iterable[Node] = (), **attributes: Any
) -> Node:
    """A node of a program, with all attributes of its op."""
    steps = {"epilogue": tuple(epilogue)} if epilogue else {}
    return Node(name, op, inputs, {**OPS[op].defaults, **attributes, **steps})


def expected(step: Node, arrays: Arrays) -> list[np.ndarray]:
    """The results of the eager ops; the epilogue is applied to the first."""
    first, *others = _eager(step, arrays)
    for each in epilogue_of(step):
        first = _eager(each, {**arrays, HERE: first})[0]
    return [first, *others]


def _eager(step: Node, arrays: Arrays) -> list[np.ndarray]:
    op = OPS[step.type]
    inputs: list[Any] = [None if i == ABSENT else arrays[i] for i in step.inputs]
    if op.list_inputs:
        inputs = [inputs]
    attributes = {k: v for k, v in step.attributes.items() if k != "epilogue"}
    found = op(*inputs, **attributes)
    return [t.numpy() for t in (found if isinstance(found, tuple | list) else [found])]


def call_of(
    step: Node,
    arrays: Arrays,
    constants: Collection[str] = (),
    margins: Mapping[str, Sides] | None = None,
) -> Call:
    """The node as it is given to a lowering; the specs of results are those of the eager op."""
    found = {_reference(step, i): r for i, r in enumerate(expected(step, arrays))}
    specs = {r: Spec(a.shape, dtype_of(a)) for r, a in {**arrays, **found}.items()}
    given = {r: a for r, a in arrays.items() if r in constants}
    inputs = tuple(r for r in arrays if r not in constants)
    return Call(step, Program((step,), given, specs, inputs, tuple(found)), margins or {})


def _reference(step: Node, index: int) -> str:
    return f"{step.name}:{index}" if index else step.name


def lower(call: Call) -> Lowered | None:
    """What the lowering of the node's op makes of it."""
    lowering = find_lowering(call.node.type)
    return lowering and lowering(call)


def run(
    step: Node,
    arrays: Arrays,
    constants: Collection[str] = (),
    margins: Mapping[str, Sides] | None = None,
    in_place: str = "",
) -> Run | None:
    """Lower a node and run it twice, over scratch and results that hold anything.

    Args:
        step: the node.
        arrays: its inputs and those of its epilogue, by reference.
        constants: those of them that are known when a plan is made.
        margins: pixels of zeros around inputs and results, by reference.
        in_place: the input whose buffer the result gets, if any.

    Returns:
        None where the op has no lowering, or not for this node.
    """
    call = call_of(step, arrays, constants, margins)
    lowered = lower(call)
    if lowered is None:
        return None
    memory = _Memory(call, lowered, arrays, in_place)
    works = lowered.bind(memory.views)
    peaks = []
    for filler in (np.nan, 1e30):
        memory.prepare(filler)
        peaks.append(_peak(works))
        memory.check()
    return Run([r.copy() for r in memory.results], lowered.kernel, peaks[1])


class _Memory:
    """The arrays of one workspace."""

    def __init__(self, call: Call, lowered: Lowered, arrays: Arrays, in_place: str):
        self.call, self.arrays = call, arrays
        self.results = []
        self.scratch = [np.empty(s.shape, s.dtype) for s in lowered.scratch]
        self.wholes: dict[str, np.ndarray] = {}
        values: dict[str, np.ndarray] = {r: self._placed(r) for r in arrays}
        for reference in call.program.outputs:
            shared = in_place and reference == call.node.name
            values[reference] = values[in_place] if shared else self._placed(reference)
            self.results.append(values[reference])
        self.in_place = in_place
        self.views = Views(values, self.wholes, self.scratch)

    def _placed(self, reference: str) -> np.ndarray:
        """Room for a value, with its margin of zeros."""
        spec, dtype = self.call.spec(reference), numpy_dtype(self.call.spec(reference))
        (top, bottom), (left, right) = self.call.margin(reference)
        if not any((top, bottom, left, right)):
            return np.empty(spec.shape, dtype)
        n, height, width, channels = spec.shape
        whole = np.zeros((n, top + height + bottom, left + width + right, channels), dtype)
        self.wholes[reference] = whole
        return whole[:, top : top + height, left : left + width]

    def prepare(self, filler: float) -> None:
        """Inputs as they are given, and something in the place of all else."""
        for array in (*self.results, *self.scratch):
            array[...] = filler if array.dtype.kind in "fc" else True
        for reference, array in self.arrays.items():
            self.views[reference][...] = array

    def check(self) -> None:
        """Nothing is written but the results."""
        for reference, array in self.arrays.items():
            if reference != self.in_place:
                np.testing.assert_array_equal(self.views[reference], array)
        for reference, whole in self.wholes.items():
            sides = ((0, 0), *self.call.margin(reference), (0, 0))
            inside = tuple(slice(a, n - b) for (a, b), n in zip(sides, whole.shape, strict=True))
            outside = np.ones(whole.shape, bool)
            outside[inside] = False
            assert not whole[outside].any(), f"something was written beside {reference}"


def _peak(works: list[Work]) -> int:
    """How many bytes the works take while they run."""
    with np.errstate(all="ignore"):
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            for work in works:
                work()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()


def check(
    step: Node,
    arrays: Arrays,
    constants: Collection[str] = (),
    margins: Mapping[str, Sides] | None = None,
    in_place: str = "",
    exact: bool = False,
) -> Run:
    """Lower and run a node, and compare with the eager op; sums to 1e-5 of their range."""
    found = run(step, arrays, constants, margins, in_place)
    assert found is not None, f"{step} is not lowered"
    compare: Callable[..., None] = np.testing.assert_array_equal
    for ours, theirs in zip(found.results, expected(step, arrays), strict=True):
        if not exact and theirs.dtype.kind in "fc":
            finite = np.abs(theirs[np.isfinite(theirs)])
            bound = 1e-5 * float(finite.max(initial=0)) + 1e-30
            compare = partial(np.testing.assert_allclose, rtol=0, atol=bound)
        compare(ours, theirs)
    assert found.peak <= SMALL, f"{found.kernel} took {found.peak} bytes while it ran"
    return found


def random_windows(rng: np.random.Generator) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Batch, height, width, filter height and width, and how windows lie: those that fit."""
    n, high, wide = (int(v) for v in rng.integers(1, 4, 3))
    strides = tuple(int(v) for v in rng.integers(1, 4, 2))
    dilations = tuple(int(v) for v in rng.integers(1, 4, 2)) if strides == (1, 1) else 1
    sides = tuple((int(a), int(b)) for a, b in rng.integers(0, 4, (2, 2)))
    pad = ("same", "valid", 2, sides)[rng.integers(4)]
    height, width = (int(v) for v in rng.integers(7, 20, 2))
    return (n, height, width, high, wide), {"strides": strides, "dilations": dilations, "pad": pad}


def random_margins(rng: np.random.Generator, *references: str) -> dict[str, Sides]:
    """Some of the values with margins."""
    some = [r for r in references if rng.integers(2)]
    return {r: tuple((int(a), int(b)) for a, b in rng.integers(0, 4, (2, 2))) for r in some}
