"""The op of a step that is a loop: a plan whose program repeats, inside of another plan."""

from core.engine.operation import Op
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.plan.plan import Plan


def _results(tensors: list[Spec], *, plan: Plan) -> tuple[Spec, ...]:
    """Return what the plan gives; see `LOOP`."""
    return tuple(plan.outputs.values())


#: The inputs are the first ones of the plan, the others of which begin as zeros; the results are
#: its first outputs. Only traces of functions add it to programs, for backends with loops: it is
#: not registered as an op for users, who have no such plans.
LOOP: Op[..., list[Tensor]] = Op(_results, name="loop")
