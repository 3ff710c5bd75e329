"""Random damage to manifests and shards gives arrays or a WeightsError, never anything else."""

import copy
import json
import math
from typing import Any

import numpy as np
import pytest

from weights_cache import WeightsError, load_weights, write_weights

HOSTILE: list[Any] = [
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**30, 10**400, 0.5, -1e308, math.nan, math.inf),
    *("", "..", "/etc/passwd", "float32", "uint8", "string", "\0", "é", "x" * 1000),
    *([], {}, [[]], [None], {"dtype": "uint16"}, [-1], [2**40, 2**40], [1] * 100),
]


def make_models(folder, rng):
    """One small model of each manifest kind."""
    arrays = {
        "a": rng.normal(size=(3, 4)).astype(np.float32),
        "b": rng.normal(size=7).astype(np.float32),
        "c": rng.normal(size=(2, 2)).astype(np.float32),
        "n": np.arange(5, dtype=np.int32),
        "f": np.array([True, False]),
    }
    kinds = {"a": "uint8", "b": "uint16", "c": "float16"}
    web = write_weights(folder / "web", arrays, quantise=kinds, shard_bytes=20).parent
    face = folder / "face"
    face.mkdir()
    document = json.loads((web / "model.json").read_text())
    (face / "weights_manifest.json").write_text(json.dumps(document["weightsManifest"]))
    for shard in web.glob("*.bin"):
        (face / shard.name).write_bytes(shard.read_bytes())
    single = folder / "single"
    single.mkdir()
    rows = {name: {"filename": name, "shape": list(arrays[name].shape)} for name in "abc"}
    (single / "manifest.json").write_text(json.dumps(rows))
    for name in "abc":
        (single / name).write_bytes(arrays[name].tobytes())
    return [web / "model.json", face / "weights_manifest.json", single / "manifest.json"]


def damage_bytes(data, rng):
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        if not data:
            break
        place = int(rng.integers(len(data)))
        action = int(rng.integers(4))
        if action == 0:
            data[place] ^= 1 << int(rng.integers(8))
        elif action == 1:
            del data[place:]
        elif action == 2:
            del data[place : place + int(rng.integers(1, 9))]
        else:
            data[place:place] = rng.bytes(int(rng.integers(1, 9)))
    return bytes(data)


def nodes(document):
    """Every container of the document with a key or index in it."""
    keys = document.keys() if isinstance(document, dict) else range(len(document))
    for key in keys:
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from nodes(document[key])


def damage_document(document, rng):
    document = copy.deepcopy(document)
    for _ in range(int(rng.integers(1, 3))):
        places = list(nodes(document))
        if not places:
            break
        container, key = places[int(rng.integers(len(places)))]
        if rng.random() < 0.2:
            del container[key]
        elif rng.random() < 0.2 and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        else:
            container[key] = copy.deepcopy(HOSTILE[int(rng.integers(len(HOSTILE)))])
    return document


def try_damaged(path, data, rng):
    """Spoil one file of the model whose manifest is ``path``, load it, and put it back."""
    place = path
    if rng.random() < 0.3:
        others = sorted(other for other in path.parent.iterdir() if other != path)
        place = others[int(rng.integers(len(others)))]
    before = place.read_bytes()
    if place == path and rng.random() < 0.7:
        place.write_text(json.dumps(damage_document(json.loads(data), rng)))
    else:
        place.write_bytes(damage_bytes(before, rng))
    try:
        weights = load_weights(path)
    except WeightsError as error:
        assert len(str(error)) < 3000
        return False
    finally:
        place.write_bytes(before)
    assert all(isinstance(array, np.ndarray) for array in weights.values())
    return True


def fuzz(folder, seed, cases):
    rng = np.random.default_rng(seed)
    models = [(path, path.read_bytes()) for path in make_models(folder, rng)]
    loaded = [try_damaged(*models[case % len(models)], rng) for case in range(cases)]
    for path, _ in models:
        assert len(load_weights(path)) >= 3
    return sum(loaded)


def test_random_damage(tmp_path):
    loaded = fuzz(tmp_path, 11, 300)
    assert 0 < loaded < 150  # some damage is harmless, most must be found


@pytest.mark.long
def test_much_random_damage(tmp_path):
    fuzz(tmp_path, 12, 20_000)
