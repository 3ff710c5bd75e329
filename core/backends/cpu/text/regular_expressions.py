r"""Regular expressions in the syntax of TensorFlow.js (JavaScript) and TensorFlow (RE2).

Both and Python's agree on most of the syntax. Where they differ, a pattern has JavaScript's
meaning, and syntax that only RE2 has (``[[:alpha:]]``, ``\A``, ``\z``, ``\x{1F600}``, flags) RE2's.

RE2 searches, in time linear in the length of the text, if the package ``google-re2`` is installed.
Without it, and for syntax that RE2 lacks (``(?=a)``, ``\1``), Python's `re` searches, which may
take exponential time and blocks other threads meanwhile: patterns and texts that could take long
are refused.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from math import inf
from types import ModuleType
from typing import Any, NamedTuple

from core.backends.cpu.text.backtracking import steps
from core.engine.limits import claim
from core.engine.run_guard import check_active
from core.errors import CoreError

#: Steps that Python's `re` may take for one text, and letters that a pattern for it may have.
MOST_STEPS, MOST_LETTERS = 4 * 10**8, 4000

#: Letters of a text for which no pattern may take exponentially many steps.
_LONG = 10**6

#: Instructions of a pattern in RE2 times bytes of a text: at worst it tries each at every byte.
MOST_LINEAR_STEPS = 10**9

_SPACE = "\\t-\\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACE = (
    "\\x00-\\x08\\x0e-\\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    "\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\0-\x7f",
    "blank": r"\t ",
    "cntrl": r"\0-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}

_ESCAPE = r"\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|c[A-Za-z]|k<\w+>|[0-9]+|[\s\S]?)"
_IN_SET = re.compile(rf"\[:\^?\w*:\]|{_ESCAPE}|[\s\S]")
_TOKEN = re.compile(
    rf"(?P<escape>{_ESCAPE})"
    r"|\[(?P<negation>\^?)(?P<set>(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*)\]"
    r"|(?P<name>\(\?<(?![=!]))"
    r"|(?P<unknown>\(\?(?:[#>(]|P[=>])|(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\+)"
    r"|(?P<brace>\{(?=,[0-9]*\}))"
    r"|(?P<other>[\s\S])"
)
_INLINE_FLAGS = re.compile(r"(?<!\\)\(\?([a-zA-Z]+)[:)]")
_AROUND = re.compile(r"\$[`']")
_REFERENCE = re.compile(r"\$(?:[$&`']|[0-9]{1,2}|<[^>]*>)|\\[0-9\\]")


class Expression(NamedTuple):
    """A pattern, ready to search.

    Attributes:
        pattern: the pattern in the syntax of Python or RE2.
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
            size = 4 * len(text) * self.engine.programsize
            if size > MOST_LINEAR_STEPS:
                raise CoreError(f"a text of {len(text):,} letters is too long for {self._named}")
            return
        most = steps(self.pattern, re.ASCII, _rounded_up(len(text)))
        if most > MOST_STEPS:
            raise CoreError(
                f"{self._named} might take {most:,.0f} steps in Python's re on a text of "
                f"{len(text):,} letters: {_ADVICE}"
            )

    @property
    def _named(self) -> str:
        return f"the pattern {self.pattern!r:.80}"


_ADVICE = (
    "write it without repeats within repeats and neighbouring repeats of the same letters, or "
    "install the engine RE2 with `pip install friendly-zoo[regex]`"
)

#: Bytes that are no UTF-8, as Python decodes them; in RE2's texts they are other private letters.
_INVALID = re.compile("[\udc80-\udcff]")


def _format_byte(match: re.Match[str]) -> str:
    return chr(ord(match[0]) - 0xDC00 + 0x10FF00)


def _rounded_up(length: int) -> int:
    """Return a length rounded up to one of few lengths, such as 24 or 32."""
    if length <= 16:
        return 16
    step = 1 << (length.bit_length() - 3)
    return -(-length // step) * step


@lru_cache(maxsize=128)
def compiled(pattern: str) -> Expression:
    """Return a pattern, ready to search.

    >>> [match["word"] for match in compiled("(?<word>[[:alpha:]]+)$").matches("one two")]
    ['two']

    Raises:
        CoreError: the pattern is invalid, or uses syntax that neither RE2 nor Python has.
    """
    return _compiled_by_re2(pattern) or _compiled_by_python(pattern)


def _compiled_by_re2(pattern: str) -> Expression | None:
    """Return the pattern compiled by RE2; None without RE2, or if RE2 lacks its syntax."""
    re2 = _re2()
    if re2 is None:
        return None
    options = re2.Options()
    options.log_errors = False
    translated = _translation(pattern, linear=True)
    try:
        return Expression(translated, re2.compile(translated, options), True)
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
            f"{MOST_LETTERS:,}: {_ADVICE}"
        )
    translated = _translation(pattern, linear=False)
    try:
        found = Expression(translated, re.compile(translated, re.ASCII), False)
        most = steps(translated, re.ASCII, _LONG)
    except (re.error, RecursionError, OverflowError) as error:
        raise CoreError(f"pattern {pattern!r:.200} is no regular expression: {error}") from error
    if most == inf:
        raise CoreError(
            f"{found._named} might take exponentially many steps in Python's re: {_ADVICE}"
        )
    return found


