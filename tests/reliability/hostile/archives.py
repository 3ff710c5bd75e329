"""Hostile archives: 10 of Keras, and 22 bundles of Teachable Machine."""

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.converter import teachable_bundles
from tests.reliability.hostile.web_models import layer, sequential

Files = Mapping[str, Callable[[Path], Path]]
Members = Mapping[str, bytes]

_MIB = 2**20
#: What would have run is a file in the folder of the model.
RAN = "code-has-run"


class Payload:
    """Unpickled, it makes a file."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (RAN, "w")


def zip_bytes(members: Members, change: Callable[[zipfile.ZipInfo], None] | None = None) -> bytes:
    """An archive, packed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if change is not None:
                change(info)
            archive.writestr(info, data)
    return stream.getvalue()


def _stream(path: Path, members: Iterable[tuple[str, bytes, int]]) -> Path:
    """An archive with members that are one block again and again.

    A member that cannot be packed lets the others unpack to a hundred times its size.
    """
    noise = np.random.default_rng(1).bytes(8 * _MIB)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("noise", noise)
        for name, block, times in members:
            with archive.open(name, "w", force_zip64=True) as member:
                for _ in range(times):
                    member.write(block)
    return path


_CONFIG = sequential(layer("Dense", "d", units=3, batch_input_shape=[None, 4]))


def keras_members(config: Any = _CONFIG, **others: bytes) -> dict[str, bytes]:
    """Of a whole .keras file; ``weights`` are those of a dense layer."""
    from tests.reliability.hostile.keras_files import weights_h5

    found = {
        "metadata.json": json.dumps({"keras_version": "3.5.0"}).encode(),
        "config.json": config if isinstance(config, bytes) else json.dumps(config).encode(),
        "model.weights.h5": weights_h5(),
    }
    return {**found, **others}


def _keras(make: Callable[[], Members], folder: Path) -> Path:
    path = folder / "model.keras"
    path.write_bytes(zip_bytes(make()))
    return path


def _keras_stream(name: str, block: bytes, times: int, folder: Path) -> Path:
    whole = keras_members()
    others = [(n, data, 1) for n, data in whole.items() if n != name]
    return _stream(folder / "model.keras", [*others, (name, block, times)])


def _keras_many(folder: Path) -> Path:
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in keras_members().items():
            archive.writestr(name, data)
        for i in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"m{i}"), b"")
    return path


def _lambda() -> Any:
    function = {"class_name": "__lambda__", "config": {"code": "4wEAAAAAAAAA", "defaults": None}}
    return sequential(layer("Lambda", "l", function=function, batch_input_shape=[None, 4]))


def _module() -> Any:
    found = layer("system", "l", batch_input_shape=[None, 4], command=f"touch {RAN}")
    return sequential({**found, "module": "os", "registered_name": "os>system"})


def keras_files() -> Files:
    """10 archives of Keras."""
    return {
        "slip": partial(_keras, lambda: {**keras_members(), "../slipped": b"x"}),
        "slip_weights": partial(
            _keras, lambda: {f"../{n}": data for n, data in keras_members().items()}
        ),
        "pickle": partial(
            _keras, lambda: keras_members(**{"model.weights.h5": pickle.dumps(Payload())})
        ),
        "lambda": partial(_keras, lambda: keras_members(_lambda())),
        "module": partial(_keras, lambda: keras_members(_module())),
        "bomb_weights": partial(_keras_stream, "model.weights.h5", bytes(_MIB), 700),
        "bomb_other": partial(_keras_stream, "assets/zeros", bytes(_MIB), 700),
        "bomb_objects": partial(_keras_stream, "config.json", b"{}," * 100_000, 300),
        "bomb_lists": partial(_keras_stream, "config.json", b"[]," * 100_000, 54),
        "many_members": _keras_many,
    }


def bundle_members(folder: Path) -> dict[str, bytes]:
    """Of a whole bundle."""
    made = teachable_bundles.write_bundle(folder / "bundle")
    found = {file.name: file.read_bytes() for file in sorted(made.iterdir())}
    for file in made.iterdir():
        file.unlink()
    made.rmdir()
    return found


def _zip(change: Callable[[dict[str, bytes]], Members], folder: Path) -> Path:
    path = folder / "bundle.zip"
    path.write_bytes(zip_bytes(change(bundle_members(folder))))
    return path


