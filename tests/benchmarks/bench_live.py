"""What a frame of a camera takes, network by network, beside LiteRT.

Run: ``python -m tests.benchmarks.bench_live [--rounds N] [--networks NAME ...]`` with the extras
``benchmark`` and ``oracle`` installed. Weights and photos are among the reference files
(``ZOO_SHARED``).

Each network is given one photo, here by its plan on ``cpu`` and in LiteRT by its TFLite file, both
with one and with two threads; networks that are published as web models are converted
(`tflite_of_graph`). Each side runs in a process of its own and has turns (`turns`). Both give all
outputs as arrays.

Prints for each network medians and the medians of the ratios within a round, ours to LiteRT's; then
the same for the networks that one frame runs while it is tracked, and for a frame in which the
detector runs as well; then a line of JSON. ``apart`` is how far the outputs are apart at most, as a
part of their range (sums of other orders; steps of a quantized network), and ``disturbed`` how many
turns of all sides other processes disturbed all the same.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.turns import MOST_WAITING, ROOT, Side, serve_turns
from tests.benchmarks.zoo_models import PHOTOS, SHARED

THREADS = (1, 2)
SIDES = [f"{runtime}_{threads}" for threads in THREADS for runtime in ("ours", "litert")]

#: Frame -> networks with how often each runs.
FRAMES: dict[str, dict[str, int]] = {
    "one hand, tracked": {"hands.lite": 1},
    "two hands, tracked": {"hands.lite": 2},
    "hand, searched": {"palm.lite": 1, "hands.lite": 1},
    "face mesh, tracked": {"facemesh.base": 1},
    "face mesh, searched": {"blazeface.back": 1, "blazeface.short": 1, "facemesh.base": 1},
    "face mesh and irises, tracked": {"facemesh.base": 1, "iris.base": 2},
    "BlazePose, tracked": {"blazepose.lite": 1},
    "BlazePose, searched": {"blazepose.detector": 1, "blazepose.lite": 1},
    "MoveNet, tracked": {"movenet.lightning": 1},
}

NETWORKS = list(dict.fromkeys(name for runs in FRAMES.values() for name in runs))

Run = Callable[[], list[np.ndarray]]


def ours(name: str) -> Run:
    """Our plan; the environment says how many threads it has."""
    import zoo

    model = zoo.load(name)
    values, wanted = input_of(name), list(model.network.outputs)  # those of masks as well

    def run() -> list[np.ndarray]:
        found = model.network.execute(values, wanted, as_arrays=True)
        return [found[key] for key in wanted]

    return run


def litert(name: str, file: str, threads: int) -> Run:
    """LiteRT with XNNPACK, as it comes."""
    from ai_edge_litert.interpreter import Interpreter

    made = Interpreter(file, num_threads=threads)
    made.allocate_tensors()
    (taken,) = made.get_input_details()
    given = [output["index"] for output in made.get_output_details()]
    values = input_of(name).astype(taken["dtype"])

    def run() -> list[np.ndarray]:
        made.set_tensor(taken["index"], values)
        made.invoke()
        return [made.get_tensor(index) for index in given]

    return run


def input_of(name: str) -> np.ndarray:
    """What a network is given of the photo of its task."""
    import zoo
    from zoo.catalog.entries import find_entry

    photo = SHARED / "images" / "photos" / PHOTOS[find_entry(name).task]
    return np.asarray(zoo.load(name).network_input(photo))


def serve(side: str, name: str, file: str, output: str) -> None:
    """Have turns until there is no more input."""
    runtime, _, threads = side.partition("_")
    run = ours(name) if runtime == "ours" else litert(name, file, int(threads))
    outputs = sorted(run(), key=lambda array: (array.size, str(array.dtype)))
    np.save(output, np.concatenate([array.ravel().astype(np.float32) for array in outputs]))
    serve_turns(run)


def tflite_of(name: str, folder: str) -> str:
    """The TFLite file of a network; one that is a web model is converted into the folder."""
    from zoo.catalog.entries import find_entry

    entry = find_entry(name)
    if entry.file:
        return str(SHARED / "weights" / entry.weights / entry.file)
    file = f"{folder}/{name}.tflite"
    command = [sys.executable, "-m", "tests.benchmarks.networks.tflite_of_graph", name, file]
    subprocess.run(command, cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
    return file


def compare(name: str, rounds: int) -> dict[str, Any]:
    """Milliseconds of each side in each round, how far outputs are apart, disturbed turns."""
    sides: dict[str, Side] = {}
    found: dict[str, list[float]] = {side: [] for side in SIDES}
    disturbed = 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        file = tflite_of(name, folder)
        for side in SIDES:
            output = Path(folder, f"{side}.npy")
            module = ("tests.benchmarks.bench_live", "--serve", side, "--networks", name)
            more = ("--file", file, "--output", str(output))
            sides[side] = Side((*module, *more), int(side.partition("_")[2]), output)
            closing.callback(sides[side].close)
        for index in range(rounds):
            first = index % len(SIDES)
            for side in SIDES[first:] + SIDES[:first]:
                turn = sides[side].turn()
                found[side].append(statistics.median(turn.calls))
                disturbed += turn.waiting > MOST_WAITING
        mine, theirs = sides["ours_1"].output, sides["litert_1"].output
    apart = float(abs(mine - theirs).max() / np.ptp(mine))
    return {"rounds": found, "apart": f"{apart:.0e}", "disturbed": disturbed}


def together(runs: Mapping[str, int], found: Mapping[str, Any]) -> dict[str, list[float]]:
    """Milliseconds of the networks of a frame in each round."""
    return {
        side: [
            sum(turns)
            for turns in zip(
                *([n * ms for ms in found[name]["rounds"][side]] for name, n in runs.items()),
                strict=True,
            )
        ]
        for side in SIDES
    }


def row(rounds: Mapping[str, list[float]]) -> dict[str, Any]:
    """Medians, and medians of the ratios within a round."""
    cells = {side: round(statistics.median(times), 2) for side, times in rounds.items()}
    for threads in THREADS:
        pairs = zip(rounds[f"ours_{threads}"], rounds[f"litert_{threads}"], strict=True)
        cells[f"ratio_{threads}"] = round(statistics.median(a / b for a, b in pairs), 2)
    return cells


def main(rounds: int, names: list[str]) -> None:
    """Print both tables and a line of JSON."""
    found = {name: compare(name, rounds) for name in names}
    rows = {name: row(found[name]["rounds"]) for name in names}
    rows |= {
        frame: row(together(runs, found))
        for frame, runs in FRAMES.items()
        if runs.keys() <= found.keys()
    }
    for name in names:
        rows[name] |= {key: found[name][key] for key in ("apart", "disturbed")}
    columns = list(rows[names[0]])
    print(f"{'milliseconds, medians':<30}", *(f"{column:>9}" for column in columns))
    for title, cells in rows.items():
        print(f"{title:<30}", *(f"{cells.get(column, ''):>9}" for column in columns))
    print(json.dumps({"rounds": rounds, "results": rows}))


if __name__ == "__main__":
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    parser = argparse.ArgumentParser(description="what a frame takes, beside LiteRT")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=NETWORKS)
    parser.add_argument("--serve", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve, given.networks[0], given.file, given.output)
    else:
        main(given.rounds, given.networks)
