"""Files of layer models: what is written is read back without a change."""

import io
import json
import os
import zipfile

import numpy as np
import pytest

import core
from core.converter import load_model
from core.converter.layer_files import (
    LayersDocument,
    read_document,
    write_h5,
    write_keras,
    write_tfjs_layers,
)
from core.converter.layer_files.hdf5_writer import hdf5_blocks
from core.converter.layer_files.optimizer_state import (
    RUNS,
    OptimizerState,
    keras2_variables,
    keras3_variables,
    state_of,
    state_of_keras2,
)
from core.converter.layer_files.training_configs import TFJS_OPTIMIZERS
from core.errors import CoreError
from core.layers.keras_config import read_topology
from core.layers.weight_slots import bind_by_names, weight_slots
from tests.core.layers.recorded import documents, recorded
from tests.helpers import require
from weights_cache.common.errors import WeightsError

WRITERS = {
    "model.keras": write_keras,
    "model.h5": write_h5,
    "keras2.h5": lambda path, document: write_h5(path, document, dialect="keras2"),
    "tfjs": write_tfjs_layers,
}

ADAM = {
    "module": "keras.optimizers",
    "class_name": "Adam",
    "config": {"name": "adam", "learning_rate": 0.01, "beta_1": 0.9, "beta_2": 0.99},
    "registered_name": None,
}


def dense_document(rng, **options) -> LayersDocument:
    """Two dense layers, of which the optimizer made three steps."""
    layers = [{"class_name": "InputLayer", "config": {"batch_shape": [None, 3], "name": "x"}}]
    for name, units in (("first", 4), ("second", 2)):
        config = {"name": name, "units": units, "activation": "relu", "use_bias": True}
        layers.append({"class_name": "Dense", "config": config})
    shapes = [(3, 4), (4,), (4, 2), (2,)]
    weights = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    slots = [rng.uniform(size=s).astype(np.float32) for shape in shapes for s in (shape, shape)]
    return LayersDocument(
        {"class_name": "Sequential", "config": {"name": "model", "layers": layers}},
        {
            ("first",): {"kernel": weights[0], "bias": weights[1]},
            ("second",): {"kernel": weights[2], "bias": weights[3]},
        },
        {"optimizer": ADAM, "loss": "mean_squared_error", "metrics": ["accuracy"]},
        [np.int64(3), np.float32(0.01), *slots],
    )._replace(**options)


def assert_equal(found: LayersDocument, expected: LayersDocument) -> None:
    weights = {(p, n): a for p, named in expected.weights.items() for n, a in named.items()}
    assert {(p, n) for p, named in found.weights.items() for n in named} == set(weights)
    for (path, name), array in weights.items():
        np.testing.assert_array_equal(found.weights[path][name], array)
    state = expected.optimizer_variables
    assert (found.optimizer_variables is None) == (state is None)
    if state is not None:
        assert len(found.optimizer_variables) == len(state)
        for array, right in zip(found.optimizer_variables, state, strict=True):
            np.testing.assert_array_equal(array, right)


@pytest.mark.parametrize("name", WRITERS)
def test_weights_and_state_come_back(name, rng, tmp_path):
    document = dense_document(rng)
    WRITERS[name](tmp_path / name, document)
    found = read_document(tmp_path / name)
    assert_equal(found, document)
    assert found.compile_config["loss"] == "mean_squared_error"
    assert found.compile_config["metrics"] == ["accuracy"]
    assert found.compile_config["optimizer"]["class_name"] == "Adam"
    given = found.compile_config["optimizer"]["config"]
    assert [given[k] for k in ("learning_rate", "beta_1", "beta_2")] == [0.01, 0.9, 0.99]


@pytest.mark.parametrize("name", WRITERS)
def test_models_that_were_not_compiled(name, rng, tmp_path):
    document = dense_document(rng, compile_config=None, optimizer_variables=None)
    WRITERS[name](tmp_path / name, document)
    found = read_document(tmp_path / name)
    assert_equal(found, document)
    assert found.compile_config is None


