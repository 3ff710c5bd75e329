"""Features of images: embeddings as `infer` gives them, order, keys, several features together."""

import threading
import time

import numpy as np
import pytest

import core
import zoo
from core import GraphModel
from tests.conftest import ROOT
from tests.helpers import PATIENCE
from weights_cache import find_record
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import find_entry
from zoo.catalog.networks.building import build_network
from zoo.images.errors import ImageError
from zoo.transfer.features.blocks import FeatureVector
from zoo.transfer.features.extractor import (
    DEFAULT_FEATURES,
    embedding_extractor,
    feature_extractor,
    feature_names,
)
from zoo.transfer.features.landmarks import LANDMARKS

PERSON = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")


@pytest.fixture
def weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture(scope="module")
def tiny():
    with_model = feature_extractor("posenet.tiny")
    yield with_model
    with_model.close()


def assert_near(found, expected, tolerance):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def noise(rng, *sides):
    return rng.integers(0, 256, (*sides, 3), dtype=np.uint8)


# --- embeddings -----------------------------------------------------------------------------------


def test_maps_of_features_are_averaged_over_height_and_width(tiny, rng):
    image = noise(rng, 90, 70)
    with zoo.load("posenet.tiny") as model:
        expected = model.infer(image, embedding=True).numpy().mean(axis=(0, 1, 2))
    found = tiny.of_image(image)
    assert found.values.dtype == np.float32 and found.missing == ""
    assert_near(found.values, expected, 1e-5)
    assert tiny.size == len(expected) == 384


def test_vectors_are_those_of_infer(weights, rng):
    images = [noise(rng, 60 + 10 * k, 90) for k in range(5)]
    extractor = feature_extractor("mobilenet.v1_100_quant")
    expected = zoo.load("mobilenet.v1_100_quant").infer(images, embedding=True)
    found = list(extractor.of_images(images))
    assert extractor.size == 1024 and len(found) == 5
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.values, other.numpy().ravel())


def test_the_model_and_node_of_an_embedding_give_it(tiny, rng):
    image = noise(rng, 40, 40)
    values = tiny.model.execute(tiny.model.network_input(image), [tiny.node])[tiny.node].numpy()
    assert_near(tiny.of_image(image).values, values.mean(axis=(0, 1, 2)), 1e-5)
    assert tiny.is_embedding and tiny.names == ("posenet.tiny",)
    landmarks = feature_extractor("pose")
    assert (landmarks.is_embedding, landmarks.model, landmarks.node) == (False, None, "")


@pytest.mark.parametrize("name", ["mobilenet.v2_100_quant", "faceapi.expression", "palm.lite"])
def test_sizes_are_known_without_an_image(weights, name):
    extractor = feature_extractor(name)
    assert extractor.size == len(extractor.of_image(PERSON).values)


def test_a_copy_with_other_weights_gives_other_features(tiny):
    entry = find_entry("posenet.tiny")
    graph = build_network(entry, {n: o.default for n, o in entry.options.items()})
    same = embedding_extractor("posenet.tiny", GraphModel(graph, "cpu"), entry.embedding)
    halved = {n: np.array(w) * np.float32(0.5) for n, w in graph.weights.items()}
    other = embedding_extractor(
        "posenet.tiny", GraphModel(graph._replace(weights=halved), "cpu"), entry.embedding
    )
    values = tiny.of_image(PERSON).values
    assert_near(same.of_image(PERSON).values, values, 1e-5)
    assert np.abs(other.of_image(PERSON).values - values).max() > 0.1
    assert len({tiny.key, same.key, other.key}) == 3
    assert other.provenance[0]["changed"] == "yes"
    other.close()
    assert other.of_image(PERSON).values is not None  # its network is the caller's


def test_a_closed_extractor_loads_its_network_again(rng):
    extractor, image = feature_extractor("posenet.tiny"), noise(rng, 30, 30)
    before = extractor.of_image(image).values
    extractor.close()
    np.testing.assert_array_equal(extractor.of_image(image).values, before)


# --- several images -------------------------------------------------------------------------------


