"""In which order nodes run, and when a value is no longer needed."""

from collections.abc import Callable, Iterable, Sequence

from core.errors import CoreError


def running_order(
    needs: Callable[[str], Iterable[str]],
    given: Iterable[str],
    wanted: Iterable[str],
    later: Callable[[str], Iterable[str]] = lambda name: (),
) -> list[str]:
    """The names of nodes that lead to wanted ones, each after what it needs.

    Args:
        needs: gives the names of the nodes that must run before a node, or raises for an unknown
            one.
        given: names of nodes that need not run.
        wanted: names of nodes that must run.
        later: gives the names of the nodes that must run, too, if a node does, before it or after.

    Raises:
        CoreError: a name is unknown, or nodes wait for each other in a circle.
    """
    done, waiting = set(given), set[str]()
    order: list[str] = []
    stack = [*wanted][::-1]
    closing = 0  # how many nodes of the order were asked what must run later
    while stack or closing < len(order):
        if not stack:
            stack += later(order[closing])
            closing += 1
            continue
        name = stack[-1]
        if name in done:
            stack.pop()
        elif name in waiting:
            order.append(name)
            done.add(name)
            stack.pop()
        else:
            waiting.add(name)
            missing = [n for n in needs(name) if n not in done]
            if any(n in waiting for n in missing):
                raise CoreError(f"node {name!r} waits for itself: the graph has a circle")
            stack += missing
    return order


def last_uses(needs: Sequence[Sequence[str]], wanted: Iterable[str]) -> list[list[str]]:
    """For each step of a sequence the references that nobody needs after it, by what each needs."""
    remaining = set(wanted)
    freed: list[list[str]] = []
    for needed in reversed(needs):
        freed.append([n for n in dict.fromkeys(needed) if n not in remaining])
        remaining.update(needed)
    return freed[::-1]
