"""Lowers and runs one step as a plan would, and the eager op beside it.

step = node("conv2d", "x", "filter", pad="same", epilogue=[node("relu", HERE)])
arrays = {"x": x, "filter": filter}
check(step, arrays, constants=("filter",), margins={"x": ((1, 1), (1, 1))})
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Views,
    Work,
    find_lowering,
    numpy_dtype,
    padded_shape,
)
from core.backends.cpu.numpy_steps.thread_pool import ParallelTasks
from core.engine.dtypes import dtype_of
from core.engine.program import ABSENT, HERE, Program, Step
from core.engine.registry import OPS
from core.engine.specs import Shape, Spec
from core.engine.windows import Sides
from tests.core.plan.plan_threads import one_blas_thread
from tests.helpers import peak_of

Arrays = Mapping[str, np.ndarray]

#: What a run may take for itself, in bytes: views, iterators and counters of NumPy.
SMALL = 8192


#: Of values that have pixels of zeros around their images, differently on each side.
MARGIN: Sides = ((1, 2), (2, 1))

#: What scratch and results hold before a run, and in the place of whole numbers.
FILLERS = (np.nan, 1e30, -1e30, 0.0)
WHOLE_FILLER = 0x67

#: Around each array lie so many bytes of that value, which nobody writes to.
GUARD_BYTES, GUARD = 256, 0xA5


class Run(NamedTuple):
    """What a lowered node gave, what it was named, and how many bytes its last run took."""

    results: list[np.ndarray]
    kernel: str
    peak: int


def node(
    op: str, *inputs: str, name: str = "y", epilogue: Iterable[Step] = (), **attributes: Any
) -> Step:
    """A step of a program, with all attributes of its op."""
    attributes = {**OPS[op].defaults, **attributes}
    return Step(OPS[op], inputs, attributes, tuple(epilogue), (name,))


def expected(step: Step, arrays: Arrays) -> list[np.ndarray]:
    """The results of the eager ops; the epilogue is applied to the first."""
    first, *others = _eager(step, arrays)
    for each in step.epilogue:
        first = _eager(each, {**arrays, HERE: first})[0]
    return [first, *others]


def _eager(step: Step, arrays: Arrays) -> list[np.ndarray]:
    inputs = step.arguments([None if i == ABSENT else arrays[i] for i in step.inputs])
    with one_blas_thread():  # as in plans; several make tests slow on a busy machine
        found = step.op(*inputs, **step.attributes)
    return [t.numpy() for t in (found if isinstance(found, tuple | list) else [found])]


def call_of(
    step: Step,
    arrays: Arrays,
    constants: Collection[str] = (),
    margins: Mapping[str, Sides] | None = None,
) -> NumpyCall:
    """The node as it is given to a lowering; the specs of results are those of the eager op."""
    results = expected(step, arrays)
    step = with_outputs(step, len(results))
    found = dict(zip(step.outputs, results, strict=True))
    specs = {r: Spec(a.shape, dtype_of(a)) for r, a in {**arrays, **found}.items()}
    given = {r: a for r, a in arrays.items() if r in constants}
    inputs = tuple(r for r in arrays if r not in constants)
    return NumpyCall(step, Program((step,), given, specs, inputs, tuple(found)), margins or {})


def with_outputs(step: Step, count: int) -> Step:
    """The step with names for so many results."""
    return step._replace(outputs=(step.name, *(f"{step.name}:{i}" for i in range(1, count))))


def lower(call: NumpyCall) -> Lowered | None:
    """What the lowering of the node's op makes of it."""
    lowering = find_lowering(call.step.op)
    return lowering and lowering(call)


