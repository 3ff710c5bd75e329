"""Groups of element-wise steps of a program that become one kernel."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.backends.cpu.codegen.for_op.elementwise import cut_values
from core.backends.cpu.codegen.ir.epilogue import CHANNEL, FULL, ROW, SCALAR, Operand
from core.backends.cpu.codegen.ir.formulas import COMPARISONS, FORMULAS, LOGICAL, OF_GROUPS
from core.backends.cpu.codegen.kernels.elementwise_group import (
    ElementwiseGroup,
    GroupStep,
    Source,
    Store,
)
from core.backends.cpu.codegen.step_kernels import Argument, Generated, find_generator
from core.engine.backends import REPLACED
from core.engine.program import ABSENT, HERE, Program, Step, is_alias, owners_of
from core.engine.specs import Shape, normal_axes

#: Steps, and operands and results, of a group at most: more need more registers than there are.
_MOST_STEPS, _MOST_POINTERS = 40, 32


@dataclass(eq=False)
class Group:
    """Steps that are computed together, where the last of them stands.

    Attributes:
        shape: of their results.
        members: the steps.
    """

    shape: Shape
    members: list[Step] = field(default_factory=list)
    _read: set[str] = field(default_factory=set)
    _made: set[str] = field(default_factory=set)

    def add(self, step: Step, reads: set[str]) -> None:
        """Add a step that reads some values."""
        self.members.append(step)
        self._made.update(step.outputs)
        self._read |= reads - self._made

    def gives(self, reads: set[str]) -> bool:
        """Return whether the group computes one of some values."""
        return not self._made.isdisjoint(reads)

    def takes(self, reads: set[str], shape: Shape) -> bool:
        """Return whether a step may join: it has an operand in common, or needs a result."""
        is_apart = self._made.isdisjoint(reads) and self._read.isdisjoint(reads)
        return shape == self.shape and not is_apart and self._fits(self)

    def takes_all(self, other: "Group") -> bool:
        """Return whether the steps of another group may join, which needs no result of this one."""
        return other.shape == self.shape and self._fits(other)

    def add_all(self, other: "Group", order: Mapping[str, int]) -> None:
        """Add the steps of another group; the names of steps have their order in the program."""
        self.members = sorted((*self.members, *other.members), key=lambda step: order[step.name])
        self._made |= other._made
        self._read = (self._read | other._read) - self._made

    def _fits(self, other: "Group") -> bool:
        """Return whether there is room for one more step after those of both groups."""
        members = self.members if other is self else (*self.members, *other.members)
        steps = sum(1 + len(member.epilogue) for member in members)
        pointers = len(self._read | other._read) + len(self._made | other._made)
        return steps < _MOST_STEPS and pointers < _MOST_POINTERS


#: The names of the steps that read a value.
Readers = Mapping[str, set[str]]


def find_groups(program: Program) -> list[Group]:
    """Return the groups, each in the order of the program; single steps only without a generator.

    A group is computed where its last member stands: no step before that needs one of its results,
    other than its members.
    """
    owners, found = owners_of(program), list[Group]()
    order = {step.name: i for i, step in enumerate(program.steps)}
    open_groups: list[Group] = []
    for step in program.steps:
        if is_alias(step, program):
            continue
        reads = {owners[reference] for reference in step.reads()}
        shape = program.specs[step.name].shape
        can_join = _can_join(step, program)
        taking = [g for g in open_groups if can_join and g.takes(reads, shape)]
        joined = taking[0] if taking else None
        for other in taking[1:]:  # the step connects them
            if joined is not None and joined.takes_all(other):
                joined.add_all(other, order)
                open_groups.remove(other)
                found.remove(other)
        open_groups = [g for g in open_groups if g is joined or not g.gives(reads)]
        if joined is None and can_join:
            joined = Group(shape)
            found.append(joined)
            open_groups.append(joined)
        if joined is not None:
            joined.add(step, reads)
    return [
        group
        for group in found
        if len(group.members) > 1 or _is_of_groups(group.members[0], program)
    ]


def _is_of_groups(step: Step, program: Program) -> bool:
    """Return whether only groups have kernels for a step: without a generator, or with rows."""
    shape = program.specs[step.name].shape
    kinds = (_kind(reference, program, shape) for reference in step.reads())
    return find_generator(step.op) is None or ROW in kinds


def generate_group(group: Group, program: Program, readers: Readers) -> Generated:
    """Return the kernel of a group.

    Args:
        group: the group.
        program: its program.
        readers: those of the program, as `readers_of` returns them.
    """
    inside = {member.name for member in group.members}
    made = [reference for member in group.members for reference in member.outputs]
    needed = {reference for reference in made if not readers.get(reference, inside) <= inside}
    writer = _Writer(group.shape, program)
    for member in group.members:
        writer.add(member)
    arguments: list[Argument] = [*writer.operands]
    stores = []
    for reference in needed_in_order(group, needed):
        is_flags = program.specs[reference].dtype == "bool"
        number = writer.number(reference)
        assert number is not None
        stores.append(Store(number, len(arguments), is_flags))
        arguments.append(reference)
    sources = tuple(
        Source(Operand(kind, i), program.specs[reference].dtype == "bool")
        for i, (reference, kind) in enumerate(writer.operands.items())
    )
    by_channel = not {CHANNEL, ROW}.isdisjoint(writer.operands.values())
    rows, length, block = cut_values(group.shape, len(writer.steps), by_channel=by_channel)
    kernel = ElementwiseGroup(
        rows, length, block, sources, tuple(writer.steps_with_numbers()), tuple(stores)
    )
    return Generated(((kernel, tuple(arguments)),), in_place=True)


def needed_in_order(group: Group, needed: set[str]) -> Iterator[str]:
    """Yield the results of a group that others need, in the order of its members."""
    for member in group.members:
        yield from (reference for reference in member.outputs if reference in needed)


def readers_of(program: Program) -> Readers:
    """Return the names of the steps that read each value or a view of it, "" for outputs."""
    owners, readers = owners_of(program), dict[str, set[str]]()
    for step in program.steps:
        if not is_alias(step, program):
            for reference in step.reads():
                readers.setdefault(owners[reference], set()).add(step.name)
    for reference in program.outputs:
        readers.setdefault(owners[reference], set()).add("")
    return readers


def _can_join(step: Step, program: Program) -> bool:
    """Return whether a step is element-wise, with operands that are whole or repeat simply."""
    result = program.specs[step.name]
    if not result.shape or not result.size or result.dtype not in ("float32", "bool"):
        return False
    if any((each.op.name, "cpu") in REPLACED for each in (step, *step.epilogue)):
        return False
    if not all(each.op.name in FORMULAS for each in step.epilogue):
        return False
    dtypes = [program.specs[r].dtype for r in step.inputs if r != ABSENT]
    if not _is_known(step.op.name, dtypes, result.dtype) or _repeats_otherwise(step, program):
        return False
    return all(_kind(reference, program, result.shape) is not None for reference in step.reads())


def _is_known(op: str, dtypes: list[str], result: str) -> bool:
    """Return whether there is a formula of an op for operands of some dtypes."""
    if op == "cast":
        return dtypes == ["bool"] and result == "float32"
    if op == "select":
        return dtypes == ["bool", "float32", "float32"]
    if op in LOGICAL:
        return True
    has_formula = op in FORMULAS or op in COMPARISONS or op in OF_GROUPS
    return has_formula and {*dtypes} == {"float32"}


def _repeats_otherwise(step: Step, program: Program) -> bool:
    """Return whether a gradient of sums over the last axis, too, repeats several values.

    Those of channels that come first may be as many as the last axis is long.
    """
    if step.op.name != "sum_grad" or program.specs[step.inputs[0]].size == 1:
        return False
    axis, rank = step.attributes["axis"], len(program.specs[step.name].shape)
    return rank - 1 in normal_axes(axis, rank)


def _kind(reference: str, program: Program, shape: Shape) -> str | None:
    """Return how a value is read for results of a shape; None if it repeats in another way."""
    own = program.specs[reference]
    if own.shape == shape:
        return FULL
    if own.dtype != "float32":
        return None
    if own.size == 1:
        return SCALAR
    if own.shape == (*shape[:-1], 1):
        return ROW
    return CHANNEL if own.size == shape[-1] == own.shape[-1] else None


#: Ops whose attributes decide nothing about single values.
_WITHOUT = ("cast", "sum_grad")


class _Writer:
    """The steps of a group, while they get numbers.

    Attributes:
        operands: how each value that comes from outside is read.
        steps: the steps, with references as inputs.
    """

    def __init__(self, shape: Shape, program: Program):
        self._shape, self._program = shape, program
        self.operands: dict[str, str] = {}
        self.steps: list[tuple[str, tuple[str, ...], Mapping[str, object], str]] = []
        self._made: dict[str, int] = {}

    def add(self, step: Step) -> None:
        """Add a step and its epilogue."""
        here = ""
        for i, each in enumerate((step, *step.epilogue)):
            inputs = tuple(here if r == HERE else r for r in each.inputs)
            for reference in inputs:
                if reference != ABSENT and reference not in self._made:
                    kind = _kind(reference, self._program, self._shape)
                    assert kind is not None, step
                    self.operands[reference] = kind
            is_last = i == len(step.epilogue)
            here = step.name if is_last else f"{step.name} before {i + 1}"
            self._made[here] = len(self.steps)
            self.steps.append((each.op.name, inputs, each.attributes, here))

    def number(self, reference: str) -> int | None:
        """Return the number of a value: operands are counted first; None for an absent one."""
        if reference == ABSENT:
            return None
        index = self._made.get(reference)
        if index is None:
            return [*self.operands].index(reference)
        return len(self.operands) + index

    def steps_with_numbers(self) -> Iterator[GroupStep]:
        """Yield the steps with the numbers of their inputs."""
        for op, inputs, attributes, _ in self.steps:
            known = tuple(sorted(attributes.items())) if op not in _WITHOUT else ()
            yield GroupStep(op, tuple(map(self.number, inputs)), known)
