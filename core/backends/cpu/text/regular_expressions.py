r"""Regular expressions in the syntax of TensorFlow (RE2).

RE2 searches, in time linear in the length of the text, if the package ``google-re2`` is installed.
Without it, and for syntax of TensorFlow.js that RE2 lacks (``(?=a)``, ``\1``), Python's `re`
searches, which may take exponential time and blocks other threads meanwhile: patterns that mean
something else there, and patterns and texts that could take long are refused.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from math import inf
from types import ModuleType
from typing import Any, NamedTuple

from core.engine.limits import claim
from core.engine.run_guard import check_active
from core.errors import CoreError

try:
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as codes
    import sre_parse as parser

#: Steps that Python's `re` may take for one text, and letters that a pattern for it may have.
MOST_STEPS, MOST_LETTERS = 4 * 10**8, 4000

#: Instructions of a pattern in RE2 times bytes of a text: at worst it tries each at every byte.
MOST_LINEAR_STEPS = 10**9

#: Parts of a pattern that Python reads otherwise than RE2 does.
_TOKEN = re.compile(
    r"\\(?P<escape>[\s\S]?)"
    r"|\[(?P<set>\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*)\]"
    r"|(?P<name>\(\?<(?![=!]))"
    r"|(?P<unknown>\(\?(?:[#>(]|P[=>])|(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\+)"
    r"|(?P<brace>\{(?=,[0-9]*\}))"
    r"|(?P<other>[\s\S])"
)
_IN_SET = re.compile(r"\\[\s\S]|[\[&|~]|(?<=.)-(?=-)")
_INLINE_FLAGS = re.compile(r"(?<!\\)\(\?([a-zA-Z]+)[:)]")
_SPACES = r" \t\n\f\r"
_AROUND = re.compile(r"\$[`']")
_REFERENCE = re.compile(r"\$(?:[$&`']|[0-9]{1,2}|<[^>]*>)|\\[0-9\\]")
_ADVICE = "install the engine RE2: pip install 'friendly-zoo[regex]'"


class Expression(NamedTuple):
    """A pattern, ready to search.

    Attributes:
        pattern: the pattern as it was given.
        engine: a pattern of Python's `re` or of RE2's package, which has the same methods.
        is_linear: whether RE2 searches.
    """

    pattern: str
    engine: Any
    is_linear: bool

    def matches(self, text: str) -> Iterator[Any]:
        """Yield the matches in a text, in order, without overlap.

        Raises:
            CoreError: the search might take too long.
        """
        self._check(text)
        return self._found_by_re2(text) if self.is_linear else self._found_by_python(text)

    def _found_by_python(self, text: str) -> Iterator[Any]:
        at = 0
        while at <= len(text) and (match := self.engine.search(text, at)):
            yield match
            at = match.end() + (match.start() == match.end())  # past a letter after an empty match

    def _found_by_re2(self, text: str) -> Iterator[Any]:
        end_of_empty = -1
        for match in self.engine.finditer(_INVALID.sub(_format_byte, text)):
            start, end = match.span()
            if end > start or start != end_of_empty:  # it gives some of them twice
                yield match
            end_of_empty = end if end == start else -1

    def _check(self, text: str) -> None:
        if self.is_linear:
            if 4 * len(text) * self.engine.programsize > MOST_LINEAR_STEPS:
                raise CoreError(
                    f"a text of {len(text):,} letters is too long for the pattern "
                    f"{self.pattern!r:.80}"
                )
            return
        most = _steps(self.engine.pattern, len(text))
        if most > MOST_STEPS:
            raise CoreError(
                f"the pattern {self.pattern!r:.80} might take {most:.1e} steps in Python's re on a "
                f"text of {len(text):,} letters, at most {MOST_STEPS:,}: shorten it, or {_ADVICE}"
            )


#: Bytes that are no UTF-8, as Python decodes them; in RE2's texts they are other private letters.
_INVALID = re.compile("[\udc80-\udcff]")


def _format_byte(match: re.Match[str]) -> str:
    return chr(ord(match[0]) - 0xDC00 + 0x10FF00)


@lru_cache(maxsize=128)
def compiled(pattern: str) -> Expression:
    """Return a pattern, ready to search.

    >>> [match["word"] for match in compiled("(?<word>[a-z]+)$").matches("one two")]
    ['two']

    Raises:
        CoreError: the pattern is invalid, or RE2 is needed for it and not installed.
    """
    return _compiled_by_re2(pattern) or _compiled_by_python(pattern)


def _compiled_by_re2(pattern: str) -> Expression | None:
    """Return the pattern compiled by RE2; None without RE2, or if RE2 lacks its syntax."""
    re2 = _re2()
    if re2 is None:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return Expression(pattern, re2.compile(pattern, options), True)
    except (re2.error, UnicodeEncodeError):
        return None


@cache
def _re2() -> ModuleType | None:
    """Return the package ``google-re2``, if installed; other packages have the same name."""
    try:
        import re2
    except ImportError:
        return None
    return re2 if hasattr(re2, "Options") and hasattr(re2, "error") else None


def _compiled_by_python(pattern: str) -> Expression:
    if len(pattern) > MOST_LETTERS:
        raise CoreError(
            f"a pattern of {len(pattern):,} letters is too long for Python's re, at most "
            f"{MOST_LETTERS:,}: shorten it, or {_ADVICE}"
        )
    flags = "".join(_INLINE_FLAGS.findall(pattern))
    translated = _TOKEN.sub(lambda token: _translated(token, flags), pattern)
    try:
        engine = re.compile(translated, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        more = "" if _re2() else f"; for all patterns of TensorFlow {_ADVICE}"
        raise CoreError(
            f"pattern {pattern!r:.200} is no regular expression: {error}{more}"
        ) from error
    if _steps(translated, 1) == inf:
        raise CoreError(
            f"the pattern {pattern!r:.80} might take exponentially many steps in Python's re: "
            f"write it without repeats within repeats, or {_ADVICE}"
        )
    return Expression(pattern, engine, False)


def _translated(token: re.Match[str], flags: str) -> str:
    """Return what means in Python's `re` what a token means in RE2."""
    kind, text = token.lastgroup, token[0]
    if kind == "escape":
        return _escape(text)
    if kind == "set":
        return f"[{_IN_SET.sub(_set_member, token['set'])}]"
    if kind == "unknown":
        raise CoreError(f"patterns of TensorFlow.js and TensorFlow know no {text!r}")
    if text == "$" and "m" not in flags:
        return r"\Z"  # Python's $ also matches before a newline at the end
    return {"name": "(?P<", "brace": r"\{"}.get(kind or "", text)


