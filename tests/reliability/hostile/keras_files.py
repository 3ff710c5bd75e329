"""Hostile .h5 files: 19, some of which h5py writes, and some that are changed byte by byte."""

import io
import json
import struct
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.reliability.hostile.web_models import layer, sequential

if TYPE_CHECKING:
    import h5py

RAN = "code-has-run"
_DENSE = sequential(layer("Dense", "d", units=2, use_bias=False, batch_input_shape=[None, 2]))
_UNDEFINED = 2**64 - 1


def weights_h5() -> bytes:
    """The weights of a .keras file of a dense layer of 4 times 3."""
    import h5py

    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file.create_dataset("layers/dense/vars/0", data=np.ones((4, 3), np.float32))
        file.create_dataset("layers/dense/vars/1", data=np.zeros(3, np.float32))
    return stream.getvalue()


def write(
    folder: Path,
    fill: Callable[["h5py.Group"], Any],
    config: Any = _DENSE,
    names: tuple[bytes, ...] = (b"k",),
) -> Path:
    """A file with one layer "d", whose group is filled by a function."""
    import h5py

    path = folder / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = "2.15.0"
        file.attrs["model_config"] = config if isinstance(config, str) else json.dumps(config)
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = np.array([b"d"])
        inner = group.create_group("d")
        inner.attrs["weight_names"] = np.array(names or [], dtype="S1" if not names else None)
        fill(inner)
    return path


def _whole(group: "h5py.Group") -> None:
    group.create_dataset("k", data=np.ones((2, 2), np.float32))


def _config(make: Callable[[], Any], folder: Path) -> Path:
    return write(folder, _whole, make())


def _without_weights(make: Callable[[], Any], folder: Path) -> Path:
    return write(folder, lambda group: None, make(), ())


def _op() -> Any:
    start = {**layer("InputLayer", "x", batch_input_shape=[None, 2]), "name": "x"}
    called = {**layer("TFOpLambda", "d", function="os.system"), "name": "d"}
    called["inbound_nodes"] = [["x", 0, 0, {"command": f"touch {RAN}"}]]
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [["d", 0, 0]]}
    config = {"name": "f", "layers": [{**start, "inbound_nodes": []}, called], **ends}
    return {"class_name": "Functional", "config": config}


def _one(class_name: str, **config: Any) -> Any:
    return sequential(layer(class_name, "d", batch_input_shape=[None, 2], **config))


def _external(group: "h5py.Group") -> None:
    import h5py

    group["k"] = h5py.ExternalLink("/etc/passwd", "/k")


def _external_data(group: "h5py.Group") -> None:
    group.create_dataset("k", (2, 2), np.float32, external=[("/etc/passwd", 0, 16)])


def _virtual(group: "h5py.Group") -> None:
    import h5py

    layout = h5py.VirtualLayout((2, 2), np.float32)
    layout[:] = h5py.VirtualSource("/etc/passwd", "k", (2, 2))
    group.create_virtual_dataset("k", layout)


def _soft_cycle(group: "h5py.Group") -> None:
    import h5py

    group["k"] = h5py.SoftLink("/model_weights/d/l")
    group["l"] = h5py.SoftLink("/model_weights/d/k")


def _hard_cycle(group: "h5py.Group") -> None:
    group["k"] = group


def _no_data(group: "h5py.Group") -> None:
    group.create_dataset("k", (2**20, 2**20), np.float32, chunks=(1024, 1024), fillvalue=1.0)


def _packed_zeros(group: "h5py.Group") -> None:
    """1.2 GB in packed chunks, in a file of 17 MB."""
    import zlib

    count = 2**20
    packed = zlib.compress(bytes(4 * count), 9)
    how = {"chunks": (1, count), "compression": "gzip"}
    found = group.create_dataset("k", (300, count), np.float32, **how)
    for i in range(300):
        found.id.write_direct_chunk((i, 0), packed)
    group.create_dataset("other", data=np.zeros(17 * 2**20, np.uint8))


def _deep(folder: Path) -> Path:
    def fill(group: "h5py.Group") -> None:
        for _ in range(2000):
            group = group.create_group("g")
        _whole(group)

    return write(folder, fill, names=(b"g/" * 2000 + b"k",))


