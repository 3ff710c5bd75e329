"""The order of a plan's steps: waves, whose steps do not read each other's results.

A barrier makes the device wait until all work before it is done, and costs some microseconds. Steps
of one wave need none between them, and run side by side: small ones leave most of a GPU idle. So a
step is in the first wave after those of the values that it reads.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from core.backends.shader.plans.program_lowering import Hosted, Lowered, ValueRef

#: A step, by shaders or on the host.
AnyStep = Lowered | Hosted


def in_waves(steps: Sequence[AnyStep]) -> list[list[AnyStep]]:
    """Return the steps by waves, each with its steps in the given order.

    A step on the host is a wave of its own, which no other step passes.
    """
    waves: list[list[AnyStep]] = []
    for is_hosted, group in groupby(steps, lambda step: isinstance(step, Hosted)):
        if is_hosted:
            waves += ([step] for step in group)
        else:
            waves += _of_shaders([*group])
    return waves


def _of_shaders(steps: Sequence[AnyStep]) -> list[list[AnyStep]]:
    made: dict[ValueRef, int] = {}  # the first wave that may read a value
    waves: list[list[AnyStep]] = []
    for step in steps:
        wave = max((made.get(ref, 0) for ref in reads_of(step)), default=0)
        waves += ([] for _ in range(wave + 1 - len(waves)))
        waves[wave].append(step)
        made.update(dict.fromkeys(writes_of(step), wave + 1))
    return waves


def reads_of(step: AnyStep) -> Sequence[ValueRef]:
    """Return the values that a step reads, and those that it makes itself."""
    return step.reads if isinstance(step, Hosted) else step.refs


def writes_of(step: AnyStep) -> Sequence[str]:
    """Return the results of a step."""
    if isinstance(step, Hosted):
        return step.writes
    first = len(step.refs) - len(step.intermediates) - len(step.compiled.results)
    written = step.refs[first : first + len(step.compiled.results)]
    return [ref for ref in written if isinstance(ref, str)]


def places(waves: Sequence[Sequence[AnyStep]]) -> Iterator[tuple[AnyStep, int, int]]:
    """Yield each step with the positions of the first and the last step of its wave."""
    first = 0
    for wave in waves:
        yield from ((step, first, first + len(wave) - 1) for step in wave)
        first += len(wave)
