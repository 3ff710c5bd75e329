"""A toy model with its own registry, small manifests, and ways to spoil files."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from tests.weights_cache.fault_server import FaultServer
from weights_cache import hash_memo, registry, store

SIZE = 300_000


class Toy:
    """The model ``toy``: one file on the server, registered with one or more URLs."""

    def __init__(self, folder: Path, server: FaultServer, cache: Path) -> None:
        self.server = server
        self.registry = folder / "registry.json"
        self.data = np.random.default_rng(1).bytes(SIZE)
        self.cache = cache
        self.notes = folder / "weights-notes" / "toy.json"
        self.register([f"{server.url}/toy/weights.bin"])
        server.files["/toy/weights.bin"] = self.data

    @property
    def folder(self) -> Path:
        """Of the registered version in the cache."""
        return self.cache / "toy" / registry.find_record("toy").version

    @property
    def path(self) -> Path:
        return self.folder / "weights.bin"

    def register(self, urls: list[str], **extra: Any) -> None:
        row = {
            "path": "weights.bin",
            "bytes": len(self.data),
            "sha256": hashlib.sha256(self.data).hexdigest(),
            "urls": urls,
        }
        self.register_files([{**row, **extra}])

    def register_files(self, files: list[dict[str, Any]]) -> None:
        model = {"name": "toy", "licence": "none", "source": "here", "upstream": "nothing"}
        self.registry.write_text(json.dumps([{**model, "files": files}]))
        registry._rows.cache_clear()

    def fetch(self) -> bytes:
        return store.fetch("toy")["weights.bin"].read_bytes()

    def left_over(self) -> list[str]:
        """Files of the cache other than whole ones, notes and locks."""
        names = [path.name for path in self.cache.rglob("*") if path.is_file()]
        kept = ("weights.bin", "toy--weights.bin.lock")
        return [name for name in names if name not in kept]


def toy_row(data, path, urls):
    digest = hashlib.sha256(data).hexdigest()
    return {"path": path, "bytes": len(data), "sha256": digest, "urls": urls}


def flip_byte(path, position=1000):
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)


def settle(monkeypatch):
    """Note files at once; no test waits until the time of a change cannot be met again."""
    monkeypatch.setattr(hash_memo, "_SETTLED_NS", 0)


def make_older(path, seconds=10):
    """Set the time of modification back."""
    before = path.stat().st_mtime_ns - seconds * 10**9
    os.utime(path, ns=(before, before))


def weight(name="w", shape=(2, 3), dtype="float32", **quantization):
    entry = {"name": name, "shape": list(shape), "dtype": dtype}
    return entry | ({"quantization": quantization} if quantization else {})


def write_model(folder, groups, shards, topology=None):
    document = {"modelTopology": topology, "weightsManifest": groups}
    (folder / "model.json").write_text(json.dumps(document))
    for name, data in shards.items():
        (folder / name).write_bytes(data)
    return folder


def write_weight(folder, entry, data=bytes(24)):
    return write_model(folder, [{"weights": [entry], "paths": ["shard"]}], {"shard": data})
