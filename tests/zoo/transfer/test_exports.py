"""Exports of taught models: npm's tfjs, Keras and `zoo.load` compute what the head computes."""

import ast
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

import core
import zoo
from core.converter import load_model
from core.converter.protobuf import Message
from tests.core.converter import test_tfjs_node
from tests.core.converter.onnx_writer.onnx_runs import by_reader, by_runtime
from tests.core.converter.test_tfjs_node import encoded
from tests.helpers import skip_or_fail
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import find_entry
from zoo.images.reading import read_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.preprocess import prepare
from zoo.transfer.exports import exporting, teachable_files
from zoo.transfer.exports.exporting import export_model
from zoo.transfer.features.extractor import FeatureExtractor, feature_extractor
from zoo.transfer.heads import Head

modules = test_tfjs_node.modules

HERE = Path(__file__).parent
LABELS = ["ant", "bee", "größer/kleiner"]
LAYERS, QUANTISED = "mobilenet.v1_025", "mobilenet.v2_100_quant"
# Of probabilities of a whole network in other programs. How a float32 sum is rounded depends on the
# processor: Keras and this engine, each within 1.1e-6 of MobileNet in float64, differ by 1.9e-6.
NETWORK_TOLERANCE = 1e-5
IMAGES = ("cat_demo.jpg", "coco_000000000785.jpg", "coffee.jpg")


def make_head(size: int, kind="classification", normalize=True) -> Head:
    """A head with seeded weights, of which no output is certain."""
    rng = np.random.default_rng(7)
    kernel = rng.normal(0, 0.6 / np.sqrt(size), (size, len(LABELS)))
    bias = rng.normal(0, 0.1, len(LABELS))
    return Head(kind, normalize=normalize).with_weights(LABELS, kernel, bias)


def write(path, head: Head, extractor: FeatureExtractor | None = None, **changed):
    given = {"labels": LABELS, "name": "insects", "metadata": {"licence": "Apache-2.0"}}
    model, node = (extractor.model, extractor.node) if extractor else (None, "")
    return export_model(path, **{**given, "head": head, "model": model, "node": node, **changed})


class Photos(NamedTuple):
    """Real images, and the same as squares of 224 pixels, uint8 [n, 224, 224, 3]."""

    paths: list[Path]
    pixels: np.ndarray


@pytest.fixture(scope="module")
def photos(shared) -> Photos:
    paths = [shared / "images" / "photos" / name for name in IMAGES]
    how = find_entry(QUANTISED).preprocess
    return Photos(
        paths, np.concatenate([prepare(read_image(p), how, (224, 224))[0] for p in paths])
    )


