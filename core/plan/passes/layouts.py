"""The pass that moves transpositions along, until they meet one that undoes them.

Networks with their channels first are between two transpositions at each op for images, as our ops
have the channels last. A value that is a transposition is kept as the value that it shows and the
order of its axes; steps that treat all axes alike work on that value. What needs the axes in their
own order gets the transposition, which is made once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.engine.program import ABSENT, Program, Step
from core.engine.registry import OPS
from core.engine.specs import Shape, Spec
from core.graph.unique_names import free_name
from core.plan.passes.program_passes import is_replaced, without_unread


class Shown(NamedTuple):
    """A value that is a transposition of another: its axis i is the other's axis ``perm[i]``."""

    base: str
    perm: Shape


def move_transposes(program: Program) -> Program:
    """Return a program with fewer transpositions of data, and equal results."""
    if not any(step.op.name == "transpose" for step in program.steps):
        return program
    mover = _Mover(program)
    for step in program.steps:
        mover.add(step)
    return mover.result()


def inverse(perm: Sequence[int]) -> Shape:
    """Return the order that undoes another.

    >>> inverse((0, 3, 1, 2))
    (0, 2, 3, 1)
    """
    return tuple(int(i) for i in np.argsort(perm))


class _Mover:
    """The new steps so far, and the values that are transpositions of others."""

    def __init__(self, program: Program):
        self._program = program
        self.specs, self.constants = dict(program.specs), dict(program.constants)
        self.steps: list[Step] = []
        self.shown: dict[str, Shown] = {}
        self._made: set[str] = set()
        self._links: dict[str, str] = {}
        self._turned: dict[tuple[str, Shape], str] = {}

    def result(self) -> Program:
        """Return the program of the new steps."""
        outputs = tuple(self.plain(self._links.get(r, r)) for r in self._program.outputs)
        changed = self._program._replace(
            steps=tuple(self.steps), specs=self.specs, constants=self.constants, outputs=outputs
        )
        return without_unread(changed)

    def add(self, step: Step) -> None:
        """Add a step, on the values that its inputs show if it can work on these."""
        step = step.with_reads(self._links)
        if not step.epilogue and not is_replaced(step.op):
            if step.op.name == "transpose" and not step.attributes.get("conjugate"):
                self._add_transpose(step)
                return
            rule = _RULES.get(step.op.name) or (_elementwise if step.op.traits.elementwise else None)
            is_moved = any(reference in self.shown for reference in step.inputs)
            if rule is not None and is_moved and rule(self, step):
                return
        for reference in step.reads():
            self.plain(reference)
        self.steps.append(step)

    # --- what rules use ---------------------------------------------------------------------

    def shape(self, reference: str) -> Shape:
        """Return the shape of a value."""
        return self.specs[reference].shape

    def emit(self, step: Step, *orders: Shape) -> bool:
        """Add a step of base values; its results are shown in these orders under their own names.

        Returns:
            True: it is done.
        """
        names = []
        for output, perm in zip(step.outputs, orders, strict=True):
            if perm == tuple(range(len(perm))):
                names.append(output)
                continue
            base = free_name(f"{output}/base", self.specs)
            lengths = self.shape(output)
            shape = tuple(lengths[i] for i in inverse(perm))
            self.specs[base] = Spec(shape, self.specs[output].dtype)
            self.shown[output] = Shown(base, perm)
            names.append(base)
        self.steps.append(step._replace(outputs=tuple(names)))
        return True

    def plain(self, reference: str) -> str:
        """Make a value with its axes in their own order, once; return its reference."""
        found = self.shown.get(reference)
        if found is not None and reference not in self._made:
            self._made.add(reference)
            self._turn(found.base, found.perm, reference)
        return reference

    def in_order(self, reference: str, perm: Shape) -> str:
        """Return the reference to a value with its axes in the order of base values.

        A value with fewer axes, or of one element, broadcasts there as before.
        """
        if reference == ABSENT or prod(self.shape(reference)) == 1:
            return reference
        found = self.shown.get(reference)
        if found is not None and found.perm == perm:
            return found.base
        key = (reference, perm)
        if key not in self._turned:
            self._turned[key] = self._in_other_order(reference, perm, found)
        return self._turned[key]

    def _in_other_order(self, reference: str, perm: Shape, found: Shown | None) -> str:
        shape, spec, order = self.shape(reference), self.specs[reference], inverse(perm)
        wide = (*(1,) * (len(perm) - len(shape)), *shape)
        made = free_name(f"{reference}/turned", self.specs)
        self.specs[made] = Spec(tuple(wide[i] for i in order), spec.dtype)
        if reference in self.constants:
            array = self.constants[reference].reshape(wide).transpose(order)
            while array.ndim > 1 and array.shape[0] == 1:
                array = array[0]
            self.constants[made] = np.ascontiguousarray(array)
            self.specs[made] = Spec(array.shape, spec.dtype)
            return made
        if found is not None and len(shape) == len(perm):
            return self._turn(found.base, tuple(found.perm[i] for i in order), made)
        source = self.plain(reference)
        if wide != shape:
            source = self._reshaped(source, wide, free_name(f"{reference}/wide", self.specs))
        return self._turn(source, order, made)

    def _turn(self, source: str, perm: Shape, name: str) -> str:
        """Add the transposition of a value; a reshaping where no data moves."""
        shape = self.shape(source)
        self.specs[name] = Spec(tuple(shape[i] for i in perm), self.specs[source].dtype)
        long = [axis for axis in perm if shape[axis] != 1]
        if long == sorted(long):
            return self._reshaped(source, self.shape(name), name)
        attributes = {"perm": perm, "conjugate": False}
        self.steps.append(Step(OPS["transpose"], (source,), attributes, (), (name,)))
        return name

    def _reshaped(self, source: str, shape: Shape, name: str) -> str:
        self.specs[name] = Spec(shape, self.specs[source].dtype)
        self.steps.append(Step(OPS["reshape"], (source,), {"shape": shape}, (), (name,)))
        return name

    def _add_transpose(self, step: Step) -> None:
        (source,) = step.inputs
        perm = tuple(step.attributes["perm"])
        found = self.shown.get(source) or Shown(source, tuple(range(len(perm))))
        order = tuple(found.perm[i] for i in perm)
        if order == tuple(range(len(order))):
            self._links[step.name] = found.base
        else:
            self.shown[step.name] = Shown(found.base, order)


