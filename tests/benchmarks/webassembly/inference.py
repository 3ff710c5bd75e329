"""One image through networks as WebAssembly modules, beside the runtimes of the web, in Node.

Run: ``python -m tests.benchmarks.webassembly.inference NODE_FOLDER [--rounds N] [--case NAME]``;
``npm install @tensorflow/tfjs-core @tensorflow/tfjs-converter @tensorflow/tfjs-backend-wasm
onnxruntime-web @litertjs/core`` in a folder makes the argument. All sides have one thread, the
same weights and input; rounds begin with each of them in turn. LiteRT.js runs the MobileNets and
the trunks of PoseNets. Our own kernels for this computer run before and after, on one thread, too.

Prints medians in milliseconds, the medians of the ratios within a round, of ours to each runtime,
how far outputs are apart as a share of their range, and the time to the first result, with what is
loaded; then a line of JSON.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import core
import zoo
from core import Graph, GraphModel
from core.converter import convert, convert_to_onnx
from core.wasm.plans import compile_plans
from tests.benchmarks.networks.mobilenet_export import CASES, as_graph, as_tflite, build

#: Cases that are models of the zoo; the others are those of `mobilenet_export`.
MODELS = ("posenet.tiny", "posenet.mobilenet_v1_075", "mobilenet.v1_025", "selfie.base")

#: Sides that are ours: without and with relaxed SIMD.
OWN = ("ours", "relaxed")

#: Cases that run unless one is named.
DEFAULT = ("mobilenet_100_224", "posenet_trunk_075_257", *MODELS)


def graph_of(case: str) -> tuple[Graph, np.ndarray]:
    """Return the graph of a case, and an input of zeros for one image."""
    model = zoo.load(case) if case in MODELS else None
    graph = as_graph(build(CASES[case]), 1) if model is None else model.network.graph
    ((_, end),) = graph.inputs.items()
    if end.spec.smallest is None:
        return graph, model.network_input(None)
    return graph, np.zeros(end.spec.smallest, np.float32)


def write_case(case: str, folder: Path) -> tuple[GraphModel, np.ndarray]:
    """Write a case in all forms; return its model, and the input."""
    graph, zeros = graph_of(case)
    model = GraphModel(graph, "cpu")
    plan = model.plan(zeros)
    made = compile_plans({"run": plan})
    (folder / "model.wasm").write_bytes(made.binary())
    relaxed = compile_plans({"run": plan}, relaxed=True)
    (folder / "relaxed.wasm").write_bytes(relaxed.binary())
    (folder / "weights.bin").write_bytes(made.weights)
    (given,) = made.functions["run"].inputs.values()
    outputs = made.functions["run"].outputs
    ordered = [outputs[name] for name in model.planned_names().values()]
    facts = {
        "weights": made.weights_address,
        "input": given._asdict(),
        "outputs": [value._asdict() for value in ordered],
    }
    (folder / "case.json").write_text(json.dumps(facts))
    x = np.random.default_rng(0).uniform(-1, 1, given.shape).astype(np.float32)
    (folder / "input.bin").write_bytes(x.tobytes())
    convert(graph, folder / "web")
    ((name, _),) = graph.inputs.items()
    convert_to_onnx(graph, folder / "model.onnx", inputs={name: zeros.shape})
    if case in CASES:
        (folder / "model.tflite").write_bytes(as_tflite(build(CASES[case]), 1))
    return model, x


def native(model: GraphModel, x: np.ndarray, rounds: int) -> list[float]:
    """Return milliseconds of calls of the cpu backend."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        model.predict(x)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def measure(case: str, modules: Path, rounds: int, node: str) -> dict[str, Any]:
    """Return the times of all sides for one case."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, x = write_case(case, folder)
        model.warmup(x)
        before = native(model, x, rounds)
        script = Path(__file__).with_suffix(".mjs")
        command = [node, str(script), str(modules.resolve()), str(folder), str(rounds)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        answer = json.loads((folder / "answer.json").read_text())
        times = {"native": before + native(model, x, rounds), **answer["times"]}
        sizes = {
            f: (folder / f).stat().st_size for f in ("model.wasm", "relaxed.wasm", "weights.bin")
        }
    medians = {side: statistics.median(values) for side, values in times.items()}
    own = [side for side in OWN if side in times]
    peers = [side for side in times if side not in OWN]
    ratios = {side: {peer: ratio(times[side], times[peer]) for peer in peers} for side in own}
    return {
        "case": case,
        "medians": medians,
        "ratios": ratios,
        "apart": apart(answer["outputs"]),
        "first": answer["first"],
        "missing": answer["missing"],
        "bytes": sizes,
    }


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the ratios within rounds, or of medians where rounds are no pairs."""
    if len(ours) != len(theirs):
        return statistics.median(ours) / statistics.median(theirs)
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def apart(outputs: dict[str, list[list[float]]]) -> dict[str, float]:
    """Return how far outputs of other sides are from ours, as a share of the range."""
    ours = sorted((np.array(values) for values in outputs["ours"]), key=lambda v: (v.size, v.sum()))
    return {
        side: max(
            float(np.abs(a - b).max() / np.ptp(a))
            for a, b in zip(
                ours,
                sorted((np.array(v) for v in values), key=lambda v: (v.size, v.sum())),
                strict=True,
            )
        )
        for side, values in outputs.items()
        if side != "ours"
    }


def main() -> None:
    """Print a table and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", type=Path)
    parser.add_argument("--node", default="node", help="program; relaxed SIMD needs Node 22")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--case", choices=[*CASES, *MODELS])
    given = parser.parse_args()
    core.set_threads(1)
    found = []
    for case in [given.case] if given.case else DEFAULT:
        result = measure(case, given.modules, given.rounds, given.node)
        found.append(result)
        print(f"{case}: module {result['bytes']['model.wasm']} bytes", file=sys.stderr)
        for side, median in result["medians"].items():
            first = result["first"].get(side)
            start = "" if first is None else f", first result {first:.0f} ms"
            print(f"  {side:7} {median:8.2f} ms{start}")
        for side, by_peer in result["ratios"].items():
            texts = [f"{value:.2f} times {peer}" for peer, value in by_peer.items()]
            print(f"  {side}: {', '.join(texts)}")
        for side, why in result["missing"].items():
            print(f"  {side:7} missing: {why[:100]}")
        print(f"  apart: {result['apart']}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