@pytest.fixture
def extract(shared, monkeypatch):
    """Make extractors of features by networks whose weights are beside the checkout."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    made = []

    def make(name: str) -> FeatureExtractor:
        made.append(feature_extractor(name))
        return made[-1]

    yield make
    for extractor in made:
        extractor.close()


def in_float32(extractor: FeatureExtractor, monkeypatch) -> FeatureExtractor:
    """An extractor whose quantised network computes as others compute its exports."""
    graph = extractor.model.network.graph
    assert graph.integers
    floats = core.GraphModel(graph._replace(integers={}))
    monkeypatch.setattr(extractor.model, "_network", floats)
    return extractor


def expected_of(head: Head, extractor: FeatureExtractor, pixels: np.ndarray) -> np.ndarray:
    return np.concatenate([head.predict([extractor.of_image(p).values]) for p in pixels])


def for_teachable(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(np.float32) / np.float32(127) - np.float32(1)


def for_keras(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(np.float32) / np.float32(127.5) - np.float32(1)


def predicted(path, values: np.ndarray) -> np.ndarray:
    (output,) = load_model(path).predict(values).values()
    return output.numpy()


def run_in_node(modules: Path, folder: Path, jobs: list[tuple[Path, np.ndarray]]) -> list[dict]:
    asked, answers = folder / "jobs.json", folder / "answers.json"
    asked.write_text(json.dumps([{"folder": str(f), "values": encoded(v)} for f, v in jobs]))
    command = ["node", HERE / "exports.mjs", modules.resolve(), asked, answers]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(answers.read_text())


# --- ONNX -----------------------------------------------------------------------------------------


def texts_in(path: Path) -> dict[str, str]:
    model = Message(path.read_bytes())
    return {entry.text(1): entry.text(2) for entry in model.messages(14)}


@pytest.mark.parametrize("run", [by_reader, by_runtime])
def test_onnx_files_take_pixels_from_0_to_1(run, extract, photos, tmp_path):
    extractor = extract(LAYERS)
    head = make_head(extractor.size)
    export = write(tmp_path / "mine.onnx", head, extractor)
    assert (export.is_whole, export.format) == (True, "ONNX opset 18")
    assert export.takes.endswith("with pixels p as p / 255 (0 to 1)")
    values = photos.pixels.astype(np.float32) / np.float32(255)
    (found,) = run(export.path, {"image": values}).values()
    expected = expected_of(head, extractor, photos.pixels)
    np.testing.assert_allclose(found, expected, rtol=0, atol=NETWORK_TOLERANCE)


def test_onnx_files_say_labels_as_ultralytics_does(extract, tmp_path):
    extractor = extract(LAYERS)
    path = write(tmp_path / "mine.onnx", make_head(extractor.size), extractor).path
    said = texts_in(path)
    assert ast.literal_eval(said["names"]) == dict(enumerate(LABELS))
    assert (said["task"], said["imgsz"], said["fit"]) == ("classify", "[224, 224]", "crop")


def test_onnx_files_classify_without_further_arguments(extract, photos, tmp_path):
    extractor = extract(LAYERS)
    head = make_head(extractor.size)
    path = write(tmp_path / "mine.onnx", head, extractor).path
    expected = expected_of(head, extractor, photos.pixels)
    with zoo.load(str(path)) as model:
        for photo, row in zip(photos.paths, expected, strict=True):
            found = {each["label"]: each["score"] for each in model.classify(photo)}
            assert [found[label] for label in LABELS] == pytest.approx(row.tolist(), abs=1e-4)


def test_onnx_files_train_the_weights_of_network_and_head(extract, tmp_path):
    """No range of pixels trains, nor what keeps a division finite; batch norm becomes a bias."""
    extractor = extract(LAYERS)
    head = make_head(extractor.size)
    file = load_model(write(tmp_path / "mine.onnx", head, extractor).path)
    network = extractor.model.network.trainable("*", outputs=[extractor.node])
    weights = network.trainable_variables.items()
    expected = [v.size for name, v in weights if not name.endswith("beta")]
    found = [v.size for v in file.trainable("*").trainable_variables.values()]
    assert sorted(found) == sorted([*expected, head.kernel.size, head.bias.size])


def test_onnx_files_of_heads_alone(tmp_path, rng):
    head = make_head(5)
    export = write(tmp_path / "mine.onnx", head)
    assert not export.is_whole
    assert "task" not in texts_in(export.path)
    features = rng.normal(size=(4, 5)).astype(np.float32)
    (found,) = by_reader(export.path, {"features": features}).values()
    np.testing.assert_allclose(found, head.predict(features), rtol=1e-5, atol=1e-6)


# --- other programs -------------------------------------------------------------------------------


def test_layers_in_node(modules, extract, photos, tmp_path):
    extractor = extract(LAYERS)
    head = make_head(extractor.size)
    path = write(tmp_path / "mine", head, extractor).path
    (found,) = run_in_node(modules, tmp_path, [(path, photos.pixels)])
    assert (found["labels"], found["format"]) == (LABELS, "layers-model")
    expected = expected_of(head, extractor, photos.pixels)
    np.testing.assert_allclose(found["outputs"], expected, rtol=0, atol=NETWORK_TOLERANCE)


def test_a_quantised_graph_in_node(modules, extract, photos, tmp_path, monkeypatch):
    """The sums of tfjs are in another order: of the first image one value of 150,528 in a layer,
    a half but for 1e-5, is rounded the other way, and others follow, up to 0.0028 in the end.

    What is written is exact all the same: here it gives features equal to those in float32.
    """
    extractor = in_float32(extract(QUANTISED), monkeypatch)
    head = make_head(extractor.size)
    path = write(tmp_path / "mine", head, extractor).path
    expected = expected_of(head, extractor, photos.pixels)
    here = np.concatenate([predicted(path, for_teachable(p[None])) for p in photos.pixels])
    np.testing.assert_allclose(here, expected, rtol=0, atol=1e-6)
    (found,) = run_in_node(modules, tmp_path, [(path, photos.pixels[:2])])
    assert (found["labels"], found["format"]) == (LABELS, "graph-model")
    np.testing.assert_allclose(found["outputs"], expected[:2], rtol=0, atol=0.01)


def test_heads_alone_in_node(modules, rng, tmp_path):
    features = rng.normal(size=(4, 63)).astype(np.float32)
    heads = {
        "classes": make_head(63, normalize=False),
        "labels": make_head(63, "multi_label"),
        "values": make_head(63, "regression", normalize=False),
    }
    jobs = [(write(tmp_path / name, head).path, features) for name, head in heads.items()]
    for found, head in zip(run_in_node(modules, tmp_path, jobs), heads.values(), strict=True):
        assert (found["labels"], found["format"]) == (LABELS, "layers-model")
        np.testing.assert_allclose(found["outputs"], head.predict(features), rtol=0, atol=1e-6)


def run_in_keras(folder: Path) -> None:
    command = [sys.executable, str(HERE / "keras_exports.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]


def test_files_in_keras(extract, photos, rng, tmp_path):
    if importlib.util.find_spec("keras") is None:
        skip_or_fail("keras is not installed: extra `oracle`")
    extractor = extract(LAYERS)
    head, small = make_head(extractor.size), make_head(63, "multi_label", normalize=False)
    features = rng.normal(size=(4, 63)).astype(np.float32)
    expected = {}
    for ending in (".keras", ".h5"):
        export = write(tmp_path / f"whole{ending}", head, extractor)
        assert export.is_whole and "pixels p as p / 127.5 - 1 (-1 to 1)" in export.takes
        np.save(f"{export.path}.input", for_keras(photos.pixels))
        expected[export.path] = expected_of(head, extractor, photos.pixels)
        export = write(tmp_path / f"head{ending}", small)
        np.save(f"{export.path}.input", features)
        expected[export.path] = small.predict(features)
    run_in_keras(tmp_path)
    for path, right in expected.items():
        found = np.load(f"{path}.output.npy")
        tolerance = NETWORK_TOLERANCE if path.stem == "whole" else 1e-6
        np.testing.assert_allclose(found, right, rtol=0, atol=tolerance, err_msg=path.name)


def test_teachable_machines_program_for_keras(extract, photos, tmp_path):
    """Its crop changes nothing in a square of the network's size, so only the range is compared."""
    if importlib.util.find_spec("keras") is None:
        skip_or_fail("keras is not installed: extra `oracle`")
    extractor = extract(LAYERS)
    head = make_head(extractor.size)
    images = []
    for number, pixels in enumerate(photos.pixels):
        images.append(str(tmp_path / f"{number}.png"))
        Image.fromarray(pixels).save(images[-1])
    right = expected_of(head, extractor, photos.pixels)
    for ending in (".keras", ".h5"):
        path = write(tmp_path / f"mine{ending}", head, extractor).path
        command = [sys.executable, str(HERE / "keras_program.py"), str(path), *images]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr[-3000:]
        found = json.loads(done.stdout.splitlines()[-1])
        assert [row["label"] for row in found] == [LABELS[i] for i in right.argmax(1)]
        scores = [row["scores"] for row in found]
        np.testing.assert_allclose(scores, right, rtol=0, atol=NETWORK_TOLERANCE)


