"""Updates that a run keeps or drops together, by one bool: the choice joins the step before.

A training step keeps old weights and moments where its loss is not finite, by a choice
``select(is_finite, new, old)`` for each. The new weights read the new moments as well, so that
`fuse_epilogues`, which fuses values that nothing else reads, leaves those choices. But where the
moments are dropped, so are the weights: they may read the chosen moments.
"""

from collections.abc import Sequence

from core.engine.backends import REPLACED
from core.engine.program import HERE, Program, Step


def fuse_kept_updates(program: Program) -> Program:
    """Fuse choices by a single bool into the steps that give the new values.

    A new value may have other readers, if all that comes of these is dropped with it.
    """
    if ("select", "shader") in REPLACED or program.repeats is not None:
        return program
    choices = [step for step in program.steps if step.op.name == "select" and not step.epilogue]
    for flag in dict.fromkeys(step.inputs[0] for step in choices):
        if program.specs[flag].size == 1:
            program = _fused(program, flag)
    return program


def _fused(program: Program, flag: str) -> Program:
    """Return the program with the choices by one flag fused."""
    steps = _with_early(flag, program.steps)
    dropped = _dropped(program, steps, flag)
    places = {name: i for i, step in enumerate(steps) for name in step.outputs}
    links: dict[str, str] = {}
    for choice in list(steps):
        if choice.op.name != "select" or choice.epilogue or choice.inputs[0] != flag:
            continue
        new = choice.inputs[1]
        place = places.get(new, -1)
        known = all(places.get(name, -1) < place for name in (flag, choice.inputs[2]))
        is_free = new in dropped and new not in links
        if is_free and known and _can_host(program, steps[place], choice):
            last = choice._replace(inputs=(flag, HERE, choice.inputs[2]))
            host = steps[place]
            steps[place] = host._replace(epilogue=(*host.epilogue, last), outputs=choice.outputs)
            links[new] = choice.name
    hosts = {name: steps[places[new]] for new, name in links.items()}
    kept = [s for s in steps if s.name not in hosts or s is hosts[s.name]]
    return program._replace(steps=tuple(step.with_reads(links) for step in kept))


def _can_host(program: Program, host: Step, choice: Step) -> bool:
    """Return whether a step can have the choice as the last step of its epilogue."""
    spec = program.specs[choice.name]
    is_alike = program.specs[host.name] == spec and spec.dtype == "float32"
    return is_alike and len(host.outputs) == 1 and not host.op.traits.view


def _with_early(flag: str, steps: Sequence[Step]) -> list[Step]:
    """Return the steps with the one that gives the flag directly after what it reads."""
    ordered = list(steps)
    at = next((i for i, step in enumerate(ordered) if flag in step.outputs), None)
    if at is not None:
        step = ordered.pop(at)
        reads = {*step.reads()}
        after = [i for i, each in enumerate(ordered) if reads.intersection(each.outputs)]
        ordered.insert(max(after, default=-1) + 1, step)
    return ordered


def _dropped(program: Program, steps: Sequence[Step], flag: str) -> set[str]:
    """Return the values of which nothing is left where the flag is false."""
    readers: dict[str, list[Step]] = {}
    for step in steps:
        for name in {*step.reads()}:
            readers.setdefault(name, []).append(step)
    found: set[str] = set()
    for step in reversed(steps):
        for name in step.outputs:
            reading = readers.get(name, [])
            is_inner = bool(reading) and name not in program.outputs
            if is_inner and all(_drops(each, name, flag, found) for each in reading):
                found.add(name)
    return found


def _drops(step: Step, name: str, flag: str, dropped: set[str]) -> bool:
    """Return whether nothing of a value is left after a step where the flag is false."""
    if dropped.issuperset(step.outputs):
        return True
    if step.op.name == "select" and _chooses(step, name, flag):
        return all(name not in each.inputs for each in step.epilogue)
    for i, each in enumerate(step.epilogue):
        if each.op.name == "select" and _chooses(each, HERE, flag):
            return all(name not in later.inputs for later in step.epilogue[i:])
    return False


def _chooses(choice: Step, name: str, flag: str) -> bool:
    """Return whether a choice takes a value only where the flag is true."""
    return choice.inputs[:2] == (flag, name) and choice.inputs[2] != name