def test_inference_leaves_out_the_optimizer(rng, tmp_path):
    document = dense_document(rng)
    x = rng.normal(size=(2, 3)).astype(np.float32)
    for name, write in WRITERS.items():
        write(tmp_path / name, document)
        (found,) = load_model(tmp_path / name).predict({"x": x}).values()
        hidden = np.maximum(x @ document.weights["first",]["kernel"] + weight(document, "first"), 0)
        expected = hidden @ document.weights["second",]["kernel"] + weight(document, "second")
        np.testing.assert_allclose(found.numpy(), np.maximum(expected, 0), rtol=1e-5, atol=1e-6)


def weight(document: LayersDocument, layer: str) -> np.ndarray:
    return document.weights[layer,]["bias"]


def test_equal_models_give_equal_bytes(rng, tmp_path):
    document = dense_document(rng)
    paths = [write_keras(tmp_path / f"{i}.keras", document) for i in range(2)]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_every_layer_of_keras3(tmp_path):
    models = documents("keras3")
    assert len(models) > 100
    for model in models:
        topology, weights, *_ = recorded("keras3", model)
        document = LayersDocument(topology, bind_by_names(weight_slots(topology), weights))
        for name in ("model.keras", "model.h5"):
            if name == "model.h5" and has_functions(topology):
                with pytest.raises(CoreError, match="an .h5 file of Keras 3 cannot .* is the func"):
                    WRITERS[name](tmp_path / name, document)
                continue
            WRITERS[name](tmp_path / name, document)
            assert_equal(read_document(tmp_path / name), document)


def has_functions(topology) -> bool:
    return any(layer.is_function for layer in read_topology(topology).model.layers)


# --- damage and errors --------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files(name, rng, tmp_path):
    WRITERS[name](tmp_path / name, dense_document(rng))
    path = tmp_path / name
    path = path / "model.json" if path.is_dir() else path
    data = path.read_bytes()
    for _ in range(200):
        damaged = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            damaged[at] ^= 1 << rng.integers(8)
        path.write_bytes(damaged[: rng.integers(1, len(data))] if rng.random() < 0.3 else damaged)
        try:
            read_document(tmp_path / name)
        except WeightsError:
            continue


def test_missing_state_of_the_optimizer(rng, tmp_path):
    h5py = require("h5py")
    path = write_h5(tmp_path / "a.h5", dense_document(rng))
    with h5py.File(path, "a") as file:
        del file["optimizer_weights/optimizer"]
    with pytest.raises(WeightsError, match=r"variable .* of the optimizer is missing"):
        read_document(path)


def test_graphs_and_weights_alone_are_refused(tmp_path):
    from weights_cache import write_weights

    write_weights(tmp_path, {"w": np.zeros(2, np.float32)})
    with pytest.raises(WeightsError, match="not a model of layers, but weights alone"):
        read_document(tmp_path)
    write_weights(tmp_path, {}, topology={"node": []})
    with pytest.raises(WeightsError, match="a graph: load it with"):
        read_document(tmp_path)
    (tmp_path / "model.tflite").write_bytes(b"\x1c\0\0\0TFL3")
    with pytest.raises(WeightsError, match="not a file of layers.*load it with core.load_model"):
        core.load_layers_model(tmp_path / "model.tflite")


@pytest.mark.parametrize("load", [load_model, core.load_layers_model, read_document])
def test_urls_are_for_zoo(load):
    with pytest.raises(
        WeightsError, match="^https://host/model.json is a URL: load it with zoo.lo"
    ):
        load("https://host/model.json")


@pytest.mark.parametrize("name", WRITERS)
def test_weights_that_do_not_fit(name, rng, tmp_path):
    document = dense_document(rng)
    less = {("first",): document.weights["first",]}
    more = {**document.weights, ("third",): {"kernel": np.zeros(2)}}
    for weights, match in ((less, "lacks these weights: second/bias"), (more, "third/kernel")):
        with pytest.raises(CoreError, match=match):
            WRITERS[name](tmp_path / name, document._replace(weights=weights))
    assert not (tmp_path / name).exists()


def test_an_error_leaves_the_old_file(rng, tmp_path, monkeypatch):
    path = write_keras(tmp_path / "a.keras", dense_document(rng))
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "no space")

    monkeypatch.setattr(zipfile.ZipFile, "open", full)
    with pytest.raises(WeightsError, match="is full"):
        write_keras(path, dense_document(rng))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.keras"]


