"""Lines on stderr, and escaping of untrusted text for terminals."""

import re
import sys
from contextlib import suppress
from functools import cache
from re import Match, Pattern

#: Characters that move the cursor, change colours or titles, hide, or reverse the direction of
#: text: the controls of Latin-1, invisible formats, line separators, and tags. The joiners of
#: letters and emoji (U+200C, U+200D) stay. The stream escapes lone surrogates.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)


def visible(text: str, *, lines: bool = True) -> str:
    r"""Return a text for the terminal, with control characters escaped as Python does.

    Names of files, layers and labels are untrusted, and may contain any character.

    Args:
        text: text of any origin.
        lines: whether line ends and tabs are kept.

    >>> print(visible("a\x1b[2Jb"), visible("a\nb", lines=False))
    a\x1b[2Jb a\nb
    """
    return text if text.isprintable() else _unseen(lines).sub(_escaped, text)


@cache
def _unseen(lines: bool) -> Pattern[str]:
    return re.compile(f"[{_UNSEEN}]" if lines else f"[{_UNSEEN}\t\n]")


def _escaped(match: Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def say(text: str, end: str = "\n") -> None:
    """Print to stderr. The text is dropped if stderr is missing or cannot be written to.

    ``print(file=None)`` would write to stdout, which is for results.
    """
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # a full disk, a closed pipe; a closed stream
            print(visible(text), end=end, file=sys.stderr, flush=True)


def is_read_by_people() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def is_notebook() -> bool:
    """Whether this is a Jupyter kernel, which shows images, and stderr though it is no terminal.

    Programs that only run notebooks import IPython and ipykernel, too.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None
