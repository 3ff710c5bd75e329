"""Every network of the zoo beside the fastest runtimes that can run it: LiteRT and ONNX Runtime.

Run: ``python -m tests.benchmarks.zoo_networks [--models NAME ...] [--threads N ...] [--rounds N]``
with the extra ``benchmark`` installed; names may be patterns. Weights are among the
reference files (``ZOO_SHARED``, or ``--weights FOLDER``). Ours runs by generated kernels
(``CORE_TIER`` says otherwise), LiteRT runs the TFLite file that the network comes from, if there is
one, and ONNX Runtime the program of ours (`core.converter.onnx_writer`). Each gets what the network
gets for a photo, and gives all outputs, which must be those of our NumPy kernels, or it is not
timed. Each runs in a process of its own and has turns (`turns`); every turn counts, with the median
of its calls.

Prints milliseconds, medians of the turns, and the ratio of ours to the fastest other within a
round, with its quartiles; networks of integers apart, beside LiteRT's. Then geometric means, and a
line of JSON. ``--memory`` prints instead megabytes that a process took at most to load a network
and run it three times, beyond what its imports take, and those.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.benchmarks.networks.network_cases import Prepared, apart, prepare
from tests.benchmarks.networks.network_sides import OURS, RUNTIMES
from tests.benchmarks.turns import MOST_WAITING, ROOT, Side, Turn
from zoo.catalog.entries import models

WEIGHTS = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared")) / "weights"

MODULE = "tests.benchmarks.networks.network_sides"
PEERS = [name for name in RUNTIMES if name != OURS]

#: The environment variable of the tier of kernels.
TIER = "CORE_TIER"

#: How far outputs may be apart, as parts of their range, unless they are made of integers.
MOST_APART = 1e-3

#: More for a network that ends in the sigmoid of values up to 900, which are 3e-5 of that apart.
MOST_APART_OF = {"blazepose.lite_tfjs": 1e-2}

#: Milliseconds of the fastest other, below which a network is so small that calls count.
SMALL = 0.1

Row = dict[str, Any]


def measure(case: Prepared, threads: int, rounds: int, tries: int) -> Row:
    """Return how long each runtime takes for a network, and how far its outputs are apart."""
    with ExitStack() as closing:
        sides = {name: _started(case, name, threads) for name in case.sides}
        for side in sides.values():
            closing.callback(side.close)
        found = {name: apart(case, name) for name in sides}
        row = {"apart": found, "missing": case.missing, "wrong": _wrong(found, case)}
        return row if row["wrong"] else row | _figures(_turns(sides, rounds, tries))


def _started(case: Prepared, side: str, threads: int) -> Side:
    arguments = (MODULE, side, str(case.folder), str(threads))
    return Side(arguments, threads, case.folder / f"{side}.npz")


def _wrong(found: Mapping[str, float], case: Prepared) -> list[str]:
    """Return the runtimes that give something else; integers may be rounded otherwise."""
    most = MOST_APART_OF.get(case.folder.name, MOST_APART)
    return [name for name, far in found.items() if not far <= most and not case.is_quantised]


def _turns(sides: Mapping[str, Side], rounds: int, tries: int) -> dict[str, list[Turn]]:
    """Return the turns of each side, with another side first in each round."""
    names, found = [*sides], {name: [] for name in sides}
    for i in range(rounds):
        first = i % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(sides[name].turn(tries))
    return found


def _figures(turns: Mapping[str, Sequence[Turn]]) -> Row:
    """Return medians, and ratios to the fastest other runtime within rounds."""
    medians = {name: [statistics.median(t.calls) for t in its] for name, its in turns.items()}
    row: Row = {
        "median_ms": {name: statistics.median(its) for name, its in medians.items()},
        "least_ms": {name: min(min(t.calls) for t in its) for name, its in turns.items()},
        "disturbed": {n: sum(t.waiting > MOST_WAITING for t in its) for n, its in turns.items()},
    }
    peers = [name for name in medians if name != OURS]
    if peers:
        fastest = min(peers, key=row["median_ms"].__getitem__)
        ratios = [a / b for a, b in zip(medians[OURS], medians[fastest], strict=True)]
        low, middle, high = quartiles(ratios)
        row |= {"fastest": fastest, "ratio": middle, "quartiles": (low, high)}
    return row


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the first quartile, the median and the third of some values."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


# --- tables -------------------------------------------------------------------------------------


def print_header(threads: int) -> None:
    """Print the titles of the columns."""
    titles = [runtime.title for runtime in RUNTIMES.values()]
    columns = (*titles, "fastest", "ratio", "quartiles", "least", "apart")
    print(f"{f'milliseconds, {threads} thread(s)':<32}", *(f"{c:>11}" for c in columns))


def print_row(name: str, row: Row) -> None:
    """Print the figures of one network."""
    if row["wrong"]:
        print(f"{name:<32} something else is given by {row['wrong']}: {row['apart']}", flush=True)
        return
    medians = row["median_ms"]
    cells = [f"{medians[side]:.3f}" if side in medians else "-" for side in RUNTIMES]
    if "ratio" in row:
        low, high = row["quartiles"]
        least = row["least_ms"][OURS] / row["least_ms"][row["fastest"]]
        cells += [RUNTIMES[row["fastest"]].title, f"{row['ratio']:.3f}"]
        cells += [f"{low:.2f}-{high:.2f}", f"{least:.3f}"]
    else:
        cells += ["-"] * 4
    cells.append(f"{max(row['apart'].values()):.0e}")
    note = f"  no ONNX: {row['missing']}" if row["missing"] else ""
    print(f"{name:<32}", *(f"{cell:>11}" for cell in cells), note, flush=True)


def summary(rows: Mapping[str, Row], quantised: set[str]) -> Row:
    """Return geometric means of the ratios, and the worst."""
    ratios = {name: row["ratio"] for name, row in rows.items() if "ratio" in row}
    floats = {name: ratio for name, ratio in ratios.items() if name not in quantised}
    large = [r for n, r in floats.items() if rows[n]["median_ms"][rows[n]["fastest"]] >= SMALL]
    worst = max(floats, key=floats.__getitem__, default="")
    groups = {
        "float": [*floats.values()],
        f"float from {SMALL} ms on": large,
        "quantised": [ratio for name, ratio in ratios.items() if name in quantised],
    }
    means = {name: statistics.geometric_mean(its) for name, its in groups.items() if its}
    return {"means": means, "worst": (worst, floats.get(worst))}


def print_times(
    cases: Mapping[str, Prepared], threads: int, rounds: int, tries: int
) -> dict[str, Any]:
    """Print a row for each network, floats first, and the means; return all figures."""
    rows: dict[str, Row] = {}
    quantised = {name for name, case in cases.items() if case.is_quantised}
    print_header(threads)
    for name in sorted(cases, key=lambda name: name in quantised):
        if name in quantised and not quantised & rows.keys():
            print("integers:")
        rows[name] = measure(cases[name], threads, rounds, tries)
        print_row(name, rows[name])
    found = summary(rows, quantised)
    for group, mean in found["means"].items():
        print(f"{f'geometric mean, {group}':<32} {mean:.3f}")
    print(f"{'worst of float':<32} {found['worst']}")
    timed = [row for row in rows.values() if not row["wrong"]]
    disturbed = sum(sum(row["disturbed"].values()) for row in timed)
    print(f"{'turns that were disturbed':<32} {disturbed}")
    return {"threads": threads, "rounds": rounds, **found, "results": rows}


def print_memory(cases: Mapping[str, Prepared], threads: int) -> dict[str, Any]:
    """Print the peaks of processes beyond their imports, and these; return all, in bytes."""
    any_folder = next(iter(cases.values())).folder
    imports = {side: _peak(side, any_folder, threads, "--imports") for side in RUNTIMES}
    titles = (runtime.title for runtime in RUNTIMES.values())
    print(f"{'megabytes at most':<32}", *(f"{title:>11}" for title in titles))
    print(f"{'imports':<32}", *(f"{imports[side] / 1e6:>11.1f}" for side in RUNTIMES))
    rows: dict[str, dict[str, int]] = {}
    for name, case in cases.items():
        _peak(OURS, case.folder, threads, "--peak")  # so that the code is compiled
        peaks = {side: _peak(side, case.folder, threads, "--peak") for side in case.sides}
        rows[name] = {side: peak - imports[side] for side, peak in peaks.items()}
        cells = (f"{rows[name][s] / 1e6:.1f}" if s in peaks else "-" for s in RUNTIMES)
        print(f"{name:<32}", *(f"{cell:>11}" for cell in cells), flush=True)
    return {"threads": threads, "imports": imports, "beyond": rows}


def _peak(side: str, folder: Path, threads: int, what: str) -> int:
    """Return the peak of a process, in bytes."""
    command = [sys.executable, "-m", MODULE, side, str(folder), str(threads), what]
    world = {**os.environ, "CORE_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    return int(subprocess.check_output(command, cwd=ROOT, env=world, text=True).split()[-1])


def main() -> None:
    """Prepare the networks, then print what is asked for."""
    parser = argparse.ArgumentParser(description="the zoo's networks beside other runtimes")
    parser.add_argument("--models", nargs="+", default=["*"], metavar="NAME")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], metavar="N")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tries", type=int, default=1, help="to repeat a turn if disturbed")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, metavar="FOLDER")
    parser.add_argument("--memory", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(given.weights))
    tier = os.environ.get(TIER, "2")
    os.environ[TIER] = "1"  # of this process, which says what outputs are expected
    cases: dict[str, Prepared] = {}
    with tempfile.TemporaryDirectory() as place:
        for name in models():
            if any(fnmatchcase(name, pattern) for pattern in given.models):
                folder = Path(place, name)
                folder.mkdir()
                cases[name] = prepare(name, given.weights, folder)
        os.environ[TIER] = tier  # of the processes of ours
        for threads in given.threads:
            if given.memory:
                print(json.dumps(print_memory(cases, threads)))
            else:
                print(json.dumps(print_times(cases, threads, given.rounds, given.tries)))


if __name__ == "__main__":
    main()
