"""Files that Zoo keeps or passes on: kits, goldens, features that were computed before."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from core.converter import load_model
from tests.core.converter.fuzz.files import write_model, zipped
from tests.reliability.fuzz.uses import Loaded, Rng
from tests.reliability.fuzz.writers import Writers
from tests.weights_cache.toys import toy_row
from weights_cache import install_kit, registry
from zoo.transfer.features.blocks import FeatureVector
from zoo.transfer.features.rows import Known
from zoo.transfer.features.store import FeatureStore
from zoo.verification.goldens import FOLDER, find_goldens

_CONTENT = {"weights.bin": bytes(range(256)) * 4, "sub/labels.txt": b"cat dog"}
_KEY, _SIZE = "ab", 3
_HASHES = [f"{i:02x}" * 32 for i in range(3)]


def kit_writers() -> Writers:
    """A kit as a zip, and one that was unpacked."""
    return {"zip": _write_kit, "folder": _write_unpacked}


def _members() -> dict[str, bytes]:
    files = {f"toy/{name}": data for name, data in _CONTENT.items()}
    facts = {"models": {"toy": sorted(_CONTENT)}}
    return {"KIT.json": json.dumps(facts).encode(), **files, "README.md": b"how\n"}


def _write_kit(folder: Path) -> Path:
    path = folder / "kit.zip"
    path.write_bytes(zipped(_members()))
    return path


def _write_unpacked(folder: Path) -> Path:
    for name, data in _members().items():
        (folder / "kit" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "kit" / name).write_bytes(data)
    return folder / "kit"


def install(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Install a kit, of which the right bytes alone arrive."""
    cache = path.parent.parent / f"{path.parent.name}-cache"
    with _registry(path.parent):
        install_kit(path, cache=cache, progress=False)
    loaded()
    for name, data in _CONTENT.items():
        for found in cache.rglob(name):
            assert found.read_bytes() == data, name


@contextmanager
def _registry(folder: Path) -> Iterator[None]:
    """A registry that has the files of the kit alone."""
    path = folder / "registry.json"
    rows = [toy_row(data, name, []) for name, data in _CONTENT.items()]
    model = {"name": "toy", "licence": "none", "source": "here", "upstream": "nothing"}
    path.write_text(json.dumps([{**model, "files": rows}]))
    with patch.object(registry, "REGISTRY", path):
        yield


def golden_writers() -> Writers:
    """Stored inputs and outputs beside a network."""
    return {"golden": _write_goldens}


def _write_goldens(folder: Path) -> Path:
    (folder / "network").mkdir()
    path = write_model("frozen", folder / "network")
    model = load_model(path)
    (name,) = model.inputs
    image = np.full((1, 8, 8, 3), 0.5, np.float32)
    outputs = {name: value.numpy() for name, value in model.predict({name: image}).items()}
    (folder / FOLDER).mkdir()
    np.savez(folder / FOLDER / "one.npz", input=image, **outputs)
    facts = {"reference_implementation": "ours"}
    (folder / FOLDER / "one.json").write_text(json.dumps(facts))
    return folder


def compare_goldens(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Run a network on the inputs of goldens."""
    model = load_model(next((path / "network").iterdir()))
    goldens = list(find_goldens(path / FOLDER, model.graph))
    loaded()
    for golden in goldens:
        model.predict(golden.inputs)


def feature_writers() -> Writers:
    """A store with vectors, and an image that has none."""
    return {"features": _write_features}


def _write_features(folder: Path) -> Path:
    with FeatureStore(folder, _KEY, _SIZE) as store:
        for i, name in enumerate(_HASHES):
            values = np.full(_SIZE, i, np.float32)
            vector = FeatureVector(values, "") if i else FeatureVector(None, "none")
            store.add(name, Known(vector, np.uint64([1, 2])))
    return folder


def use_features(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Look rows up, of which whole ones alone are found, and store another."""
    with FeatureStore(path, _KEY, _SIZE) as store:
        loaded()
        for i, name in enumerate(_HASHES):
            known = store.get(name)
            if known is not None and known.features.values is not None:
                assert known.features.values.tolist() == [i] * _SIZE
        store.add("ff" * 32, Known(FeatureVector(None, "new"), np.uint64([3, 4])))
