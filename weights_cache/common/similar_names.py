"""Hints in errors about unknown names: which known ones are similar."""

from collections.abc import Callable, Iterable
from typing import NoReturn


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """A hint at the closest valid name, or nothing.

    >>> did_you_mean("hand", ["hands", "faces"])
    ": did you mean 'hands'?"
    """
    from difflib import get_close_matches

    close = get_close_matches(name, list(valid), n=1)
    return f": did you mean {close[0]!r}?" if close else ""


def no_attribute(module: str, name: str, public: Iterable[str]) -> AttributeError:
    """The error for a name that a module does not have, with those that may be meant.

    These are the name in another spelling, such as TensorFlow.js's, else functions with all words
    of the name, else the most similar public name.

    >>> print(no_attribute("core", "softmx", ["softmax", "sigmoid"]))
    module 'core' has no attribute 'softmx': did you mean core.softmax?
    >>> print(no_attribute("losses", "squaredHinge", ["SquaredHinge", "squared_hinge"]))
    module 'losses' has no attribute 'squaredHinge': did you mean losses.squared_hinge?
    """
    from difflib import get_close_matches

    names = list(public)
    plain = name.lower().replace("_", "")
    spelled = [n for n in names if n.lower().replace("_", "") == plain]
    of_kind = [n for n in spelled if n[0].isupper() == name[0].isupper()]
    words = name.lower().rstrip("s").split("_")
    meant = [n for n in names if n.islower() and len(name) > 2 and all(w in n for w in words)]
    meant = (of_kind or meant or spelled or get_close_matches(name, names, n=1))[:3]
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
