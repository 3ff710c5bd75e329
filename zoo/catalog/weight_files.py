"""The weight files of a model, and which of them are missing."""

from typing import NamedTuple

from weights_cache import file_states, find_record
from weights_cache.common.errors import AbsentFile
from weights_cache.registry import ModelRecord
from zoo.catalog.entry import Entry


class Wanted(NamedTuple):
    """The files of a record that a command is about."""

    name: str  # of the model, or of the record where that was named
    record: ModelRecord
    only: tuple[str, ...] | None = None  # their paths; None: all
    required: bool = True  # named itself, and not by a task or glob that it belongs to


def of_entry(entry: Entry, required: bool = True) -> Wanted:
    """The files of a model."""
    record = find_record(entry.weights).limited_to(entry.files)
    return Wanted(entry.name, record, entry.files, required)


def missing_files(wanted: Wanted) -> list[AbsentFile]:
    """The files that are neither in the package, a kit or the cache nor in a mirror folder."""
    states = file_states(wanted.record.name, only=wanted.only)
    return [
        AbsentFile(wanted.record.name, file.path, file.bytes)
        for file in wanted.record.files
        if file.urls and states[file.path] == "missing"
    ]
