"""What all commands say and print. Results go to stdout, everything else to stderr."""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from weights_cache.errors import ZooError


class Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line, with the closest valid name."""

    #: What the help ends with; called when it is printed, as it may take time.
    more_help: Callable[[], str] | None = None

    def error(self, message: str) -> NoReturn:
        """Complain and leave with status 2."""
        complain(f"{message} (see '{self.prog} --help')")
        raise SystemExit(2)

    def format_help(self) -> str:
        """The help of argparse, and what comes after it."""
        text = super().format_help()
        return f"{text}\n{self.more_help()}\n" if self.more_help else text

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the closest command; argparse would only list all."""
        if action.choices is not None and value not in action.choices:
            from zoo.options import did_you_mean

            name = str(action.metavar or action.dest).lower()
            valid = ", ".join(map(str, action.choices))
            self.error(f"unknown {name} {value!r}{did_you_mean(value, action.choices)} ({valid})")


class SwitchParser(Parser):
    """Its options, none of which takes a value, may stand anywhere among the names.

    argparse on its own takes no more names after an option that follows the first ones.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of argparse, with the options first."""
        given = list(sys.argv[1:] if args is None else args)
        if "--" not in given:
            given.sort(key=lambda text: not text.startswith("--"))
        return super().parse_known_args(given, namespace)


def complain(message: object) -> None:
    """Print a message to stderr, a line for each of its lines."""
    lines = [" ".join(line.split()) for line in str(message).splitlines()]
    print("zoo:", "\n     ".join(lines), file=sys.stderr)


def run_safely(command: Callable[[], int]) -> int:
    """Run a command that prints, and return its exit status, whatever becomes of stdout.

    What stdout cannot encode is escaped. A reader that has seen enough, as ``head`` does, ends the
    command in silence; a full disk and our own errors end it with one line and status 2.
    """
    if sys.stdout is None:
        complain("there is no standard output to print to")
        return 2
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _flushed(command)
    except ZooError as error:
        complain(error)
    except BrokenPipeError:
        _give_up_stdout()
        return 0
    except OSError as error:
        _give_up_stdout()
        complain(f"cannot print the result: {error.strerror}; make room, or print elsewhere")
    except KeyboardInterrupt:
        return 130
    return 2


def _flushed(command: Callable[[], int]) -> int:
    """Flush here and not while Python ends, where errors could not be caught any more."""
    try:
        return command()
    finally:
        sys.stdout.flush()


def _give_up_stdout() -> None:
    """Lead to nowhere what is still in the buffer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Columns of equal width, but for the last one; on a terminal lines do not wrap."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip()[:room])
