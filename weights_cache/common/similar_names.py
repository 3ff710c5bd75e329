"""Hints in errors about unknown names: which known ones are similar."""

from collections.abc import Callable, Iterable
from typing import NoReturn


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """A hint at the closest valid name, or nothing.

    >>> did_you_mean("hand", ["hands", "faces"])
    ": did you mean 'hands'?"
    """
    close = close_names(name, valid)
    return f": did you mean {close[0]!r}?" if close else ""


def close_names(name: str, valid: Iterable[str], count: int = 1, least: float = 0.6) -> list[str]:
    """Return the valid names that are most similar, at most ``count`` of them.

    Args:
        name: the unknown name.
        valid: the known ones.
        count: largest number of names.
        least: similarity from 0 to 1 that a name must have, as of `difflib.get_close_matches`.
    """
    from difflib import get_close_matches  # of names that are all right nobody needs it

    return get_close_matches(name, list(valid), count, least)


def no_attribute(module: str, name: str, public: Iterable[str]) -> AttributeError:
    """The error for a name that a module does not have, with those that may be meant.

    These are the name in another spelling, such as TensorFlow.js's, else functions with all words
    of the name, else the most similar public name.

    >>> print(no_attribute("core", "softmx", ["softmax", "sigmoid"]))
    module 'core' has no attribute 'softmx': did you mean core.softmax?
    >>> print(no_attribute("losses", "squaredHinge", ["SquaredHinge", "squared_hinge"]))
    module 'losses' has no attribute 'squaredHinge': did you mean losses.squared_hinge?
    """
    names = list(public)
    plain = name.lower().replace("_", "")
    spelled = [n for n in names if n.lower().replace("_", "") == plain]
    of_kind = [n for n in spelled if n[0].isupper() == name[0].isupper()]
    words = name.lower().rstrip("s").split("_")
    meant = [n for n in names if n.islower() and len(name) > 2 and all(w in n for w in words)]
    meant = (of_kind or meant or spelled or close_names(name, names))[:3]
    hint = f": did you mean {' or '.join(f'{module}.{n}' for n in meant)}?" if meant else ""
    text = f"module {module!r} has no attribute {name!r}{hint}"
    return AttributeError(text, name=name, obj=None)  # or else Python adds its own guess


def missing_from(module: str, public: Iterable[str]) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a module that has all of its names, for hints at them.

    >>> missing_from("core.losses", ["hinge", "huber"])("hing")
    Traceback (most recent call last):
    AttributeError: module 'core.losses' has no attribute 'hing': did you mean core.losses.hinge?
    """

    def missing(name: str) -> NoReturn:
        raise no_attribute(module, name, public)

    return missing
