"""The attention mesh on photos: what its network refines, and its irises."""

import numpy as np
import pytest

import zoo
from core.converter.tflite.file_content import read_document
from core.converter.tflite.flexbuffer import read_options
from tests import packages
from tests.zoo.tasks.test_faces import assert_same, at, middles
from zoo.catalog.entries import find_entry
from zoo.tasks.faces.attention import _EYES, _IRISES, _LEFT_EYE, _LIPS, _RIGHT_EYE, joined_points
from zoo.tasks.faces.verbs import choose_model

NAME = "facemesh.attention"
ENTRY = find_entry(NAME)


@pytest.fixture(autouse=True)
def _weights(_own_world, monkeypatch, shared):
    packages.require_weights(ENTRY.weights)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture(scope="module")
def photo(shared):
    """A man in front of a mirror, from the waist up."""
    whole = zoo.read_image(shared / "images" / "photos" / "coco_000000000459.jpg")
    return np.ascontiguousarray(whole[40:400, :400])


def test_points_are_those_that_the_file_cuts_out_by(shared):
    path = shared / "weights" / ENTRY.weights / ENTRY.file
    (graph,) = read_document(path.read_bytes()).subgraphs
    ops = [op for op in graph.operators if op.name == "Landmarks2TransformMatrix"]
    found = [tuple(read_options(op.custom_options)["subset_idxs"]) for op in ops]
    assert found == [_LIPS, _RIGHT_EYE, _LEFT_EYE]
    assert choose_model(NAME, "mesh468") == (NAME, None)


def test_outputs_are_put_where_they_belong(rng):
    """Two faces; an iris is as deep as its lids, and its edge at the nose comes first."""
    sizes = {"output_mesh_identity": 1404, "output_lips": 160}
    sizes |= dict.fromkeys(("output_left_eye", "output_right_eye"), 142)
    sizes |= dict.fromkeys(("output_left_iris", "output_right_iris"), 10)
    outputs = {name: rng.normal(size=(2, 1, 1, size)) for name, size in sizes.items()}
    points = joined_points(outputs)
    mesh = outputs["output_mesh_identity"].reshape(2, 468, 3)
    assert points.shape == (2, 478, 3)
    np.testing.assert_array_equal(points[:, :468, 2], mesh[:, :, 2])
    refined = {*_LIPS, *_RIGHT_EYE, *_LEFT_EYE}
    others = [i for i in range(468) if i not in refined]
    np.testing.assert_array_equal(points[:, others], mesh[:, others])
    for name, indices in (("lips", _LIPS), ("left_eye", _RIGHT_EYE), ("right_eye", _LEFT_EYE)):
        expected = outputs[f"output_{name}"].reshape(2, -1, 2)
        np.testing.assert_array_equal(points[:, list(indices), :2], expected)
    for start, side in ((468, "right"), (473, "left")):
        name, order = _IRISES[side]
        expected = outputs[name].reshape(2, 5, 2)[:, order]
        np.testing.assert_array_equal(points[:, start : start + 5, :2], expected)
        depth = mesh[:, list(_EYES[side][:16]), 2].mean(axis=1, keepdims=True)
        np.testing.assert_allclose(points[:, start : start + 5, 2], np.repeat(depth, 5, axis=1))


def test_a_face_and_its_irises(photo):
    """They are near to those of the mesh and of the iris network, which is not asked."""
    model = zoo.load(NAME)
    (face,) = model.estimate_faces(photo, iris=True)
    (plain,) = model.estimate_faces(photo)
    (other,) = zoo.load("facemesh.base").estimate_faces(photo, iris=True)
    assert face.keys() == other.keys() and face["landmarks"] == "mesh468"
    assert plain.keys() == face.keys() - {"iris", "eye_openness"}
    assert plain["keypoints"] == face["keypoints"] and len(face["keypoints"]) == 468
    mesh, middle = middles(face)
    eyes = np.linalg.norm(middle["left_eye"] - middle["right_eye"])
    away = np.linalg.norm(mesh - at(other["keypoints"]), axis=1)
    assert np.median(away) < 0.03 * eyes and away.max() < 0.2 * eyes
    for side in ("left", "right"):
        assert [p["part"] for p in face["iris"][side]] == [p["part"] for p in other["iris"][side]]
        irises = at(face["iris"][side]), at(other["iris"][side])
        assert np.linalg.norm(irises[0] - irises[1], axis=1).max() < 0.05 * eyes
        assert face["eye_openness"][side] == pytest.approx(other["eye_openness"][side], abs=0.1)
    assert "iris" not in model.entry.parts


def test_mirror_images(photo):
    model = zoo.load(NAME)
    expected = model.estimate_faces(photo, iris=True)
    flipped = np.ascontiguousarray(photo[:, ::-1])
    found = model.estimate_faces(flipped, iris=True, mirror=True)
    opened = [face.pop("eye_openness") for face in (*found, *expected)]
    assert opened[0] == pytest.approx(opened[1], abs=1e-4)
    assert_same(found, expected, width=photo.shape[1])


def test_several_faces_equal_one_by_one(shared):
    three = zoo.read_image(shared / "images" / "photos" / "three_people.jpg")
    model = zoo.load(NAME)
    found = zoo.load("blazeface.short").find(three)
    together = model.locate(three, found)
    assert together.points.shape == (3, 478, 3)
    for i in range(3):
        alone = model.locate(three, found.at([i]))
        np.testing.assert_allclose(together.points[i], alone.points[0], atol=0.01)
        assert together.scores[i] == pytest.approx(alone.scores[0], abs=1e-5)
