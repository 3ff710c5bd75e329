"""Values of JSON documents, read with checks: they come from files that may be damaged."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import CoreError


def mapping(value: Any, what: str) -> Mapping[str, Any]:
    """A JSON object, or an error.

    >>> mapping([1], "the signature")
    Traceback (most recent call last):
    core.errors.CoreError: the signature should be an object, not [1]
    """
    if not isinstance(value, Mapping):
        raise CoreError(f"{what} should be an object, not {value!r:.80}")
    return value


def sequence(value: Any, what: str) -> Sequence[Any]:
    """A JSON list, or an error."""
    if not isinstance(value, (list, tuple)):
        raise CoreError(f"{what} should be a list, not {value!r:.80}")
    return value


def text(value: Any, what: str) -> str:
    """A JSON string that is not empty, or an error."""
    if not isinstance(value, str) or not value:
        raise CoreError(f"{what} should be a text, not {value!r:.80}")
    return value
