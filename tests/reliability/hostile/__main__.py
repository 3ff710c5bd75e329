"""Loads and runs the hostile files, each in a process of its own, and prints what came of them."""

import argparse
import importlib
import json
import os
import pkgutil
import sys
from collections import Counter

from tests.reliability.fuzz.cases import LOADED, RAN, REFUSED
from tests.reliability.hostile.table import files
from tests.reliability.hostile.trial import MODES, trials


def main(arguments: list[str] | None = None) -> int:
    """0 if there are no faults."""
    every = files()
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.hostile")
    parser.description = __doc__
    parser.add_argument("--mode", choices=MODES, default="plan")
    parser.add_argument("--group", action="append", choices=every, help="may be given again")
    parser.add_argument("--file", action="append", help="GROUP/NAME; may be given again")
    parser.add_argument("--all", action="store_true", help="print also what was right")
    parser.add_argument("--json", action="store_true", help="print lines of JSON and no table")
    parser.add_argument("--traceback", action="store_true", help="print whole tracebacks")
    given = parser.parse_args(arguments)
    _import_readers()
    chosen = [
        (group, name, file)
        for group in given.group or every
        for name, file in every[group].items()
        if not given.file or f"{group}/{name}" in given.file
    ]
    found = []
    for trial in trials(given.mode, chosen):
        found.append(trial)
        if given.json:
            print(json.dumps(trial._asdict()), flush=True)
        elif given.all or trial.kind.isupper():
            grown = f"{trial.grown / 2**20:.0f} MiB"
            print(f"{trial.kind}: {trial.group}, {trial.name}, {trial.cpu} s, {grown}")
            told = trial.told if given.traceback else trial.told.partition("\n")[0]
            print(f"    {told}", flush=True)
    if not given.json:
        _print_table(given.mode, found)
    return int(any(trial.kind.isupper() for trial in found))


def _import_readers() -> None:
    """What a child needs is there before it starts."""
    os.environ |= {"ZOO_OFFLINE": "1", "ZOO_CODE_CACHE": "0"}
    for name in ("zoo", "core.converter", "core.backends.cpu", "core.layers", "core.graph"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if "__main__" not in module.name and "shader" not in module.name:
                importlib.import_module(module.name)


def _print_table(mode: str, found: list) -> None:
    print(f"\n{mode}\n| group | files | refused | run refused | ran | faults | s | MiB |")
    print("|---|---|---|---|---|---|---|---|")
    for group in dict.fromkeys(trial.group for trial in found):
        mine = [trial for trial in found if trial.group == group]
        kinds = Counter(trial.kind for trial in mine)
        faults = sum(count for kind, count in kinds.items() if kind.isupper())
        cells = [group, len(mine), kinds[REFUSED], kinds[LOADED], kinds[RAN], faults]
        cells += [max(t.cpu for t in mine), max(t.grown for t in mine) // 2**20]
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    sys.exit(main())
