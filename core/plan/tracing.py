"""Tracing: nodes of a graph run without data, to record their ops for some shapes.

The engine runs them on a backend whose handles are names: rules give the shapes, functions of
several ops are recorded op by op, and results that depend on shapes and constants only are
computed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

import numpy as np

from core.engine.backend import Backend, Clock
from core.engine.backends import load_backend
from core.engine.dispatch import wrap
from core.engine.dtypes import dtype_of
from core.engine.generators import before_drawing
from core.engine.limits import LimitError
from core.engine.observers import unobserved
from core.engine.operation import Op
from core.engine.program import ABSENT, Program, Step
from core.engine.registry import OPS
from core.engine.run_guard import active_guard
from core.engine.settings import running_on
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.unique_names import UniqueNames
from core.plan.shared_arrays import shared

#: Results of constants with more values than this, and than the constants together, are computed at
#: each run, not kept.
MOST_FOLDED = 1 << 20

#: Begins the names of constants that are computed of no others, such as numbers in code.
NUMBER = "constant"

#: Ends the names of constants that are computed of others, behind the name of one.
COMPUTED = "/computed"


class DataDependentError(Exception):
    """A result depends on values that only a run with data has, or differs between runs."""


class Symbol:
    """A handle without data: the reference of a value in the program, or a constant's array.

    A constant gets its reference when an op that is not folded reads it. Its ``origin`` is the
    name that it was given, or of the largest of those constants that it is computed of.
    """

    __slots__ = ("array", "origin", "reference")

    def __init__(self, reference: str = "", array: np.ndarray | None = None, origin: str = ""):
        self.reference, self.array, self.origin = reference, array, origin


class Tracer(Backend):
    """A backend that records ops as steps of a program.

    Ops on constants are computed on the cpu backend, which takes no time to start.

    Args:
        epsilon: epsilon of the backend that the program is for.

    Attributes:
        steps: what was recorded.
        calls: how many calls of functions were recorded.
        constants: arrays that steps read, by reference.
        specs: of all values, by reference.
    """

    holds_data = False

    def __init__(self, epsilon: float):
        self._behind = load_backend("cpu")
        self.name, self.epsilon = self._behind.name, epsilon
        self.steps: list[Step] = []
        self.constants: dict[str, np.ndarray] = {}
        self.specs: dict[str, Spec] = {}
        self._inputs: list[str] = []
        self._names = UniqueNames()
        self._prefix = ""
        self._folded_bytes, self._is_done = 0, False
        self.calls = 0

    # --- what plans use ---------------------------------------------------------------------

    def input(self, name: str, spec: Spec) -> Tensor:
        """Return the handle of an input of the program."""
        if spec.dtype == "string":
            raise DataDependentError(f"takes strings as {name!r}")
        made = self.placeholder(name, spec)
        self._inputs.append(made.handle.reference)
        return made

    def placeholder(self, name: str, spec: Spec) -> Tensor:
        """Return the handle of a value that no step gives, for steps that are recorded `apart`."""
        return wrap(self, Symbol(self._named(name, spec)), spec)

    def value(self, reference: str) -> Tensor:
        """Return the handle of a known value."""
        return wrap(self, Symbol(reference), self.specs[reference])

    def constant(self, name: str, value: Tensor) -> Tensor:
        """Return the handle of a constant with a name."""
        return wrap(self, Symbol(name, np.asarray(value), name), value.spec)

    @contextmanager
    def recording(self, prefix: str) -> Iterator[None]:
        """Record the ops that run inside, under names with a prefix; after an error none of them.

        Raises:
            DataDependentError: an op cannot be recorded.
        """
        outer, before = self._prefix, len(self.steps)
        self._prefix = prefix
        try:
            with running_on(self), unobserved(), before_drawing(_refuse_drawing):
                yield
        except BaseException:
            del self.steps[before:]
            raise
        finally:
            self._prefix = outer

    @contextmanager
    def apart(self) -> Iterator[list[Step]]:
        """Record the ops that run inside as steps of a list of their own."""
        before, self.steps = self.steps, []
        try:
            yield self.steps
        finally:
            self.steps = before

    def program(self, outputs: Sequence[Tensor]) -> Program:
        """Return the recorded program, with these values as outputs; nothing is recorded later."""
        self._is_done = True
        wanted = tuple(self.reference(value.handle) for value in outputs)
        return Program(tuple(self.steps), self.constants, self.specs, tuple(self._inputs), wanted)

    def add_step(
        self,
        op: Op,
        inputs: Iterable[Symbol | None],
        attributes: Mapping[str, Any],
        results: Iterable[Spec],
    ) -> tuple[Symbol, ...]:
        """Record a step; return the handles of its results."""
        references = [ABSENT if each is None else self.reference(each) for each in inputs]
        while references and references[-1] is ABSENT:
            references.pop()
        name = self._names.unique(self._prefix or op.name, as_is=True)
        outputs = {f"{name}:{i}" if i else name: spec for i, spec in enumerate(results)}
        self.specs.update(outputs)
        self.steps.append(Step(op, tuple(references), dict(attributes), (), tuple(outputs)))
        return tuple(map(Symbol, outputs))

    def reference(self, symbol: Symbol) -> str:
        """Return the reference of a value; a constant is added to the program."""
        array = symbol.array
        if array is None:
            return symbol.reference
        if self.constants.get(symbol.reference) is not array:
            if not symbol.reference:  # it is not a weight itself
                array = symbol.array = shared(array)
            spec = Spec(array.shape, dtype_of(array))
            made = f"{symbol.origin}{COMPUTED}" if symbol.origin else NUMBER
            symbol.reference = self._named(symbol.reference or made, spec)
            self.constants[symbol.reference] = array
        return symbol.reference

    # --- as a backend -----------------------------------------------------------------------

    def upload(self, array: np.ndarray) -> Symbol:
        """Return the handle of an array, which becomes a constant."""
        return Symbol(array=array)

    def download(self, handle: Symbol, spec: Spec) -> np.ndarray:
        """Return the values of a constant."""
        if handle.array is None and self._is_done:
            raise CoreError(
                f"the tensor {handle.reference!r} is from the trace of a compiled function, and "
                f"has no values: let the function return it"
            )
        if handle.array is None:
            raise DataDependentError(f"reads the values of {handle.reference!r}")
        return handle.array

    def view(self, handle: Symbol, spec: Spec) -> Symbol:
        """Return the data in another shape: a constant, or the result of a new step."""
        if handle.array is not None:
            return Symbol(handle.reference, handle.array.reshape(spec.shape), handle.origin)
        return self.add_step(OPS["reshape"], [handle], {"shape": spec.shape}, (spec,))[0]

    def run(
        self,
        op: "Op",
        kernel: Callable[..., Any],
        handles: list[Any],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
        clock: Clock | None = None,
    ) -> Any:
        """Compute an op on constants; else record a step with the results of the rule."""
        if op.traits.random:
            raise DataDependentError(f"runs {op.name}, which draws random numbers")
        given = [h for handle in handles for h in (handle if type(handle) is list else [handle])]
        specs = (result,) if isinstance(result, Spec) else result
        known = [h.array for h in given if h is not None]
        if all(array is not None for array in known) and _may_fold(specs, known):
            arrays = [
                [h.array for h in handle] if type(handle) is list else handle and handle.array
                for handle in handles
            ]
            found: Any = self._behind.run(op, kernel, arrays, attributes, result)
            self._count(found)
            origin = _origin(given)
            if isinstance(found, tuple):
                return tuple(Symbol(array=array, origin=origin) for array in found)
            return Symbol(array=found, origin=origin)
        if specs is None or any(s.dtype == "string" for s in specs):
            raise DataDependentError(f"runs {op.name}, whose result depends on values")
        if op.list_inputs and len(op.inputs) > 1:
            # Steps do not keep a list apart from other inputs.
            raise DataDependentError(f"runs {op.name}, which has no place in a plan")
        # A split into no parts is no step.
        made = self.add_step(op, given, attributes, specs) if specs else ()
        return made[0] if isinstance(result, Spec) else made

    def _count(self, found: Any) -> None:
        """Raise if the computed constants take more memory than the run may use."""
        guard = active_guard()
        most = None if guard is None else guard.limits.run_bytes
        for array in found if isinstance(found, tuple) else (found,):
            self._folded_bytes += array.nbytes
        if most is not None and self._folded_bytes > most:
            size = f"{self._folded_bytes:,} bytes"
            raise LimitError(f"what constants decide takes {size}", "run_bytes", most)

    def spec_of(self, handle: Symbol) -> Spec:
        """Return the spec of a constant whose shape depends on others."""
        return self._behind.spec_of(handle.array)

    def _named(self, name: str, spec: Spec) -> str:
        name = self._names.unique(name)
        self.specs[name] = spec
        return name


def _origin(given: Iterable[Symbol | None]) -> str:
    """Return the origin of what is computed of constants."""
    named = [(h.array.size, h.origin) for h in given if h is not None and h.array is not None]
    return max((each for each in named if each[1]), default=(0, ""), key=itemgetter(0))[1]


def _may_fold(specs: Sequence[Spec] | None, given: Sequence[np.ndarray]) -> bool:
    """Return whether results are small, or have no more values than what they are made of."""
    if specs is None:
        return True
    return sum(spec.size for spec in specs) <= max(MOST_FOLDED, sum(a.size for a in given))


def _refuse_drawing() -> None:
    raise DataDependentError("draws random numbers")
