"""Rules of ops for values that are transpositions: how each works on what these show.

A rule gets a step of which an input is a transposition. It emits a step on the bases and returns
True; or it returns False, and nothing is emitted: the step gets the transpositions themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from core.engine.program import ABSENT, Step
from core.engine.registry import OPS
from core.engine.specs import Shape
from core.engine.windows import window
from core.plan.passes.axis_groups import inverse, moved_reshape, without_axes
from core.plan.passes.moved_values import MovedValues, same_order

Rule = Callable[[MovedValues, Step], bool]


def find_rule(step: Step) -> Rule | None:
    """Return the rule of a step; None: its op needs the axes in their own order."""
    return _RULES.get(step.op.name) or (_elementwise if step.op.traits.elementwise else None)


# --- several inputs -------------------------------------------------------------------------


def _common_order(values: MovedValues, step: Step) -> Shape | None:
    """Return the order in which most of the data of the inputs is shown; None: most is plain."""
    rank, plain, shown = len(values.shape(step.name)), 0, dict[Shape, int]()
    for reference in step.inputs:
        if reference == ABSENT or values.is_constant(reference):
            continue
        size, perm = prod(values.shape(reference)), values.seen(reference).perm
        if reference in values.shown and len(perm) == rank:
            shown[perm] = shown.get(perm, 0) + size
        elif size > 1:
            plain += size
    best = max(shown, key=shown.__getitem__, default=None)
    return best if best is not None and shown[best] >= plain else None


def _elementwise(values: MovedValues, step: Step) -> bool:
    perm = _common_order(values, step)
    if perm is None:
        return False
    inputs = tuple(r if r == ABSENT else values.operand(r, perm) for r in step.inputs)
    return values.emit(step._replace(inputs=inputs), perm)


def _concat(values: MovedValues, step: Step) -> bool:
    perm = _common_order(values, step)
    if perm is None:
        return False
    inputs = tuple(values.in_order(reference, perm) for reference in step.inputs)
    attributes = {**step.attributes, "axis": perm[step.attributes["axis"]]}
    return values.emit(step._replace(inputs=inputs, attributes=attributes), perm)


def _matmul(values: MovedValues, step: Step) -> bool:
    """A matrix whose rows and columns are swapped needs no transposition."""
    inputs, attributes = [], dict(step.attributes)
    for reference, name in zip(step.inputs, ("transpose_a", "transpose_b"), strict=True):
        base, perm = values.seen(reference)
        if perm == (*range(len(perm) - 2), len(perm) - 1, len(perm) - 2):
            attributes[name] = not attributes[name]
            inputs.append(base)
        else:
            inputs.append(values.plain(reference))
    changed = step._replace(inputs=tuple(inputs), attributes=attributes)
    return values.emit(changed, same_order(len(values.shape(step.name))))


# --- one input ------------------------------------------------------------------------------


def _with_base(values: MovedValues, step: Step, **attributes: Any) -> Step:
    """Return a step on the base of its first input, with some other attributes."""
    base, _ = values.seen(step.inputs[0])
    inputs = (base, *step.inputs[1:])
    return step._replace(inputs=inputs, attributes={**step.attributes, **attributes})


def _perm_of(values: MovedValues, step: Step) -> Shape:
    return values.seen(step.inputs[0]).perm


def _per_axis(*names: str) -> Rule:
    """Return the rule of ops with attributes that list something for each axis."""

    def rule(values: MovedValues, step: Step) -> bool:
        perm = _perm_of(values, step)
        order = inverse(perm)
        given = {n: step.attributes[n] for n in names if step.attributes[n] is not None}
        if not all(_lists(value, len(perm)) for value in given.values()):
            return False
        moved = {name: tuple(value[i] for i in order) for name, value in given.items()}
        return values.emit(_with_base(values, step, **moved), perm)

    return rule


def _lists(value: Any, count: int) -> bool:
    return isinstance(value, Sequence) and len(value) == count


def _strided(values: MovedValues, step: Step) -> bool:
    """Slices that keep all axes; masks have a bit for each."""
    at, perm = step.attributes, _perm_of(values, step)
    if any(at[name] for name in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")):
        return False
    masks = {
        name: sum(1 << j for j, i in enumerate(inverse(perm)) if at[name] >> i & 1)
        for name in ("begin_mask", "end_mask")
    }
    moved = step._replace(attributes={**at, **masks})
    return _per_axis("begin", "end", "strides")(values, moved)


def _along_axes(values: MovedValues, step: Step) -> bool:
    """Ops along one axis, or some, that keep the number of axes."""
    perm, axis = _perm_of(values, step), step.attributes["axis"]
    if axis is None:
        return False
    moved = perm[axis] if isinstance(axis, int) else tuple(perm[i] for i in axis)
    return values.emit(_with_base(values, step, axis=moved), *(perm for _ in step.outputs))


def _along_last(values: MovedValues, step: Step) -> bool:
    """Ops whose kernels take rows."""
    perm = _perm_of(values, step)
    is_last = perm[step.attributes["axis"]] == len(perm) - 1
    return is_last and _along_axes(values, step)


def _reduction(values: MovedValues, step: Step) -> bool:
    perm, axis = _perm_of(values, step), step.attributes["axis"]
    rank = len(perm)
    axes = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    dropped = [i % rank for i in axes]
    changed = _with_base(values, step, axis=tuple(sorted(perm[i] for i in dropped)))
    keeps = step.attributes["keep_dims"]
    return values.emit(changed, perm if keeps else without_axes(perm, dropped))


def _position(values: MovedValues, step: Step) -> bool:
    perm, axis = _perm_of(values, step), step.attributes["axis"]
    return values.emit(_with_base(values, step, axis=perm[axis]), without_axes(perm, [axis]))


def _gather(values: MovedValues, step: Step) -> bool:
    """One index, or a list of them, along an axis."""
    source, indices = step.inputs
    rank, perm = len(values.shape(indices)), _perm_of(values, step)
    if step.attributes["batch_dims"] or rank > 1 or source not in values.shown:
        return False
    axis = step.attributes["axis"] % len(perm)
    order = perm if rank else without_axes(perm, [axis])
    return values.emit(_with_base(values, step, axis=perm[axis]), order)


def _reshape(values: MovedValues, step: Step) -> bool:
    """Reshape the base; axes that become one must be neighbours there."""
    (reference,) = step.inputs
    known = values.seen(reference).perm
    found = moved_reshape(values.shape(reference), values.shape(step.name), known)
    if found is None or values.dtype(reference) != values.dtype(step.name):
        return False
    source = values.in_order(reference, tuple(inverse(found.order)[i] for i in known))
    changed = step._replace(op=OPS["reshape"], inputs=(source,), attributes={"shape": found.shape})
    return values.emit(changed, found.perm)


def _pointwise(values: MovedValues, step: Step) -> bool:
    """Convolve pixels one by one: images may lie on their side."""
    images, filters = step.inputs
    perm = _perm_of(values, step)
    if perm != (0, 2, 1, 3) or step.attributes["data_format"] != "NHWC":
        return False
    w = window(values.shape(images), values.shape(filters)[:2], **step.attributes)
    if not w.pointwise:
        return False
    inputs = (values.seen(images).base, values.plain(filters))
    return values.emit(step._replace(inputs=inputs), perm)


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("sum", "mean", "max", "min", "prod", "all", "any"), _reduction),
    **dict.fromkeys(("argmax", "argmin"), _position),
    **dict.fromkeys(("softmax", "log_softmax"), _along_last),
    **dict.fromkeys(("split", "cumsum", "cumprod", "reverse"), _along_axes),
    **dict.fromkeys(("reshape", "expand_dims", "identity"), _reshape),
    **dict.fromkeys(("equal", "not_equal", "greater", "greater_equal"), _elementwise),
    **dict.fromkeys(("less", "less_equal", "logical_and", "logical_or"), _elementwise),
    **dict.fromkeys(("cast", "floor_div", "logical_not", "select"), _elementwise),
    **dict.fromkeys(("ones_like", "zeros_like"), _elementwise),
    **dict.fromkeys(("pad", "mirror_pad"), _per_axis("paddings")),
    "broadcast_to": _per_axis("shape", "input_shape"),
    "concat": _concat,
    "conv2d": _pointwise,
    "gather": _gather,
    "matmul": _matmul,
    "slice": _per_axis("begin", "size"),
    "strided_slice": _strided,
    "tile": _per_axis("reps"),
}
