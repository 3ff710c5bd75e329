"""Other runtimes for the networks of the zoo, given what the zoo has given them."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zoo.catalog.entry import Entry


class Call(NamedTuple):
    """One run of a network: whose, and its input."""

    entry: Entry
    values: np.ndarray  # [pictures, ...]


#: Milliseconds of all calls; None where a network is not in a form that the runtime takes.
Peer = Callable[[Sequence[Call]], float | None]


class LiteRt:
    """TFLite files with LiteRT, a picture at a time.

    Args:
        weights: the folder of all records.
        threads: how many it may use.
    """

    def __init__(self, weights: Path, *, threads: int):
        self._weights, self._threads = weights, threads
        self._loaded: dict[str, list[Any] | None] = {}

    def __call__(self, calls: Sequence[Call]) -> float | None:
        """How long it takes for the same."""
        taken = [self._time(call) for call in calls]
        return None if None in taken else sum(taken)

    def _time(self, call: Call) -> float | None:
        chain = self._chain(call.entry)
        if chain is None:
            return None
        start = time.perf_counter()
        for picture in call.values:
            values = picture[None]
            for interpreter in chain:
                (taken,) = interpreter.get_input_details()
                interpreter.set_tensor(taken["index"], values.astype(taken["dtype"], copy=False))
                interpreter.invoke()
                given = [d["index"] for d in interpreter.get_output_details()]
                values = [interpreter.get_tensor(index) for index in given][0]
        return 1e3 * (time.perf_counter() - start)

    def _chain(self, entry: Entry) -> list[Any] | None:
        """The interpreters of its files; None if it has none, or LiteRT lacks an op."""
        from ai_edge_litert.interpreter import Interpreter

        if entry.name not in self._loaded:
            names = [name for name in (entry.file, entry.head) if name.endswith(".tflite")]
            paths = [str(self._weights / entry.weights / name) for name in names]
            try:
                chain = [Interpreter(path, num_threads=self._threads) for path in paths]
                for interpreter in chain:
                    interpreter.allocate_tensors()
            except (RuntimeError, ValueError):
                chain = []
            self._loaded[entry.name] = chain or None
        return self._loaded[entry.name]


class TensorFlowJs:
    """Web models with TensorFlow.js's cpu backend in a Node process.

    Args:
        weights: the folder of all records.
        modules: the folder that ``node_modules`` lies in.
    """

    def __init__(self, weights: Path, modules: str):
        self._weights = weights
        script = Path(__file__).with_name("zoo_models.mjs")
        self._node = subprocess.Popen(
            ["node", str(script), str(Path(modules).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, calls: Sequence[Call]) -> float | None:
        """How long it takes for the same."""
        if any(call.entry.file or call.entry.network for call in calls):
            return None
        return sum(self._time(call) for call in calls)

    def _time(self, call: Call) -> float:
        path = self._weights / call.entry.weights / "model.json"
        layers = "node" not in json.loads(path.read_text())["modelTopology"]
        dtype = "float32" if call.values.dtype == np.float32 else "int32"
        pipes = self._node.stdin, self._node.stdout
        assert pipes[0] and pipes[1]
        with tempfile.NamedTemporaryFile() as file:
            call.values.astype(dtype).tofile(file.name)
            wish = {"file": str(path), "layers": layers, "input": file.name, "dtype": dtype}
            print(json.dumps({**wish, "shape": call.values.shape}), file=pipes[0], flush=True)
            return float(pipes[1].readline())
