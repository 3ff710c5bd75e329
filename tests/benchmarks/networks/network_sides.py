"""One network in one runtime: a process of `zoo_networks`, which writes the folder of the case.

Run: ``python -m tests.benchmarks.networks.network_sides SIDE FOLDER THREADS``, then a line of input
for each turn; or with ``--peak``, which prints the most memory that the process had after three
runs, or with ``--imports`` after it imported the runtime. Nothing but NumPy is imported beside
that.
"""

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

#: Files of a case.
CASE, FEEDS, EXPORT, EXPORT_FEEDS = "case.json", "feeds.npz", "network.onnx", "export_feeds.npz"

Arrays = list[np.ndarray]

#: A call that gives the outputs.
Run = Callable[[], Arrays]


class Case(NamedTuple):
    """A network and what it is asked for.

    Attributes:
        name: of the model in the zoo.
        outputs: names of outputs or nodes.
        files: paths of the TFLite files that make up the network, in order; empty if none.
    """

    name: str
    outputs: list[str]
    files: list[str]


def read_case(folder: Path) -> Case:
    """Return the case that a folder has."""
    return Case(**json.loads((folder / CASE).read_text()))


def write_case(folder: Path, case: Case) -> None:
    """Write the case of a folder."""
    (folder / CASE).write_text(json.dumps(case._asdict()))


def read_arrays(file: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file by name."""
    with np.load(file) as arrays:
        return dict(arrays)


def import_ours() -> Any:
    """Import the zoo."""
    import zoo

    return zoo


def import_litert() -> Any:
    """Import LiteRT."""
    from ai_edge_litert import interpreter

    return interpreter


def import_onnx_runtime() -> Any:
    """Import ONNX Runtime."""
    import onnxruntime

    return onnxruntime


def ours(folder: Path, threads: int) -> Run:
    """Return a run of ours; the environment says how many threads plans have, and their tier."""
    case, feeds = read_case(folder), read_arrays(folder / FEEDS)
    zoo = import_ours()
    network = zoo.load(case.name).network
    with suppress(zoo.ZooError):  # of a file of which data decides all
        network.plan(feeds, case.outputs).warmup()

    return lambda: [*network.execute(feeds, case.outputs, as_arrays=True).values()]


def litert(folder: Path, threads: int) -> Run:
    """Return a run of LiteRT with XNNPACK, as it comes; integers are given as what they stand for.

    A network of two files is run as a chain.
    """
    case, (given,) = read_case(folder), read_arrays(folder / FEEDS).values()
    new = import_litert().Interpreter
    chain = [new(file, num_threads=threads) for file in case.files]
    for interpreter in chain:
        interpreter.allocate_tensors()
    taken = [interpreter.get_input_details()[0] for interpreter in chain]
    made = [interpreter.get_output_details() for interpreter in chain]
    first = given.astype(taken[0]["dtype"])

    def run() -> Arrays:
        values = [first]
        for interpreter, at, details in zip(chain, taken, made, strict=True):
            interpreter.set_tensor(at["index"], values[0])
            interpreter.invoke()
            values = [interpreter.get_tensor(each["index"]) for each in details]
        return [_real(value, each) for value, each in zip(values, made[-1], strict=True)]

    return run


def _real(value: np.ndarray, details: dict[str, Any]) -> np.ndarray:
    """Return what integers stand for."""
    scale, zero = details["quantization"]
    return value if not scale else np.float32(scale) * (value.astype(np.float32) - zero)


def onnx_runtime(folder: Path, threads: int) -> Run:
    """Return a run of ONNX Runtime as it comes; what it takes and gives has its channels first."""
    runtime = import_onnx_runtime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    file, feeds = str(folder / EXPORT), read_arrays(folder / EXPORT_FEEDS)
    session = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feeds)


class Runtime(NamedTuple):
    """A runtime.

    Attributes:
        title: of its column.
        load: imports it.
        start: makes a network ready.
    """

    title: str
    load: Callable[[], Any]
    start: Callable[[Path, int], Run]


OURS = "ours"
RUNTIMES = {
    OURS: Runtime("ours", import_ours, ours),
    "litert": Runtime("LiteRT", import_litert, litert),
    "onnxruntime": Runtime("ORT", import_onnx_runtime, onnx_runtime),
}


def peak_bytes() -> int:
    """Return the most memory that this process had (Linux; elsewhere also before it began)."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def output_file(folder: Path, side: str) -> Path:
    """Return the file to which a side writes its outputs."""
    return folder / f"{side}.npz"


def serve(side: str, folder: Path, threads: int) -> None:
    """Write the outputs, then serve turns."""
    from tests.benchmarks.turns import serve_turns

    run = RUNTIMES[side].start(folder, threads)
    np.savez(output_file(folder, side), *run())
    serve_turns(run)


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=RUNTIMES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("threads", type=int)
    parser.add_argument("--peak", action="store_true")
    parser.add_argument("--imports", action="store_true")
    given = parser.parse_args()
    if given.imports:
        RUNTIMES[given.side].load()
        print(peak_bytes())
    elif given.peak:
        run = RUNTIMES[given.side].start(given.folder, given.threads)
        for _ in range(3):
            run()
        print(peak_bytes())
    else:
        serve(given.side, given.folder, given.threads)


if __name__ == "__main__":
    main()
