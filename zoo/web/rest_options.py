"""Options of the verbs in the query of an address: their description, and their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from weights_cache.common.errors import ZooError
from zoo.catalog.choices import Choices
from zoo.catalog.entries import choices, find_entry, is_entry, verb_options
from zoo.catalog.option import Option
from zoo.catalog.unknown_models import able_models
from zoo.pipeline.options import checked_value, unknown_option

#: JSON's name of a type of option; the others are texts.
_TYPES = {"number": "number", "integer": "integer", "flag": "boolean"}

#: Options of functions that REST does not take, and why.
_REFUSED = {
    "backend": "is chosen for the whole server: zoo serve --backend NAME",
    "input_size": "is chosen when a model is loaded, in Python",
    "output_stride": "is chosen when a model is loaded, in Python",
    "detector": "is chosen when a model is loaded, in Python",
    "image": "is the body of the request: curl --data-binary @image.jpg",
}


def served_verbs() -> list[str]:
    """Return the functions that have an address.

    >>> "estimate_hands" in served_verbs()
    True
    """
    return [verb for verb in choices() if verb != "infer"]


def options_of(verb: str) -> dict[str, Option]:
    """Return the options of a verb by name, the model first."""
    model = Option("model", "model", "name of the model, 'fast' or 'best'", choices()[verb].default)
    return {"model": model, **verb_options(verb)}


def described_options(verb: str) -> list[dict[str, Any]]:
    """Return the options of a verb as parameters of OpenAPI."""
    return [
        {
            "name": option.name,
            "in": "query",
            "description": _meaning(option),
            "required": False,
            "schema": _schema(option, verb),
        }
        for option in options_of(verb).values()
    ]


def _meaning(option: Option) -> str:
    return option.meaning + (f" (default: {option.note})" if option.note else "")


def _schema(option: Option, verb: str) -> dict[str, Any]:
    if option.type == "names":
        return {"type": "array", "items": {"type": "string"}}
    names = _models(option, verb) if option.type == "model" else option.choices
    limits = {"minimum": option.low, "maximum": option.high}
    default: Any = option.default if isinstance(option.default, (bool, int, float)) else None
    if option.type == "model":
        default = option.default or option.note
    more = {"enum": list(names) or None, **limits, "default": default}
    schema = {"type": _TYPES.get(option.type, "string")}
    return schema | {name: value for name, value in more.items() if value is not None}


def _models(option: Option, verb: str) -> list[str]:
    """Return the names that an option takes: models of the verb, or of that of the hands."""
    verb = verb if option.name == "model" else "estimate_hands"
    return [*dict.fromkeys([choices()[verb].default, *able_models(verb), *Choices._fields[1:]])]


def given_options(verb: str, query: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the options in a query as arguments of a verb.

    Args:
        verb: of `served_verbs`.
        query: names and texts; "token" is the server's own.

    Raises:
        ZooError: an option is unknown, invalid, or there twice; or a model is not in the catalog.

    >>> given_options("estimate_hands", [("max_hands", "1"), ("mirror", "true")])
    {'max_hands': 1, 'mirror': True}
    >>> given_options("estimate_hands", [("max_hand", "1")])
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'max_hand' of estimate_hands: did you mean 'max_hands'?; \
valid options: model, max_hands, score_threshold, mirror, detector_threshold, iou_threshold, refine
    """
    options, texts = options_of(verb), _texts_by_name(query)
    for name in texts:
        if name not in options:
            raise _unknown(verb, name, options)
    return {name: _value(options[name], given, verb) for name, given in texts.items()}


def _texts_by_name(query: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for name, text in query:
        if name != "token":
            texts.setdefault(name, []).append(text)
    return texts


def _unknown(verb: str, name: str, options: Mapping[str, Option]) -> ZooError:
    if name in _REFUSED:
        return ZooError(f"{name!r} {_REFUSED[name]}; options of {verb}: {', '.join(options)}")
    return unknown_option(verb, [name[:80]], options)


def _value(option: Option, texts: list[str], verb: str) -> Any:
    if option.type == "names":
        return [name.strip() for text in texts for name in text.split(",")]
    if len(texts) > 1:
        raise ZooError(f"{option.name} is given {len(texts)} times: give it once")
    if option.type == "model":
        return _model(option, texts[0], verb)
    return checked_value(option, _plain(option.type, texts[0][:80]))


def _plain(kind: str, text: str) -> bool | int | float | str:
    """Return the value of a text, or the text where it has none of that type."""
    if kind == "flag":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    with suppress(ValueError):
        if kind in ("integer", "number"):
            return int(text)
    with suppress(ValueError):
        if kind in ("integer", "number"):
            return float(text)
    return text


def _model(option: Option, name: str, verb: str) -> str:
    """Return the name of a model: paths and URLs are for who starts the server."""
    known = _models(option, verb)
    if name in known or is_entry(name):
        return name
    if not name or any(sign in name for sign in "/\\:"):
        raise ZooError(
            f"{option.name}={name!r:.80} is not the name of a model, and paths and URLs are not "
            f"taken from requests; models of {verb}: {', '.join(known)}"
        )
    return find_entry(name[:80], verb).name