Rule = Callable[[_Mover, Step], bool]


def _order_of(mover: _Mover, step: Step) -> Shape | None:
    """Return the order in which the inputs with the rank of the result show most values."""
    rank, sizes = len(mover.shape(step.name)), dict[Shape, int]()
    plain = 0
    for reference in step.inputs:
        if reference == ABSENT or reference in mover.constants:
            continue
        size, found = prod(mover.shape(reference)), mover.shown.get(reference)
        if found is not None and len(found.perm) == rank:
            sizes[found.perm] = sizes.get(found.perm, 0) + size
        elif size > 1:
            plain += size
    best = max(sizes, key=lambda perm: sizes[perm], default=None)
    return best if best is not None and sizes[best] >= plain else None


def _elementwise(mover: _Mover, step: Step) -> bool:
    perm = _order_of(mover, step)
    if perm is None:
        return False
    inputs = tuple(mover.in_order(reference, perm) for reference in step.inputs)
    return mover.emit(step._replace(inputs=inputs), perm)


def _concat(mover: _Mover, step: Step) -> bool:
    perm = _order_of(mover, step)
    if perm is None:
        return False
    inputs = tuple(_whole(mover, reference, perm) for reference in step.inputs)
    axis = perm[step.attributes["axis"]]
    return mover.emit(
        step._replace(inputs=inputs, attributes={**step.attributes, "axis": axis}), perm
    )


