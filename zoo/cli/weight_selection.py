"""Selection of weights: names of models, tasks, globs and registered weights."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from weights_cache import find_record, list_records
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import (
    all_entries,
    default_entries,
    find_entry,
    is_entry,
    tasks,
    with_parts,
)
from zoo.catalog.weight_files import Wanted, of_entry


def everything() -> Iterator[Wanted]:
    """All models, then the registered weights that no model uses."""
    entries = all_entries().values()
    yield from (of_entry(entry, required=False) for entry in entries)
    used = {entry.weights for entry in entries}
    for record in list_records():
        if record.name not in used:
            yield Wanted(record.name, record, required=False)


def other_files() -> Iterator[Wanted]:
    """The registered files that lie beside those of models, such as labels and variants."""
    used: dict[str, set[str]] = {}
    for entry in all_entries().values():
        files = of_entry(entry).record.files
        used.setdefault(entry.weights, set()).update(file.path for file in files)
    for name, known in used.items():
        record = find_record(name)
        rest = tuple(file.path for file in record.files if file.path not in known)
        if rest:
            yield Wanted(name, record.limited_to(rest), rest, required=False)


def matching(names: Iterable[str]) -> list[Wanted]:
    """Return the models named, of a task, or that match a glob, or registered weights.

    Raises:
        ZooError: nothing has a name; the message lists similar ones.
    """
    found: dict[str, Wanted] = {}
    for name in names:
        for wanted in _matching(name):
            kept = found.setdefault(wanted.name, wanted)
            found[wanted.name] = kept._replace(required=kept.required or wanted.required)
    return list(found.values())


def runnable(names: Iterable[str], *, every: bool = False) -> list[Wanted]:
    """Return the selected models with all their parts, so that they run without a network.

    A task stands for its default models; without names those of all tasks are meant.

    Args:
        names: as for `matching`.
        every: all available models.
    """
    entries, others = [], []
    names = list(names)
    if every or not names:
        entries = list(all_entries().values()) if every else default_entries()
    for name in names:
        if name in tasks():
            entries += default_entries(name)
            continue
        for wanted in _matching(name):
            if is_entry(wanted.name):
                entries += with_parts(find_entry(wanted.name))
            else:
                others.append(wanted)
    return list(dict.fromkeys([*map(of_entry, entries), *others]))


def _matching(name: str) -> list[Wanted]:
    if is_entry(name):
        return [of_entry(find_entry(name))]
    entries = all_entries().values()
    records = {record.name: record for record in list_records()}
    if name in records:
        return [Wanted(name, records[name])]
    found = [of_entry(e, required=False) for e in entries if name == e.task]
    found = found or [of_entry(e, required=False) for e in entries if fnmatchcase(e.name, name)]
    found = found or [Wanted(n, r, None, False) for n, r in records.items() if fnmatchcase(n, name)]
    if not found:
        known = [*all_entries(), *tasks(), *records]
        raise ZooError(
            f"no model, task or registered weights are called {name!r}{did_you_mean(name, known)} "
            f"('zoo models' lists the models; tasks: {', '.join(tasks())})"
        )
    return found
