"""Models from files of one's own: `zoo.load(path)`."""

import asyncio
import json
import pickle

import numpy as np
import pytest

import core
import zoo
from core.graph.nodes import DataType, PartialSpec
from tests.core.converter.teachable_bundles import zip_of
from tests.core.converter.tensorflow_runs import unpack
from tests.helpers import require
from weights_cache import write_weights
from weights_cache.common.errors import WeightsError, ZooError

FLOAT = {"type": "DT_FLOAT"}
ANY_ROWS = {"dim": [{"size": "-1"}, {"size": "3"}]}


def graph_topology(kind="Relu"):
    """x [any, 3] → y = x · w → z = relu(y)."""
    nodes = [
        ("x", "Placeholder", [], {"dtype": FLOAT, "shape": {"shape": ANY_ROWS}}),
        ("w", "Const", [], {"dtype": FLOAT}),
        ("y", "MatMul", ["x", "w"], {"transpose_a": {"b": False}, "transpose_b": {"b": False}}),
        ("z", kind, ["y"], {"T": FLOAT}),
    ]
    return {"node": [{"name": n, "op": o, "input": i, "attr": a} for n, o, i, a in nodes]}


WEIGHTS = {"w": np.float32([[1, -1], [2, -2], [3, -3]])}
ROWS = np.float32([[1, 1, 1], [-1, 0, 0]])


@pytest.fixture
def folder(tmp_path):
    write_weights(tmp_path / "graph", WEIGHTS, topology=graph_topology())
    return tmp_path / "graph"


@pytest.fixture
def model(folder):
    return zoo.load(folder)


def test_a_graph_from_a_folder_and_from_its_file(folder, monkeypatch):
    expected = [[6, 0], [0, 1]]
    monkeypatch.chdir(folder.parent)
    for path in (folder, str(folder), folder / "model.json", "graph", "./graph", "graph/"):
        with zoo.load(path) as model:
            assert model.predict(ROWS)["z"].numpy().tolist() == expected
    assert zoo.load("graph/model.json").name == "graph/model.json"


def test_what_is_known_of_it(model, folder):
    assert model.inputs == {"x": PartialSpec((None, 3))}
    assert list(model.outputs) == ["z"]
    assert model.backend == "cpu"
    assert repr(model) == f"<zoo model {folder}>"
    assert model.describe().splitlines() == [
        f"zoo model {folder} on cpu",
        "inputs:",
        "  x: float32 [any, 3]",
        "outputs:",
        "  z: float32 of any shape",
        "6 parameters, 2 nodes: MatMul, Relu",
    ]


def test_any_node_can_be_had_and_fed(model):
    found = model.execute(ROWS, ["y", "z"])
    assert found["y"].numpy().tolist() == [[6, -6], [-1, 1]]
    assert model.execute({"y": ROWS[:, :2] * 2}, ["z"])["z"].numpy().tolist() == [[2, 2], [0, 0]]
    awaited = asyncio.run(model.predict_async({"x": ROWS}))
    np.testing.assert_array_equal(awaited["z"], found["z"])


def test_a_closed_model(model):
    model.close()
    for use in (model.predict, model.describe, lambda *_: model.inputs):
        with pytest.raises(ZooError, match="is closed: load it again with zoo.load"):
            use(*([ROWS] if use == model.predict else []))


def test_kernels_of_ones_own(tmp_path):
    write_weights(tmp_path, WEIGHTS, topology=graph_topology("Magic"))
    with pytest.raises(core.KernelNotFound, match=r"Magic \(z\)"):
        zoo.load(tmp_path)

    def magic(x, **attributes):
        assert attributes == {"T": DataType("DT_FLOAT")}
        return core.add(x, 1)

    model = zoo.load(tmp_path, kernels={"Magic": magic})
    assert model.predict(ROWS)["z"].numpy().tolist() == [[7, -5], [0, 2]]


def test_a_keras_file(tmp_path):
    h5py = require("h5py")
    layers = [{"class_name": "Dense", "config": {"name": "dense", "units": 2}}]
    layers[0]["config"] |= {"batch_input_shape": [None, 3], "use_bias": False}
    config = {"class_name": "Sequential", "config": {"name": "model", "layers": layers}}
    with h5py.File(tmp_path / "model.h5", "w") as file:
        file.attrs["model_config"] = json.dumps(config)
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = ["dense"]
        group["dense/dense/kernel"] = WEIGHTS["w"]
        group["dense"].attrs["weight_names"] = ["dense/kernel"]
    (found,) = zoo.load(tmp_path / "model.h5").predict(ROWS).values()
    assert found.numpy().tolist() == [[6, -6], [-1, 1]]


