"""How long each staged model takes to load, and to run first, beside its own runtime.

Run: ``python tests/benchmarks/model_loading.py [ROUNDS] [NODE_FOLDER]``. TFLite files are paired
with LiteRT's interpreter after ``allocate_tensors``, web models with TensorFlow.js's cpu backend in
one Node process that reads the same files from disk; ``npm install @tensorflow/tfjs@4.22.0`` in a
folder makes the last argument, and without it those models have no peer. Every round loads each
model once with either, in turn, so that a busy machine slows both alike; files are in the disk
cache after the first one, which does not count. Prints a table and a line of JSON.
"""

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.converter import load_model
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel

ROOT = Path(__file__).resolve().parent.parent.parent
WEIGHTS = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared")) / "weights"

#: In so many rounds the models also run.
ROUNDS_TO_RUN = 3

#: Milliseconds by what was timed.
Times = dict[str, float]


def milliseconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """How long a call takes, and what it gives."""
    start = time.perf_counter()
    found = function()
    return 1e3 * (time.perf_counter() - start), found


def ours(path: Path, running: bool) -> Times:
    """Load a model, and run it once on zeros."""
    gc.collect()
    load, model = milliseconds(lambda: load_model(path))
    if not running:
        return {"load": load}
    given = {
        name: np.zeros([n or 1 for n in spec.shape or ()], spec.dtype)
        for name, spec in model.inputs.items()
    }
    try:
        return {"load": load, "first_run": milliseconds(lambda: run(model, given))[0]}
    except CoreError:  # an unknown custom op
        return {"load": load}


def run(model: GraphModel, given: dict[str, np.ndarray]) -> None:
    """Run a model until its outputs are there."""
    for value in model.predict(given).values():
        value.numpy()


def lite(path: Path, running: bool) -> Times:
    """The same with LiteRT; nothing where the file has custom ops that it lacks."""
    from ai_edge_litert.interpreter import Interpreter

    def load() -> Any:
        found = Interpreter(str(path), num_threads=os.cpu_count())
        found.allocate_tensors()
        return found

    try:
        seconds, interpreter = milliseconds(load)
    except (RuntimeError, ValueError):
        return {}
    if not running:
        return {"load": seconds}
    return {"load": seconds, "first_run": milliseconds(interpreter.invoke)[0]}


class TensorFlowJs:
    """A Node process that loads web models on request.

    Args:
        modules: the folder that ``node_modules`` lies in.
    """

    def __init__(self, modules: str):
        script = Path(__file__).with_suffix(".mjs")
        self._node = subprocess.Popen(
            ["node", str(script), str(Path(modules).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, path: Path, running: bool) -> Times:
        """The times of one model."""
        layers = "node" not in json.loads(path.read_text())["modelTopology"]
        pipes = self._node.stdin, self._node.stdout
        assert pipes[0] and pipes[1]
        wish = {"file": str(path), "layers": layers, "running": running}
        print(json.dumps(wish), file=pipes[0], flush=True)
        return json.loads(pipes[1].readline())


def peers(modules: str | None) -> dict[str, Callable[[Path, bool], Times]]:
    """What runs the files of each suffix beside us."""
    web = TensorFlowJs(modules) if modules else lambda path, running: {}
    return {".json": web, ".tflite": lite}


def measure(rounds: int, modules: str | None) -> dict[Path, list[tuple[Times, Times]]]:
    """Our times and the peer's, of each model in each round."""
    beside = peers(modules)
    paths = sorted([*WEIGHTS.glob("*/model.json"), *WEIGHTS.glob("*/*.tflite")])
    found: dict[Path, list[tuple[Times, Times]]] = {path: [] for path in paths}
    for turn in range(rounds + 1):
        for path in paths:
            running = 0 < turn <= ROUNDS_TO_RUN
            pair = ours(path, running), beside[path.suffix](path, running)
            if turn:
                found[path].append(pair)
    return found


def row(pairs: list[tuple[Times, Times]]) -> dict[str, float]:
    """Medians in milliseconds, and the median of the ratios within a round."""
    medians = {}
    for key in ("load", "first_run"):
        for name, column in zip(("ours", "peer"), zip(*pairs, strict=True), strict=True):
            taken = [times[key] for times in column if key in times]
            if taken:
                medians[f"{name}_{key}"] = round(statistics.median(taken), 2)
    if "peer_load" in medians:
        ratio = statistics.median(a["load"] / b["load"] for a, b in pairs)
        medians["load_ratio"] = round(ratio, 3)
    return medians


def main(rounds: int, modules: str | None) -> None:
    """Print a row for each model."""
    columns = ("ours_load", "peer_load", "load_ratio", "ours_first_run", "peer_first_run")
    print(f"{'milliseconds, medians':<64}", *(f"{c:>14}" for c in columns))
    rows = {}
    for path, pairs in measure(rounds, modules).items():
        name = str(path.relative_to(WEIGHTS))
        rows[name] = row(pairs)
        cells = (f"{rows[name][c]:>14}" if c in rows[name] else f"{'-':>14}" for c in columns)
        print(f"{name[-64:]:<64}", *cells)
    print(json.dumps({"rounds": rounds, "results": rows}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7, sys.argv[2] if len(sys.argv) > 2 else None)