# --- here -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".keras", ".h5"])
def test_zoo_classifies_with_files_of_keras(ending, extract, photos, tmp_path):
    """Exactly, with the crop of the features' network, whatever the photo's size."""
    extractor = extract(LAYERS)
    head = make_head(extractor.size)
    path = write(tmp_path / f"mine{ending}", head, extractor).path
    assert (tmp_path / "labels.txt").read_text("utf-8") == "0 ant\n1 bee\n2 größer/kleiner\n"
    model = zoo.load(path)
    assert model.labels == tuple(LABELS)
    for photo in photos.paths:
        (expected,) = head.predict([extractor.of_image(photo).values])
        found = {row["label"]: row["score"] for row in model.classify(photo)}
        scores = [found[label] for label in LABELS]
        np.testing.assert_allclose(scores, expected, rtol=0, atol=NETWORK_TOLERANCE)


def test_both_exports_compute_on_the_same_pixels(extract, photos, tmp_path):
    """Each in the range of Teachable Machine's own program for the format, which it names."""
    for name in (LAYERS, "posenet.tiny"):
        extractor = extract(name)
        head = make_head(extractor.size)
        web = write(tmp_path / f"{name}-web".replace(".", "-"), head, extractor)
        keras = write(tmp_path / f"{name}" / "mine.keras", head, extractor)
        assert "p / 127 - 1 (-1 to 1.0079)" in web.takes
        if keras.is_whole:
            assert "p / 127.5 - 1 (-1 to 1)" in keras.takes
            found = predicted(keras.path, for_keras(photos.pixels))
            expected = predicted(web.path, for_teachable(photos.pixels))
            np.testing.assert_allclose(found, expected, rtol=0, atol=NETWORK_TOLERANCE)


