"""Unique names of nodes."""

#: The longest name of a node; longer names of tensors are cut.
LONGEST_NAME = 1000


class Names:
    """Unique names of nodes."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, base: str, as_is: bool = False) -> str:
        """Return ``base``, with a number if taken; unless ``as_is``, valid in references."""
        if not as_is:
            base = base[:LONGEST_NAME].replace(":", "_").lstrip("^") or "unnamed"
        name = base
        while name in self._taken:
            self._next[base] = self._next.get(base, 0) + 1
            name = f"{base}_{self._next[base]}"
        self._taken.add(name)
        return name
