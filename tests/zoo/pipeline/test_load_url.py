"""`zoo.load(URL)`, from a server on this machine."""

import pickle

import numpy as np
import pytest

import zoo
from tests.core.converter.labelled_models import write_export
from tests.core.converter.ml5_models import CLASSES, write_ml5
from tests.core.converter.teachable_bundles import LABELS, write_bundle, zip_of
from tests.weights_cache.fault_server import FaultServer
from tests.zoo.pipeline.test_load_path import ROWS, WEIGHTS, graph_topology
from weights_cache import write_weights
from zoo.cli import main

PHOTO = "gallery/one_line_pose/astronaut.jpg"


@pytest.fixture
def server(monkeypatch, tmp_path):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    write_weights(tmp_path / "graph", WEIGHTS, topology=graph_topology())
    bundle = write_bundle(tmp_path / "bundle")
    found = {f"/{f.parent.name}/{f.name}": f.read_bytes() for f in tmp_path.glob("*/*.*")}
    with FaultServer({**found, "/bundle.zip": zip_of(bundle).read_bytes()}) as running:
        yield running


def test_a_graph_from_a_url(server, monkeypatch):
    url = f"{server.url}/graph/model.json"
    with zoo.load(url) as model:
        assert model.predict(ROWS)["z"].numpy().tolist() == [[6, 0], [0, 1]]
        assert model.name == url and repr(model) == f"<zoo model {url}>"
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    model = zoo.load(url)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.predict(ROWS)["z"], model.predict(ROWS)["z"])
    assert other.name == url


@pytest.mark.parametrize("path", ["bundle/", "bundle/model.json", "bundle.zip"])
def test_a_classifier_of_teachable_machine(server, path):
    model = zoo.load(f"{server.url}/{path}")
    assert model.labels == tuple(LABELS)
    assert {label["label"] for label in model.classify(PHOTO)} == set(LABELS)


def test_a_changed_server_and_the_way_out_of_it(server, capsys):
    url = f"{server.url}/graph/model.json"
    zoo.load(url)
    server.files["/graph/model.json"] = b"{}"
    assert zoo.load(url).outputs.keys() == {"z"}
    assert main(["weights", "clear", url]) == 0
    assert capsys.readouterr().out.endswith(" freed\n")
    with pytest.raises(zoo.WeightsError, match="model.json"):
        zoo.load(url)


def test_what_is_no_model(server):
    server.files["/page.tflite"] = b"not a model"
    said = rf"the model at {server.url}/page\.tflite cannot be used: .*zoo weights clear http"
    with pytest.raises(zoo.WeightsError, match=said):
        zoo.load(f"{server.url}/page.tflite")
    with pytest.raises(zoo.WeightsError, match=rf"{server.url}/none.tflite: .*404"):
        zoo.load(f"{server.url}/none.tflite")


def test_a_verb_takes_a_url_as_its_model(server):
    url = f"{server.url}/bundle/"
    assert zoo.classify(PHOTO, model=url) == zoo.load(url).classify(PHOTO)


def test_labels_beside_a_url_are_those_of_its_classes(server, tmp_path):
    write_export(tmp_path / "other", "own.h5", ("cat", "dog"))
    for name in ("own.h5", "labels.txt"):
        server.files[f"/o/{name}"] = (tmp_path / "other" / name).read_bytes()
    with pytest.raises(zoo.ZooError, match="does not say which range"):
        zoo.load(f"{server.url}/o/own.h5").classify(PHOTO)
    model = zoo.load(f"{server.url}/o/own.h5", task="classification", range=(-1, 1))
    assert model.labels == ("cat", "dog")
    assert {row["label"] for row in model.classify(PHOTO)} == {"cat", "dog"}
    server.files["/p/own.h5"] = server.files["/o/own.h5"]
    assert not hasattr(zoo.load(f"{server.url}/p/own.h5"), "classify")
    server.files |= {"/q/own.h5": server.files["/o/own.h5"], "/q/labels.txt": b"Not found"}
    assert not hasattr(zoo.load(f"{server.url}/q/own.h5"), "classify")


@pytest.mark.parametrize("path", ["ml5/model.json", "ml5/", "colours.zip"])
def test_a_network_of_ml5(server, path, tmp_path):
    folder = write_ml5(tmp_path / "ml5", CLASSES)
    server.files |= {f"/ml5/{file.name}": file.read_bytes() for file in folder.iterdir()}
    server.files["/colours.zip"] = zip_of(folder).read_bytes()
    values = {"r": 51, "g": 130, "shade": "dark"}
    assert zoo.load(f"{server.url}/{path}").classify(values) == zoo.load(folder).classify(values)
