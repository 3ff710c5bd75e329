"""Layer models of the reference weights give their goldens."""

import json
from math import prod

import numpy as np
import pytest

from core.graph_model.graph_model import GraphModel
from core.layers.inference import layers_graph


def stored_weights(folder, manifest):
    """The arrays of a model.json's shards."""
    for group in manifest:
        data = b"".join((folder / path).read_bytes() for path in group["paths"])
        for entry in group["weights"]:
            quantization = entry.get("quantization", {})
            dtype = np.dtype(quantization.get("dtype", entry["dtype"]))
            count = prod(entry["shape"])
            array = np.frombuffer(data, dtype, count).reshape(entry["shape"])
            data = data[array.nbytes :]
            if quantization:
                array = np.float32(array * quantization["scale"] + quantization["min"])
            yield entry["name"], array


@pytest.mark.parametrize(
    "name", ["mobilenet-v1-025-224-tfjs-layers-float", "nsfwjs-mobilenet-v2-tfjs-uint8"]
)
def test_goldens(shared, name):
    folder = shared / "weights" / name
    document = json.loads((folder / "model.json").read_text())
    weights = dict(stored_weights(folder, document["weightsManifest"]))
    model = GraphModel(layers_graph(document, weights))
    goldens = sorted((folder / "reference").glob("*.npz"))
    assert goldens
    for path in goldens:
        golden = np.load(path)
        layers = [key for key in golden if key not in ("input", "output0")]
        found = model.execute(golden["input"], [*model.outputs, *layers])
        for key, output in zip(["output0", *layers], found.values(), strict=True):
            expected = golden[key]
            assert output.shape == expected.shape
            difference = np.abs(output.numpy() - expected).max() / np.ptp(expected)
            assert difference < 1e-4, (path.name, key)
