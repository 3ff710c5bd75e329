"""Lines on stderr, and text from strangers as a terminal may show it."""

import sys
from contextlib import suppress
from functools import cache
from re import Match, Pattern

#: Characters that move the cursor, change colours or titles, hide, or turn the direction of text:
#: the controls of Latin-1, the invisible formats, line separators, and the tags. What joins letters
#: and emoji (U+200C, U+200D) stays. Lone surrogates are left to the stream, which escapes them.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)


def visible(text: str, *, lines: bool = True) -> str:
    r"""A text for the terminal: characters that could control it are escaped as Python does.

    Names of files, layers and labels come from strangers, and may hold any character.

    Args:
        text: of any origin.
        lines: whether line ends and tabs may stay.

    >>> print(visible("a\x1b[2Jb"), visible("a\nb", lines=False))
    a\x1b[2Jb a\nb
    """
    return text if text.isprintable() else _unseen(lines).sub(_escaped, text)


@cache
def _unseen(lines: bool) -> Pattern[str]:
    import re  # takes longer than all the rest, and few texts need it

    return re.compile(f"[{_UNSEEN}]" if lines else f"[{_UNSEEN}\t\n]")


def _escaped(found: Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def say(text: str, end: str = "\n") -> None:
    """Print to stderr. Where there is none, or it takes nothing, the text is dropped.

    ``print(file=None)`` would write to stdout, among the results.
    """
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # a full disk, a reader that has gone; closed
            print(visible(text), end=end, file=sys.stderr, flush=True)


def is_read_by_people() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
