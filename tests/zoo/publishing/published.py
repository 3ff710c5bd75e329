"""Published folders, read and run in wasmtime by nothing but what is written in them."""

import hashlib
import json
from pathlib import Path

import numpy as np

from core.wasm import read_module
from tests.helpers import skip_or_fail
from weights_cache.quantise import dequantise_array


def description_of(folder: Path, name: str = "model.wasm") -> dict:
    sections = {s.name: s.content for s in read_module((folder / name).read_bytes()).custom}
    return json.loads(sections["zoo"])


def weights_of(folder: Path, record: dict) -> bytes:
    """The weights as they lie in memory; the digests of the shards are checked."""
    content = b""
    for shard in record["shards"]:
        stored = (folder / shard["path"]).read_bytes()
        assert len(stored) == shard["bytes"]
        assert hashlib.sha256(stored).hexdigest() == shard["sha256"]
        content += stored
    if "pieces" not in record:
        return content
    memory, start = bytearray(record["bytes"]), 0
    for piece in record["pieces"]:
        raw = piece["as"] == "raw"
        how = ("uint8", piece["bytes"]) if raw else (piece["as"], piece["count"])
        stored = values = np.frombuffer(content, *how, offset=start)
        if not raw:
            values = dequantise_array(stored, piece.get("scale"), piece.get("least"))
        memory[piece["at"] : piece["at"] + values.nbytes] = values.tobytes()
        start += stored.nbytes
    assert start == len(content)
    return bytes(memory)


def run_network(folder: Path, network: str, values: np.ndarray, module: str = "model.wasm") -> dict:
    """The outputs of a network for an input, by the names in the description."""
    try:
        import wasmtime
    except ImportError:
        skip_or_fail("wasmtime is not installed: pip install wasmtime")
    description = description_of(folder, module)
    how, weights = description["networks"][network], description["weights"]
    store = wasmtime.Store()
    compiled = wasmtime.Module(store.engine, (folder / module).read_bytes())
    exports = wasmtime.Instance(store, compiled, []).exports(store)
    memory = exports["memory"]
    memory.write(store, weights_of(folder, weights), weights["address"])
    assert list(values.shape) == how["input"]["shape"]
    given = values.astype(how["input"]["dtype"])
    memory.write(store, given.tobytes(), how["input"]["address"])
    exports[network](store)
    return {name: _read(memory, store, output) for name, output in how["outputs"].items()}


def _read(memory, store, output):
    start, size = output["address"], int(np.prod(output["shape"])) * 4
    content = bytes(memory.read(store, start, start + size))
    assert output["dtype"] in ("float32", "int32")
    return np.frombuffer(content, output["dtype"]).reshape(output["shape"])
