"""Fusion of element-wise steps into the step whose result they change."""

from core.plan.program import HERE, Program, Step, use_counts
from core.registry import REPLACED
from core.settings import active_backend, get_backend


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
        self._backend, self._name = active_backend(), get_backend()
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
        is_built_in = (step.op.name, self._name) not in REPLACED
        if not (is_built_in and self._backend.can_fuse(step.op, self._specs[step.name])):
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
