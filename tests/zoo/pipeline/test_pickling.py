"""Loaded models in pickles, copies and other processes."""

import copy
import multiprocessing
import pickle
import pickletools

import numpy as np
import pytest

import core
import zoo
from tests.core.converter.teachable_bundles import write_bundle, zip_of
from tests.helpers import start_or_skip
from tests.zoo.pipeline.test_load_path import ROWS, WEIGHTS, graph_topology
from weights_cache import write_weights
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import all_entries, find_entry
from zoo.pipeline.model import make_model
from zoo.pipeline.options import checked

PHOTO = "gallery/one_line_pose/astronaut.jpg"


def doubled(x, **_):
    """A kernel of a user's."""
    return x * 2


@pytest.fixture
def folder(tmp_path):
    write_weights(tmp_path / "graph", WEIGHTS, topology=graph_topology())
    return tmp_path / "graph"


def globals_in(data: bytes) -> set[str]:
    """Every name that unpickling would import."""
    operations = [(code.name, value) for code, value, _ in pickletools.genops(data)]
    assert not {name for name, _ in operations} & {"GLOBAL", "INST", "REDUCE_EX", "BUILD"}
    texts = [value for _, value in operations if isinstance(value, str)]
    count = sum(name == "STACK_GLOBAL" for name, _ in operations)
    return {".".join(texts[2 * at : 2 * at + 2]) for at in range(count)}


@pytest.mark.parametrize(
    "again", [lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy]
)
def test_a_model_comes_back(again):
    model = zoo.load("posenet.tiny", output_stride=8)
    other = again(model)
    assert type(other) is type(model) and other is not model
    assert (other.name, other.options, other.backend) == (model.name, model.options, "cpu")
    assert other.entry is model.entry
    expected = model.estimate_single_pose(PHOTO)
    assert other.estimate_single_pose(PHOTO) == expected
    other.close()
    assert model.estimate_single_pose(PHOTO) == expected


def test_a_pickle_holds_arguments_of_load_alone():
    data = pickle.dumps(zoo.load("posenet.tiny"))
    assert len(data) < 500
    assert globals_in(data) == {"zoo.pipeline.pickling.load_again"}


@pytest.mark.parametrize("name", sorted(all_entries()))
def test_options_stay_as_they_were_checked(name):
    entry = find_entry(name)
    once = checked(name, entry.options, {})
    assert checked(name, entry.options, once) == once


def test_the_backend_is_the_one_it_was_loaded_on():
    start_or_skip()
    data = pickle.dumps(zoo.load("posenet.tiny"))
    with core.backend("shader"):
        assert zoo.load("posenet.tiny").backend == "shader"
        assert pickle.loads(data).backend == "cpu"


def test_weights_of_your_own_are_remembered(tmp_path, monkeypatch):
    changed = {name: array * 0.5 for name, array in weights_of_posenet().items()}
    write_weights(tmp_path / "mine", changed)
    monkeypatch.chdir(tmp_path)
    model = zoo.load("posenet.tiny", weights="mine")
    monkeypatch.chdir("/")
    image = np.zeros((64, 64, 3), np.uint8)
    found = pickle.loads(pickle.dumps(model)).infer(image).numpy()
    assert (found == model.infer(image).numpy()).all()
    assert not np.allclose(found, zoo.load("posenet.tiny").infer(image).numpy())


def weights_of_posenet():
    from weights_cache import load_weights

    return load_weights("posenet-tiny")


def test_a_model_from_a_path_in_another_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    model = zoo.load("graph")
    monkeypatch.chdir("/")
    other = pickle.loads(pickle.dumps(model))
    assert other.name == str(folder)
    np.testing.assert_array_equal(other.predict(ROWS)["z"], model.predict(ROWS)["z"])


def test_kernels_of_your_own_come_along(tmp_path):
    write_weights(tmp_path / "own", WEIGHTS, topology=graph_topology("Doubled"))
    model = zoo.load(tmp_path / "own", kernels={"Doubled": doubled})
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.predict(ROWS)["z"], model.predict(ROWS)["z"])


def test_a_model_of_teachable_machine(tmp_path):
    model = zoo.load(zip_of(write_bundle(tmp_path / "bundle")))
    other = pickle.loads(pickle.dumps(model))
    assert other.labels == model.labels
    assert other.classify(PHOTO) == model.classify(PHOTO)


def test_a_closed_model_says_so():
    model = zoo.load("posenet.tiny")
    model.close()
    with pytest.raises(ZooError, match="is closed: load it again"):
        pickle.dumps(model)
    with pytest.raises(ZooError, match="is closed"):
        copy.deepcopy(model)


def test_a_model_that_load_does_not_know():
    entry = find_entry("posenet.tiny")._replace(title="Another")
    model = make_model(entry, checked(entry.name, entry.options, {}))
    with pytest.raises(ZooError, match="posenet.tiny cannot be pickled, as zoo.load did not load"):
        pickle.dumps(model)


def test_a_recognizer_with_gestures_of_its_own():
    recognizer = zoo.GestureRecognizer(["victory"], score_threshold=0.5)
    recognizer.add("call", curls={"thumb": "no_curl", "pinky": "no_curl"})
    other = pickle.loads(pickle.dumps(recognizer))
    assert other.labels == ["victory", "call"] and other.score_threshold == 0.5
    points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
    assert other.scores({"keypoints": points}) == recognizer.scores({"keypoints": points})


def test_a_process_of_its_own_works_with_a_model():
    model = zoo.load("posenet.tiny")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(model.estimate_single_pose, [PHOTO])
    assert found == [model.estimate_single_pose(PHOTO)]


def test_a_model_that_was_given_as_a_part_comes_along(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    palms = zoo.load("palm.full")
    other = pickle.loads(pickle.dumps(zoo.load("hands.lite", detector=palms)))
    assert other.options["detector"].name == "palm.full"
    assert other.part("detector") is other.options["detector"]
