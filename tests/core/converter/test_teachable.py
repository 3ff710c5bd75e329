"""Teachable Machine's bundles: folder and zip, damaged ones, and what is no bundle."""

import json
import os
import re
import zipfile

import numpy as np
import pytest

from core.converter import convert, read_graph
from core.converter.opened import find_kind
from core.graph_model.graph_model import GraphModel
from tests.core.converter.teachable_bundles import LABELS, topology, weights, write_bundle, zip_of
from weights_cache.common.errors import WeightsError


@pytest.fixture
def bundle(tmp_path):
    return write_bundle(tmp_path / "bundle")


def scores(path) -> np.ndarray:
    graph = read_graph(path)
    image = np.random.default_rng(1).uniform(-1, 1, (2, 16, 16, 3)).astype(np.float32)
    (output,) = GraphModel(graph).predict(image).values()
    return output.numpy()


def test_a_folder_a_file_and_zips_are_the_same(bundle):
    expected = scores(bundle)
    assert expected.shape == (2, 3) and np.allclose(expected.sum(1), 1)
    np.testing.assert_array_equal(scores(bundle / "model.json"), expected)
    for inside in ("", "my model/"):
        path = zip_of(bundle, inside)
        assert find_kind(path) == "teachable"
        np.testing.assert_array_equal(scores(path), expected)


def test_an_archive_is_opened_once(bundle, tmp_path, monkeypatch):
    opened = []

    class Counted(zipfile.ZipFile):
        def __init__(self, *arguments, **options):
            opened.append(arguments)
            super().__init__(*arguments, **options)

    path = zip_of(bundle)
    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    read_graph(path)
    assert len(opened) == 1
    convert(path, tmp_path / "new")
    assert len(opened) == 2
    assert read_graph(tmp_path / "new").metadata == read_graph(path).metadata


def test_what_the_metadata_says(bundle):
    said = read_graph(bundle).metadata
    assert said == ("image", tuple(LABELS), 16, "tm-my-image-model", "")


@pytest.mark.parametrize(
    "user, fit",
    [
        ({"generator": "friendly-zoo", "fit": "letterbox"}, "letterbox"),
        ({"generator": "friendly-zoo", "fit": "squeeze"}, ""),
        ({"generator": "friendly-zoo", "fit": ["crop"]}, ""),
        ({"generator": "friendly-zoo"}, ""),
        ({"fit": "crop"}, ""),
        ([], ""),
    ],
)
def test_how_exports_of_teach_fit_images(user, fit, tmp_path):
    assert read_graph(write_bundle(tmp_path / "bundle", userMetadata=user)).metadata.fit == fit


def test_nothing_is_left_behind(bundle, tmp_path, monkeypatch):
    places = tmp_path / "temporary"
    places.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(places))
    path = zip_of(bundle)
    read_graph(path)
    path.write_bytes(path.read_bytes().replace(b"model.json", b"other.json"))
    with pytest.raises(WeightsError):
        read_graph(path)
    assert list(places.iterdir()) == []


def pose_bundle(folder):
    return write_bundle(folder, packageName="@teachablemachine/pose", imageSize=None)


def audio_bundle(folder):
    return write_bundle(
        folder,
        packageName=None,
        labels=None,
        modelName="TMv2",
        tfjsSpeechCommandsVersion="0.4.0",
        wordLabels=["Background Noise", "clap", "snap"],
    )


@pytest.mark.parametrize("write, kind", [(pose_bundle, "pose"), (audio_bundle, "audio")])
def test_other_bundles_are_recognised(tmp_path, write, kind):
    path = write(tmp_path / "bundle")
    graph = read_graph(path)
    said = graph.metadata
    assert (said.kind, said.image_size, len(said.labels)) == (kind, 0, 3)
    assert graph.outputs


def is_bundle(path) -> bool:
    try:
        return find_kind(path) == "teachable"
    except WeightsError as error:
        assert re.search("there is no|is not a supported model", str(error))
        return False


def test_what_is_no_bundle(tmp_path, bundle):
    assert is_bundle(bundle) and is_bundle(bundle / "model.json")
    for name in ("model.json", "metadata.json"):
        (bundle / name).rename(bundle / "other.json")
        assert not is_bundle(bundle)
        assert not is_bundle(zip_of(bundle))
        (bundle / "other.json").rename(bundle / name)
    assert not is_bundle(bundle / "weights.bin")
    assert not is_bundle(tmp_path / "nothing")


