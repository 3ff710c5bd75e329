"""Values that are transpositions of others, and the steps that compute those others."""

from math import prod
from typing import NamedTuple

import numpy as np

from core.engine.dtypes import dtype_of
from core.engine.program import Program, Step
from core.engine.registry import OPS
from core.engine.specs import Shape, Spec
from core.graph.unique_names import free_name
from core.plan.passes.axis_groups import inverse
from core.plan.passes.program_passes import without_unread
from core.plan.shared_arrays import shared


class Shown(NamedTuple):
    """A value that is a transposition of another: its axis i is the other's axis ``perm[i]``."""

    base: str
    perm: Shape


class MovedValues:
    """The new steps of a program so far, and the values that are transpositions of others.

    Args:
        program: that is rewritten.

    Attributes:
        shown: values of the program that no new step computes so far, or that it need not.
    """

    def __init__(self, program: Program):
        self._program = program
        self._specs, self._constants = dict(program.specs), dict(program.constants)
        self._steps: list[Step] = []
        self._links: dict[str, str] = {}
        self._made: set[str] = set()
        self._ordered: dict[tuple[str, Shape], str] = {}
        self._operands: dict[tuple[str, Shape], str] = {}
        self._counts: dict[str, int] = {}
        self.shown: dict[str, Shown] = {}

    def result(self) -> Program:
        """Return the program of the new steps."""
        outputs = tuple(self.plain(self._links.get(r, r)) for r in self._program.outputs)
        changed = self._program._replace(
            steps=tuple(self._steps), specs=self._specs, constants=self._constants, outputs=outputs
        )
        return without_unread(changed)

    # --- facts ------------------------------------------------------------------------------

    def shape(self, reference: str) -> Shape:
        """Return the shape of a value."""
        return self._specs[reference].shape

    def dtype(self, reference: str) -> str:
        """Return the dtype of a value."""
        return self._specs[reference].dtype

    def seen(self, reference: str) -> Shown:
        """Return the transposition that a value is; of itself, if of no other."""
        return self.shown.get(reference) or Shown(reference, same_order(len(self.shape(reference))))

    def is_constant(self, reference: str) -> bool:
        """Return whether a value is an array of the program."""
        return reference in self._constants

    # --- new steps --------------------------------------------------------------------------

    def linked(self, step: Step) -> Step:
        """Return a step that reads values in the place of those that are the same."""
        return step.with_reads(self._links)

    def keep(self, step: Step) -> None:
        """Add a step as it is; what it reads is made."""
        for reference in step.reads():
            self.plain(reference)
        self._steps.append(step)

    def add_transpose(self, step: Step) -> None:
        """Note that a value is the transposition of another, or the same; no step is added."""
        base, perm = self.seen(step.inputs[0])
        given = step.attributes["perm"]
        order = perm[::-1] if given is None else tuple(perm[i] for i in given)
        if order == same_order(len(order)):
            self._links[step.name] = base
        else:
            self.shown[step.name] = Shown(base, order)

    def emit(self, step: Step, *orders: Shape) -> bool:
        """Add a step that computes the bases of its results, which are shown in these orders.

        Returns:
            True: it is done.
        """
        names = []
        for output, perm in zip(step.outputs, orders, strict=True):
            base = output
            if perm != same_order(len(perm)):
                base = self._base_of(output, perm)
                self.shown[output] = Shown(base, perm)
            names.append(base)
        self._steps.append(step._replace(outputs=tuple(names)))
        return True

    def _base_of(self, output: str, perm: Shape) -> str:
        base, (lengths, dtype) = self._name(f"{output}/base"), self._specs[output]
        self._specs[base] = Spec(tuple(lengths[i] for i in inverse(perm)), dtype)
        return base

    # --- values in some order ---------------------------------------------------------------

    def plain(self, reference: str) -> str:
        """Make a value with its axes in their own order, once; return its reference."""
        found = self.shown.get(reference)
        if found is not None and reference not in self._made:
            self._made.add(reference)
            self._turn(found.base, found.perm, reference)
        return reference

    def in_order(self, reference: str, perm: Shape) -> str:
        """Return the base of which a value is the transposition ``perm``; it is made if need be."""
        base, known = self.seen(reference)
        if known == perm:
            return base
        if perm == same_order(len(perm)):
            return self.plain(reference)
        key = reference, perm
        if key not in self._ordered:
            order = tuple(known[i] for i in inverse(perm))
            self._ordered[key] = self._turned(base, order, f"{reference}/turned")
        return self._ordered[key]

    def operand(self, reference: str, perm: Shape) -> str:
        """Return a value as it broadcasts with a base as it did with the transposition of that."""
        shape = self.shape(reference)
        missing = len(perm) - len(shape)
        if prod(shape) == 1:
            return self.seen(reference).base
        if not missing and not self.is_constant(reference):
            return self.in_order(reference, perm)
        key = reference, perm
        if key not in self._operands:
            source, wide = self.plain(reference), (*(1,) * missing, *shape)
            if self.is_constant(reference):
                array = self._constants[reference].reshape(wide).transpose(inverse(perm))
                self._operands[key] = self._constant(_narrowed(array), f"{reference}/turned")
            else:
                whole = self._reshaped(source, wide, self._name(f"{reference}/wide"))
                self._operands[key] = self._turned(whole, inverse(perm), f"{reference}/turned")
        return self._operands[key]

    def _turned(self, source: str, order: Shape, name: str) -> str:
        """Return the transposition of a value; that of a constant is another one."""
        if self.is_constant(source):
            return self._constant(self._constants[source].transpose(order), name)
        return self._turn(source, order, self._name(name))

    def _turn(self, source: str, perm: Shape, name: str) -> str:
        """Add the transposition of a value: a reshaping where no data moves."""
        shape = self.shape(source)
        turned = tuple(shape[i] for i in perm)
        long = [axis for axis in perm if shape[axis] != 1]
        if long == sorted(long):
            return self._reshaped(source, turned, name)
        attributes = {"perm": perm, "conjugate": False}
        self._steps.append(Step(OPS["transpose"], (source,), attributes, (), (name,)))
        self._specs[name] = Spec(turned, self.dtype(source))
        return name

    def _reshaped(self, source: str, shape: Shape, name: str) -> str:
        self._steps.append(Step(OPS["reshape"], (source,), {"shape": shape}, (), (name,)))
        self._specs[name] = Spec(shape, self.dtype(source))
        return name

    def _constant(self, array: np.ndarray, name: str) -> str:
        made = self._name(name)
        self._constants[made] = shared(np.ascontiguousarray(array))
        self._specs[made] = Spec(array.shape, dtype_of(array))
        return made

    def _name(self, name: str) -> str:
        return free_name(name, self._specs, self._counts)


def same_order(rank: int) -> Shape:
    """Return the order of axes that changes nothing."""
    return tuple(range(rank))


def _narrowed(array: np.ndarray) -> np.ndarray:
    """Return an array without first axes of length 1: kernels know a bias by its one axis."""
    while array.ndim > 1 and array.shape[0] == 1:
        array = array[0]
    return array
