r"""Regular expressions as TensorFlow.js (JavaScript) and TensorFlow (RE2) write them, in Python's.

The three agree on most of the syntax. Where they do not, a pattern means what it does in
JavaScript, and what only RE2 knows (``[[:alpha:]]``, ``\A``, ``\z``, ``\x{1F600}``, flags) means
what it does there.
"""

import re
from functools import lru_cache

from core.errors import CoreError

_SPACE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACE = (
    r"\0-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    r"\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
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
_REFERENCE = re.compile(r"\$(?:[$&`']|[0-9]{1,2}|<[^>]*>)|\\[0-9\\]")


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, ready to search.

    >>> compiled("(?<word>[[:alpha:]]+)$").search("one two")["word"]
    'two'

    Raises:
        CoreError: it is no regular expression, or uses what Python's cannot do.
    """
    flags = "".join(_INLINE_FLAGS.findall(pattern))
    try:
        return re.compile(_TOKEN.sub(lambda m: _translated(m, flags), pattern), re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise CoreError(f"pattern {pattern!r} is no regular expression: {error}") from error


def _translated(token: re.Match[str], flags: str) -> str:
    kind, text = token.lastgroup, token[0]
    if kind == "escape":
        return _escape(text, alone=True)
    if kind == "set":
        return _set(token["set"], token["negation"])
    if kind == "unknown":
        raise CoreError(f"patterns of TensorFlow.js and TensorFlow know no {text!r}")
    if text == "." and "s" not in flags:
        return r"[^\n\r\u2028\u2029]"
    if text == "$" and "m" not in flags:
        return r"\Z"  # Python's $ also matches before a newline at the end
    return {"name": "(?P<", "brace": r"\{"}.get(kind or "", text)


def _escape(text: str, alone: bool) -> str:
    """One escape, alone or in a set."""
    letter, rest = text[1:2], text[2:]
    if letter in ("s", "S"):
        members = _SPACE if letter == "s" else _NO_SPACE
        return f"[{members}]" if alone else members
    if letter in ("p", "P", "Q", "C") and letter:
        raise CoreError(f"the escape {text!r} of RE2 is not supported in patterns")
    if letter == "x" and rest.startswith("{"):
        return re.escape(chr(int(rest[1:-1], 16)))
    if letter == "c" and rest:
        return re.escape(chr(ord(rest) % 32))
    if alone and letter == "k" and rest:
        return _again(rest[1:-1], f"(?P={rest[1:-1]})")
    if alone and letter in "123456789" and letter:
        return _again(letter + rest, text)
    if alone and letter == "B":
        return r"(?!\b)"  # Python's \B matches no empty text
    if alone and letter in ("A", "z"):
        return text.replace("z", "Z")
    if not letter or letter in "dDwWbtnvfra" or letter.isdigit() or (letter in "xu" and rest):
        return text
    return re.escape(letter) + rest


def _again(group: str, reference: str) -> str:
    """What a group matched; nothing if it took no part, where Python would fail."""
    return f"(?({group}){reference})"


def _set(body: str, negation: str) -> str:
    """What stands between brackets, with all that Python might take for more than a letter."""
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


def replaced(text: str, pattern: re.Pattern[str], rewrite: str, everywhere: bool) -> str:
    r"""The text with its matches (or only the first one) rewritten.

    In the rewrite ``$1``, ``$12``, ``$<name>``, ``$&`` (the match), ``$```, ``$'`` (what is before
    and after it) and ``$$`` mean what they do in JavaScript; ``\1``, ``\0`` (the match) and ``\\``
    what they do in TensorFlow. A reference to a group that is not there stays as it is.

    >>> replaced("ab cd", compiled(r"(\w)(\w)"), r"$2\1", everywhere=True)
    'ba dc'
    """
    parts, end, at = [], 0, 0
    while at <= len(text) and (match := pattern.search(text, at)):
        parts += [text[end : match.start()], _rewritten(rewrite, match)]
        end = match.end()
        at = end + (match.start() == end)  # after an empty match one letter is passed over
        if not everywhere:
            break
    return "".join([*parts, text[end:]])


def _rewritten(rewrite: str, match: re.Match[str]) -> str:
    return _REFERENCE.sub(lambda reference: _referred(reference[0], match), rewrite)


def _referred(reference: str, match: re.Match[str]) -> str:
    kind, rest = reference[1], reference[2:]
    around = {"&": match[0], "`": match.string[: match.start()], "'": match.string[match.end() :]}
    if reference in ("$$", "\\\\"):
        return kind
    if reference.startswith("\\"):
        return (match[int(kind)] or "") if int(kind) <= match.re.groups else reference
    if kind == "<":
        named = match.groupdict()
        return named.get(reference[2:-1]) or "" if named else reference
    if kind in around:
        return around[kind]
    for digits, after in ((kind + rest, ""), (kind, rest)):
        if 0 < int(digits) <= match.re.groups:
            return (match[int(digits)] or "") + after
    return reference
