"""One picture through MobileNet v1: ours by plans and eager, ONNX Runtime and LiteRT.

Run: ``python -m tests.benchmarks.networks.mobilenet [--case NAME] [--batch N] [--rounds N]`` with
the ``benchmark`` extra installed. All runtimes get the same seeded random weights
(`mobilenet_export`) and one input, and must give the same output. Each runs in a process of its
own, where it has the threads that its name says, and has turns (`turns`), of whose calls the median
counts. Rounds begin with each runtime in turn.

Prints medians and minima in milliseconds, the medians of the ratios within a round, of ours to each
runtime, and how many turns were disturbed all the same; then a line of JSON.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.graph_model.graph_model import GraphModel
from tests.benchmarks.networks.mobilenet_export import (
    CASES,
    Network,
    as_graph,
    as_onnx,
    as_tflite,
    build,
    multiply_adds,
)
from tests.benchmarks.turns import MOST_WAITING, Side, Turn, serve_turns

OURS = "plans_2"

#: Of the range of the output: sums of other orders.
MOST_APART = 1e-4

#: A call that gives the output, channels last.
Run = Callable[[], np.ndarray]
Runtime = Callable[[Network, np.ndarray, int], Run]


def ours(network: Network, x: np.ndarray, threads: int, *, plans: bool) -> Run:
    """Ours; the environment says how many threads plans have, and OpenBLAS op by op."""
    model = GraphModel(as_graph(network, len(x)), "cpu", plans=plans)
    return lambda: model.predict(x)["y"].numpy()


def onnx_runtime(network: Network, x: np.ndarray, threads: int) -> Run:
    """ONNX Runtime's own kernels; the input is transposed before."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(
        as_onnx(network, len(x)), options, providers=["CPUExecutionProvider"]
    )
    feeds = {"x": np.ascontiguousarray(x.transpose(0, 3, 1, 2))}

    def run() -> np.ndarray:
        (found,) = session.run(None, feeds)
        return found.transpose(0, 2, 3, 1) if found.ndim == 4 else found

    return run


def litert(network: Network, x: np.ndarray, threads: int) -> Run:
    """LiteRT with XNNPACK, as it comes."""
    from ai_edge_litert.interpreter import Interpreter

    made = Interpreter(model_content=as_tflite(network, len(x)), num_threads=threads)
    made.allocate_tensors()
    (taken,), (given,) = made.get_input_details(), made.get_output_details()

    def run() -> np.ndarray:
        made.set_tensor(taken["index"], x)
        made.invoke()
        return made.get_tensor(given["index"])

    return run


RUNTIMES: dict[str, Runtime] = {
    "plans": partial(ours, plans=True),
    "eager": partial(ours, plans=False),
    "onnxruntime": onnx_runtime,
    "litert": litert,
}

SIDES = [f"{name}_{threads}" for name in RUNTIMES for threads in (2, 1)]


def drawn(network: Network, batch: int) -> np.ndarray:
    """The input."""
    shape = (batch, network.size, network.size, 3)
    return np.random.default_rng(7).uniform(-1, 1, shape).astype(np.float32)


def serve(side: str, case: str, batch: int, output: str) -> None:
    """Write the output to a file and say so; then for each line of input time a turn."""
    name, _, threads = side.rpartition("_")
    network = build(CASES[case])
    run = RUNTIMES[name](network, drawn(network, batch), int(threads))
    np.save(output, run())
    serve_turns(run)


def measure(sides: dict[str, Side], rounds: int) -> dict[str, list[Turn]]:
    """Of each side the turn of each round."""
    found: dict[str, list[Turn]] = {name: [] for name in sides}
    for i in range(rounds):
        first = i % len(SIDES)
        for name in SIDES[first:] + SIDES[:first]:
            found[name].append(sides[name].turn())
    return found


def check(sides: dict[str, Side]) -> dict[str, float]:
    """How far the outputs are from those of our executor, at most, as parts of their range."""
    expected = sides["eager_1"].output
    apart = {n: float(abs(s.output - expected).max() / np.ptp(expected)) for n, s in sides.items()}
    for name, most in apart.items():
        if most > MOST_APART:
            raise SystemExit(f"{name} gives something else: {most:.1e} of the range apart")
    return apart


def compare(case: str, batch: int, rounds: int) -> dict[str, Any]:
    """How far the outputs are apart, medians, minima, and the ratios of ours."""
    sides: dict[str, Side] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        for name in SIDES:
            output = Path(folder, f"{name}.npy")
            sides[name] = Side(
                ("tests.benchmarks.networks.mobilenet", "--serve", name, "--case", case)
                + ("--batch", str(batch), "--output", str(output)),
                int(name.rpartition("_")[2]),
                output,
            )
            closing.callback(sides[name].close)
        apart, turns = check(sides), measure(sides, rounds)
    medians = {name: [statistics.median(t.calls) for t in turns[name]] for name in SIDES}
    pairs = {name: zip(medians[OURS], other, strict=True) for name, other in medians.items()}
    return {
        "case": case,
        "batch": batch,
        "rounds": rounds,
        "million_macs": round(multiply_adds(build(CASES[case])) * batch / 1e6, 1),
        "openblas": sides[OURS].kernels,
        "apart": apart,
        "median_ms": {name: round(statistics.median(m), 2) for name, m in medians.items()},
        "least_ms": {n: round(min(min(t.calls) for t in turns[n]), 2) for n in SIDES},
        "ratio": {n: round(statistics.median(a / b for a, b in p), 3) for n, p in pairs.items()},
        "disturbed": {n: sum(t.waiting > MOST_WAITING for t in turns[n]) for n in SIDES},
    }


def main(case: str, batch: int, rounds: int) -> None:
    """Print a table and a line of JSON."""
    found = compare(case, batch, rounds)
    print(f"{case}, batch {batch}: {found['million_macs']} M multiply-adds")
    print(f"OpenBLAS {found['openblas']}")
    keys = ("median_ms", "least_ms", "ratio", "disturbed")
    titles = ("median ms", "least ms", f"{OURS} / it", "disturbed", "apart")
    print(f"{'':<16}", *(f"{title:>13}" for title in titles))
    for name in SIDES:
        cells = [*(found[key][name] for key in keys), f"{found['apart'][name]:.1e}"]
        print(f"{name:<16}", *(f"{cell:>13}" for cell in cells))
    print(json.dumps(found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="MobileNet v1 beside other runtimes")
    parser.add_argument("--case", choices=CASES, default="mobilenet_100_224")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve, given.case, given.batch, given.output)
    else:
        main(given.case, given.batch, given.rounds)
