"""Options of models and verbs: what is valid, and what an error says of the rest."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from weights_cache.errors import ZooError


@dataclass(frozen=True)
class Option:
    """One option of a model: its default, and the values that it may have (none: see its task).

    ``note`` says in the model's card what a default such as None stands for.
    """

    default: Any
    choices: tuple[Any, ...] = ()
    note: str = ""


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
    chosen = {name: _chosen(owner, name, valid[name], value) for name, value in given.items()}
    return {name: chosen.get(name, option.default) for name, option in valid.items()}


def _chosen(owner: str, name: str, option: Option, value: Any) -> Any:
    """A value as a plain Python one, if it is among the choices."""
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if not option.choices:
        return plain
    for choice in option.choices:
        if type(choice) is type(plain) and choice == plain:
            return choice
    raise ZooError(f"{name}={value!r} of {owner} must be one of {list(option.choices)}")


def refuse_unknown(owner: str, unknown: Iterable[str], valid: Iterable[str]) -> None:
    """Raise for an option that does not exist, and list those that do."""
    names = sorted(unknown)
    if names:
        valid = list(valid)
        raise ZooError(
            f"unknown option {names[0]!r} of {owner}{did_you_mean(names[0], valid)}; "
            f"valid options: {', '.join(valid)}"
        )


def refuse_options(verb: Callable[..., Any], unknown: Iterable[str]) -> None:
    """Raise for options that a verb does not have; it has its keyword-only arguments.

    Those of the model itself are chosen when it is loaded.
    """
    model: Any = getattr(verb, "__self__", None)
    for name in unknown if model else ():
        if name in model.entry.options:
            raise ZooError(
                f"{name!r} is chosen when the model is loaded: zoo.load({model.name!r}, {name}=...)"
            )
    refuse_unknown(verb.__name__, unknown, verb.__kwdefaults__ or ())


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """A hint at the closest valid name, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(valid), n=1)
    return f": did you mean {close[0]!r}?" if close else ""


def check_number(
    name: str, value: Any, *, low: float, high: float | None = None, whole: bool = False
) -> Any:
    """The value as a plain Python number; an error if it is none, or out of its range.

    >>> check_number("max_poses", 5, low=1, whole=True)
    5
    """
    kind = Integral if whole else Real
    limit = f"at least {low}" if high is None else f"between {low} and {high}"
    valid = isinstance(value, kind) and not isinstance(value, bool)
    if not valid or not (low <= value and (high is None or value <= high)):
        raise ZooError(f"{name}={value!r} must be a {'whole ' if whole else ''}number {limit}")
    return int(value) if whole else float(value)


def check_optional(
    name: str,
    value: Any,
    *,
    low: float,
    high: float | None = None,
    whole: bool = False,
    default: Any = None,
) -> Any:
    """As `check_number`, but None stands for a default, or stays None: for one elsewhere.

    >>> check_optional("score_threshold", None, low=0, high=1, default=0.5)
    0.5
    """
    if value is None:
        return default
    return check_number(name, value, low=low, high=high, whole=whole)


def check_flag(name: str, value: Any) -> bool:
    """The value as a plain bool; an error if it is none: "no" would count as yes.

    >>> check_flag("mirror", True)
    True
    """
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if not isinstance(plain, bool):
        raise ZooError(f"{name}={value!r} must be True or False")
    return plain