def _translation(pattern: str, linear: bool) -> str:
    """Translate a pattern to the syntax of Python or RE2 (``linear``)."""
    flags = "".join(_INLINE_FLAGS.findall(pattern))
    return _TOKEN.sub(lambda m: _translated(m, flags, linear), pattern)


def _translated(token: re.Match[str], flags: str, linear: bool) -> str:
    kind, text = token.lastgroup, token[0]
    if kind == "escape":
        return _escape(text, alone=True, linear=linear)
    if kind == "set":
        return _set(token["set"], token["negation"])
    if kind == "unknown":
        raise CoreError(f"patterns of TensorFlow.js and TensorFlow know no {text!r}")
    if text == "." and "s" not in flags:
        return "[^\\n\\r\u2028\u2029]"
    if text == "$" and "m" not in flags:
        return r"\z" if linear else r"\Z"  # Python's $ also matches before a newline at the end
    return {"name": "(?P<", "brace": r"\{"}.get(kind or "", text)


def _escape(text: str, alone: bool, linear: bool = False) -> str:
    """Translate one escape, alone or in a set."""
    letter, rest = text[1:2], text[2:]
    if letter in ("s", "S"):
        members = _SPACE if letter == "s" else _NO_SPACE
        return f"[{members}]" if alone else members
    if letter in ("p", "P", "Q", "C") and letter:
        raise CoreError(f"the escape {text!r} of RE2 is not supported in patterns")
    if letter in ("x", "u") and rest:
        return _of_number(text, rest.strip("{}"))
    if letter == "c" and rest:
        return _letter(chr(ord(rest) % 32))
    if alone and letter == "k" and rest:
        return _again(rest[1:-1], f"(?P={rest[1:-1]})")
    if alone and letter in "123456789" and letter:
        return _again(letter + rest, text)
    if alone and letter == "B" and not linear:
        return r"(?!\b)"  # Python's \B matches no empty text
    if alone and letter in ("A", "z"):
        return text if linear else text.replace("z", "Z")
    if not letter or letter in "dDwWbtnvfra" or letter.isdigit() or (alone and letter == "B"):
        return text
    return re.escape(letter) + rest


def _of_number(text: str, digits: str) -> str:
    """Return the letter of a hexadecimal number."""
    number = int(digits, 16)
    if number > 0x10FFFF:
        raise CoreError(f"the escape {text!r} in a pattern is beyond the last letter, 10FFFF")
    return _letter(chr(number))


def _letter(letter: str) -> str:
    """Return a letter that stands for itself; an escape for invisible letters."""
    return re.escape(letter) if letter.isprintable() else letter


def _again(group: str, reference: str) -> str:
    """Return a reference to a group that also matches if the group took no part."""
    return f"(?({group}){reference})"


def _set(body: str, negation: str) -> str:
    """Translate a set in brackets, and escape characters that are special in Python's sets."""
    atoms = _IN_SET.findall(body)
    parts, at = [], 0
    while at < len(atoms):
        ends = atoms[at : at + 3 : 2]
        if atoms[at + 1 : at + 2] == ["-"] and len(ends) == 2 and not any(map(_is_several, ends)):
            parts.append("-".join(map(_set_member, ends)))
            at += 3
        else:
            parts.append(_set_member(atoms[at]))
            at += 1
    if not parts:
        return r"[\s\S]" if negation else "(?!)"
    return f"[{negation}{''.join(parts)}]"


def _is_several(atom: str) -> bool:
    return atom.startswith("[:") or atom in (r"\d", r"\D", r"\w", r"\W", r"\s", r"\S")


def _set_member(atom: str) -> str:
    if not atom.startswith("[:"):
        return _escape(atom, alone=False) if atom.startswith("\\") else re.escape(atom)
    if atom[2:-2] not in _POSIX:
        raise CoreError(f"unknown class {atom} in a pattern: use one of {list(_POSIX)}")
    return _POSIX[atom[2:-2]]


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
