"""Options of models and verbs: what is valid, and what an error says of the rest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from weights_cache.errors import ZooError


@dataclass(frozen=True)
class Option:
    """One option of a model: its default, and the values that it may have (none: see its task)."""

    default: Any
    choices: tuple[Any, ...] = ()


def check_options(
    owner: str, valid: Mapping[str, Option], given: Mapping[str, Any], also: Iterable[str] = ()
) -> dict[str, Any]:
    """The given options with defaults filled in.

    Args:
        owner: whose options they are, for the error.
        valid: options by name.
        given: what the caller wants.
        also: further names that the caller could have meant, for the error.

    Raises:
        ZooError: an unknown option, or a value that is not among the choices.
    """
    refuse_unknown(owner, given.keys() - valid.keys(), [*also, *valid])
    for name, value in given.items():
        choices = valid[name].choices
        if choices and (value not in choices or isinstance(value, bool)):
            raise ZooError(f"{name}={value!r} of {owner} must be one of {list(choices)}")
    return {name: given.get(name, option.default) for name, option in valid.items()}


def refuse_unknown(owner: str, unknown: Iterable[str], valid: Iterable[str]) -> None:
    """Raise for an option that does not exist, and list those that do."""
    names = sorted(unknown)
    if names:
        valid = list(valid)
        raise ZooError(
            f"unknown option {names[0]!r} of {owner}{did_you_mean(names[0], valid)}; "
            f"valid options: {', '.join(valid)}"
        )


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """A hint at the closest valid name, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(valid), n=1)
    return f": did you mean {close[0]!r}?" if close else ""


def check_number(
    name: str, value: Any, *, low: float, high: float | None = None, whole: bool = False
) -> None:
    """Raise for an option that is no number, or out of its range.

    >>> check_number("max_poses", 5, low=1, whole=True)
    """
    kinds = (int,) if whole else (int, float)
    limit = f"at least {low}" if high is None else f"between {low} and {high}"
    valid = isinstance(value, kinds) and not isinstance(value, bool)
    if not valid or not (low <= value and (high is None or value <= high)):
        kind = "whole number" if whole else "number"
        raise ZooError(f"{name}={value!r} must be a {kind} {limit}")