def test_images_keep_their_order_with_broken_ones(tiny, rng, tmp_path):
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"\x89PNG\r\n\x1a\nnot a png")
    images = [noise(rng, 20 + k, 30) for k in range(7)]
    found = list(tiny.of_images([*images[:3], damaged, "missing.jpg", *images[3:]]))
    assert isinstance(found[3], ImageError) and "damaged.png" in str(found[3])
    assert isinstance(found[4], ImageError) and "missing.jpg" in str(found[4])
    for image, vector in zip(images, found[:3] + found[5:], strict=True):
        np.testing.assert_array_equal(vector.values, tiny.of_image(image).values)


def test_a_mirror_image_is_seen_as_its_flip(tiny, rng):
    image = noise(rng, 50, 40)
    flipped = np.ascontiguousarray(image[:, ::-1])
    expected = tiny.of_image(image).values
    np.testing.assert_array_equal(tiny.of_image(flipped, mirror=True).values, expected)
    found = list(tiny.of_images([flipped, flipped], mirror=True))
    np.testing.assert_array_equal(found[1].values, expected)
    assert np.abs(tiny.of_image(flipped).values - expected).max() > 1e-3


@pytest.mark.parametrize(("features", "ahead"), [("posenet.tiny", 4), ("pose", 2)])
def test_few_images_are_read_ahead_and_the_reader_ends_with_the_results(features, ahead, rng):
    extractor, image = feature_extractor(features), noise(rng, 30, 30)
    pulled, ended = [], threading.Event()

    def images():
        try:
            for number in range(500):
                pulled.append(number)
                yield image
        finally:
            ended.set()

    results = extractor.of_images(images())
    next(results)
    next(results)
    assert len(pulled) <= 2 + ahead + 2
    results.close()
    assert ended.wait(PATIENCE)
    assert len(pulled) <= 2 + ahead + 2


def test_an_error_of_the_source_of_images_reaches_the_caller(tiny, rng):
    def images():
        yield noise(rng, 20, 20)
        raise RuntimeError("the camera is gone")

    results = tiny.of_images(images())
    with pytest.raises(RuntimeError, match="the camera is gone"):
        list(results)


def test_one_image_instead_of_a_list_is_an_error(tiny):
    with pytest.raises(ZooError, match=r"'a\.jpg' is one image, .* call of_image"):
        tiny.of_images("a.jpg")


