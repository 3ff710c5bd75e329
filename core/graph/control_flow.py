"""Loops and branches of TensorFlow 1: Switch, Merge, Enter, Exit, NextIteration.

The inside of a loop is a frame. The graph determines the frame of each node, and iterations run in
sequence: so loops, also nested ones, become one flat list of instructions with jumps, and a value
needs no tag. A value of a branch that is not taken is dead, and so are values that depend on it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from core.engine.limits import LimitError
from core.engine.run_guard import active_guard, check_active
from core.errors import CoreError

if TYPE_CHECKING:
    from core.graph.bound_nodes import BoundNode

#: The way back of a loop.
BACK = "NextIteration"

#: Node types that need this file's executor.
LOOP_TYPES = frozenset({"Switch", "Merge", "Enter", "Exit", BACK})

#: Largest depth of nested loops.
MOST_NESTED = 64

#: Stands for an output on the side that is not taken.
ABSENT = object()


class Action(NamedTuple):
    """Runs a node, if its inputs and gates have a value.

    ``outputs`` are the used outputs, with their positions; ``mark`` is set after the node ran, for
    nodes with a control input from it.
    """

    step: "BoundNode"
    inputs: Sequence[str]
    gates: Sequence[str]
    outputs: Sequence[tuple[str, int]]
    mark: str
    freed: Sequence[str] = ()


class Turn(NamedTuple):
    """The end of an iteration, which jumps back by some instructions if anything is ``carried``.

    Carried values have another name in the next iteration, by which its Merge nodes take them.
    After the last iteration the values that the loop ``held`` for all iterations are freed.
    """

    back: int
    carried: Sequence[tuple[str, str]]
    held: Sequence[str]
    freed: Sequence[str] = ()


#: The instructions, one after the other.
Program = Sequence[Action | Turn]


def run_program(
    program: Program,
    run_step: Callable[["BoundNode", Sequence[Any]], Any],
    values: dict[str, Any],
    wanted: Iterable[str],
) -> None:
    """Add the values of fetched references to the given ones.

    Raises:
        CoreError: a fetched value is dead.
    """
    at = 0
    while at < len(program):
        item = program[at]
        at += 1
        if type(item) is Action:
            check_active()
            _fire(item, run_step, values)
        elif type(item) is Turn and _carry(item, values):
            at -= item.back
            continue
        for reference in item.freed:
            values.pop(reference, None)
    dead = [reference for reference in wanted if reference not in values]
    if dead:
        raise CoreError(
            f"there is no value of {', '.join(dead)}: the inputs lead to another branch"
        )


def _fire(action: Action, run_step: Callable[..., Any], values: dict[str, Any]) -> None:
    """Run a node and keep its used results, unless it is dead."""
    for gate in action.gates:
        if gate not in values:
            return
    step = action.step
    if step.node.type == "Merge":
        inputs = _first(action.inputs, values)
        if not inputs:
            return
        several = any(position for _, position in action.outputs)
        result = run_step(step, inputs) if several else inputs[0]
    else:
        try:
            inputs = [values[reference] for reference in action.inputs]
        except KeyError:
            return
        result = run_step(step, inputs)
    results = result if isinstance(result, (list, tuple)) else (result,)
    for reference, position in action.outputs:
        if position >= len(results):
            raise CoreError(f"the node {step.node.name!r} has no output {position}")
        if results[position] is not ABSENT:
            values[reference] = results[position]
    if action.mark:
        values[action.mark] = True


def _first(references: Sequence[str], values: dict[str, Any]) -> list[Any]:
    """Return the first value that is not dead, and its position."""
    for position, reference in enumerate(references):
        if reference in values:
            return [values[reference], position]
    return []


def _carry(turn: Turn, values: dict[str, Any]) -> bool:
    """Return whether there is a next iteration."""
    goes_on = False
    for reference, name in turn.carried:
        if reference in values:
            values[name] = values.pop(reference)
            goes_on = True
    if not goes_on:
        for reference in turn.held:
            values.pop(reference, None)
    elif guard := active_guard():
        try:
            guard.count_loop_step()
        except LimitError as error:
            raise error.at(f"node {turn.carried[0][0]!r} ({BACK})") from None
    return goes_on
