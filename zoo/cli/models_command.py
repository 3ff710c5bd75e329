"""``zoo models``: the list of models."""

import argparse
import sys
from collections.abc import Sequence

from weights_cache import status
from weights_cache.common.errors import ZooError
from weights_cache.common.messages import say
from weights_cache.common.sizes import size_text
from zoo.catalog.entries import choices, find_entry, models, tasks
from zoo.catalog.weight_files import of_entry
from zoo.cli.terminal import print_table

#: Licences that a column of the table has room for.
_LICENCES = ("Apache-2.0", "MIT")
_MORE = "(*)"


def declare_models(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``zoo models``."""
    command.add_argument(
        "pattern", nargs="?", default="*", metavar="GLOB", help="such as 'pose*', or a task"
    )
    command.set_defaults(run=_run_models)


def _run_models(given: argparse.Namespace) -> int:
    names = models(given.pattern)
    if not names:
        raise ZooError(
            f"no model matches {given.pattern!r}: 'zoo models' lists all, 'zoo models TASK' those "
            f"of a task: {', '.join(tasks())}"
        )
    rows = []
    for entry in map(find_entry, names):
        _, record, only, _ = of_entry(entry)
        where = status(record.name, only=only)
        row = (entry.name, entry.task, size_text(record.bytes), where, _chosen_as(entry.name))
        rows.append((*row, record.licence))
    print_licensed(("NAME", "TASK", "SIZE", "WEIGHTS", "DEFAULT"), rows)
    return 0


def _chosen_as(name: str) -> str:
    """Whether verbs use a model by default, and whether it is the fast or the best one of any."""
    kinds = ("default", "fast", "best")
    return " ".join(k for k in kinds if any(getattr(c, k) == name for c in choices().values()))


def print_licensed(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """A table whose last column are licences, by their names; a mark says that there is more."""
    short = [(*row[:-1], _licence_name(row[-1])) for row in rows]
    print_table([(*head, "LICENCE"), *short])
    sys.stdout.flush()  # before what goes to stderr
    if any(row[-1].endswith(_MORE) for row in short):
        say(f"{_MORE} there is more to the licence: see 'zoo describe MODEL'")


def _licence_name(text: str) -> str:
    """The licence that a text names first, and a mark if it says more."""
    named = [name for name in _LICENCES if name in text]
    first = min(named, key=text.index, default="")
    return text if text == first else f"{first} {_MORE}".lstrip()