# --- the state of optimizers --------------------------------------------------------------------


@pytest.mark.parametrize("name", RUNS)
def test_orders_of_the_state(name, rng):
    config = {"learning_rate": 0.5, "momentum": 0.9, "centered": True, "amsgrad": True}
    optimizer = {"class_name": name, "config": config}
    names = [slot for run in RUNS[name] for slot in run.slots]
    shapes = [(2, 3), (3,), ()]
    slots = {slot: [rng.normal(size=shape) for shape in shapes] for slot in names}
    state = OptimizerState(4, slots)
    variables = keras3_variables(state, optimizer)
    found = state_of(variables, optimizer)
    assert (found.iteration, list(found.slots)) == (4, names)
    for slot in names:
        assert all(a is b for a, b in zip(found.slots[slot], slots[slot], strict=True))
    listed = keras2_variables(state, optimizer, shapes)
    assert len(listed) == len(variables) - 1 - (name == "Nadam")
    back = state_of_keras2(listed, optimizer, is_legacy=False, count=3)
    assert all(a is b for a, b in zip(back.slots[names[0]], slots[names[0]], strict=True))


def test_adam_of_three_formats():
    """Keras lists slots by variable, older versions of Keras 2 by slot."""
    optimizer = {"class_name": "Adam", "config": {"learning_rate": 0.5}}
    state = OptimizerState(7, {"momentum": [1, 2], "velocity": [10, 20]})
    assert keras3_variables(state, optimizer)[2:] == [1, 10, 2, 20]
    assert keras2_variables(state, optimizer, [(), ()])[1:] == [1, 10, 2, 20]
    legacy = state_of_keras2([7, 1, 2, 10, 20], optimizer, is_legacy=True, count=2)
    assert legacy == state


def test_states_that_cannot_be_moved():
    with pytest.raises(CoreError, match="5 arrays of 2 slots"):
        state_of([3, 0.1, *range(5)], {"class_name": "Adam", "config": {}})
    with pytest.raises(CoreError, match="use_ema=True has a form in Keras 3"):
        state_of([3, 0.1], {"class_name": "Adam", "config": {"use_ema": True}})
    with pytest.raises(CoreError, match="known in Keras 3 only"):
        state_of([3, 0.1], {"class_name": "Muon", "config": {}})


def test_slots_of_tfjs_are_those_of_keras():
    for name, kind in TFJS_OPTIMIZERS.items():
        known = {slot for run in RUNS[name] for slot in run.slots}
        assert set(kind.slots) <= known


# --- HDF5 ---------------------------------------------------------------------------------------


def test_h5py_reads_what_is_written(rng):
    h5py = require("h5py")
    arrays = {
        f"many/{i:04}": rng.uniform(0, 99, (i % 4, 3)).astype(dtype)
        for i, dtype in enumerate(["f2", "f4", "f8", "i1", "u1", "i4", ">i8", ">f4"] * 80)
    }
    arrays["scalar"] = np.float32(2.5)
    long = {f"deep/{i}/x": np.zeros(1, np.float32) for i in range(3000)}
    attributes = {"": {"config": "ä" * 200_000, "none": []}, "empty": {"names": ["a", "", "öß"]}}
    data = b"".join(hdf5_blocks({**arrays, **long}, attributes))
    with h5py.File(io.BytesIO(data)) as file:
        assert file.attrs["config"] == "ä" * 200_000
        assert file.attrs["none"].shape == (0,)
        assert list(file["empty"].attrs["names"]) == ["a", "", "öß"]
        assert (len(file["many"]), len(file["deep"])) == (640, 3000)
        assert all(f"{i}/x" in file["deep"] for i in range(3000))
        assert "3001" not in file["deep"]
        for path, array in arrays.items():
            assert file[path].dtype == np.asarray(array).dtype.newbyteorder("=")
            np.testing.assert_array_equal(file[path][()], array)


