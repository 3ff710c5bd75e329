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

FILES = {n: e.file for n, e in all_entries().items() if packages.is_of_packages(e.weights)}
#: Its ops are MediaPipe's own, which LiteRT does not have.
ATTENTION = "facemesh.attention"
LITERT = [n for n, file in FILES.items() if file.endswith(".tflite") and n != ATTENTION]
TFJS = [name for name, file in FILES.items() if not file]

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
    """Plain kernels, or fast ones, which are 1.5e-4 of the range apart in masks of BlazePose."""
    model, given, folder = load(name)
    kernels = (Reference(folder / FILES[name], kernels=kind) for kind in ("BUILTIN_REF", "AUTO"))
    assert_near(model, given, *(each.run(given) for each in kernels))


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


def assert_near(model: Model, given: np.ndarray, *oracles: dict[str, np.ndarray]) -> None:
    """All outputs; of several oracles that differ, each value is near to one."""
    found = {name: tensor.numpy() for name, tensor in model.predict(given).items()}
    for name, ours in found.items():
        away = np.min([np.abs(ours - outputs[name]) for outputs in oracles], axis=0)
        extent = np.ptp(ours) if ours.size > 1 else 1.0
        assert away.max() <= BOUND * extent, name
    assert all(found.keys() == outputs.keys() for outputs in oracles)
