"""Gestures in a JSON file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weights_cache.atomic_files import replacing
from weights_cache.errors import ZooError
from zoo.gestures.rules import GestureRules, make_gesture
from zoo.option import threshold
from zoo.pipeline.options import checked_value

_FORMAT, _VERSION = "zoo-gestures", 1
_SCORE = threshold("score_threshold", "minimum score of a gesture", None)
_LARGEST = 1_000_000  # bytes; a gesture takes about 500
_KEYS = {"curls", "directions", "weights"}


def write_gestures(
    path: str | os.PathLike[str], gestures: Mapping[str, GestureRules], score_threshold: float
) -> None:
    """Write a file, whole or not at all; a link stays a link."""
    import json

    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "score_threshold": score_threshold,
        "gestures": {label: gesture._asdict() for label, gesture in gestures.items()},
    }
    text = json.dumps(document, indent=1, ensure_ascii=False)
    target = Path(os.path.realpath(_checked(path)))
    try:
        data = text.encode()
        with replacing(target) as stream:
            stream.write(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"cannot write gestures to {str(path)!r}: {reason}") from error


def read_gestures(path: str | os.PathLike[str]) -> tuple[dict[str, GestureRules], float]:
    """The gestures of a file, and the threshold.

    Raises:
        ZooError: whatever is wrong with the file.
    """
    try:
        return _parse(_read_text(path))
    except (OSError, ValueError, TypeError, RecursionError, ZooError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ZooError(
            f"{str(path)!r} is no file of gestures that GestureRecognizer.save wrote: {reason}"
        ) from error


def _checked(path: Any) -> str | os.PathLike[str]:
    """A path; numbers would be those of open files."""
    if not isinstance(path, (str, os.PathLike)):
        raise ZooError(f"a path is a text or a pathlib.Path, not {path!r:.80}")
    return path


def _read_text(path: str | os.PathLike[str]) -> str:
    with open(_checked(path), encoding="utf-8") as file:
        text = file.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST:,} characters")
    return text


def _parse(text: str) -> tuple[dict[str, GestureRules], float]:
    import json

    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError(f'it does not say "format": "{_FORMAT}"')
    if document.get("version") != _VERSION:
        raise ValueError(f"its version is {document.get('version')!r}, known is {_VERSION}")
    threshold = checked_value(_SCORE, document.get("score_threshold"))
    gestures = document.get("gestures")
    if not isinstance(gestures, dict):
        raise ValueError("it has no gestures")
    return {label: _gesture(label, rules) for label, rules in gestures.items()}, threshold


def _gesture(label: str, rules: Any) -> GestureRules:
    if not isinstance(rules, dict) or rules.keys() - {"raised"} != _KEYS:
        raise ValueError(f"gesture {label!r} needs {', '.join(sorted(_KEYS))}")
    return make_gesture(label, **rules)