def repacked(bundle, *, rename=(), **contents):
    """The zip of a bundle with files renamed, and others in place of them or beside them."""
    path = bundle.with_name("other.zip")
    renamed = dict(rename)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in bundle.iterdir():
            archive.writestr(renamed.get(file.name, file.name), file.read_bytes())
        for name, data in contents.items():
            archive.writestr(name.replace("_", "."), data)
    return path


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda b: repacked(b, rename={"model.json": "keras_model.h5"}),
            "without a model.json .*keras_model.h5.*: unpack it and give the model in it",
        ),
        (
            lambda b: repacked(b, rename={f: f"a/b/{f}" for f in os.listdir(b)}),
            "without a model.json or config.json, with a/b/",
        ),
        (lambda b: repacked(b, rename={"weights.bin": "../weights.bin"}), "weights.bin"),
        (lambda b: repacked(b, rename={"weights.bin": "..\\weights.bin"}), "holds no weights.bin"),
        (lambda b: write_bundle(b, labels=["a", "b"]), "lists 2 labels, the network gives 3"),
        (lambda b: write_bundle(b, labels=None), "lists no labels, but None"),
        (lambda b: write_bundle(b, labels=[1, 2, 3]), "lists no labels"),
        (lambda b: write_bundle(b, imageSize=224), "imageSize 224, the network takes 16"),
        (lambda b: write_bundle(b, imageSize=10**400), "imageSize 1000"),
        (
            lambda b: write_bundle(b, model=topology(None)),
            "no square images",
        ),
        (
            lambda b: write_bundle(b, model=topology(channels=2), arrays=weights(2)),
            "no square images",
        ),
    ],
)
def test_what_is_refused(bundle, make, message):
    with pytest.raises(WeightsError, match=message):
        read_graph(make(bundle))


@pytest.mark.parametrize(
    "document",
    [
        '{"packageName": "@teachablemachine/image", "labels": ["a',
        '{"tmVersion": 2,}',
        '{"wordLabels": [' + "[" * 9999,
        '{"packageName": "@teachablemachine/pose"}',
        '{"tfjsSpeechCommandsVersion": 1, "labels": ["a", "b", "c"]}',
    ],
)
def test_damaged_metadata(bundle, document):
    (bundle / "metadata.json").write_text(document)
    for path in (bundle, zip_of(bundle)):
        with pytest.raises(WeightsError, match="metadata.json"):
            read_graph(path)


def test_the_next_step_with_damaged_metadata(bundle):
    (bundle / "metadata.json").write_text('{"tmVersion": ')
    with pytest.raises(
        WeightsError, match="remove it to load the network without labels, with predict"
    ):
        find_kind(bundle)


SOMEBODY_ELSES = [
    '{"labels": ["a", "b"], "x": 1}',
    '{"labels": {}}',
    '{"packageName": "other/image"}',
    '{"packageName": ["@teachablemachine/image"], "labels": ["a"]}',
    '{"description": "as of @teachablemachine/image, with tmVersion"}',
    '["tmVersion"]',
    '"tmVersion"',
    "[]",
    "null",
    "{",
    "not json",
    "[" * 9999,
    '{"tmVersion": "' + "2" * 2**20 + '"}',
]


@pytest.mark.parametrize("document", SOMEBODY_ELSES)
def test_metadata_without_teachable_machines_marks(bundle, document):
    expected = scores(bundle)
    (bundle / "metadata.json").write_text(document)
    assert find_kind(bundle) == find_kind(bundle / "model.json") == "web"
    for path in (bundle, bundle / "model.json", zip_of(bundle)):
        assert read_graph(path).metadata is None
    np.testing.assert_array_equal(scores(bundle), expected)


def test_metadata_that_cannot_be_opened(bundle):
    (bundle / "metadata.json").unlink()
    (bundle / "metadata.json").mkdir()
    assert find_kind(bundle) == "web"
    assert read_graph(bundle).metadata is None


def test_a_damaged_network(bundle):
    document = json.loads((bundle / "model.json").read_text())
    document["weightsManifest"][0]["weights"][0]["shape"] = [3, 3, 3, 9]
    (bundle / "model.json").write_text(json.dumps(document))
    with pytest.raises(WeightsError, match="weights.bin"):
        read_graph(bundle)
    with pytest.raises(WeightsError):
        read_graph(zip_of(bundle))


def test_a_zip_cut_anywhere(bundle):
    path = zip_of(bundle)
    whole = path.read_bytes()
    for size in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:size])
        with pytest.raises(WeightsError):
            read_graph(path)


def test_imagesize_need_not_be_there(tmp_path):
    said = read_graph(write_bundle(tmp_path / "bundle", imageSize=None)).metadata
    assert said.image_size == 16


@pytest.mark.parametrize("mark", ["packageName", "tmVersion"])
def test_one_mark_is_enough(tmp_path, mark):
    path = write_bundle(tmp_path / "bundle", **{mark: None})
    assert find_kind(path) == "teachable"
    assert read_graph(path).metadata.kind == "image"


def test_no_metadata(bundle):
    (bundle / "metadata.json").unlink()
    assert read_graph(zip_of(bundle)).metadata is None
