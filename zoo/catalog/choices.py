"""Models that a verb uses where the caller names none, or only says what matters."""

from typing import Any, NamedTuple


class Choices(NamedTuple):
    """The models of one verb, by their names in `zoo.models`."""

    default: Any  # a str; verbs take only the literal names of their models
    fast: str  # what ``model="fast"`` stands for: the fewest milliseconds
    best: str  # what ``model="best"`` stands for: the most accurate one
