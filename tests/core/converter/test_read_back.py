"""What is written is read back: a fault of a writer leaves the old files, and says so."""

import io
import os
from pathlib import Path

import numpy as np
import pytest

import core
from core.converter import convert
from core.converter.layer_files import (
    files,
    keras_archive,
    keras_h5,
    tfjs_layers,
    weight_archive,
    weights_h5,
)
from core.converter.web_writer import write_web
from core.errors import CoreError
from core.graph.nodes import Endpoint, Function, FunctionName, Graph, Node, PartialSpec


def model_with(value: float) -> core.Sequential:
    model = core.Sequential([core.layers.Dense(2, input_shape=(3,), name="d")])
    model.set_weights([np.full_like(weight, value) for weight in model.get_weights()])
    return model


def content_of(path: Path) -> dict[str, bytes]:
    paths = [path] if path.is_file() else sorted(path.iterdir())
    return {each.name: each.read_bytes() for each in paths}


@pytest.mark.parametrize("name", ["model.keras", "model.h5", "web"])
def test_other_weights_are_found(name, tmp_path, monkeypatch):
    path = tmp_path / name
    model_with(1).save(path)
    before = content_of(path)

    def scaled(document):
        return document._replace(
            weights={
                path: {n: array * 2 for n, array in named.items()}
                for path, named in document.weights.items()
            }
        )

    for module in (files, tfjs_layers):
        reader = next(n for n in ("read_document", "read_tfjs_layers") if hasattr(module, n))
        read = getattr(module, reader)
        monkeypatch.setattr(module, reader, lambda path, read=read: scaled(read(path)))
    with pytest.raises(CoreError, match="cannot be read back .*'d' has other weights.*nothing was"):
        model_with(2).save(path)
    assert content_of(path) == before
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name, module", [("model.keras", keras_archive), ("model.h5", keras_h5)])
def test_a_file_that_cannot_be_read(name, module, tmp_path, monkeypatch):
    path = tmp_path / name
    model_with(1).save(path)
    before = content_of(path)
    monkeypatch.setattr(module, "hdf5_blocks", lambda *_: [b"no HDF5"])
    with pytest.raises(CoreError, match="cannot be read back"):
        model_with(2).save(path)
    assert content_of(path) == before


def test_a_graph_that_cannot_be_read(tmp_path):
    """As loops once were, whose bodies named constants that the file did not have."""
    spec = PartialSpec((2,))
    body = Function("body", [Node("sum", "AddV2", ("x", "gone"))], ("x",), ("sum",))
    nodes = [
        Node("x", "Placeholder"),
        Node(
            "y",
            "If",
            ("x", "x"),
            {"then_branch": FunctionName("body"), "else_branch": FunctionName("body")},
        ),
    ]
    ends = {"x": Endpoint("x", spec)}, {"y": Endpoint("y", spec)}
    graph = Graph(nodes, {}, *ends, functions={"body": body})
    with pytest.raises(CoreError, match="cannot be read back .*gone"):
        write_web(graph, tmp_path / "web")
    assert os.listdir(tmp_path / "web") == []


def test_converted_loops_have_their_constants(rng, tmp_path):
    model = core.Sequential([core.layers.Input((None, 4)), core.layers.LSTM(8)])
    model.save(tmp_path / "lstm.keras")
    convert(tmp_path / "lstm.keras", tmp_path / "web")
    x = rng.normal(size=(2, 70, 4)).astype(np.float32)
    (found,) = core.load_model(tmp_path / "web").predict(x, raw=True).values()
    np.testing.assert_allclose(found.numpy(), model.predict(x).numpy(), rtol=0, atol=1e-6)


def scaled_reader(read, key=None):
    """A reader whose numbers are twice those of the file: as a writer that wrote others."""

    def scaled(*arguments):
        document = read(*arguments)
        if key:
            return document._replace(**{key: [2 * array for array in getattr(document, key)]})
        if isinstance(document, dict):
            return {name: 2 * array for name, array in document.items()}
        weights = {
            path: {name: 2 * array for name, array in named.items()}
            for path, named in document.weights.items()
        }
        return document._replace(weights=weights)

    return scaled


@pytest.mark.parametrize(
    "name, module, reader, blocks",
    [
        ("model.weights.h5", weights_h5, "read_weights_h5", "hdf5_blocks"),
        ("model.npz", weight_archive, "_read", "BytesIO"),
    ],
)
def test_weights_alone_are_read_back(name, module, reader, blocks, tmp_path, monkeypatch):
    path = tmp_path / name
    model_with(1).save_weights(path)
    before = content_of(path)
    with monkeypatch.context() as patch:
        patch.setattr(module, reader, scaled_reader(getattr(module, reader)))
        with pytest.raises(CoreError, match="cannot be read back .*has other (weights|values)"):
            model_with(2).save_weights(path)
    with monkeypatch.context() as patch:
        damaged = damaged_buffer if blocks == "BytesIO" else lambda *_: [b"no HDF5"]
        patch.setattr(module, blocks, damaged)
        with pytest.raises(CoreError, match="cannot be read back"):
            model_with(2).save_weights(path)
    assert content_of(path) == before
    assert os.listdir(tmp_path) == [name]
    model_with(2).save_weights(path)
    model = model_with(3)
    model.load_weights(path)
    assert {float(value) for each in model.get_weights() for value in each.flat} == {2.0}


def damaged_buffer():
    class Damaged(io.BytesIO):
        def getvalue(self):
            return super().getvalue()[:-30]

    return Damaged()


@pytest.mark.parametrize("optimizer", ["adam", "rmsprop", "nadam", "sgd"])
@pytest.mark.parametrize("name", ["model.keras", "model.h5", "web", "model.weights.h5"])
def test_the_state_of_an_optimizer_is_read_back(name, optimizer, rng, tmp_path, monkeypatch):
    model = model_with(1)
    model.compile(optimizer, "mse")
    x, y = rng.normal(size=(8, 3)), rng.normal(size=(8, 2))
    model.fit(x, y, epochs=1, verbose=0)
    if name == "web" and optimizer == "nadam":
        return  # TensorFlow.js has no Nadam
    path = tmp_path / name
    save = model.save_weights if name.endswith(".weights.h5") else model.save
    save(path)
    before = content_of(path)
    module, reader = {
        "web": (tfjs_layers, "read_tfjs_layers"),
        "model.weights.h5": (weights_h5, "read_weights_h5"),
    }.get(name, (files, "read_document"))
    scaled = scaled_reader(getattr(module, reader), "optimizer_variables")
    monkeypatch.setattr(module, reader, scaled)
    model.fit(x, y, epochs=1, verbose=0)
    with pytest.raises(CoreError, match="the optimizer has another state"):
        save(path)
    assert content_of(path) == before


def test_nan_and_whole_numbers_are_read_back(tmp_path):
    model = model_with(1)
    model.set_weights([np.full((3, 2), np.nan, np.float32), np.zeros(2, np.float32)])
    for name in ("model.npz", "model.weights.h5", "model.keras"):
        save = model.save if name.endswith(".keras") else model.save_weights
        save(tmp_path / name)
    normalization = core.layers.BatchNormalization(input_shape=(3,))
    core.Sequential([normalization]).save_weights(tmp_path / "norm.npz")
