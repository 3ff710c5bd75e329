"""Names of nodes."""

#: The longest name of a tensor that becomes one of a node.
LONGEST_NAME = 1000


class Names:
    """Names of nodes, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, wanted: str, as_is: bool = False) -> str:
        """A name that can be referred to, unless ``as_is``: as wanted or with a number behind."""
        if not as_is:
            wanted = wanted[:LONGEST_NAME].replace(":", "_").lstrip("^") or "unnamed"
        name = wanted
        while name in self._taken:
            self._next[wanted] = self._next.get(wanted, 0) + 1
            name = f"{wanted}_{self._next[wanted]}"
        self._taken.add(name)
        return name