@pytest.mark.parametrize("isolate", [False, True])
def test_a_signature_of_a_saved_model(tmp_path, isolate):
    path = unpack(tmp_path, "module")
    model = zoo.load(path, signature="branch", isolate=isolate)
    arrays = np.load(unpack(tmp_path, "module@branch.npz"))
    for each in (model, pickle.loads(pickle.dumps(model))):
        with each:
            found = each.predict(arrays["in x"])["y"].numpy()
            np.testing.assert_allclose(found, arrays["out y"], rtol=1e-5)


def test_a_zip_of_a_model(folder):
    model = zoo.load(zip_of(folder, "inside/"))
    assert model.predict(ROWS)["z"].numpy().tolist() == [[6, 0], [0, 1]]
    assert not hasattr(model, "classify")


@pytest.mark.parametrize("document", ['{"labels": ["a"]}', '{"packageName": "other"}', "not json"])
def test_metadata_of_somebody_else_is_no_matter(folder, document):
    (folder / "metadata.json").write_text(document)
    for path in (folder, folder / "model.json", zip_of(folder)):
        model = zoo.load(path)
        assert model.predict(ROWS)["z"].numpy().tolist() == [[6, 0], [0, 1]]
        assert not hasattr(model, "classify")


def test_a_name_goes_before_a_folder_of_that_name(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    folder.rename(folder.parent / "posenet.tiny")
    assert zoo.load("posenet.tiny").estimate_single_pose
    assert list(zoo.load("./posenet.tiny").outputs) == ["z"]


@pytest.mark.parametrize(
    "path, options, message",
    [
        ("nothing/here", {}, "there is no file or folder nothing/here"),
        ("nothing.tflite", {}, "there is no file or folder nothing.tflite"),
        ("nothing.zip", {}, "there is no file or folder nothing.zip"),
        ("model.json", {}, "there is no file or folder model.json"),
        ("posenet.tny", {}, "did you mean 'posenet.tiny'"),
        ("https:///model.json", {}, "has no server"),
        ("https://x.org/", {"weights": "x"}, "unknown option 'weights' of the model in 'https://x"),
        (".", {}, "is not a supported model"),
        ("graph", {"output_stride": 8}, "unknown option 'output_stride' of the model in 'graph'"),
        ("graph", {"weights": "x"}, "unknown option 'weights'.*valid options: backend, kernels"),
        ("graph", {"backend": "gpu"}, "use backend='auto' .* or backend='shader'$"),
        ("graph", {"backend": "tpu"}, "^unknown backend 'tpu'"),
        ("posenet.tiny", {"kernels": {}}, "kernels= is for models from a path"),
        ("posenet.tiny", {"signature": "x"}, "signature= is for models from a path or URL"),
        ("graph", {"signature": "x"}, "graph is not a SavedModel, so it has no signature 'x'"),
    ],
)
def test_what_is_refused(folder, monkeypatch, path, options, message):
    monkeypatch.chdir(folder.parent)
    with pytest.raises(ZooError, match=message):
        zoo.load(path, **options)


@pytest.mark.parametrize("name", ["model.json", "model.h5", "model.keras", "model.zip", "model.pb"])
@pytest.mark.parametrize("content", [b"", b"{", b"PK\3\4", b"\x89HDF\r\n\x1a\n", bytes(99)])
def test_damaged_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WeightsError, match="model"):
        zoo.load(tmp_path / name)


def test_an_onnx_file_without_a_graph(tmp_path):
    path = tmp_path / "model.ONNX"
    path.write_bytes(b"\x08\x07\x12\x07pytorch")
    with pytest.raises(WeightsError, match="has no graph or no opset: is it an ONNX model?"):
        zoo.load(path)


def test_the_one_line_functions_need_a_task(folder):
    for path in (folder, str(folder)):
        with pytest.raises(ZooError, match="cannot estimate_single_pose: the task of a network"):
            zoo.estimate_single_pose("photo.jpg", model=path)