def _whole(mover: _Mover, reference: str, perm: Shape) -> str:
    """Return a value in an order; one that does not broadcast."""
    if prod(mover.shape(reference)) != 1:
        turned = mover.in_order(reference, perm)
        if len(mover.shape(turned)) == len(perm):
            return turned
        # A constant lost its first axes of length 1.
        whole = mover.shape(reference)
        array = mover.constants[reference].transpose(inverse(perm))
        name = free_name(f"{reference}/whole", mover.specs)
        mover.constants[name] = np.ascontiguousarray(array)
        mover.specs[name] = Spec(tuple(whole[i] for i in inverse(perm)), mover.specs[turned].dtype)
        return name
    return reference


def _first(mover: _Mover, step: Step) -> Shown:
    """Return what the first input shows."""
    (reference, *_) = step.inputs
    return mover.shown.get(reference) or Shown(
        reference, tuple(range(len(mover.shape(reference))))
    )


def _per_axis(*names: str) -> Rule:
    """Return the rule of ops with attributes that list something for each axis."""

    def rule(mover: _Mover, step: Step) -> bool:
        base, perm = _first(mover, step)
        order = inverse(perm)
        changed = {}
        for name in names:
            values = step.attributes[name]
            if values is not None:
                if not isinstance(values, (tuple, list)) or len(values) != len(perm):
                    return False
                changed[name] = tuple(values[i] for i in order)
        inputs = (base, *step.inputs[1:])
        attributes = {**step.attributes, **changed}
        return mover.emit(step._replace(inputs=inputs, attributes=attributes), perm)

    return rule


def _along_axis(mover: _Mover, step: Step) -> bool:
    """Ops along one axis, or some, that keep the number of axes."""
    base, perm = _first(mover, step)
    axis = step.attributes["axis"]
    if axis is None:
        return False
    moved = perm[axis] if isinstance(axis, int) else tuple(perm[i] for i in axis)
    inputs = (base, *step.inputs[1:])
    attributes = {**step.attributes, "axis": moved}
    changed = step._replace(inputs=inputs, attributes=attributes)
    return mover.emit(changed, *(perm for _ in step.outputs))


def _along_last(mover: _Mover, step: Step) -> bool:
    """Ops along the last axis alone."""
    _, perm = _first(mover, step)
    axis = step.attributes["axis"] % len(perm)
    return perm[axis] == len(perm) - 1 and _along_axis(mover, step)


def _reduction(mover: _Mover, step: Step) -> bool:
    base, perm = _first(mover, step)
    rank, axis = len(perm), step.attributes["axis"]
    axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    dropped = {i % rank for i in axes}
    attributes = {**step.attributes, "axis": tuple(sorted(perm[i] for i in dropped))}
    if isinstance(axis, int) and "keep_dims" not in step.attributes:
        attributes["axis"] = perm[axis]
    changed = step._replace(inputs=(base, *step.inputs[1:]), attributes=attributes)
    if step.attributes.get("keep_dims"):
        return mover.emit(changed, perm)
    return mover.emit(changed, _without(perm, dropped))


def _without(perm: Shape, dropped: Iterable[int]) -> Shape:
    """Return the order of the axes that are left."""
    left = [axis for i, axis in enumerate(perm) if i not in set(dropped)]
    ranks = {axis: i for i, axis in enumerate(sorted(left))}
    return tuple(ranks[axis] for axis in left)


def _reshape(mover: _Mover, step: Step) -> bool:
    """Reshape the base value, if each new group of axes comes of neighbours there."""
    base, perm = _first(mover, step)
    if mover.specs[base].dtype != mover.specs[step.name].dtype:
        return False
    old, new = mover.shape(step.inputs[0]), mover.shape(step.name)
    groups = _groups(old, new)
    if groups is None:
        return False
    placed = []
    for group in groups:
        axes = [perm[i] for i in range(*group.old) if old[i] != 1]
        between = range(axes[0], axes[-1] + 1) if axes else range(0)
        shape = mover.shape(base)
        if axes != [axis for axis in between if shape[axis] != 1]:
            return False
        placed.append((axes[0] if axes else -1, group))
    placed.sort(key=lambda each: each[0])
    shape, order = [], [0] * len(new)
    for _, group in placed:
        for i in range(*group.new):
            order[i] = len(shape)
            shape.append(new[i])
    changed = step._replace(op=OPS["reshape"], inputs=(base,), attributes={"shape": tuple(shape)})
    return mover.emit(changed, tuple(order))