def run(
    step: Step,
    arrays: Arrays,
    constants: Collection[str] = (),
    margins: Mapping[str, Sides] | None = None,
    in_place: str = "",
) -> Run | None:
    """Lower a node and run it over scratch and results that hold anything: always the same.

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
    works = _in_turns(lowered.bind(memory.views))
    found: list[list[np.ndarray]] = []
    for filler in FILLERS:
        memory.prepare(filler)
        with np.errstate(all="ignore"), one_blas_thread():
            [work() for work in works]
        memory.check()
        found.append([result.copy() for result in memory.results])
        for result, first in zip(found[-1], found[0], strict=True):
            np.testing.assert_array_equal(result, first, f"{lowered.kernel} over {filler}")
    return Run(found[0], lowered.kernel, _peak(works))


def _in_turns(works: list[Work]) -> list[Work]:
    """Tasks do one call each in turn, so that it shows if one writes where another reads."""
    return [single for work in works for single in _singles(work)]


def _singles(work: Work) -> list[Work]:
    if not isinstance(work, ParallelTasks):
        return [work]
    turns = chain.from_iterable(zip_longest(*work.tasks))
    return [single for single in turns if single is not None]


class _Memory:
    """The arrays of one workspace, each between bytes that nobody may write to."""

    def __init__(self, call: NumpyCall, lowered: Lowered, arrays: Arrays, in_place: str):
        self.call, self.arrays, self.in_place = call, arrays, in_place
        self.results = []
        self._guards: list[np.ndarray] = []
        self.scratch = [self._guarded(s.shape, np.dtype(s.dtype)) for s in lowered.scratch]
        self.wholes: dict[str, np.ndarray] = {}
        values: dict[str, np.ndarray] = {r: self._placed(r) for r in arrays}
        for reference in call.program.outputs:
            shared = in_place and reference == call.step.name
            values[reference] = values[in_place] if shared else self._placed(reference)
            self.results.append(values[reference])
        self.views = Views(values, self.wholes, self.scratch)

    def _guarded(self, shape: Shape, dtype: np.dtype) -> np.ndarray:
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        raw = np.full(size + 2 * GUARD_BYTES + CACHE_LINE, GUARD, np.uint8)
        begin = GUARD_BYTES + -raw.ctypes.data % CACHE_LINE
        self._guards += [raw[:begin], raw[begin + size :]]
        return np.ndarray(shape, dtype, raw.data, begin)

    def _placed(self, reference: str) -> np.ndarray:
        """Room for a value, with its margin of zeros."""
        shape, dtype = self.call.spec(reference).shape, numpy_dtype(self.call.spec(reference))
        if not self.call.has_margin(reference):
            return self._guarded(shape, dtype)
        sides = self.call.margin(reference)
        whole = self._guarded(padded_shape(shape, sides), dtype)
        whole[...] = 0
        self.wholes[reference] = whole
        return whole[self._inside(reference)]

    def _inside(self, reference: str) -> tuple[slice, ...]:
        """Where the images of a value with a margin are."""
        sides, shape = self.call.margin(reference), self.call.spec(reference).shape[1:3]
        rows = (slice(a, a + n) for (a, _), n in zip(sides, shape, strict=True))
        return (slice(None), *rows)

    def prepare(self, filler: float) -> None:
        """Inputs as they are given, and something in the place of all else."""
        for array in (*self.results, *self.scratch):
            if array.dtype.kind in "fc":
                array[...] = filler
            else:  # whole numbers are large, and flags are set, but for the last
                pattern = np.full(array.dtype.itemsize, WHOLE_FILLER if filler else 0, np.uint8)
                array[...] = pattern.view("bool" if array.dtype == bool else array.dtype)[0]
        for reference, array in self.arrays.items():
            self.views[reference][...] = array

    def check(self) -> None:
        """Nothing is written but the results."""
        for reference, array in self.arrays.items():
            if reference != self.in_place:
                np.testing.assert_array_equal(self.views[reference], array)
        for reference, whole in self.wholes.items():
            outside = np.ones(whole.shape, bool)
            outside[self._inside(reference)] = False
            assert not whole[outside].any(), f"something was written beside {reference}"
        assert all((guard == GUARD).all() for guard in self._guards), "written beside an array"


def _peak(works: list[Work]) -> int:
    """How many bytes the works take while they run."""

    def one_after_the_other() -> None:
        for work in works:
            work()

    with np.errstate(all="ignore"), one_blas_thread():
        return peak_of(one_after_the_other, SMALL)[1]


def check(
    step: Step,
    arrays: Arrays,
    constants: Collection[str] = (),
    margins: Mapping[str, Sides] | None = None,
    in_place: str = "",
    exact: bool = False,
) -> Run:
    """Lower and run a node, and compare with the eager op; sums to 1e-5 of their range."""
    found = run(step, arrays, constants, margins, in_place)
    assert found is not None, f"{step} is not lowered"
    for ours, theirs in zip(found.results, expected(step, arrays), strict=True):
        assert ours.dtype == theirs.dtype
        if exact or theirs.dtype.kind not in "fc":
            np.testing.assert_array_equal(ours, theirs)
        else:
            finite = np.abs(theirs[np.isfinite(theirs)])
            bound = 1e-5 * float(finite.max(initial=0)) + 1e-30
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)
    assert found.peak <= SMALL, f"{found.kernel} took {found.peak} bytes while it ran"
    return found


def numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Float32 numbers around 0."""
    return rng.standard_normal(shape).astype(np.float32)


class Windows(NamedTuple):
    """Images, a size of windows over them, and how those lie."""

    images: Shape  # without the channels
    size: tuple[int, int]
    how: dict[str, Any]


def random_windows(rng: np.random.Generator) -> Windows:
    """Windows that fit: larger and smaller than their strides, and of just one size of images."""
    size = tuple(int(v) for v in rng.integers(1, 6, 2))
    strides = tuple(int(v) for v in rng.integers(1, 6, 2)) if rng.integers(4) else (1, 1)
    dilations = tuple(int(v) for v in rng.integers(1, 4, 2)) if strides == (1, 1) else (1, 1)
    sides = tuple((int(a), int(b)) for a, b in rng.integers(0, 4, (2, 2)))
    how = {"strides": strides, "pad": ("same", "valid", 2, sides)[rng.integers(4)]}
    if max(dilations) > 1:
        how["dilations"] = dilations
    if how["pad"] not in ("same", "valid"):
        how["dim_rounding_mode"] = (None, "floor", "ceil", "round")[rng.integers(4)]
    least = ((n - 1) * d + 1 for n, d in zip(size, dilations, strict=True))
    lengths = (n + int(rng.integers(0, 14)) for n in least)
    return Windows((int(rng.integers(1, 4)), *lengths), size, how)


def random_margins(rng: np.random.Generator, *references: str) -> dict[str, Sides]:
    """Some of the values with margins."""
    some = [r for r in references if rng.integers(2)]
    return {r: tuple((int(a), int(b)) for a, b in rng.integers(0, 4, (2, 2))) for r in some}