def _escape(text: str) -> str:
    if text in (r"\p", r"\P", r"\Q", r"\C", r"\Z"):
        raise CoreError(f"Python's re reads {text!r} in a pattern otherwise than RE2: {_ADVICE}")
    return {r"\s": f"[{_SPACES}]", r"\S": f"[^{_SPACES}]", r"\z": r"\Z"}.get(text, text)


def _set_member(found: re.Match[str]) -> str:
    """Return a member of a set; Python warns of those that may come to mean something else."""
    text = found[0]
    if text == "[" and found.string.startswith("[:", found.start()):
        raise CoreError(f"classes such as [:alpha:] in a pattern need RE2: {_ADVICE}")
    if text in (r"\p", r"\P", r"\S"):
        raise CoreError(f"Python's re reads {text!r} in a set otherwise than RE2: {_ADVICE}")
    return _SPACES if text == r"\s" else text if text.startswith("\\") else f"\\{text}"


@lru_cache(1024)
def _steps(pattern: str, length: int) -> float:
    """Return a bound on the steps of Python's `re` in a text of a length, which may be infinite.

    >>> _steps("a+b", 100), _steps("a+", 100), _steps("(a+)+b", 100)
    (10000.0, 100.0, inf)
    """
    items = parser.parse(pattern, re.ASCII)
    ends_with_letters = (
        len(items) and items[-1][0] is codes.MAX_REPEAT and len(items[-1][1][2]) == 1
    )
    needed = items[:-1] if ends_with_letters and _ways(items[-1][1][2], length) == 1 else items
    return max(length, 1) * _ways(needed, length)


def _ways(items: Sequence[Any], length: int) -> float:
    """Return how many ways may be tried to match items: infinitely many for choices in repeats."""
    ways = 1.0
    for code, argument in items:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            least, most, body = argument
            inner = _ways(body, max(length, 2))
            if inner > 1 and most > 1:
                return inf
            ways *= inner * max(min(int(most), length) - least + 1, 1)
        elif code is codes.BRANCH:
            ways *= sum(_ways(body, length) for body in argument[1])
        elif code in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT):
            ways *= _ways(argument[-1], length)
    return ways


def replaced(text: str, pattern: Expression, rewrite: str, everywhere: bool) -> str:
    r"""The text with its matches (or only the first one) rewritten.

    In the rewrite ``$1``, ``$12``, ``$<name>``, ``$&`` (the match), ``$```, ``$'`` (what is before
    and after it) and ``$$`` mean what they do in JavaScript; ``\1``, ``\0`` (the match) and ``\\``
    what they do in TensorFlow. A reference to a group that is not there stays as it is.

    >>> replaced("ab cd", compiled(r"(\w)(\w)"), r"$2\1", everywhere=True)
    'ba dc'
    """
    parts, end, size = [], 0, 0
    references = len(_REFERENCE.findall(rewrite))
    for match in pattern.matches(text):
        check_active()
        longest = len(text) if _AROUND.search(rewrite) else match.end() - match.start()
        claim(size + len(rewrite) + references * longest, "a rewritten text")
        new = _REFERENCE.sub(partial(_referred, match, text), rewrite)
        parts += [text[end : match.start()], new]
        size += len(parts[-1]) + len(parts[-2])
        end = match.end()
        if not everywhere:
            break
    return "".join([*parts, text[end:]])


def _group(match: Any, group: int | str, text: str) -> str:
    """Return the text that a group matched; the empty text if it took no part."""
    if isinstance(group, str):
        return match[group] or ""
    start, end = match.span(group)
    return text[start:end] if start >= 0 else ""


def _referred(match: Any, text: str, found: re.Match[str]) -> str:
    reference = found[0]
    kind, rest = reference[1], reference[2:]
    if reference in ("$$", "\\\\"):
        return kind
    if reference.startswith("\\"):
        return _group(match, int(kind), text) if int(kind) <= match.re.groups else reference
    if kind == "<":
        named = match.groupdict()
        return named.get(reference[2:-1]) or "" if named else reference
    if kind == "&":
        return _group(match, 0, text)
    if kind in "`'":
        return text[: match.start()] if kind == "`" else text[match.end() :]
    for digits, after in ((kind + rest, ""), (kind, rest)):
        if 0 < int(digits) <= match.re.groups:
            return _group(match, int(digits), text) + after
    return reference
