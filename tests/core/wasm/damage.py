"""Damaged modules, and whether our reader and validator agree with wabt's about each.

Run as a module it prints the differences: ``python -m tests.core.wasm.damage --count 2000``.
"""

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from core.wasm.binary.reader import read_module
from core.wasm.binary.writer import write_module
from core.wasm.errors import WasmError
from core.wasm.instructions import ALL
from core.wasm.validation.modules import validate
from tests.core.wasm import wabt
from tests.core.wasm.tiny_modules import around, body_with, with_all_sections

#: Differences from wabt 1.0.32, which accepts these: a part of our error, and the reason.
KNOWN = (
    ("the code ends before its last end", "the last end of a body closes a block, not the body"),
    ("are announced, 0 are there", "a data count is not compared where there is no data section"),
    ("unknown form", "unknown bits of the flags of data segments are ignored"),
)


def seeds() -> list[bytes]:
    """Valid modules."""
    bodies = list(map(body_with, ALL))
    groups = [bodies[at : at + 8] for at in range(0, len(bodies), 8)]
    modules = [around(*group) for group in groups] + [with_all_sections()] * 30
    return [write_module(module) for module in modules]


def damaged(data: bytes, random_: random.Random) -> bytes:
    """Change, remove, insert, double or swap bytes at one to three places."""
    out = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 3))):
        at = random_.randrange(8 if random_.random() < 0.97 else 0, len(out))
        how = random_.randrange(6)
        if how == 0:
            out[at] = random_.randrange(256)
        elif how == 1:
            out[at] ^= 1 << random_.randrange(8)
        elif how == 2:
            out[at] = (out[at] + random_.choice((-1, 1))) % 256
        elif how == 3:
            del out[at]
        elif how == 4:
            out.insert(at, random_.choice((0, 1, 0x0B, 0x41, 0x7F, 0x80, 0xFF, 0xFC, 0xFD, 0xFE)))
        else:
            other = random_.randrange(8, len(out))
            out[at], out[other] = out[other], out[at]
    return bytes(out)


def our_error(data: bytes) -> str:
    """The error of reader and validator, or ""; any other exception passes."""
    try:
        validate(read_module(data))
    except WasmError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def reason(ours: str, theirs: str) -> str:
    """Why the two differ, or "" if they agree, or "?" if nobody knows it."""
    if bool(ours) == bool(theirs):
        return ""
    return next((why for mine, why in KNOWN if mine in ours), "?")


def compare(count: int, seed: int) -> tuple[Counter[str], list[tuple[bytes, str, str]]]:
    """Compare damaged modules; count each kind, and return those with an unknown difference."""
    random_ = random.Random(seed)
    modules = seeds()
    kinds: Counter[str] = Counter()
    unknown: list[tuple[bytes, str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, count, 500):
            batch = [
                damaged(random_.choice(modules), random_)
                for _ in range(start, min(count, start + 500))
            ]
            paths = [Path(folder) / f"{number}.wasm" for number in range(len(batch))]
            for path, data in zip(paths, batch, strict=True):
                path.write_bytes(data)
            for data, theirs in zip(batch, wabt.validate_many(paths), strict=True):
                ours = our_error(data)
                why = reason(ours, theirs)
                kinds[why or ("refused" if ours else "accepted")] += 1
                if why == "?":
                    unknown.append((data, ours, theirs))
    return kinds, unknown


def main() -> None:
    """Print the differences."""
    parser = argparse.ArgumentParser(description="compare with wabt on damaged modules")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds, unknown = compare(options.count, options.seed)
    for _, ours, theirs in unknown[:60]:
        print(
            f"ours: {ours or 'accepted'}\n  wabt: {theirs.strip().splitlines()[:1] or 'accepted'}"
        )
    print(kinds)


if __name__ == "__main__":
    main()
