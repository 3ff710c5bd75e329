"""Passes of programs: one form of fused ops, no steps without effect, merged padding, epilogues."""

from collections.abc import Mapping
from typing import Any

from core.engine.backends import REPLACED
from core.engine.operation import Op
from core.engine.program import ABSENT, HERE, Program, Step, use_counts
from core.engine.registry import OPS
from core.engine.settings import active_backend, get_backend
from core.engine.specs import Spec
from core.engine.windows import window
from core.graph.unique_names import free_name


def is_replaced(op: Op) -> bool:
    """Return whether a user replaced the kernel of an op on the active backend."""
    return (op.name, get_backend()) in REPLACED


#: Ops with one input that change nothing where its spec stays: nothing is added or taken away.
_OF_ONE_INPUT = ("pad", "mirror_pad", "slice", "concat", "tile")


def drop_identities(program: Program) -> Program:
    """Drop ops that change nothing for these shapes, and ops and constants without a reader."""
    links: dict[str, str] = {}
    kept: list[Step] = []
    for step in program.steps:
        step = step.with_reads(links)
        if _is_identity(step, program.specs):
            links[step.name] = step.inputs[0]
        else:
            kept.append(step)
    outputs = tuple(links.get(reference, reference) for reference in program.outputs)
    return without_unread(program._replace(steps=tuple(kept), outputs=outputs))


def _is_identity(step: Step, specs: Mapping[str, Spec]) -> bool:
    if step.epilogue or not step.inputs or specs[step.inputs[0]] != specs[step.name]:
        return False
    if is_replaced(step.op):
        return False
    if step.op.traits.view or step.op.name == "broadcast_to":
        return True
    if step.op.name in _OF_ONE_INPUT:
        return len(step.inputs) == 1
    rank = len(specs[step.name].shape)
    return step.op.name == "transpose" and step.attributes["perm"] in (tuple(range(rank)),)


def without_unread(program: Program) -> Program:
    """Return the program without steps and constants that no output needs; inputs stay."""
    needed = set(program.outputs)
    kept = []
    for step in reversed(program.steps):
        if not needed.isdisjoint(step.outputs):
            kept.append(step)
            needed.update(step.reads())
    constants = {name: a for name, a in program.constants.items() if name in needed}
    return program._replace(steps=tuple(kept[::-1]), constants=constants)


#: Ops that apply a bias and an activation, and the op that does the rest of it.
_FUSED = {
    "fused_conv2d": "conv2d",
    "fused_depthwise_conv2d": "depthwise_conv2d",
    "fused_matmul": "matmul",
}

#: Activations that are ops of the same name, but for these.
_RENAMED = {"leakyrelu": "leaky_relu"}


def merge_equal(program: Program) -> Program:
    """Drop steps that compute what an earlier step computes: gradients repeat each other's."""
    links: dict[str, str] = {}
    found: dict[tuple[Any, ...], Step] = {}
    kept: list[Step] = []
    for step in program.steps:
        step = step.with_reads(links)
        key = (step.op.name, step.inputs, tuple(sorted(step.attributes.items())))
        first = found.setdefault(key, step) if _is_repeatable(step) else step
        if first is step:
            kept.append(step)
        else:
            links.update(zip(step.outputs, first.outputs, strict=True))
    outputs = tuple(links.get(reference, reference) for reference in program.outputs)
    return program._replace(steps=tuple(kept), outputs=outputs)


def _is_repeatable(step: Step) -> bool:
    """Return whether a step gives equal results for equal inputs, and can be looked up."""
    if step.op.traits.random or is_replaced(step.op) or step.epilogue:
        return False
    try:
        hash(tuple(step.attributes.values()))
    except TypeError:
        return False
    return True


def square_powers(program: Program) -> Program:
    """Write powers of two as squares, which no kernel needs logarithms for."""
    steps = tuple(_squared(step, program) for step in program.steps)
    return program._replace(steps=steps)


def _squared(step: Step, program: Program) -> Step:
    if step.op.name != "pow" or is_replaced(step.op) or is_replaced(OPS["square"]):
        return step
    x, y = step.inputs
    exponent, result = program.constants.get(y), program.specs[step.name]
    is_two = exponent is not None and exponent.size == 1 and exponent.item() == 2
    if not is_two or program.specs[x] != result or result.dtype != "float32":
        return step
    return step._replace(op=OPS["square"], inputs=(x,), attributes={})


def split_fused(program: Program) -> Program:
    """Write bias and activation of fused ops as epilogues of the plain op.

    So later passes and kernels know only one form. From the first op on whose kernel a user
    replaced, bias and activation are steps of their own.
    """
    specs = dict(program.specs)
    steps = [part for step in program.steps for part in _separated(_split(step), specs)]
    return program._replace(steps=tuple(steps), specs=specs)


def _separated(step: Step, specs: dict[str, Spec]) -> list[Step]:
    """Return the step, and those of its epilogue from the first replaced op on; add their specs."""
    kept = next((i for i, e in enumerate(step.epilogue) if is_replaced(e.op)), None)
    if kept is None:
        return [step]
    steps = [step._replace(epilogue=step.epilogue[:kept])]
    for each in step.epilogue[kept:]:
        name = free_name(f"{step.name}/{steps[-1].op.name}", specs)
        specs[name] = specs[step.name]
        steps[-1] = steps[-1]._replace(outputs=(name,))
        inputs = tuple(name if reference == HERE else reference for reference in each.inputs)
        steps.append(each._replace(inputs=inputs, outputs=step.outputs))
    return steps


