"""``zoo verify``: whether every backend computes the same numbers."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weights_cache.atomic_files import replacing
from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from weights_cache.common.sizes import count_text
from weights_cache.interruptions import pass_interruption
from zoo.catalog.entries import all_entries, models, tasks, with_parts
from zoo.catalog.weight_files import missing_files, of_entry
from zoo.cli.terminal import complain, say_written, show
from zoo.verification.junit import junit_xml
from zoo.verification.markdown import markdown_table
from zoo.verification.rows import Verification, table_lines
from zoo.verification.variants import VARIANTS, chosen_variants
from zoo.verification.verifier import SECONDS, Verifier, checked_names

if TYPE_CHECKING:
    from zoo.verification.rows import Row


def declare_verify(command: Any) -> None:
    """Declare the arguments of ``zoo verify``."""
    command.set_defaults(run=_run)
    command.more_help = _example_text
    command.add_argument(
        "names",
        nargs="*",
        metavar="MODEL|PATH",
        help="models of 'zoo models', tasks, globs, or paths of models; none: the models whose "
        "weights are on this computer",
    )
    command.add_argument(
        "--all", action="store_true", help="all available models; fetches what is missing"
    )
    command.add_argument(
        "--backend",
        action="append",
        metavar="B",
        help=f"run only this one beside cpu tier 1, and fail without it; may be repeated: "
        f"{', '.join(variant.name for variant in VARIANTS)}",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="draws the noise")
    command.add_argument(
        "--runs", type=int, default=5, metavar="N", help="number of timed runs (default: 5)"
    )
    command.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        metavar="S",
        help=f"time limit of a backend for each input (default: {SECONDS:g})",
    )
    command.add_argument("--junit", metavar="FILE.xml", help="also write the results as tests")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="exact JSON, all on one line")
    form.add_argument("--markdown", action="store_true", help="a short table for documents")


def _example_text() -> str:
    return (
        "exit status: 0 all passed; 1 a difference too large, or a crash; 2 bad usage\n"
        "example: zoo verify posenet.tiny --backend cpu --junit verification.xml"
    )


def _run(given: argparse.Namespace) -> int:
    if given.junit:
        _check_folder(given.junit)
    variants = chosen_variants(given.backend)
    names = _names(given)
    for name in names:
        checked_names(name)
    rows: list[Row] = []
    is_table = not (given.json or given.markdown)
    unread = []
    with Verifier(variants, seed=given.seed, runs=given.runs, seconds=given.seconds) as verifier:
        for name in with_bar(names, "model"):
            its = _rows_or_none(verifier.rows_of(name))
            unread += [name] if its is None else []
            rows += its or []
            if is_table and its:
                show("\n".join([*table_lines(row.cells for row in its), ""]), flush=True)
        verification = Verification(tuple(rows), verifier.facts)
    _show(verification, given)
    if given.junit:
        _save(verification, given.junit)
    return 2 if unread else int(not verification.passed)


def _rows_or_none(rows: "Iterator[Row]") -> "list[Row] | None":
    """Return the rows of a model; None, after a complaint, if it cannot be read."""
    try:
        return list(rows)
    except ZooError as error:
        complain(error)
        return None


def _show(verification: Any, given: argparse.Namespace) -> None:
    """Print what the rows do not say, or another form of them."""
    if given.json:
        print(verification.to_json())
        return
    if given.markdown:
        show(markdown_table(verification))
        return
    for name, facts in verification.backends.items():
        show(f"{name}: {facts}")
    show(verification.summary())
    if not verification.passed and not verification.failures:
        complain("nothing was compared: no other backend is available, and there are no goldens")


def _names(given: argparse.Namespace) -> list[str]:
    """Return names of models and paths; says how many models are left out.

    Raises:
        ZooError: a name is unknown.
    """
    if given.all:
        if given.names:
            raise ZooError(f"--all means all models: leave out {' '.join(given.names)}")
        return [*all_entries()]
    if not given.names:
        return _present()
    found: list[str] = []
    for name in given.names:
        is_pattern = name in tasks() or (any(c in name for c in "*?") and "/" not in name)
        found += (models(name) or [name]) if is_pattern else [name]
    return list(dict.fromkeys(found))


def _present() -> list[str]:
    """Return the models whose weights, and those of their parts, are on this computer."""

    def is_present(entry: Any) -> bool:
        return not any(missing_files(of_entry(part)) for part in with_parts(entry))

    names = [name for name, entry in all_entries().items() if is_present(entry)]
    absent = len(all_entries()) - len(names)
    if absent:
        complain(
            f"{count_text(absent, 'model')} left out, whose weights are not on this computer: "
            "--all fetches them"
        )
    return names


def _check_folder(path: str) -> None:
    """Raise before any work if a file cannot be written.

    Raises:
        ZooError: there is no such folder.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise ZooError(f"there is no folder {folder!r} for {path!r}: make it, or give another file")


def _save(verification: Any, path: str) -> None:
    try:
        with replacing(Path(os.path.realpath(path))) as stream:
            stream.write(junit_xml(verification))
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"cannot write {path!r}: {error.strerror}; give another file") from error
    say_written(path)
