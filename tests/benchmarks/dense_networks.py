"""Fully connected networks for digits, trained and asked, beside PyTorch, Keras and TensorFlow.js.

Run: ``python -m tests.benchmarks.dense_networks [--hidden N] [--units N] [--sides NAME]`` with the
extra `benchmark`, PyTorch and TensorFlow (the extras `train` and `oracle`), and in Node npm's
``@tensorflow/tfjs`` and ``@tensorflow/tfjs-backend-wasm``, of which ``--modules`` or
``ZOO_NODE_MODULES`` names the ``node_modules``. Sides that are not installed are left out.

The networks are those of El Bawab's study of machine learning in WebAssembly (2019): sigmoid
layers, softmax, cross entropy, SGD with a rate of 0.02, LeCun's uniform weights, batches of 64. The
data are scikit-learn's digits, 8 x 8 pixels. All sides start from the same weights, see the same
batches in the same order, and must arrive at the same first losses. Each has a process of its own,
which is stopped (SIGSTOP) while others have their turn. A turn goes through `BATCHES` batches,
or as many as fit in `TURN_MS`; times are those of a batch, and medians over turns. Ours and Keras's
are those of `fit` and `predict`; the loops of the others run over tensors made before.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean, median
from time import sleep
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.dense_sides import LOSSES, PYTHON_SIDES, serve

ROOT = Path(__file__).resolve().parent.parent.parent

OURS = "core"

#: The sides in Python, and those in Node with the backend.
NODE_SIDES = {"tfjs cpu": "cpu", "tfjs wasm": "wasm"}
SIDES = (*PYTHON_SIDES, *NODE_SIDES)

#: The package that a side needs.
PACKAGES = {"core": "core", "torch": "torch", "keras": "tensorflow"}

#: Samples of a batch, and batches of a turn.
BATCH, BATCHES = 64, 112

#: Of the first losses.
TOLERANCE = 1e-4

KINDS = ("train", "predict")


class Network(NamedTuple):
    """A fully connected network: hidden layers, and their units."""

    hidden: int
    units: int

    def weights(self, inputs: int, classes: int) -> list[np.ndarray]:
        """Return kernels and biases in turn; kernels are LeCun's uniform ones."""
        rng = np.random.default_rng(self.hidden * 1000 + self.units)
        widths = [inputs, *[self.units] * self.hidden, classes]
        found = []
        for before, after in zip(widths, widths[1:], strict=False):
            most = np.sqrt(3 / before)
            found += [rng.uniform(-most, most, (before, after)), np.zeros(after)]
        return [array.astype(np.float32) for array in found]


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels of all digits from 0 to 1, and the digits as rows with a 1."""
    from sklearn.datasets import load_digits

    pixels, classes = load_digits(return_X_y=True)
    return (pixels / 16).astype(np.float32), np.eye(10, dtype=np.float32)[classes]


class Side:
    """A process that trains networks on request, stopped between its turns.

    Args:
        name: one of `SIDES`.
        threads: how many threads the libraries may use.
        modules: ``node_modules``, for sides in Node.
    """

    def __init__(self, name: str, threads: int, modules: str | None):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "CORE_THREADS")
        world = {**os.environ, **dict.fromkeys(names, str(threads)), "CORE_TIER": "2"}
        command = [sys.executable, "-m", __spec__.name, "--serve", name, str(threads)]
        if name in NODE_SIDES:
            script = str(Path(__file__).with_suffix(".mjs"))
            command = ["node", script, str(Path(modules or "").resolve()), NODE_SIDES[name]]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, env=world, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
        )
        self._name = name
        self._process.send_signal(signal.SIGSTOP)

    def ask(self, **wish: Any) -> Any:
        """Return the answer to a wish; the pause lets what ran before fall asleep."""
        sleep(0.02)
        self._process.send_signal(signal.SIGCONT)
        assert self._process.stdin and self._process.stdout
        print(json.dumps(wish), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the process of {self._name} ended")
        self._process.send_signal(signal.SIGSTOP)
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.send_signal(signal.SIGCONT)
        self._process.communicate()


def installed(sides: Sequence[str], modules: str | None) -> list[str]:
    """Return the sides that can run, and print why others cannot."""
    found = []
    for side in sides:
        missing = ""
        if side in NODE_SIDES:
            package = f"tfjs-backend-{NODE_SIDES[side]}"
            if not shutil.which("node"):
                missing = "there is no node"
            elif not modules or not (Path(modules) / "@tensorflow" / package).is_dir():
                missing = f"--modules names no folder with @tensorflow/{package}"
        elif find_spec(PACKAGES[side]) is None:
            missing = f"{PACKAGES[side]} is not installed"
        if missing:
            print(f"without {side}: {missing}", file=sys.stderr)
        else:
            found.append(side)
    return found


def compare(network: Network, sides: dict[str, Side], rounds: int, data: str) -> dict[str, Any]:
    """Return the times of all sides for a network, and our ratio to the fastest of the others."""
    losses = {
        name: side.ask(do="start", file=data, hidden=network.hidden) for name, side in sides.items()
    }
    for name, values in losses.items():
        np.testing.assert_allclose(values, losses[OURS], rtol=TOLERANCE, err_msg=name)
    assert len(losses[OURS]) == LOSSES
    found: dict[str, Any] = {"hidden": network.hidden, "units": network.units}
    for kind in KINDS:
        times: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, side in sides.items():
                times[name].append(side.ask(do=kind))
        middles = {name: median(each) for name, each in times.items()}
        peers = {name: each for name, each in middles.items() if name != OURS}
        fastest = min(peers, key=peers.__getitem__) if peers else OURS
        ratio = median(a / b for a, b in zip(times[OURS], times[fastest], strict=True))
        found[kind] = {"ms": middles, "fastest": fastest, "ratio": ratio}
    return found


def saved(network: Network, folder: Path) -> str:
    """Write data and weights as NumPy has them, and as one file of floats for Node."""
    x, y = digits()
    rows = np.resize(np.arange(len(x)), BATCH * BATCHES)
    arrays = {"x": x[rows], "y": y[rows]}
    weights = network.weights(x.shape[1], y.shape[1])
    arrays |= {f"weight_{i:02}": each for i, each in enumerate(weights)}
    path = folder / f"{network.hidden}x{network.units}"
    np.savez(path.with_suffix(".npz"), **arrays)
    path.with_suffix(".bin").write_bytes(b"".join(each.tobytes() for each in arrays.values()))
    shapes = {name: each.shape for name, each in arrays.items()}
    path.with_suffix(".json").write_text(json.dumps(shapes))
    return str(path)


def row_of(found: dict[str, Any], kind: str) -> str:
    """Return a line with the times of a network."""
    part = found[kind]
    times = "  ".join(f"{name} {ms:8.3f}" for name, ms in part["ms"].items())
    name = f"{found['hidden']}x{found['units']}"
    return f"{name:<6} {kind:<8} {times}   ours / {part['fastest']} {part['ratio']:.3f}"


def measured(given: argparse.Namespace, threads: int) -> list[dict[str, Any]]:
    """Return the times of all networks with some number of threads; print a line for each."""
    names = installed(list(dict.fromkeys((OURS, *given.sides))), given.modules)
    results = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sides = {name: Side(name, threads, given.modules) for name in names}
        for side in sides.values():
            stack.callback(side.close)
        print(f"milliseconds of a batch of {BATCH}, {threads} threads")
        for hidden in given.hidden:
            for units in given.units:
                network = Network(hidden, units)
                data = saved(network, Path(folder))
                results.append(compare(network, sides, given.rounds, data))
                for kind in KINDS:
                    print(row_of(results[-1], kind), flush=True)
    return results


def main(given: argparse.Namespace) -> None:
    """Print times, the geometric means of ratios, and a line of JSON."""
    found = {}
    for threads in given.threads:
        results = found[threads] = measured(given, threads)
        for kind in KINDS:
            mean = geometric_mean(result[kind]["ratio"] for result in results)
            print(f"{kind}, {threads} threads: ours / fastest of the others {mean:.3f}")
    print(json.dumps({"load": os.getloadavg(), "networks_by_threads": found}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hidden", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--units", nargs="+", type=int, default=[64, 128, 256])
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=SIDES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--modules", default=os.environ.get("ZOO_NODE_MODULES"))
    return parser


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        with suppress(KeyboardInterrupt):
            serve(sys.argv[2], int(sys.argv[3]))
    else:
        main(_parser().parse_args())
