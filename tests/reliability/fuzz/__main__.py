"""Sweeps damaged files of all formats, and prints a table and the faults."""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tests.reliability.fuzz.bases import FORMATS
from tests.reliability.fuzz.cases import FAULTS, LOADED, RAN, REFUSED
from tests.reliability.fuzz.sweep import Report, sweep


def main(arguments: list[str] | None = None) -> int:
    """0 if there are no faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="cases of all formats together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--format", action="append", choices=FORMATS, help="may be given again")
    parser.add_argument("--workers", type=int, default=1, help="processes at the same time")
    parser.add_argument("--json", action="store_true", help="print the faults as lines of JSON")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    reports = sweep(
        given.format or list(FORMATS),
        given.count,
        given.seed,
        first=given.first,
        workers=given.workers,
        tell=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print_table(reports)
    print(f"{time.monotonic() - began:.0f} s with {given.workers} processes, seed {given.seed}")
    faults = [fault for report in reports.values() for fault in report.faults]
    if given.json:
        print(*map(json.dumps, faults), sep="\n")
    else:
        print_faults(faults)
    return 1 if faults else 0


def print_table(reports: dict[str, Report]) -> None:
    """A row for each format."""
    columns = (REFUSED, LOADED, RAN, *FAULTS)
    heads = ("format", "cases", *columns, "ms a case", "slowest s", "largest MiB")
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for format, report in reports.items():
        count = sum(report.counts.values())
        cells = [format, count, *(report.counts[kind] for kind in columns)]
        cells += [f"{1000 * report.cpu / max(count, 1):.1f}", f"{report.slowest:.1f}"]
        print("| " + " | ".join(map(str, [*cells, report.largest // 2**20])) + " |")


def print_faults(faults: Sequence[Mapping[str, Any]]) -> None:
    """Those of one kind and place together, with how to repeat one."""
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for fault in faults:
        alike.setdefault(f"{fault['kind']} {fault['told'].partition(chr(10))[0]}", []).append(fault)
    for head, found in sorted(alike.items(), key=lambda item: -len(item[1])):
        cases = ", ".join(f"{f['format']} {f['case']} ({f['base']})" for f in found[:5])
        print(f"\n{len(found)} x {head}\n  {cases}\n{found[0]['told']}")


if __name__ == "__main__":
    sys.exit(main())