def _split(step: Step) -> Step:
    op = _FUSED.get(step.op.name)
    is_plain = step.attributes.get("data_format", "NHWC") == "NHWC"
    if op is None or not is_plain or is_replaced(step.op):
        return step
    attributes: dict[str, Any] = dict(step.attributes)
    activation = attributes.pop("activation")
    alpha = attributes.pop("leakyrelu_alpha")
    bias, slopes = (*step.inputs[2:], ABSENT, ABSENT)[:2]
    epilogue = []
    if bias != ABSENT:
        epilogue.append(Step(OPS["add"], (HERE, bias), {}, (), (f"{step.name}/bias",)))
    if activation != "linear":
        inputs = (HERE, slopes) if activation == "prelu" else (HERE,)
        how = {"alpha": alpha} if activation == "leakyrelu" else {}
        applied = OPS[_RENAMED.get(activation, activation)]
        epilogue.append(Step(applied, inputs, how, (), (f"{step.name}/{activation}",)))
    return Step(OPS[op], step.inputs[:2], attributes, tuple(epilogue), step.outputs)


_WINDOWED = ("conv2d", "depthwise_conv2d")


def merge_pads(program: Program) -> Program:
    """Give convolutions the padding of a Pad before them.

    A pad with other readers stays for these.
    """
    pads = {step.name: step for step in program.steps if _is_border(step)}
    steps = tuple(
        _merged(step, pads[step.inputs[0]], program)
        if step.op.name in _WINDOWED and step.inputs[0] in pads
        else step
        for step in program.steps
    )
    return without_unread(program._replace(steps=steps))


def _is_border(step: Step) -> bool:
    """Return whether a step only pads images with zeros."""
    if step.op.name != "pad" or step.attributes.get("constant_value", 0) != 0:
        return False
    if is_replaced(step.op):
        return False
    sides = step.attributes["paddings"]
    is_simple = not step.epilogue and len(sides) == 4
    return is_simple and not any((*sides[0], *sides[3]))


def _merged(step: Step, pad: Step, program: Program) -> Step:
    """Return the convolution of the input of the pad."""
    if step.attributes.get("data_format", "NHWC") != "NHWC":
        return step
    sizes = program.specs[step.inputs[1]].shape[:2]
    w = window(program.specs[pad.name].shape, sizes, **step.attributes)
    sides = tuple(
        (own[0] + before, own[1] + after)
        for own, (before, after) in zip(w.padding, pad.attributes["paddings"][1:3], strict=True)
    )
    attributes = {**step.attributes, "pad": sides, "dim_rounding_mode": None}
    return step._replace(inputs=(pad.inputs[0], *step.inputs[1:]), attributes=attributes)


def fuse_epilogues(program: Program) -> Program:
    """Fuse biases, activations, residual sums, rounding and their like into the step before.

    An element-wise step joins the step that gives one of its inputs, if nothing else reads that
    input, if its other inputs are computed before, and if the active backend can fuse the op
    (`Backend.can_fuse`) and its kernel is built in. Of two such steps it joins the later one.
    """
    fusion = _Fusion(program)
    for step in program.steps:
        fusion.add(step)
    return program._replace(steps=tuple(s for s in fusion.steps if s is not None))


class _Fusion:
    """The steps so far, and the position of the step that computes each value."""

    def __init__(self, program: Program):
        self.steps: list[Step | None] = []
        self._specs = program.specs
        self._backend = active_backend()
        self._uses = use_counts(program.steps, program.outputs)
        self._positions: dict[str, int] = {}

    def add(self, step: Step) -> None:
        """Add the next step, to an epilogue if possible."""
        position = self._host(step)
        self._positions[step.name] = len(self.steps)
        if position is None:
            self.steps.append(step)
            return
        host = self.steps[position]
        assert host is not None
        # The host moves to the end: what else the step reads may have come after it.
        self.steps[position] = None
        self.steps.append(_fused(host, step))

    def _host(self, step: Step) -> int | None:
        """Return the position of the step that this one may join; of two, the later one."""
        can_fuse = self._backend.can_fuse(step.op, self._specs[step.name])
        if is_replaced(step.op) or not can_fuse:
            return None
        found = [self._positions[r] for r in step.inputs if self._may_be_changed(r, step)]
        return max(found, default=None)

    def _may_be_changed(self, reference: str, step: Step) -> bool:
        position = self._positions.get(reference)
        host = None if position is None else self.steps[position]
        # A view has no result of its own: it shows the data of its input.
        if host is None or host.op.traits.view or len(host.outputs) > 1:
            return False
        is_alone = self._uses[reference] == 1
        return is_alone and self._specs[reference] == self._specs[step.name]


def _fused(host: Step, step: Step) -> Step:
    """Return the host with a further epilogue step, under the name of that step."""
    inputs = tuple(HERE if reference == host.name else reference for reference in step.inputs)
    last = step._replace(inputs=inputs, epilogue=())
    return host._replace(epilogue=(*host.epilogue, last, *step.epilogue), outputs=step.outputs)