class _Group(NamedTuple):
    """Axes, from one to another, that become others with as many elements."""

    old: tuple[int, int]
    new: tuple[int, int]


def _groups(old: Shape, new: Shape) -> list[_Group] | None:
    """Return the smallest groups of axes that a reshaping keeps together; None with no elements.

    >>> _groups((2, 3, 4, 5), (2, 12, 5))
    [_Group(old=(0, 1), new=(0, 1)), _Group(old=(1, 3), new=(1, 2)), _Group(old=(3, 4), new=(2, 3))]
    """
    if not prod(old):
        return None
    groups, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        first, second = i, j
        a = b = 1
        if i < len(old):
            a, i = old[i], i + 1
        if j < len(new):
            b, j = new[j], j + 1
        while a != b:
            if a < b:
                a, i = a * old[i], i + 1
            else:
                b, j = b * new[j], j + 1
        groups.append(_Group((first, i), (second, j)))
    return groups


def _matmul(mover: _Mover, step: Step) -> bool:
    """A matrix whose rows and columns are swapped needs no transposition."""
    inputs, changed = [*step.inputs], dict(step.attributes)
    for i, name in enumerate(("transpose_a", "transpose_b")):
        found = mover.shown.get(inputs[i])
        if found is not None and _swaps_last(found.perm):
            inputs[i], changed[name] = found.base, not changed[name]
    if changed == step.attributes:
        return False
    for reference in inputs:
        mover.plain(reference)
    return mover.emit(
        step._replace(inputs=tuple(inputs), attributes=changed),
        tuple(range(len(mover.shape(step.name)))),
    )


def _swaps_last(perm: Shape) -> bool:
    rank = len(perm)
    return rank > 1 and perm == (*range(rank - 2), rank - 1, rank - 2)


def _gather(mover: _Mover, step: Step) -> bool:
    base, perm = _first(mover, step)
    indices, at = step.inputs[1], step.attributes
    if at.get("batch_dims") or mover.shown.get(indices) or len(mover.shape(indices)) > 1:
        return False
    axis = at["axis"] % len(perm)
    order = perm if len(mover.shape(indices)) else _without(perm, [axis])
    changed = step._replace(inputs=(base, indices), attributes={**at, "axis": perm[axis]})
    return mover.emit(changed, order)


def _strided(mover: _Mover, step: Step) -> bool:
    """Plain slices with steps; masks are bits in the order of axes."""
    base, perm = _first(mover, step)
    at, order = step.attributes, inverse(perm)
    lists = {name: at[name] for name in ("begin", "end", "strides") if at[name] is not None}
    others = at["ellipsis_mask"] or at["new_axis_mask"] or at["shrink_axis_mask"]
    if others or any(len(values) != len(perm) for values in lists.values()):
        return False
    changed: dict[str, Any] = {n: tuple(v[i] for i in order) for n, v in lists.items()}
    for name in ("begin_mask", "end_mask"):
        changed[name] = sum(1 << j for j, i in enumerate(order) if at[name] >> i & 1)
    return mover.emit(step._replace(inputs=(base,), attributes={**at, **changed}), perm)


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("sum", "mean", "max", "min", "prod", "all", "any"), _reduction),
    **dict.fromkeys(("argmax", "argmin"), _reduction),
    **dict.fromkeys(("softmax", "log_softmax"), _along_last),
    **dict.fromkeys(("split", "cumsum", "cumprod"), _along_axis),
    **dict.fromkeys(("reshape", "expand_dims", "identity"), _reshape),
    "cast": _elementwise,
    "concat": _concat,
    "gather": _gather,
    "matmul": _matmul,
    "mirror_pad": _per_axis("paddings"),
    "pad": _per_axis("paddings"),
    "select": _elementwise,
    "slice": _per_axis("begin", "size"),
    "strided_slice": _strided,
    "tile": _per_axis("reps"),
}
