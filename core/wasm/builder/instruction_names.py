"""Instructions as attributes: ``f.i32.add()`` adds the instruction ``i32.add``."""

from collections.abc import Callable
from typing import Any

from core.wasm.instructions import BY_NAME
from weights_cache.common.similar_names import did_you_mean

#: Adds an instruction by its name.
Emit = Callable[..., None]


def attribute(name: str, emit: Emit) -> Any:
    """The function that adds an instruction, or what has the instructions that begin so.

    A blank ``_`` behind the name is left out: ``and_`` stands for ``and``.

    Raises:
        AttributeError: no instruction begins so.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    name = name.removesuffix("_")
    if name in BY_NAME:
        return lambda *immediates, **named: emit(name, *immediates, **named)
    if any(each.startswith(f"{name}.") for each in BY_NAME):
        return _Prefix(name, emit)
    raise AttributeError(f"no instruction begins with {name!r}{did_you_mean(name, BY_NAME)}")


class _Prefix:
    """The instructions whose names begin with some words."""

    def __init__(self, name: str, emit: Emit):
        self._name, self._emit = name, emit

    def __getattr__(self, name: str) -> Any:
        return attribute(f"{self._name}.{name}", self._emit)