def _named(name: str, folder: Path) -> Path:
    """The weights have another name, as the model says, too."""
    name = name.replace("{folder}", str(folder))

    def change(members: dict[str, bytes]) -> Members:
        document = json.loads(members["model.json"])
        document["weightsManifest"][0]["paths"] = [name]
        weights = members.pop("weights.bin")
        return {**members, name: weights, "model.json": json.dumps(document).encode()}

    return _zip(change, folder)


def _beside(name: str, folder: Path) -> Path:
    """Another member of that name."""
    name = name.replace("{folder}", str(folder))
    return _zip(lambda members: {**members, name: b"x"}, folder)


def _link(target: str, folder: Path) -> Path:
    """The weights are a symbolic link."""
    members = bundle_members(folder)

    def change(info: zipfile.ZipInfo) -> None:
        if info.filename == "weights.bin":
            info.create_system, info.external_attr = 3, 0o120777 << 16

    path = folder / "bundle.zip"
    path.write_bytes(zip_bytes({**members, "weights.bin": target.encode()}, change))
    return path


def _pipe_member(folder: Path) -> Path:
    members = bundle_members(folder)

    def change(info: zipfile.ZipInfo) -> None:
        info.create_system, info.external_attr = 3, 0o010666 << 16

    path = folder / "bundle.zip"
    path.write_bytes(zip_bytes(members, change))
    return path


def _twice(folder: Path) -> Path:
    import warnings

    members = bundle_members(folder)
    path = folder / "bundle.zip"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        for data in (b"{}", members["model.json"]):
            archive.writestr("model.json", data)
        for name in ("metadata.json", "weights.bin"):
            archive.writestr(name, members[name])
    return path


def _patched(offset: int, code: str, value: int, folder: Path) -> Path:
    """A number in the directory's first entry is another."""
    path = _zip(lambda members: members, folder)
    data = bytearray(path.read_bytes())
    struct.pack_into(code, data, data.rindex(b"PK\1\2", 0, data.index(b"PK\5\6")) + offset, value)
    path.write_bytes(data)
    return path


def _bomb(name: str, block: bytes, times: int, folder: Path) -> Path:
    members = bundle_members(folder)
    others = [(n, data, 1) for n, data in members.items() if n != name]
    return _stream(folder / "bundle.zip", [*others, (name, block, times)])


def _many(folder: Path) -> Path:
    return _zip(lambda members: {**members, **{f"m{i}": b"" for i in range(30_000)}}, folder)


def _folder_pipe(name: str, folder: Path) -> Path:
    import os

    for member, data in bundle_members(folder).items():
        (folder / member).write_bytes(data)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    return folder


def _metadata(text: bytes, folder: Path) -> Path:
    return _zip(lambda members: {**members, "metadata.json": text}, folder)


def teachable_files() -> Files:
    """22 bundles."""
    labels = {**teachable_bundles.METADATA, "labels": ["x" * 10_000] * 90}
    return {
        "slip": partial(_named, "../weights.bin"),
        "slip_deep": partial(_named, "a/../../weights.bin"),
        "slip_beside": partial(_beside, "../slipped"),
        "absolute": partial(_named, "{folder}/slipped.bin"),
        "absolute_beside": partial(_beside, "{folder}/slipped"),
        "drive": partial(_named, "C:\\weights.bin"),
        "backslash": partial(_named, "..\\weights.bin"),
        "nul": partial(_beside, "weights\0.bin"),
        "no_name": partial(_beside, ""),
        "link": partial(_link, "/etc/passwd"),
        "link_parent": partial(_link, "../stolen.bin"),
        "pipe_member": _pipe_member,
        "twice": _twice,
        "many_members": _many,
        "bomb_beside": partial(_bomb, "zeros.bin", bytes(_MIB), 700),
        "bomb_weights": partial(_bomb, "weights.bin", bytes(_MIB), 700),
        "bomb_model": partial(_bomb, "model.json", b"{}," * 100_000, 300),
        "bomb_metadata": partial(_bomb, "metadata.json", b"[]," * 100_000, 60),
        "size_too_large": partial(_patched, 24, "<I", 2**32 - 2),
        "encrypted": partial(_patched, 8, "<H", 1),
        "labels": partial(_metadata, json.dumps(labels).encode()),
        "pipe_in_folder": partial(_folder_pipe, "model.json"),
    }