def test_labels_beside_are_those_of_one_model(extract, tmp_path):
    extractor, folder = extract(LAYERS), tmp_path / "exports"
    head = make_head(extractor.size)
    others = ["cat", "dog", "cow"]
    write(folder / "mine.keras", head, extractor)
    write(folder / "mine.keras", head, extractor, labels=others)  # is replaced, with its labels
    write(folder / "same.h5", head, extractor, labels=others)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for name in ("third.keras", "mine.keras"):
        with pytest.raises(ZooError, match=r"labels.txt has other labels, .* a folder of its own"):
            write(folder / name, head, extractor)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    (folder / "notes").mkdir()
    (folder / "notes" / "labels.txt").write_bytes(b"\xff")
    with pytest.raises(ZooError, match=r"labels.txt has other labels"):
        write(folder / "notes" / "mine.keras", head, extractor)
    with pytest.raises(ZooError, match=r"cannot be lines of labels.txt, as one has a line break"):
        write(folder / "new" / "mine.keras", head, extractor, labels=["a\nb", "c", "d"])
    assert not (folder / "new").exists()


def test_values_are_exported_without_labels(extract, tmp_path):
    extractor = extract(LAYERS)
    folder = tmp_path / "exports"
    path = write(folder / "mine.keras", make_head(extractor.size, "regression"), extractor).path
    assert os.listdir(folder) == ["mine.keras"]
    assert not hasattr(zoo.load(path), "classify")
    # Labels of somebody else do not make probabilities of them.
    (folder / "labels.txt").write_text("a\nb\nc")
    with pytest.raises(ZooError, match="does not say which range"):
        zoo.load(path).classify(np.zeros((9, 9, 3), np.uint8))


@pytest.mark.parametrize("name", [LAYERS, QUANTISED, "posenet.tiny"])
def test_zoo_classifies_with_folders_and_zips(name, extract, photos, tmp_path, monkeypatch):
    """Images are fitted as for the features' network, not as Teachable Machine does it."""
    extractor = extract(name)
    if name == QUANTISED:
        in_float32(extractor, monkeypatch)
    head = make_head(extractor.size)
    image = photos.paths[1]
    expected = head.predict([extractor.of_image(image).values])[0]
    found = {}
    for ending in ("", ".zip"):
        path = write(tmp_path / f"mine{ending}", head, extractor).path
        rows = zoo.classify(image, model=str(path))
        assert [row["label"] for row in rows] == [LABELS[i] for i in np.argsort(-expected)]
        found[ending] = {row["label"]: row["score"] for row in rows}
        for label, score in zip(LABELS, expected, strict=True):
            assert found[ending][label] == pytest.approx(score, abs=NETWORK_TOLERANCE)
    assert found[""] == found[".zip"]


def test_the_input_of_networks_that_take_other_ranges(extract, photos, tmp_path):
    """0..1 of images of 112 pixels (with means by channel), and -1..1 with pooled features."""
    for name in ("faceapi.expression", "posenet.tiny"):
        extractor = extract(name)
        head = make_head(extractor.size)
        path = write(tmp_path / name.replace(".", "-"), head, extractor).path
        (spec,) = load_model(path).inputs.values()
        side = spec.shape[1]
        assert spec.shape[1:] == (side, side, 3)
        pixels = photos.pixels[:1, :side, :side]
        if side > 224:
            pixels = np.tile(photos.pixels[:1], (1, 2, 2, 1))[:, :side, :side]
        found = predicted(path, for_teachable(pixels))
        expected = expected_of(head, extractor, pixels)
        np.testing.assert_allclose(found, expected, rtol=0, atol=NETWORK_TOLERANCE, err_msg=name)


