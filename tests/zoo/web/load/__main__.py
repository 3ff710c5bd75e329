"""Sends many requests of right and wrong kinds to servers of Zoo, and prints what came of them.

    python -m tests.zoo.web.load --requests 1000000 --seconds 3600

A model answers one request in ten, and a function without a model each frame of a page. The status
is 1 if an answer was mixed up with another or was not the expected one, if the memory or the files
of a server grew after the first quarter, or if a server did not end within a second of SIGTERM.
"""

from __future__ import annotations

import argparse
import sys
from statistics import median, quantiles

from tests.zoo.web.load.trial import Found, trial

#: Bytes that a server may hold more in the last third than in the first one, after the warm-up.
MEMORY = 8_000_000

#: Files and sockets that it may have open more: those of clients come and go.
FILES = 20

#: Seconds in which a server ends.
ENDING = 1.0


def main() -> int:
    """0 if there is no fault."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.zoo.web.load",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=3600, help="at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=8)
    given = parser.parse_args()
    found = trial(given.requests, given.seconds, given.seed, given.clients)
    print(*_report(found), sep="\n")
    problems = _problems(found)
    print(*problems or ["no fault"], sep="\n")
    return int(bool(problems))


def _report(found: Found) -> list[str]:
    lines = ["| kind | requests |", "| --- | --- |"]
    lines += [f"| {kind} | {count:,} |" for kind, count in sorted(found.counts.items())]
    rate = found.requests / found.seconds
    lines.append(f"{found.requests:,} requests in {found.seconds:,.0f} s, {rate:,.0f} a second")
    if len(found.latencies) > 1:
        late = quantiles(found.latencies, n=100)[-1]
        lines.append(f"images: median {median(found.latencies):.3f} s, 99th percentile {late:.3f}")
    lines.append(f"mixed answers: {found.mixed.count}; other faults: {found.faults.count}")
    return lines + [_held(name, found) for name in found.watches]


def _held(name: str, found: Found) -> str:
    watch = found.watches[name]
    first, last = watch.growth()
    minutes = (last.second - first.second) / 60
    slope = (last.memory - first.memory) / 1e6 / minutes if minutes else 0.0
    return (
        f"{name}: memory {first.memory / 1e6:.1f} to {last.memory / 1e6:.1f} MB "
        f"({slope:+.2f} MB a minute), files {first.files} to {last.files}, "
        f"at most {max(each.files for each in watch.readings)}; "
        f"ended {found.endings[name]:.2f} s after SIGTERM"
    )


def _problems(found: Found) -> list[str]:
    problems = [f"MIXED {each}" for each in found.mixed] + [
        f"FAULT {each}" for each in found.faults
    ]
    for name, watch in found.watches.items():
        first, last = watch.growth()
        if last.memory - first.memory > MEMORY:
            problems.append(f"the memory of {name} grew")
        if last.files - first.files > FILES:
            problems.append(f"the files of {name} grew")
        if found.endings[name] > ENDING:
            problems.append(f"{name} ended late")
    return problems


if __name__ == "__main__":
    sys.exit(main())