def test_threads_load_a_network_once(rng, monkeypatch):
    extractor, image, loads = feature_extractor("posenet.tiny"), noise(rng, 20, 20), []

    def slow(name, **options):
        loads.append(name)
        time.sleep(0.05)
        return zoo.load(name, **options)

    monkeypatch.setattr("zoo.transfer.features.blocks.load", slow)
    threads = [threading.Thread(target=extractor.of_image, args=(image,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["posenet.tiny"]


def test_known_results_stay_where_they_are(tiny, rng):
    known = FeatureVector(None, "known")
    looks = [known, tiny.look(noise(rng, 20, 20)), known, ImageError("broken")] + [known] * 200
    found = list(tiny.of_looks(looks))
    assert len(found) == 204 and found[0] is known and found[3] is looks[3]
    assert found[1].values.shape == (384,) and all(f is known for f in found[4:])


# --- names, keys, origin --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("hands", "unknown features 'hands': did you mean 'hand'"),
        ("mobilenet.v1_01", r"did you mean 'mobilenet.v1_1?.*mobilenet.v2_100_quant"),
        ("iris.base", "iris.base has no embedding of images"),
        ("gesture.keypoints", "gesture.keypoints has no embedding of images"),
        ("pose+pose", "name 'pose' twice"),
        ("", "'' is no name of features: features are hand, face, pose, body_parts"),
        ([], r"\[\] is no name of features"),
        (7, "7 is no name of features"),
        (["hand", 7], "is no name of features"),
        ("hand+", "unknown features ''"),
    ],
)
def test_wrong_names_are_errors_with_the_valid_ones(features, message):
    with pytest.raises(ZooError, match=message):
        feature_extractor(features)


def test_a_file_is_refused_with_the_way_to_its_features(tmp_path):
    path, layers = tmp_path / "digits.onnx", core.layers
    network = [
        layers.Input((4, 4, 1)),
        layers.Flatten(),
        layers.Dense(8, activation="relu", name="body"),
    ]
    core.Sequential([*network, layers.Dense(2)]).save(path)
    with pytest.raises(
        ZooError, match="is a file, and features are of models of the zoo.*zoo.Head"
    ):
        feature_extractor(str(path))
    images = np.random.default_rng(0).uniform(size=(6, 4, 4, 1)).astype(np.float32)
    images[::2] += 1
    rows = core.load_model(path).trainable(outputs="body/Relu")(images).numpy()
    head = zoo.Head(penalty=0.01).fit(rows, ["light", "dark"] * 3)
    assert [head.labels[i] for i in head.predict(rows).argmax(1)] == ["light", "dark"] * 3


def test_wrong_backends_are_errors():
    with pytest.raises(ZooError, match="shader"):
        feature_extractor("pose", backend="cuda")


def test_a_copy_needs_a_model_with_an_embedding(tiny):
    with pytest.raises(ZooError, match="'pose' has no embedding"):
        embedding_extractor("pose", tiny.model.network, tiny.node)


def test_every_model_that_is_named_has_an_embedding():
    landmarks, models = feature_names()
    assert DEFAULT_FEATURES in models and "gesture.keypoints" not in models
    assert landmarks == [*LANDMARKS]
    assert all(find_entry(name).embedding for name in models)


def test_names_may_be_a_list_or_joined():
    assert feature_extractor("pose + hand").names == ("pose", "hand")
    assert feature_extractor(["pose", "hand"]).key == feature_extractor("pose+hand").key


def test_keys_depend_on_names_and_their_order():
    names = ["pose", "hand", "pose+hand", "hand+pose", "posenet.tiny", "mobilenet.v1_025"]
    keys = [feature_extractor(name).key for name in names]
    assert len(set(keys)) == len(names) and all(len(key) == 64 for key in keys)
    assert keys[0] == feature_extractor("pose").key


def test_keys_depend_on_the_weights(monkeypatch):
    key = feature_extractor("posenet.tiny").key
    record = find_record("posenet-tiny")
    files = tuple(file._replace(sha256=file.sha256[::-1]) for file in record.files)
    monkeypatch.setattr(
        "zoo.transfer.features.blocks.find_record", lambda name: record._replace(files=files)
    )
    assert feature_extractor("posenet.tiny").key != key


def test_the_origin_of_every_network_is_known():
    origins = feature_extractor("hand+mobilenet.v2_100_quant").provenance
    assert [o["model"] for o in origins] == ["hands.lite", "palm.lite", "mobilenet.v2_100_quant"]
    record = find_record(find_entry("mobilenet.v2_100_quant").weights)
    assert origins[2]["licence"] == record.licence
    assert origins[2]["sha256"] in {file.sha256 for file in record.files}
    assert all(all(isinstance(v, str) for v in o.values()) for o in origins)


# --- several features together --------------------------------------------------------------------


def test_landmarks_begin_with_whether_they_were_found(tiny):
    extractor = feature_extractor("posenet.tiny+pose")
    assert extractor.size == 384 + 1 + 51 and not extractor.is_embedding
    found, nobody = extractor.of_images([PERSON, np.zeros((40, 40, 3), np.uint8)])
    assert (found.values[384], nobody.values[384]) == (1, 0)
    assert np.any(found.values[385:]) and not np.any(nobody.values[385:])
    np.testing.assert_array_equal(found.values[:384], tiny.of_image(PERSON).values)
    pose = feature_extractor("pose").of_image(PERSON).values
    np.testing.assert_array_equal(found.values[385:], pose)


def test_only_where_nothing_was_found_there_are_no_features(weights):
    extractor = feature_extractor("hand+pose")
    black = np.zeros((60, 60, 3), np.uint8)
    found, nothing = extractor.of_images([PERSON, black])
    assert nothing == (None, "no hand was found, no person was found")
    assert found.values.shape == (1 + 78 + 1 + 51,) and found.values[79] == 1
    assert "crop images to the hand" in extractor.advice


@pytest.mark.parametrize("name", LANDMARKS)
def test_landmarks_that_are_not_found_have_a_reason(weights, name):
    vector = feature_extractor(name).of_image(np.zeros((50, 50, 3), np.uint8))
    assert vector == (None, LANDMARKS[name].missing)
