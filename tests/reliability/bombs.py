"""Small files that took gigabytes or minutes to load, made by hand."""

import json
import struct
import zipfile
from pathlib import Path

import numpy as np

from tests.core.converter.fuzz.protobuf import TYPES, entry, field
from tests.core.converter.graph_parts import constant, node, placeholder, tensor_of
from tests.helpers import require

h5py = require("h5py")

_UINT8, _INT64 = 4, 9

DENSE = {"name": "d", "units": 2, "use_bias": False, "batch_input_shape": [None, 2]}


def sequential(class_name: str, config: dict) -> dict:
    layer = {"class_name": class_name, "config": config}
    return {"class_name": "Sequential", "config": {"name": "s", "layers": [layer]}}


def web(folder: Path, class_name: str, config: dict) -> Path:
    """A model of one layer without weights, of a few hundred bytes."""
    topology = {"keras_version": "2", "model_config": sequential(class_name, config)}
    manifest = [{"paths": [], "weights": []}]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.json"
    path.write_text(json.dumps({"modelTopology": topology, "weightsManifest": manifest}))
    return path


def wide_normalization(folder: Path, width: int = 500_000_000) -> Path:
    config = {"name": "n", "batch_input_shape": [None, width], "axis": -1}
    return web(folder, "Normalization", {**config, "mean": 0.5, "variance": 1.0})


def spread_constant(folder: Path) -> Path:
    """One value that fills 1.9 GB, in a file of 2 MB."""
    wide = tensor_of(TYPES["DT_FLOAT"], [475_000_000], field(5, struct.pack("<f", 2.5)))
    padding = constant("p", tensor_of(_UINT8, [2_000_000], field(4, bytes(2_000_000))))
    path = folder / "model.pb"
    parts = (placeholder(), constant("c", wide), padding, node("y", "AddV2", "x", "c"))
    path.write_bytes(b"".join(parts) + field(4, field(1, 2000)))
    return path


def many_empty_fields(folder: Path, functions: int = 5, fields: int = 999_000) -> Path:
    """A library of functions of a million fields without content."""
    bodies = [
        field(1, field(1, field(1, f"f{i}")) + b"\x1a\x00" * fields) for i in range(functions)
    ]
    path = folder / "model.pb"
    parts = placeholder() + node("y", "Relu", "x")
    path.write_bytes(parts + field(2, b"".join(bodies)) + field(4, field(1, 2000)))
    return path


def many_nodes(folder: Path, count: int = 470_000) -> Path:
    """Nodes of some ten bytes each."""
    nodes = b"".join(node(f"{i:x}", "A") for i in range(count))
    path = folder / "model.pb"
    path.write_bytes(placeholder() + node("y", "Relu", "x") + nodes + field(4, field(1, 2000)))
    return path


def packed_numbers(folder: Path, count: int = 30_000_000) -> Path:
    """A list of numbers of one byte each."""
    listed = tensor_of(_INT64, [count], field(10, bytes(count)))
    path = folder / "model.pb"
    parts = placeholder() + constant("c", listed) + node("y", "AddV2", "x", "c")
    path.write_bytes(parts + field(4, field(1, 2000)))
    return path


def float_attribute(folder: Path, count: int = 20_000_000) -> Path:
    """An attribute of many numbers, of which each becomes a text and a number."""
    floats = field(1, field(4, bytes(4 * count)))
    path = folder / "model.pb"
    parts = placeholder() + node("y", "Relu", "x", a=floats) + field(4, field(1, 2000))
    path.write_bytes(parts)
    return path


def many_signatures(folder: Path, count: int = 150_000) -> Path:
    """A SavedModel with signatures of many empty fields."""
    empty = b"\x1a\x00" * 60
    signatures = b"".join(entry(5, f"{i:x}", empty) for i in range(count))
    graph = field(2, placeholder() + node("y", "Relu", "x") + field(4, field(1, 2000)))
    meta = field(1, field(4, "serve")) + graph + signatures
    (folder / "variables").mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(field(1, 1) + field(2, meta))
    return folder


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members.items():
            zipped.writestr(name.replace("__", "."), data)
    return path


#: What makes files so large that a hundred times as much looked well.
_PADDING = bytes(8_000_000)