def test_a_copy_with_other_weights_is_exported_with_these(extract, photos, tmp_path):
    extractor = extract(LAYERS)
    graph = extractor.model.network.graph
    weights = {n: a * np.float32(1.01) if a.ndim == 4 else a for n, a in graph.weights.items()}
    copy = LoadedModel(LAYERS, core.GraphModel(graph._replace(weights=weights)))
    head = make_head(extractor.size)
    path = write(tmp_path / "mine", head, extractor, model=copy).path
    values = prepare(photos.pixels[0], find_entry(LAYERS).preprocess, (224, 224))[0]
    features = np.asarray(copy.execute(values, [extractor.node])[extractor.node])
    found = predicted(path, for_teachable(photos.pixels[:1]))
    np.testing.assert_allclose(found, head.predict(features), rtol=0, atol=NETWORK_TOLERANCE)
    original = expected_of(head, extractor, photos.pixels[:1])
    assert np.abs(found - original).max() > 1e-3


def test_keras_gets_the_head_alone_where_the_network_rounds(extract, tmp_path):
    extractor = extract(QUANTISED)
    export = write(tmp_path / "mine.keras", make_head(extractor.size), extractor)
    assert not export.is_whole
    assert export.takes == "1280 features of each image, float32 [n, 1280], and no images"
    (spec,) = load_model(export.path).inputs.values()
    assert spec.shape == (None, 1280)


# --- metadata -------------------------------------------------------------------------------------


def metadata_in(folder: Path) -> dict:
    return json.loads((folder / "metadata.json").read_text("utf-8"))


def test_the_metadata_of_images(extract, tmp_path):
    extractor = extract(LAYERS)
    facts = {"provenance": [{"model": LAYERS, "licence": "Apache-2.0"}]}
    path = write(tmp_path / "mine", make_head(extractor.size), extractor, metadata=facts).path
    assert sorted(os.listdir(path)) == ["metadata.json", "model.json", "weights.bin"]
    found = metadata_in(path)
    assert list(found) == [
        *("tmVersion", "packageName", "packageVersion", "tfjsVersion", "timeStamp"),
        *("userMetadata", "modelName", "labels", "imageSize"),
    ]
    assert found["packageName"] == "@teachablemachine/image"
    assert (found["modelName"], found["labels"], found["imageSize"]) == ("insects", LABELS, 224)
    user = found["userMetadata"]
    assert user["provenance"] == facts["provenance"]
    assert (user["kind"], user["fit"]) == ("classification", "crop")
    assert "p / 127 - 1" in user["takes"] and "softmax" in user["gives"]
    manifest = json.loads((path / "model.json").read_text("utf-8"))["weightsManifest"]
    assert [group["paths"] for group in manifest] == [["weights.bin"]]


@pytest.mark.parametrize(
    "kind, is_marked, words", [("multi_label", True, "sigmoid"), ("regression", False, "linear")]
)
def test_kinds_that_teachable_machine_lacks(kind, is_marked, words, extract, tmp_path):
    extractor = extract(LAYERS)
    path = write(tmp_path / "mine", make_head(extractor.size, kind), extractor).path
    found = metadata_in(path)
    assert ("packageName" in found, "tmVersion" in found) == (is_marked, is_marked)
    assert found["userMetadata"]["kind"] == kind and words in found["userMetadata"]["gives"]
    assert hasattr(zoo.load(str(path)), "classify") is is_marked


def test_heads_alone_are_no_models_of_images(tmp_path):
    path = write(tmp_path / "mine", make_head(63)).path
    found = metadata_in(path)
    assert not {"packageName", "tmVersion", "imageSize"} & set(found)
    assert found["labels"] == LABELS
    assert not hasattr(zoo.load(str(path)), "classify")


# --- targets --------------------------------------------------------------------------------------