@pytest.mark.parametrize(
    "arrays, match",
    [
        ({"a": np.zeros(2, complex)}, "dtype complex128"),
        ({"a//b": np.zeros(2)}, "member named ''"),
        ({"a": np.zeros(2), "a/b": np.zeros(2)}, "both an array and a group named 'a'"),
    ],
)
def test_what_hdf5_cannot_hold(arrays, match):
    with pytest.raises(CoreError, match=match):
        hdf5_blocks(arrays, {})


def test_merge_layers_of_tfjs_are_called_with_one_list_in_keras_files(rng, tmp_path):
    """TensorFlow.js writes the inputs of a merge one by one, Keras 3 as one argument."""
    x = core.Input((4,))
    left, right = core.layers.Dense(3)(x), core.layers.Dense(3)(x)
    outputs = core.layers.Concatenate()([core.layers.Add()([left, right]), left])
    model = core.Model(x, outputs)
    model.save(tmp_path / "tfjs")
    again = core.load_layers_model(tmp_path / "tfjs")
    again.save(tmp_path / "model.keras")
    with zipfile.ZipFile(tmp_path / "model.keras") as archive:
        layers = json.loads(archive.read("config.json"))["config"]["layers"]
    calls = {layer["class_name"]: layer["inbound_nodes"][0]["args"] for layer in layers[1:]}
    for name in ("Add", "Concatenate"):
        assert len(calls[name]) == 1 and len(calls[name][0]) == 2, calls[name]
    values = rng.normal(size=(5, 4)).astype(np.float32)
    read = core.load_layers_model(tmp_path / "model.keras")
    assert np.array_equal(read.predict(values).numpy(), model.predict(values).numpy())


# --- targets ------------------------------------------------------------------------------------


def small_model(**options) -> core.Sequential:
    return core.Sequential([core.layers.Dense(2, input_shape=(3,), name="d", **options)])


def test_files_of_keras_2_say_so(tmp_path):
    small_model().save(tmp_path / "old.h5", keras_version=2)
    assert read_document(tmp_path / "old.h5").dialect == "keras2"
    small_model().save(tmp_path / "new.h5")
    assert read_document(tmp_path / "new.h5").dialect == "keras3"
    for name, version, match in (
        ("model.keras", 2, r"keras_version=2 is for \.h5 files, got"),
        ("web", 2, r"keras_version=2 is for \.h5 files, got"),
        ("model.h5", 4, "keras_version=4 is unknown: give 2 or 3"),
    ):
        with pytest.raises(CoreError, match=match):
            small_model().save(tmp_path / name, keras_version=version)
        assert not (tmp_path / name).exists()


def test_weights_that_tensorflow_js_would_change(tmp_path):
    """It applies constraints when it loads."""
    model = small_model(kernel_constraint=core.constraints.MaxNorm(0.5), use_bias=False)
    model.set_weights([np.ones((3, 2), np.float32)])
    with pytest.raises(CoreError, match="'d/kernel' is outside of its constraint MaxNorm"):
        model.save(tmp_path / "web")
    assert not (tmp_path / "web").exists()
    model.save(tmp_path / "model.keras")
    model.set_weights([np.full((3, 2), 0.25, np.float32)])
    model.save(tmp_path / "web")
    (found,) = read_document(tmp_path / "web").weights["d",].values()
    np.testing.assert_array_equal(found, np.full((3, 2), 0.25, np.float32))


def test_a_model_inside_of_a_layer_comes_back(rng, tmp_path):
    """Networks for films call a network of images at each step."""
    layers = core.layers
    inner = core.Sequential([layers.Input((4, 4, 1)), layers.Conv2D(2, 3), layers.Flatten()])
    model = core.Sequential([layers.Input((3, 4, 4, 1)), layers.TimeDistributed(inner)])
    x = rng.normal(size=(2, 3, 4, 4, 1)).astype(np.float32)
    model.save(tmp_path / "film.keras")
    found = core.load_layers_model(tmp_path / "film.keras")
    np.testing.assert_array_equal(found(x).numpy(), model(x).numpy())
    found.save(tmp_path / "again.keras")
    again = core.load_layers_model(tmp_path / "again.keras")
    np.testing.assert_array_equal(again(x).numpy(), model(x).numpy())
