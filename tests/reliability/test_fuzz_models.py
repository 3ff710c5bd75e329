"""Whole models that are damaged elsewhere load, run, and give what the formats' runtimes give.

The whole sweep over all forms of files, which a long test here runs with more of them:
``python -m tests.reliability.fuzz --count 30000 --seed 47 --workers 2``
"""

import contextlib
import os

import numpy as np
import pytest

import zoo
from core.converter import load_model
from tests.core.converter.fuzz.files import write_model
from tests.helpers import require
from tests.reliability.fuzz import layer_files
from tests.reliability.fuzz.bases import FORMATS, bases
from tests.reliability.fuzz.checks import check
from tests.reliability.fuzz.uses import fed, run_model
from weights_cache import load_weights

pytestmark = pytest.mark.whole

#: How many damaged files of all forms together the long test loads and runs or trains.
DAMAGED_FILES = 100_000

#: What the small models give for an image of 0.5: Keras's, TensorFlow's and LiteRT's results.
LAYERS_SCORES, GRAPH_SCORES = (0.00196, 0.34863, 0.64941), (0.09964, 0.26060, 0.63976)
SCORES = {
    **dict.fromkeys(("layers", "teachable", "h5", "keras"), LAYERS_SCORES),
    **dict.fromkeys(("graph", "frozen", "saved", "snappy"), GRAPH_SCORES),
    "tflite": (-4.19700, 0.98235, 1.60462),
}

#: A frozen graph that gives a list of tensors, one of nothing but a print-out, and a network that
#: takes no tensors but values by name.
NO_RESULT = {"scanned_v2", "151-Print", "ml5-numbers", "ml5-zip"}


@pytest.mark.parametrize("format", SCORES)
def test_small_models_give_what_their_runtimes_give(format, tmp_path):
    require(FORMATS[format].package)
    model = load_model(write_model(format, tmp_path))
    (spec,) = model.inputs.values()
    lengths = [n or 1 for n in spec.shape or (1, 8, 8, 3)]
    *_, scores = model.predict(np.full(lengths, 0.5)).values()
    # The weights of the web graph are quantised, which the other two are not.
    tolerance = 0.02 if format == "graph" else 1e-4
    np.testing.assert_allclose(scores.numpy(), [SCORES[format]], rtol=0, atol=tolerance)


@pytest.mark.parametrize("format", [f for f, form in FORMATS.items() if form.use is run_model])
def test_whole_models_load_and_run(format, tmp_path, rng):
    require(FORMATS[format].package)
    for i, base in enumerate(bases(format)):
        if base.name in NO_RESULT:
            continue
        model = zoo.load(str(base.write(tmp_path / str(i))))
        tries = [("random", 5), ("ones", 5), ("ones", 4), ("ones", 2)]
        assert any(gives_results(model, *each, rng) for each in tries), base.name


@pytest.mark.parametrize("form", layer_files.FORMS, ids=lambda form: "-".join(map(str, form)))
def test_archives_of_keras_2_give_what_it_gave(form, tmp_path):
    """Whatever the version names their groups, and by which separator."""
    require("h5py")
    for name, model in layer_files.models("keras2"):
        if not model.outputs:
            continue
        loaded = load_model(layer_files.write_keras(model, tmp_path, form))
        found = loaded.predict(dict(zip(loaded.inputs, model.inputs, strict=True)))
        for output, expected in zip(found.values(), model.outputs, strict=True):
            atol = 1e-5 * (float(np.ptp(expected)) or 1.0)
            np.testing.assert_allclose(output.numpy(), expected, rtol=0, atol=atol, err_msg=name)


@pytest.mark.long
def test_damaged_files_of_all_forms():
    check(list(FORMATS), DAMAGED_FILES, seed=20261122, workers=os.cpu_count() or 1)


def gives_results(model, how, length, rng):
    """Whether it runs on such values, with that length of all axes whose length is left open."""
    feeds = {n: fed(spec, how, length, rng) for n, spec in model.inputs.items()}
    if "image" in model.inputs and model.inputs["image"].shape is None:  # of the quantised graph
        feeds = {"image": np.zeros((1, 8, 8, 3))}
    with contextlib.suppress(zoo.ZooError):
        return len(model.predict(feeds)) > 0
    return False


def test_whole_documents_load(tmp_path):
    for base in bases("weights"):
        assert len(load_weights(base.write(tmp_path / base.name))) >= 3
    for base in bases("gestures"):
        assert zoo.GestureRecognizer.load(base.write(tmp_path / base.name)).labels
