"""Output of all commands: results go to stdout, everything else to stderr."""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from weights_cache.common.errors import ZooError
from weights_cache.common.messages import say, visible
from weights_cache.common.similar_names import did_you_mean
from zoo.cli.signals import ending_in_order

#: The width of a terminal that does not say it.
_USUAL_COLUMNS = 80


class _HelpFormatter(argparse.HelpFormatter):
    """argparse's, as wide as the terminal.

    argparse asks `shutil` for the width at each argument, and importing that takes 3 ms.
    """

    def __init__(self, prog: str, **options: Any):
        super().__init__(prog, **{"width": _terminal_columns() - 2, **options})


def _terminal_columns() -> int:
    """Return the width of the terminal, as `shutil.get_terminal_size` finds it."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    if sys.__stdout__ is None:
        return _USUAL_COLUMNS
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _USUAL_COLUMNS
    except (AttributeError, ValueError, OSError):  # it is closed, or no terminal
        return _USUAL_COLUMNS


class Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line, with the closest valid name."""

    def __init__(self, **options: Any):
        super().__init__(**{"formatter_class": _HelpFormatter, **options})

    #: Declares the arguments of the command; called when they are needed, as it takes time.
    declare: Callable[[Any], None] | None = None

    #: Last part of the help; called when it is printed, as it may take time.
    more_help: Callable[[], str] | None = None

    def error(self, message: str) -> NoReturn:
        """Complain and leave with status 2."""
        complain(f"{message} (see '{self.prog} --help')")
        raise SystemExit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, once the arguments are declared."""
        if self.declare is not None:
            declare, self.declare = self.declare, None
            declare(self)
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """The help of argparse, and what comes after it."""
        text = super().format_help()
        return f"{text}\n{self.more_help()}\n" if self.more_help else text

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the closest command; argparse would only list all."""
        if action.choices is not None and value not in action.choices:
            name = str(action.metavar or action.dest).lower()
            valid = ", ".join(map(str, action.choices))
            self.error(f"unknown {name} {value!r}{did_you_mean(value, action.choices)} ({valid})")


class SwitchParser(Parser):
    """Parser whose options take no values and may stand anywhere among the names.

    argparse alone takes no more names after an option that follows the first ones.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, with the options first."""
        given = list(sys.argv[1:] if args is None else args)
        if "--" not in given:
            given.sort(key=lambda text: not text.startswith("--"))
        return super().parse_known_args(given, namespace)


def complain(message: object) -> None:
    """Print a message to stderr, a line for each of its lines."""
    lines = [" ".join(line.split()) for line in str(message).splitlines()]
    say("\n     ".join(["zoo: " + "".join(lines[:1]), *lines[1:]]))


def say_written(path: str | os.PathLike[str], done: str = "written", more: str = "") -> None:
    """Say on stderr that a file or folder was written, after a look at it.

    Args:
        path: of the file or folder.
        done: what was done, such as ``"drawn"``.
        more: follows the path.

    Raises:
        ZooError: it is not there, or empty.
    """
    if not os.path.exists(path) or not (os.path.isdir(path) or os.path.getsize(path)):
        raise ZooError(
            f"{os.fspath(path)!r} is empty or gone after it was written: look whether the disk is "
            "full or another program removed it, and try again"
        )
    say(f"{done}: {os.fspath(path)}{more}")


@contextmanager
def warnings_as_lines(see: Callable[[type[Warning]], object] | None = None) -> Iterator[None]:
    """Print warnings in the block as lines of the command.

    Args:
        see: is called with the category of each.
    """

    def print_line(message: object, category: type[Warning], *_: object) -> None:
        if see is not None:
            see(category)
        complain(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = print_line  # type: ignore[assignment]
        yield


def show(text: object, *, flush: bool = False) -> None:
    """Print a text for people to stdout; what could control a terminal is escaped."""
    print(visible(str(text)), flush=flush)


def run_safely(command: Callable[[], int]) -> int:
    """Run a command that prints, and return its exit status, whatever becomes of stdout.

    What stdout cannot encode is escaped. A reader that has seen enough, as ``head`` does, ends the
    command in silence; a full disk and our own errors end it with one line and status 2. SIGTERM
    lets go of everything first, as Ctrl-C does.
    """
    _open_missing()
    if sys.stdout is None:
        complain("there is no standard output to print to")
        return 2
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with ending_in_order():
            return _status_of(command)
    finally:
        _flush_stderr()


def _status_of(command: Callable[[], int]) -> int:
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


def _open_missing() -> None:
    """Open /dev/null in place of standard streams that are closed.

    Otherwise the next file has the number of stderr, and what libraries print goes into it.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(number, True)
        os.close(number)


def _flush_stderr() -> None:
    """Flush stderr now: if that failed at exit, Python would end with status 120."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        _give_up(sys.stderr)


def _give_up_stdout() -> None:
    _give_up(sys.stdout)


def _give_up(stream: Any) -> None:
    """Discard what is still in the buffer of a stream."""
    number = os.open(os.devnull, os.O_WRONLY)
    os.dup2(number, stream.fileno())
    os.close(number)


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Columns of equal width, but for the last one; on a terminal lines do not wrap."""
    import shutil

    rows = [tuple(visible(cell, lines=False) for cell in row) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip()[:room])
