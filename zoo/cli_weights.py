"""``zoo models`` and ``zoo weights``: what there is, and where its files are."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from weights_cache.errors import ZooError
from zoo.sizes import size_text
from zoo.terminal import Parser, complain, print_table

#: Of licences: what a table has room for.
_LICENCES = ("Apache-2.0", "MIT")
_MORE = "(*)"


class Wanted(NamedTuple):
    """The files of a record that a command is about."""

    name: str  # of the model, or of the record where that was named
    record: Any
    only: tuple[str, ...] | None = None  # their paths; None: all


def add_models(commands: Any) -> None:
    """Declare ``zoo models``."""
    models = commands.add_parser("models", help="list the pretrained models")
    models.add_argument(
        "pattern", nargs="?", default="*", metavar="GLOB", help="such as 'pose*', or a task"
    )
    models.set_defaults(run=_run_models)


def add_weights(commands: Any) -> None:
    """Declare ``zoo weights`` and its actions."""
    weights = commands.add_parser("weights", help="fetch, list, verify, find or remove weights")
    actions = weights.add_subparsers(metavar="ACTION", required=True, parser_class=Parser)
    for run, name, doc in (
        (_fetch_weights, "fetch", "download into the cache, with what a model works with"),
        (_list_weights, "list", "list the registered files and where they are"),
        (_verify_weights, "verify", "hash every file again"),
        (_print_weights_path, "path", "print the folder of a model, or of the cache"),
        (_clear_weights, "clear", "remove from the cache"),
    ):
        action = actions.add_parser(name, help=doc)
        action.add_argument(
            "names",
            nargs="+" if name == "fetch" else "*",
            metavar="NAME",
            help="a model of 'zoo models' or 'zoo weights list'; none means all",
        )
        action.set_defaults(run=run)


def _run_models(given: argparse.Namespace) -> int:
    from zoo.catalog import find_entry, models, tasks

    names = models(given.pattern)
    if not names:
        raise ZooError(
            f"no model matches {given.pattern!r}: 'zoo models' lists all, 'zoo models TASK' those "
            f"of a task: {', '.join(tasks())}"
        )
    rows = []
    for entry in map(find_entry, names):
        rows.append((entry.name, entry.task, *_columns(_of_entry(entry))))
    _print_licensed(("NAME", "TASK", "SIZE", "WEIGHTS"), rows)
    return 0


def _columns(wanted: Wanted) -> tuple[str, str, str]:
    """Size, place and licence."""
    from weights_cache import status

    where = status(wanted.record.name, only=wanted.only)
    return size_text(wanted.record.bytes), where, wanted.record.licence


def _print_licensed(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """A table whose last column are licences: their names on a terminal, else what they say."""
    if not sys.stdout.isatty():
        print_table([(*head, "LICENCE"), *rows])
        return
    short = [(*row[:-1], _licence_name(row[-1])) for row in rows]
    print_table([(*head, "LICENCE"), *short])
    if any(row[-1].endswith(_MORE) for row in short):
        print(f"{_MORE} there is more to it: see 'zoo describe MODEL'")


def _licence_name(text: str) -> str:
    """The licence that a text names first, and a mark if it says more."""
    named = [name for name in _LICENCES if name in text]
    first = min(named, key=text.index, default="")
    return text if text == first else f"{first} {_MORE}".lstrip()


def _of_entry(entry: Any) -> Wanted:
    from weights_cache import find_record

    return Wanted(entry.name, find_record(entry.weights).limited_to(entry.files), entry.files)


def _wanted(names: list[str], *, parts: bool = False) -> Iterator[Wanted]:
    """What is named, by entries or records; everything without names.

    Args:
        names: as given.
        parts: also what the models named work with.
    """
    from weights_cache import find_record, list_records
    from zoo.catalog import find_entry, is_entry, with_parts

    if not names:
        yield from (Wanted(record.name, record) for record in list_records())
    for name in names:
        if not is_entry(name):
            yield Wanted(name, find_record(name))
            continue
        entry = find_entry(name)
        yield from map(_of_entry, with_parts(entry) if parts else [entry])


def _fetch_weights(given: argparse.Namespace) -> int:
    """With a model all that it works with by default, so that it runs offline then."""
    from weights_cache import fetch
    from weights_cache.errors import OfflineError

    for name, record, only in dict.fromkeys(_wanted(given.names, parts=True)):
        try:
            files = fetch(record.name, only=only)
        except OfflineError as error:
            raise error.named(name) from error
        print(f"{name}: {next(iter(files.values())).parent}")
    return 0


def _list_weights(given: argparse.Namespace) -> int:
    wanted = list(_wanted(given.names))
    _print_licensed(("NAME", "SIZE", "WHERE"), [(w.name, *_columns(w)) for w in wanted])
    return 0


def _verify_weights(given: argparse.Namespace) -> int:
    """Without names only what is there is hashed; a model that is named must be there."""
    from weights_cache import verify

    states = []
    for name, record, only in _wanted(given.names):
        reports = verify(record.name, only=only)
        if given.names or any(report.place for report in reports):
            states.append(_state(name, reports))
            print(f"{name}: {states[-1]}")
    if all(state == "good" for state in states):
        return 0
    return 1 if "good" in states else 2


def _state(name: str, reports: Any) -> str:
    """``"good"``, ``"missing"`` or ``"damaged"``; the latter two with the reason on stderr."""
    if not any(report.place for report in reports):
        complain(f"{name} is neither in the cache nor in a mirror: 'zoo weights fetch {name}'")
        return "missing"
    problems = [report for report in reports if report.problem]
    for report in problems:
        complain(f"{name}/{report.path}: {report.problem}")
    return "damaged" if problems else "good"


def _print_weights_path(given: argparse.Namespace) -> int:
    from weights_cache import cache_folder, locate
    from weights_cache.errors import OfflineError

    if not given.names:
        print(cache_folder())
    for name, record, only in _wanted(given.names) if given.names else ():
        try:
            files = locate(record.name, offline=True, only=only)
        except OfflineError as error:
            raise error.named(name) from error
        print(next(iter(files.values())).parent)
    return 0


def _clear_weights(given: argparse.Namespace) -> int:
    from weights_cache import clear

    freed = 0
    for name, record, only in list(_wanted(given.names)):
        if given.names and record.bundled:
            complain(f"{name} is part of the package and stays")
        freed += clear(record.name, only=only)
    print(f"{size_text(freed)} freed")
    return 0
