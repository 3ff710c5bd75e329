"""Files that are no models: manifests of weights of three kinds, and gestures."""

import json
from pathlib import Path

import numpy as np

from tests.reliability.fuzz.writers import Writers
from weights_cache import write_weights


def weights_writers() -> Writers:
    """Of a TensorFlow.js manifest, one of face-api.js, and one with a file for each weight."""
    return {"web": _write_web, "face": _write_face, "single": _write_single}


def _arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(20261122)
    return {
        "a": rng.normal(size=(3, 4)).astype(np.float32),
        "b": rng.normal(size=7).astype(np.float32),
        "c": rng.normal(size=(2, 2)).astype(np.float32),
        "n": np.arange(5, dtype=np.int32),
        "f": np.array([True, False]),
    }


def _write_web(folder: Path) -> Path:
    kinds = {"a": "uint8", "b": "uint16", "c": "float16"}
    return write_weights(folder, _arrays(), quantise=kinds, shard_bytes=20)


def _write_face(folder: Path) -> Path:
    web = _write_web(folder)
    path = folder / "weights_manifest.json"
    path.write_text(json.dumps(json.loads(web.read_text())["weightsManifest"]))
    web.unlink()
    return path


def _write_single(folder: Path) -> Path:
    floats = {n: a for n, a in _arrays().items() if a.dtype == np.float32}
    rows = {name: {"filename": name, "shape": list(a.shape)} for name, a in floats.items()}
    for name, array in floats.items():
        (folder / name).write_bytes(array.tobytes())
    path = folder / "manifest.json"
    path.write_text(json.dumps(rows))
    return path


def safetensors_writers() -> Writers:
    """Of a file with tensors of several types."""
    return {"small": _write_safetensors}


def _write_safetensors(folder: Path) -> Path:
    kinds = {"float32": "F32", "int32": "I32", "bool": "BOOL"}
    rows: dict[str, dict[str, object]] = {}
    values = b""
    large = np.zeros(500, np.float32)  # so that damage is often to values, and no error
    for name, array in {**_arrays(), "large": large}.items():
        end = len(values) + array.nbytes
        offsets = [len(values), end]
        rows[name] = {"dtype": kinds[array.dtype.name], "shape": [*array.shape]}
        rows[name] |= {"data_offsets": offsets}
        values += array.tobytes()
    rows["__metadata__"] = {f"key {i}": "text" for i in range(20)}
    header = json.dumps(rows).encode()
    path = folder / "small.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + values)
    return path


def gesture_writers() -> Writers:
    """Of a recognizer's own gestures, and of some that a user would add."""
    return {"built_in": _write_built_in, "own": _write_own}


def _write_built_in(folder: Path) -> Path:
    import zoo

    path = folder / "gestures.json"
    zoo.GestureRecognizer().save(path)
    return path


def _write_own(folder: Path) -> Path:
    import zoo

    path = folder / "own.json"
    found = zoo.GestureRecognizer(gestures=["victory"])
    found.add(
        "größe", curls={"thumb": "no_curl", "index": {"half_curl": 0.9}}, weights={"thumb": 2.0}
    )
    keypoints = [{"position": {"x": float(k % 5), "y": -float(k)}} for k in range(21)]
    found.add_example({"keypoints": keypoints}, "größe")
    found.save(path)
    return path
