"""Files of gestures: the rules and examples of a recognizer as JSON.

Version 1 has rules only, version 2 examples as well. A recognizer without examples is written as
version 1, which older releases read.
"""

import json
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from weights_cache.atomic_files import replacing
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.read_back import not_written, read_back
from zoo.pipeline.options import checked_value
from zoo.tasks.gestures.examples import Examples
from zoo.tasks.gestures.rules import SCORE, GestureRules, make_gesture

_FORMAT = "zoo-gestures"
_VERSIONS = _RULES_ONLY, _WITH_EXAMPLES = 1, 2
_LARGEST = 20_000_000  # characters; rules take about 500, an example 900
_KEYS = {"curls", "directions", "weights"}


def write_gestures(
    path: str | os.PathLike[str],
    gestures: Mapping[str, GestureRules],
    examples: Examples,
    score_threshold: float,
) -> None:
    """Write a file of gestures, wholly or not at all.

    Raises:
        ZooError: the file cannot be written, or not be read back, or ``path`` is not a path.
    """
    text = _text_of(gestures, examples, score_threshold)
    target = Path(os.path.realpath(_checked(path)))  # a link stays a link
    try:
        if len(text) > _LARGEST:
            raise ValueError(f"they have {len(text):,} characters, the limit is {_LARGEST:,}")
        data = text.encode()
        with replacing(target, check=partial(_check_written, text)) as stream:
            stream.write(data)
    except (OSError, ValueError) as error:
        pass_interruption(error)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"cannot write gestures to {str(path)!r}: {reason}") from error


def _text_of(
    gestures: Mapping[str, GestureRules], examples: Examples, score_threshold: float
) -> str:
    document: dict[str, Any] = {
        "format": _FORMAT,
        "version": _WITH_EXAMPLES if examples else _RULES_ONLY,
        "score_threshold": score_threshold,
        "gestures": {label: rules._asdict() for label, rules in gestures.items()},
    }
    if examples:
        document["examples"] = examples.to_document()
    return json.dumps(document, indent=1, ensure_ascii=False)


def _check_written(text: str, path: Path) -> None:
    """Raise an error unless a new file has the gestures of a text."""
    if _text_of(*read_back(read_gestures, path)) != text:
        raise not_written("it has other gestures")


def read_gestures(
    path: str | os.PathLike[str],
) -> tuple[dict[str, GestureRules], Examples, float]:
    """Return the rules, the examples and the threshold of a file that `write_gestures` wrote.

    Raises:
        ZooError: the file is missing, damaged or of a newer version.
    """
    try:
        return _parse(_read_text(path))
    except (OSError, ValueError, TypeError, RecursionError, ZooError) as error:
        pass_interruption(error)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(
            f"{str(path)!r} is no file of gestures that GestureRecognizer.save wrote: {reason}"
        ) from error


def _checked(path: Any) -> str | os.PathLike[str]:
    """Return a path, or raise an error: a number would be that of an open file."""
    if not isinstance(path, (str, os.PathLike)):
        raise ZooError(f"a path is a text or a pathlib.Path, not {path!r:.80}")
    return path


def _read_text(path: str | os.PathLike[str]) -> str:
    with open(_checked(path), encoding="utf-8") as file:
        text = file.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST:,} characters")
    return text


def _parse(text: str) -> tuple[dict[str, GestureRules], Examples, float]:
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError(f'it does not say "format": "{_FORMAT}"')
    version = document.get("version")
    if version not in (_RULES_ONLY, _WITH_EXAMPLES):
        raise ValueError(
            f"its version is {version!r}, known are {_RULES_ONLY} and {_WITH_EXAMPLES}"
        )
    least = checked_value(SCORE._replace(default=None), document.get("score_threshold"))
    examples = Examples()
    if version == _WITH_EXAMPLES:
        examples = Examples.from_document(document.get("examples"))
    return _parse_rules(document.get("gestures")), examples, least


def _parse_rules(gestures: Any) -> dict[str, GestureRules]:
    if not isinstance(gestures, dict):
        raise ValueError("it has no gestures")
    for label, rules in gestures.items():
        if not isinstance(rules, dict) or rules.keys() - {"raised"} != _KEYS:
            raise ValueError(f"gesture {label!r} needs {', '.join(sorted(_KEYS))}")
    return {label: make_gesture(label, **rules) for label, rules in gestures.items()}