def test_an_earlier_export_is_replaced_and_other_files_are_not(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    write(folder, make_head(5))
    write(folder, make_head(5, "multi_label"))
    assert metadata_in(folder)["userMetadata"]["kind"] == "multi_label"
    assert sorted(os.listdir(folder)) == ["metadata.json", "model.json", "weights.bin"]
    (folder / "notes.txt").write_text("mine")
    before = (folder / "model.json").read_bytes()
    with pytest.raises(ZooError, match=r"has other files \(metadata.json, model.json, notes.txt\)"):
        write(folder, make_head(5))
    assert (folder / "model.json").read_bytes() == before
    (folder / "notes.txt").unlink()
    (folder / "metadata.json").write_text('{"tmVersion": "2.4.4", "labels": []}')
    with pytest.raises(ZooError, match="replaces nothing but an earlier export"):
        write(folder, make_head(5))


def test_a_folder_that_cannot_be_exchanged(tmp_path, monkeypatch):
    """Such as the current one, which stays; what a kill left in it is replaced."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    place = folder.stat().st_ino
    for name in ("metadata.json", "files.0123456789ab.tmp"):
        (folder / name).write_text("{")
    for kind in ("classification", "multi_label"):
        write(folder, make_head(5, kind))
        assert metadata_in(folder)["userMetadata"]["kind"] == kind
    assert folder.stat().st_ino == place
    write(tmp_path / "link", make_head(5))
    assert sorted(os.listdir(tmp_path)) == ["link", "mine"]


def test_existing_files_and_folders_are_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ZooError, match="it is a file"):
        write(tmp_path / "file", make_head(5))
    (tmp_path / "folder.keras").mkdir()
    with pytest.raises(ZooError, match="it is a folder"):
        write(tmp_path / "folder.keras", make_head(5))


@pytest.mark.parametrize(
    "name, message",
    [
        ("mine.tflite", r"only TensorFlow writes .tflite files: export '.*mine.keras'"),
        ("mine.kears", r"unknown ending '.kears': did you mean '.keras'\?"),
        ("mine.onxn", r"unknown ending '.onxn': did you mean '.onnx'\?"),
        ("mine.ptx", "a folder without ending or a .zip"),
    ],
)
def test_other_endings(name, message, tmp_path):
    with pytest.raises(ZooError, match=message):
        write(tmp_path / name, make_head(5))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", ["", ".zip", ".keras", ".h5"])
def test_a_failed_export_leaves_nothing(ending, tmp_path, monkeypatch):
    """Neither where the network is wrong, nor where the disk is full in the middle."""
    head = make_head(5)
    wrong = head.predict(np.ones((1, 5), np.float32)) * np.nan
    alone = exporting.head_alone
    monkeypatch.setattr(exporting, "head_alone", lambda h: alone(h)._replace(expected=wrong))
    with pytest.raises(ZooError, match="gives other outputs than the head"):
        write(tmp_path / "deep" / f"mine{ending}", head)
    assert os.listdir(tmp_path) == []
    monkeypatch.undo()
    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(WeightsError, match="is full"):
        write(tmp_path / f"mine{ending}", head)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", ["", ".zip", ".keras", ".h5"])
def test_other_bytes_leave_the_old_export(ending, tmp_path, monkeypatch):
    """As a disk that keeps others than were written, or a fault of the writer."""
    path = tmp_path / f"mine{ending}"
    write(path, make_head(5))
    before = content_of(path)
    check = teachable_files._check_bytes

    def check_others(data, staged):
        if tmp_path in staged.parents:
            staged.write_bytes(data[:-1])
        check(data, staged)

    monkeypatch.setattr(teachable_files, "_check_bytes", check_others)
    with pytest.raises(WeightsError, match="cannot be read back .it has other bytes"):
        write(path, make_head(5))
    assert content_of(path) == before


def content_of(path: Path) -> list[bytes]:
    return [file.read_bytes() for file in ([path] if path.is_file() else sorted(path.iterdir()))]


def full_disk(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_labels_and_metadata_that_do_not_fit(tmp_path):
    with pytest.raises(ZooError, match="the head has 3 outputs, labels are"):
        write(tmp_path / "mine", make_head(5), labels=["ant"])
    with pytest.raises(ZooError, match="the head has 0 outputs"):
        write(tmp_path / "mine", Head(), labels=[])
    for facts in ({"accuracy": float("nan")}, {"when": object()}):
        with pytest.raises(ZooError, match="the metadata cannot be written as JSON"):
            write(tmp_path / "mine", make_head(5), metadata=facts)
    assert os.listdir(tmp_path) == []


def test_features_of_another_size(extract, tmp_path):
    with pytest.raises(ZooError, match="takes 5 features, mobilenet.v1_025 gives 256"):
        write(tmp_path / "mine", make_head(5), extract(LAYERS))
    assert not (tmp_path / "mine").exists()


def test_images_that_are_not_square(extract, tmp_path):
    extractor = extract("selfie.landscape")
    head = make_head(extractor.size)
    with pytest.raises(ZooError, match="are of 144 x 256 pixels"):
        write(tmp_path / "mine", head, extractor)
    assert write(tmp_path / "values", make_head(extractor.size, "regression"), extractor).is_whole


def test_a_zip_has_the_files_of_a_folder(tmp_path):
    with zipfile.ZipFile(write(tmp_path / "mine.zip", make_head(5)).path) as archive:
        assert sorted(archive.namelist()) == sorted(teachable_files.FILES)