def _chunks(count: int, leaves: int, folder: Path) -> Path:
    """One packed chunk that so many entries of the B-tree name."""

    def fill(group: "h5py.Group") -> None:
        how = {"chunks": (count,), "compression": "gzip", "compression_opts": 9}
        group.create_dataset("k", data=np.zeros(count, np.float32), **how)

    path = write(folder, fill)
    data = bytearray(path.read_bytes())
    tree = next(i for i in range(len(data)) if data[i : i + 5] == b"TREE\1")
    key, child = data[tree + 24 : tree + 48], data[tree + 48 : tree + 56]
    place, new = data.find(struct.pack("<Q", tree)), len(data)
    data += b"TREE" + struct.pack("<BBHQQ", 1, 0, leaves, _UNDEFINED, _UNDEFINED)
    data += (key + child) * leaves + key
    data[place : place + 8] = struct.pack("<Q", new)
    return _with_length(path, data)


def _heap(names: int, objects: int, folder: Path) -> Path:
    """So many names at the end of one heap of so many objects."""
    import h5py

    path = write(folder, _whole)
    with h5py.File(path, "r+") as file:
        texts = h5py.string_dtype()
        group = file["model_weights"]
        del group.attrs["layer_names"]
        group.attrs.create("layer_names", ["d"] * names, dtype=texts)
    data = bytearray(path.read_bytes())
    heaps = [i for i in range(len(data)) if data[i : i + 4] == b"GCOL"]
    new = len(data)
    body = struct.pack("<HHIQ", 1, 1, 0, 0) * objects
    body += struct.pack("<HHIQ", 2, 1, 0, 1) + b"d".ljust(8, b"\0") + bytes(16)
    data += b"GCOL" + struct.pack("<B3xQ", 1, 16 + len(body)) + body
    for heap in heaps:
        head = struct.pack("<IQ", 1, heap)
        at = data.find(head)
        while at >= 0:
            data[at + 4 : at + 16] = struct.pack("<QI", new, 2)
            at = data.find(head, at + 16)
    return _with_length(path, data)


def _with_length(path: Path, data: bytearray) -> Path:
    """The superblock says how long the file is."""
    data[40:48] = struct.pack("<Q", len(data))
    path.write_bytes(data)
    return path


def _many_axes(folder: Path) -> Path:
    """The shape of the data claims lengths whose product overflows."""
    path = write(folder, _whole)
    data = bytearray(path.read_bytes())
    at = data.find(struct.pack("<QQ", 2, 2))
    data[at : at + 16] = struct.pack("<QQ", 2**62, 2**62)
    path.write_bytes(data)
    return path


#: What Keras's Lambda holds: marshalled code, which is not even that.
_CODE = ["4wEAAAAAAAAA", None, None]

FILES: Mapping[str, Callable[[Path], Path]] = {
    "lambda_list": partial(_without_weights, lambda: _one("Lambda", function=_CODE)),
    "lambda_object": partial(
        _config,
        lambda: _one("Lambda", function={"class_name": "__lambda__", "config": {"code": _CODE[0]}}),
    ),
    "popen": partial(_config, lambda: _one("Popen", args=["touch", RAN], module="subprocess")),
    "activation": partial(_without_weights, lambda: _one("Activation", activation="os.system")),
    "op": partial(_without_weights, _op),
    "external_link": partial(write, fill=_external),
    "external_data": partial(write, fill=_external_data),
    "virtual": partial(write, fill=_virtual),
    "soft_cycle": partial(write, fill=_soft_cycle),
    "hard_cycle": partial(write, fill=_hard_cycle),
    "no_data": partial(write, fill=_no_data),
    "packed_zeros": partial(write, fill=_packed_zeros),
    "config_objects": partial(_config, lambda: "{}," * 15_000_000),
    "config_deep": partial(_config, lambda: "[" * 3_000_000),
    "deep_groups": _deep,
    "chunks": partial(_chunks, 3_900_000, 50_000),
    "chunks_small": partial(_chunks, 1_000_000, 2000),
    "heap": partial(_heap, 3000, 100_000),
    "overflow": _many_axes,
}
