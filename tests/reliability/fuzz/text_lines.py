"""Damage to texts of lines: tables, whose cells change, and lines of JSON."""

from collections.abc import Sequence

import numpy as np

from tests.reliability.fuzz import json_trees, raw_bytes

Rng = np.random.Generator

#: What cells become: numbers at the bounds, texts that are none, quotes and bytes of no text.
_CELLS = (
    *(b"", b"nan", b"inf", b"-1", b"1e999", b"2147483648", b"9" * 5000, b"0x1", b"1_0", b"\xff"),
    *(b'"', b'""', b"'", b"\r", b"\0", b"=1+1", b"../x.png", b"/etc/passwd"),
    *(b"http://127.0.0.1:1/", "\N{ZERO WIDTH JOINER}".encode(), b"a" * 200_000),
)


def damaged_table(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Other cells, and lines that are lost, come twice or have more or fewer cells.

    Raises:
        ValueError: there is nothing in it.
    """
    lines = data.split(b"\n")
    if not any(lines):
        raise ValueError("no lines")
    mark = b"\t" if b"\t" in data else b","
    for _ in range(raw_bytes.places(rng)):
        at = int(rng.integers(len(lines)))
        cells, kind = lines[at].split(mark), rng.random()
        place = int(rng.integers(len(cells)))
        if kind < 0.6:
            cells[place] = _CELLS[int(rng.integers(len(_CELLS)))]
        elif kind < 0.7:
            del cells[place]
        elif kind < 0.8:
            cells.insert(place, cells[place])
        elif kind < 0.9:
            lines.insert(at, lines[at])
        else:
            lines[at] = b""
            continue
        lines[at] = mark.join(cells)
    return b"\n".join(lines)


def damaged_json_lines(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A damaged document in one line.

    Raises:
        ValueError: there is no document.
    """
    lines = data.splitlines()
    if not lines:
        raise ValueError("no lines")
    at = int(rng.integers(len(lines)))
    lines[at] = json_trees.damaged(lines[at], lines, rng)
    return b"\n".join(lines) + b"\n"
