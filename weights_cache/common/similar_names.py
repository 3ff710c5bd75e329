"""Hints in errors about unknown names: which known ones are similar."""

from collections.abc import Iterable


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

    These are functions with all words of the name, else the most similar public name.

    >>> print(no_attribute("core", "softmx", ["softmax", "sigmoid"]))
    module 'core' has no attribute 'softmx': did you mean core.softmax?
    """
    from difflib import get_close_matches

    names = list(public)
    words = name.lower().rstrip("s").split("_")
    meant = [n for n in names if n.islower() and len(name) > 2 and all(w in n for w in words)]
    meant = (meant or get_close_matches(name, names, n=1))[:3]
    hint = f": did you mean {' or '.join(f'{module}.{n}' for n in meant)}?" if meant else ""
    text = f"module {module!r} has no attribute {name!r}{hint}"
    return AttributeError(text, name=name, obj=None)  # or else Python adds its own guess
