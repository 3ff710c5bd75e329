"""Names of layers that are given none: the class's name, then with numbers."""

from collections import Counter

from core.keras.configured import snake_case

_counts: "Counter[str]" = Counter()


def new_name(class_name: str) -> str:
    """Return a name that was not returned before, such as "dense", then "dense_1".

    >>> names = [new_name("MyLayer") for _ in range(2)]
    >>> names
    ['my_layer', 'my_layer_1']
    """
    name = snake_case(class_name)
    number = _counts[name]
    _counts[name] += 1
    return f"{name}_{number}" if number else name


def restart_names() -> None:
    """Let names begin with "dense" again, as in a new process; the names of layers stay."""
    _counts.clear()
