"""Checks of the documents of a job, without which its results cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weights_cache.common.errors import ZooError
from zoo.tasks.task_verbs import image_tasks


def checked_job(facts: dict[str, Any], path: Path, formats: Mapping[str, object]) -> dict[str, Any]:
    """Return the document of a job.

    Args:
        facts: the JSON of the file.
        path: of the file, for errors.
        formats: the known formats of rows.

    Raises:
        ZooError: it does not say which function's results these are, in which format, or how many.
    """
    if facts.get("verb") not in image_tasks().values():
        raise _damaged(path, f"its function is {facts.get('verb')!r:.80}, which zoo does not have")
    if facts.get("format") not in tuple(formats):
        known = ", ".join(map(repr, formats))
        raise _damaged(path, f"its format is {facts.get('format')!r:.80}, not one of {known}")
    _check_counts(facts, ("chunks", "images"), path)
    return facts


def checked_record(facts: dict[str, Any], path: Path, most: int) -> dict[str, Any]:
    """Return the record of a chunk.

    Args:
        facts: the JSON of the file.
        path: of the file, for errors.
        most: rows of a chunk, for as many of which `list` takes memory at once.

    Raises:
        ZooError: it does not say how many rows there are and of which sha256, or lists no errors.
    """
    _check_counts(facts, ("rows",), path, most)
    if not isinstance(facts.get("sha256"), str):
        raise _damaged(path, f"its sha256 is {facts.get('sha256')!r:.80}")
    errors = facts.get("errors")
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        raise _damaged(path, f"its errors are {errors!r:.80}")
    return facts


def _check_counts(
    facts: Mapping[str, Any], names: tuple[str, ...], path: Path, most: int = 2**53
) -> None:
    for name in names:
        count = facts.get(name)
        if type(count) is not int or not 0 <= count <= most:
            raise _damaged(path, f"its {name} are {count!r:.80}, no count")


def _damaged(path: Path, reason: str) -> ZooError:
    return ZooError(
        f"{str(path)!r} is damaged ({reason}): run the job again into a new folder, or read its "
        "files in parts/ one by one"
    )
