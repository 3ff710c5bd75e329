"""The constants of a graph that can train, and the choice among them by patterns of names."""

from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np

from core.errors import CoreError
from core.graph.node_types import find_node_type
from core.graph.nodes import FIXED, Graph, Node, node_of

#: A name with ``*``, ``?`` and ``[...]``, or a function of a name.
Pattern = str | Callable[[str], bool]

#: The type of nodes that round to quantised values.
_ROUNDING = "QuantiseRound"

#: The number of names that an error lists.
_MOST_SHOWN = 4


class Constants:
    """The constants of a graph that lead to some outputs.

    Args:
        graph: the graph.
        wanted: references of the outputs.

    Attributes:
        trainable: names of the float constants whose gradient reaches an output, in the graph's
            order.
        refused: why others do not train, by name.
        numbers: names of those that are numbers of the computation, wherever they lead.
    """

    def __init__(self, graph: Graph, wanted: Iterable[str]):
        nodes = {node.name: node for node in graph.nodes}
        starts = [node_of(reference) for reference in wanted]
        self._needed = reached(nodes, starts)
        self._float = reached(nodes, starts, stop=_ROUNDING)
        self._read = {name for node in nodes.values() for name in _attributes(node)}
        self._fixed = {node.name for node in nodes.values() if node.attributes.get(FIXED)}
        self._bodies = {n.name for f in graph.functions.values() for n in f.nodes}
        self.numbers = self._fixed | self._read
        self._initializer = set(graph.initializer.weights if graph.initializer else ())
        self.trainable: list[str] = []
        self.refused: dict[str, str] = {}
        for name, array in graph.weights.items():
            reason = self._reason(name, array)
            if reason:
                self.refused[name] = reason
            else:
                self.trainable.append(name)

    def _reason(self, name: str, array: np.ndarray) -> str:
        """Return why a constant does not train, or ""."""
        if name in self._bodies:
            return "in a function that the graph calls"
        if name in self._initializer:
            return "in the initializer"
        if name not in self._needed:
            return "not needed for the outputs"
        if array.dtype != np.float32:
            return f"{array.dtype.name}: no gradient"
        if name in self._fixed:
            return "a number of the computation, not a weight"
        if name in self._read:
            return "an attribute of a node"
        if name not in self._float:
            return "quantised: train a float model, or the float parts of this one"
        return ""

    def chosen(self, patterns: Sequence[Pattern], others: Collection[str] = ()) -> list[str]:
        """Return the names of trainable constants that a pattern matches.

        Args:
            patterns: patterns of names.
            others: names of nodes that a pattern may match instead.

        Raises:
            CoreError: a pattern matches none of either.
        """
        found: dict[str, None] = {}
        for pattern in patterns:
            names = [name for name in self.trainable if matches(pattern, name)]
            if not names and not _any_matches(pattern, others):
                raise self._error(pattern)
            found |= dict.fromkeys(names)
        return [name for name in self.trainable if name in found]

    def _error(self, pattern: Pattern) -> CoreError:
        """Return the error about a pattern that matches nothing."""
        refused = [name for name in self.refused if matches(pattern, name)]
        if refused:
            reasons: dict[str, list[str]] = {}
            for name in refused:
                reasons.setdefault(self.refused[name], []).append(name)
            text = "; ".join(f"{_listed(names)} ({why})" for why, names in reasons.items())
            return CoreError(f"no constant that {pattern!r} matches can train: {text}")
        near = get_close_matches(str(pattern), self.trainable, n=_MOST_SHOWN, cutoff=0.3)
        names = near or self.trainable[:_MOST_SHOWN]
        hint = f"near names are {_listed(names)}" if names else "no constant of the graph trains"
        return CoreError(
            f"the pattern {pattern!r} matches none of the {len(self.trainable)} constants that "
            f"can train; {hint}"
        )


def matches(pattern: Pattern, name: str) -> bool:
    """Return whether a pattern matches a name.

    >>> matches("head/*", "head/kernel"), matches(lambda name: "bias" in name, "head/kernel")
    (True, False)
    """
    if isinstance(pattern, str):
        return fnmatchcase(name, pattern)
    if not callable(pattern):
        raise CoreError(
            f"a pattern is a string such as 'head/*', or a function of a name, got {pattern!r:.80}"
        )
    return bool(pattern(name))


def _any_matches(pattern: Pattern, names: Collection[str]) -> bool:
    return any(matches(pattern, name) for name in names)


def _listed(names: Sequence[str]) -> str:
    """Return some names as a text."""
    more = len(names) - _MOST_SHOWN
    shown = ", ".join(repr(name) for name in names[:_MOST_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


def reached(nodes: dict[str, Node], starts: Iterable[str], stop: str = "") -> set[str]:
    """Return the names on the ways back from some nodes, which end at nodes of a type."""
    found, waiting = set[str](), [*starts]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        node = nodes.get(name)
        if node is not None and node.type != stop:
            waiting += [node_of(r) for r in node.inputs if not r.startswith("^")]
    return found


def _attributes(node: Node) -> list[str]:
    """Return the names of the nodes whose values a node takes as attributes, or must know."""
    kind = find_node_type(node.type)
    if kind is None:
        return []
    inputs = [node_of(r) for r in node.inputs if not r.startswith("^")]
    places = {p + len(inputs) if p < 0 else p for p in kind.reads.values()}
    places |= {*kind.numbers(node.attributes)}
    return [name for place, name in enumerate(inputs) if place in places]