def keras_of_zeros(folder: Path, size: int = 800_000_000) -> Path:
    """A `.keras` whose weights are zeros."""
    path = folder / "model.keras"
    block = bytes(2**20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        zipped.writestr("config.json", json.dumps(sequential("Dense", DENSE)))
        zipped.writestr("padding", _PADDING, zipfile.ZIP_STORED)
        with zipped.open("model.weights.h5", "w", force_zip64=True) as stream:
            for _ in range(size // len(block)):
                stream.write(block)
    return path


def keras_of_json(folder: Path, document: bytes) -> Path:
    return archive(folder / "model.keras", config__json=document)


def json_of(part: bytes, size: int) -> bytes:
    """A document of that size or little more."""
    return b"[" + part * (size // len(part)) + part.rstrip(b",") + b"]"


def web_of_json(folder: Path, size: int = 62_700_000) -> Path:
    path = folder / "model.json"
    path.write_bytes(json_of(b"{},", size))
    return path


def h5_of_json(folder: Path, size: int = 45_000_000) -> Path:
    """An `.h5` whose architecture is a document of empty objects, in a heap of texts."""
    path = folder / "model.h5"
    with h5py.File(path, "w") as file:
        text = json_of(b"{},", size).decode()
        file.attrs.create("model_config", text, dtype=h5py.string_dtype())
        file.create_group("model_weights")
    return path


def h5_of_zeros(folder: Path, count: int = 200_000_000) -> Path:
    """800 MB of zeros in packed chunks."""
    path = folder / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(sequential("Dense", DENSE))
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = np.array([b"d"])
        group = group.create_group("d")
        group.attrs["weight_names"] = np.array([b"k"])
        chunk = count // 8
        values = group.create_dataset("k", (count,), "f4", chunks=(chunk,), compression=1)
        zeros = np.zeros(chunk, np.float32)
        for start in range(0, count, chunk):
            values[start : start + chunk] = zeros
    with open(path, "ab") as stream:
        stream.write(_PADDING)
    return path


def chunk_named_often(folder: Path, size: int = 3_900_000, times: int = 50_000) -> Path:
    """An `.h5` whose B-tree names one packed chunk of 15 MB many times."""
    path = folder / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = "2.15.0"
        file.attrs["model_config"] = json.dumps(sequential("Dense", DENSE))
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = np.array([b"d"])
        group = group.create_group("d")
        group.attrs["weight_names"] = np.array([b"k"])
        zeros = np.zeros(size, "f4")
        group.create_dataset("k", data=zeros, chunks=(size,), compression=9)
    data = bytearray(path.read_bytes())
    tree = next(i for i in range(len(data)) if data[i : i + 5] == b"TREE\1")
    key, child = data[tree + 24 : tree + 48], data[tree + 48 : tree + 56]
    place, new = data.find(struct.pack("<Q", tree)), len(data)
    data += b"TREE" + struct.pack("<BBHQQ", 1, 0, times, 2**64 - 1, 2**64 - 1)
    data += (key + child) * times + key
    data[place : place + 8] = struct.pack("<Q", new)
    data[40:48] = struct.pack("<Q", len(data))
    path.write_bytes(data)
    return path


def names_behind_a_heap(folder: Path, names: int = 3000, objects: int = 500_000) -> Path:
    """An `.h5` with a list of texts, each behind many objects of one heap."""
    path = folder / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(sequential("Dense", DENSE))
        group = file.create_group("model_weights")
        listed = [f"name{i}" for i in range(names)]
        group.attrs.create("layer_names", listed, dtype=h5py.string_dtype())
    data = bytearray(path.read_bytes())
    first = data.rfind(b"GCOL")  # whose first texts are the names
    while data.find(b"name0", first) < 0:
        first = data.rfind(b"GCOL", 0, first)
    heaps = [i for i in range(len(data)) if data[i : i + 4] == b"GCOL"]
    new = len(data)
    fillers = struct.pack("<HHIQ", 9, 0, 0, 0) * objects
    last = struct.pack("<HHIQ", 7, 1, 0, 8) + b"layer\0\0\0"
    heap = b"GCOL" + struct.pack("<IQ", 1, 16 + len(fillers) + len(last)) + fillers + last
    references = [i for h in heaps for i in _references(data, h)]
    data += heap
    for place in references:
        size, _, _ = struct.unpack_from("<IQI", data, place)
        if 5 <= size <= 8:  # a name, not the architecture, nor another address
            struct.pack_into("<IQI", data, place, 5, new, 7)
    data[40:48] = struct.pack("<Q", len(data))
    path.write_bytes(data)
    return path


def _references(data: bytearray, heap: int) -> list[int]:
    """Where texts of a heap are referred to: size, address, number."""
    address = struct.pack("<Q", heap)
    found, at = [], data.find(address)
    while at >= 0:
        found.append(at - 4)
        at = data.find(address, at + 1)
    return found


def teachable_with_zeros(bundle: Path, size: int = 800_000_000) -> Path:
    """A bundle's zip with a member of zeros beside the model, which nothing names."""
    path = bundle.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        for file in bundle.iterdir():
            zipped.writestr(file.name, file.read_bytes())
        zipped.writestr("padding.bin", _PADDING, zipfile.ZIP_STORED)
        with zipped.open("zeros.bin", "w", force_zip64=True) as stream:
            for _ in range(size // 2**20):
                stream.write(bytes(2**20))
    return path


def many_members(folder: Path, count: int = 500_000) -> Path:
    """An archive of many files without content."""
    path = folder / "model.keras"
    entries = []
    for i in range(count):
        name = f"{i:x}".encode() if i else b"config.json"
        head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0)
        entries.append(
            b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
        )
    directory = b"".join(entries)
    number = min(count, 2**16 - 1)
    end = struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), 30, 0)
    path.write_bytes(b"PK\3\4" + bytes(26) + directory + b"PK\5\6" + end)
    return path
