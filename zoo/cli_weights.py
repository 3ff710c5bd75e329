"""``zoo models`` and ``zoo weights``: what there is, and where its files are."""

import argparse
from collections.abc import Iterator
from typing import Any

from weights_cache.errors import ZooError
from zoo.terminal import Parser, complain, print_table, size_text


def add_models(commands: Any) -> None:
    """Declare ``zoo models``."""
    models = commands.add_parser("models", help="list the pretrained models")
    models.add_argument("pattern", nargs="?", default="*", metavar="GLOB", help="such as 'pose*'")
    models.set_defaults(run=_run_models)


def add_weights(commands: Any) -> None:
    """Declare ``zoo weights`` and its actions."""
    weights = commands.add_parser("weights", help="fetch, list, verify, find or remove weights")
    actions = weights.add_subparsers(metavar="ACTION", required=True, parser_class=Parser)
    for run, name, doc in (
        (_fetch_weights, "fetch", "download into the cache"),
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
    from weights_cache import find_record, status
    from zoo.catalog import find_entry, models

    names = models(given.pattern)
    if not names:
        raise ZooError(f"no model matches {given.pattern!r}: 'zoo models' lists them all")
    rows = [("NAME", "TASK", "SIZE", "WEIGHTS", "LICENCE")]
    for name in names:
        entry = find_entry(name)
        record = find_record(entry.weights).limited_to(entry.files)
        where = status(record.name, only=entry.files)
        rows.append((name, entry.task, size_text(record.bytes), where, record.licence))
    print_table(rows)
    return 0


def _records(given: argparse.Namespace) -> Iterator[Any]:
    """The records that are named, by the name of an entry or their own; all without names."""
    from weights_cache import find_record, list_records
    from zoo.catalog import find_entry, is_entry

    if not given.names:
        yield from list_records()
    for name in given.names:
        yield find_record(find_entry(name).weights if is_entry(name) else name)


def _fetch_weights(given: argparse.Namespace) -> int:
    from weights_cache import fetch

    for record in list(_records(given)):
        folder = next(iter(fetch(record.name).values())).parent
        print(f"{record.name}: {folder}")
    return 0


def _list_weights(given: argparse.Namespace) -> int:
    from weights_cache import status

    rows = [("NAME", "SIZE", "WHERE", "LICENCE")]
    for record in _records(given):
        rows.append((record.name, size_text(record.bytes), status(record.name), record.licence))
    print_table(rows)
    return 0


def _verify_weights(given: argparse.Namespace) -> int:
    """Without names only what is there is hashed; a model that is named must be there."""
    from weights_cache import verify

    states = []
    for record in _records(given):
        reports = verify(record.name)
        if given.names or any(report.place for report in reports):
            states.append(_state(record.name, reports))
            print(f"{record.name}: {states[-1]}")
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

    if not given.names:
        print(cache_folder())
    for record in _records(given) if given.names else ():
        print(next(iter(locate(record.name, offline=True).values())).parent)
    return 0


def _clear_weights(given: argparse.Namespace) -> int:
    from weights_cache import clear

    records = list(_records(given))
    for record in records:
        if given.names and record.bundled:
            complain(f"{record.name} is part of the package and stays")
    print(f"{size_text(sum(clear(record.name) for record in records))} freed")
    return 0
