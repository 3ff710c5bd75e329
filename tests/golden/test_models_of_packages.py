"""Models whose files packages bring give what other programs give for photos.

These are LiteRT, TensorFlow.js, and MediaPipe.
"""

from pathlib import Path

import numpy as np
import pytest

import zoo
from tests import packages
from tests.core.converter.test_tfjs_node import modules as modules
from tests.core.converter.test_tfjs_node import run_in_node
from tests.golden import mediapipe_mesh
from tests.golden.litert import Reference
from tests.zoo.tasks.test_shader_results import PHOTOS
from zoo.catalog.entries import all_entries
from zoo.pipeline.model import Model
from zoo.tasks.pose.movenet import read_body

FILES = {n: e.file for n, e in all_entries().items() if packages.is_of_packages(e.weights)}
#: Its ops are MediaPipe's own, which LiteRT does not have.
ATTENTION = "facemesh.attention"
LITERT = [n for n, file in FILES.items() if file.endswith(".tflite") and n != ATTENTION]
TFJS = [name for name, file in FILES.items() if not file]

KERNELS = ("BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "AUTO")

BOUND = 1e-4  # of the range of an output


@pytest.fixture
def load(shared, monkeypatch):
    """Loads a model for the photo of its task: the model, its input, the folder of its files."""

    def loaded(name: str) -> tuple[Model, np.ndarray, Path]:
        entry = all_entries()[name]
        packages.require_weights(entry.weights)
        monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        model = zoo.load(name)
        return model, photo_for(shared, model), shared / "weights" / entry.weights

    return loaded


def photo_for(shared: Path, model: Model) -> np.ndarray:
    """The input that a network is given for the photo of its task."""
    photo = zoo.read_image(shared / "images" / "reference" / PHOTOS[model.entry.task])
    return model.network_input(photo)


@pytest.mark.parametrize("name", LITERT)
def test_litert_gives_the_same(name, load):
    """By one of its sets of kernels, which are 1.5e-4 of the range apart in masks of BlazePose."""
    model, given, folder = load(name)
    path = folder / FILES[name]
    assert_near(model, given, *(Reference(path, kernels=kind).run(given) for kind in KERNELS))


@pytest.mark.parametrize("name", TFJS)
def test_tensorflow_js_gives_the_same(name, load, modules, tmp_path):
    model, given, folder = load(name)
    [input_name] = model.network.graph.inputs
    [expected] = run_in_node(modules, tmp_path, [(folder / "model.json", {input_name: given})])
    assert_near(model, given, {key.partition(":")[0]: array for key, array in expected.items()})


def test_mediapipe_gives_the_same(load, shared):
    """`mediapipe_mesh` has recorded it; one image after the other, and as a batch."""
    model, _, _ = load(ATTENTION)
    photo = zoo.read_image(shared / "images" / "photos" / "portrait.jpg")
    given = mediapipe_mesh.crops(photo).astype(np.float32) / 255
    stored = np.load(mediapipe_mesh.FILE)
    shapes = {name: (-1, *end.shape[1:]) for name, end in model.outputs.items()}
    for rows in (slice(0, 1), slice(1, 2), slice(0, 2)):
        expected = {name: stored[name][rows].reshape(shape) for name, shape in shapes.items()}
        assert_near(model, given[rows], expected)


@pytest.mark.parametrize("name", [n for n in LITERT if all_entries()[n].batch])
def test_a_batch_equals_single_images(name, load):
    model, given, _ = load(name)
    both = np.concatenate([given, given[:, :, ::-1]])
    singles = [model.predict(both[i : i + 1]) for i in range(2)]
    for output, together in model.predict(both).items():
        alone = np.concatenate([single[output].numpy() for single in singles])
        assert np.abs(together.numpy() - alone).max() <= BOUND * np.ptp(alone), output


def test_people_in_a_batch_equal_each_alone(load, shared):
    """Of which the last nodes of the network take one: they run after a batch of the others."""
    model, _, _ = load("movenet.thunder")
    riders = zoo.read_image(shared / "images" / "photos" / "coco_000000214753.jpg")
    poses = model.estimate_multiple_poses(riders)
    regions = [model.region_of(pose["box"]) for pose in poses]
    assert len(regions) == 2
    for region, body in zip(regions, model.bodies_in(riders, regions), strict=True):
        outputs, [placement] = model.run_on_regions(riders, [region])
        alone = read_body(outputs[model.entry.output], model.input_size[0], placement)
        np.testing.assert_allclose(body.points, alone.points, atol=0.01)
        np.testing.assert_allclose(body.scores, alone.scores, atol=1e-4)


def assert_near(model: Model, given: np.ndarray, *oracles: dict[str, np.ndarray]) -> None:
    """All outputs; of several oracles that differ, each value is near to one."""
    found = {name: tensor.numpy() for name, tensor in model.predict(given).items()}
    for name, ours in found.items():
        away = np.min([np.abs(ours - outputs[name]) for outputs in oracles], axis=0)
        extent = np.ptp(ours) if ours.size > 1 else 1.0
        assert away.max() <= BOUND * extent, name
    assert all(found.keys() == outputs.keys() for outputs in oracles)
