"""``zoo weights``: where the files of models are, and getting, checking and removing them."""

import argparse
import sys
from typing import Any

from weights_cache import (
    cache_folder,
    clear,
    clear_old_versions,
    clear_url,
    fetch,
    file_states,
    locate,
    old_versions,
    status,
    verify,
)
from weights_cache.addresses import is_url
from weights_cache.common.errors import MissingError, OfflineError, UnreachableError, ZooError
from weights_cache.common.messages import is_read_by_people, say
from weights_cache.common.sizes import count_text, size_text
from zoo.cli.kit_commands import add_install, add_kit
from zoo.cli.models_command import print_licensed
from zoo.cli.terminal import SwitchParser, complain
from zoo.cli.weight_selection import everything, matching, other_files, runnable

_NAMES = "a model of 'zoo models', a task, a glob such as 'hands*', or registered weights"


def declare_weights(weights: argparse.ArgumentParser) -> None:
    """Declare the actions of ``zoo weights``."""
    actions = weights.add_subparsers(metavar="ACTION", required=True, parser_class=SwitchParser)
    fetch = actions.add_parser("fetch", help="download models into the cache, to run offline")
    fetch.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"{_NAMES}; a task means its default models; none means those of all tasks",
    )
    fetch.add_argument("--all", action="store_true", help="all available models")
    fetch.add_argument("--yes", action="store_true", help="do not ask before a download")
    fetch.set_defaults(run=_fetch_weights)
    add_kit(actions)
    add_install(actions)
    for run, name, doc in (
        (_list_weights, "list", "list models and where their files are"),
        (_verify_weights, "verify", "hash every file again"),
        (_print_weights_path, "path", "print the folder of a model, or of the cache"),
        (_clear_weights, "clear", "remove from the cache"),
    ):
        action = actions.add_parser(name, help=doc)
        help_text = f"{_NAMES}; none means {'the cache' if name == 'path' else 'all'}"
        help_text += "; or a URL that was loaded" if name == "clear" else ""
        action.add_argument("names", nargs="*", metavar="NAME", help=help_text)
        if name == "clear":
            action.add_argument(
                "--old", action="store_true", help="only versions that this release does not use"
            )
        action.set_defaults(run=run)


def _fetch_weights(given: argparse.Namespace) -> int:
    """Fetch models with their default parts, so that they run offline."""
    wanted = runnable(given.names, every=given.all)
    lacking = [w for w in wanted if status(w.record.name, only=w.only) in ("missing", "mirror")]
    if lacking and not given.names and not _agreed(lacking, given.yes):
        return 0
    failures = []
    for name, record, only, _ in wanted:
        try:
            files = fetch(record.name, only=only)
        except MissingError as error:
            if isinstance(error, (OfflineError, UnreachableError)):
                raise error.for_model(name) from None
            failures.append(error.for_model(name))
        else:
            print(f"{name}: {next(iter(files.values())).parent}", flush=True)
    for failure in failures:
        complain(failure)
    if not failures:
        return 0
    return 1 if len(failures) < len(wanted) else 2


def _agreed(lacking: list[Any], yes: bool) -> bool:
    """Whether to fetch models that were not named: asks on a terminal, prints a note elsewhere."""
    size = sum({(w.record.name, f.path): f.bytes for w in lacking for f in w.record.files}.values())
    what = f"{count_text(len(lacking), 'model')}, {size_text(size)}, into {cache_folder()}"
    if yes or sys.stdin is None or not (sys.stdin.isatty() and is_read_by_people()):
        complain(f"fetching {what}")
        return True
    say(f"fetch {what}? [Y/n] ", end="")
    if sys.stdin.readline().strip().lower() in ("", "y", "yes"):
        return True
    complain("nothing was fetched")
    return False


def _list_weights(given: argparse.Namespace) -> int:
    rows = [
        (wanted.name, size_text(wanted.record.bytes), _where(wanted), wanted.record.licence)
        for wanted in (matching(given.names) if given.names else everything())
    ]
    print_licensed(("NAME", "SIZE", "WHERE"), rows)
    old = "" if given.names else old_versions_text()
    if old:
        complain(f"the cache also has {old}")
    return 0


def old_versions_text() -> str:
    """Describe the versions in the cache that this release does not use; empty without any."""
    old = old_versions()
    size = size_text(sum(version.bytes for version in old))
    count = count_text(len(old), "old version")
    return f"{count} of models, {size} ('zoo weights clear --old' removes them)" if old else ""


def _where(wanted: Any) -> str:
    """Return the location of the files, or the number of those present."""
    state = status(wanted.record.name, only=wanted.only)
    if state != "missing":
        return state
    states = list(file_states(wanted.record.name, only=wanted.only).values())
    there = len(states) - states.count("missing")
    return f"{there} of {count_text(len(states), 'file')}" if there else state


def _verify_weights(given: argparse.Namespace) -> int:
    """Models that are named must be there; of tasks, globs and all only what is there is hashed."""
    states = []
    for wanted in matching(given.names) if given.names else (*everything(), *other_files()):
        reports = verify(wanted.record.name, only=wanted.only)
        if not wanted.required:
            reports = [report for report in reports if report.location]
        if wanted.required or reports:
            states.append(_state(wanted.name, reports))
            print(f"{wanted.name}: {states[-1]}")
    if given.names and not states:
        complain(f"nothing of {', '.join(given.names)} is in the cache, a kit or a mirror")
        return 2
    if all(state == "good" for state in states):
        return 0
    return 1 if "good" in states else 2


def _state(name: str, reports: Any) -> str:
    """``"good"``, ``"missing"`` or ``"damaged"``; the latter two with the reason on stderr."""
    if not any(report.location for report in reports):
        complain(f"{name} is not in the cache, a kit or a mirror: 'zoo weights fetch {name}'")
        return "missing"
    problems = [report for report in reports if report.problem]
    for report in problems:
        complain(f"{name}/{report.path}: {report.problem}")
    return "damaged" if problems else "good"


def _print_weights_path(given: argparse.Namespace) -> int:
    if not given.names:
        print(cache_folder())
        return 0
    wanted = matching(given.names)
    there = [w for w in wanted if w.required or status(w.record.name, only=w.only) != "missing"]
    for name, record, only, _ in there:
        try:
            files = locate(record.name, offline=True, only=only)
        except MissingError as error:
            raise error.for_model(name) from None
        print(next(iter(files.values())).parent)
    if there:
        return 0
    complain(f"nothing of {', '.join(given.names)} is in the cache, a kit or a mirror")
    return 2


def _clear_weights(given: argparse.Namespace) -> int:
    if given.old:
        if given.names:
            raise ZooError(
                f"--old removes the old versions of all models: leave out {' '.join(given.names)}"
            )
        print(f"{size_text(clear_old_versions())} freed")
        return 0
    freed = 0 if given.names else clear()
    freed += sum(clear_url(name) for name in given.names if is_url(name))
    for name, record, only, required in matching(n for n in given.names if not is_url(n)):
        if required and record.bundled:
            complain(f"{name} is part of the package and stays")
        freed += clear(record.name, only=only)
    print(f"{size_text(freed)} freed")
    return 0
