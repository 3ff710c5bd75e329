"""Widths and counts that a topology just declares decide no memory while a model is loaded."""

import json

import numpy as np
import pytest

import core
from core.converter import load_model
from core.layers.lookup import built_in_classes, built_in_functions
from tests.helpers import room
from weights_cache.common.errors import ZooError

pytestmark = pytest.mark.whole

CLASSES = built_in_classes()
CLASS_NAMES = sorted({*CLASSES, *built_in_functions()})
HUGE = (500_000_000, 2**31 - 1)

#: Arguments that say how large something is.
SIZES = (
    *("units", "filters", "n", "size", "padding", "cropping", "pool_size", "kernel_size", "groups"),
    *("num_tokens", "input_dim", "output_dim", "height", "width", "depth_multiplier"),
    *("projection_dim", "target_shape", "strides", "dilation_rate"),
)

#: Options with which most layers are called.
USUAL = {
    **{"units": 4, "filters": 4, "kernel_size": 1, "n": 2, "size": 2, "num_tokens": 3},
    **{"input_dim": 3, "output_dim": 3, "height": 3, "width": 3, "projection_dim": 3, "axis": -1},
    **{"target_shape": [-1], "dims": [1], "mean": 0.5, "variance": 1.0, "use_bias": False},
    "cell": {"class_name": "LSTMCell", "config": {"name": "c", "units": 4}},
    "layer": {"class_name": "LSTM", "config": {"name": "i", "units": 4}},
    "cells": [{"class_name": "LSTMCell", "config": {"name": "c", "units": 4}}],
}

#: Weights without elements, which any declared width fits.
EMPTY = [("kernel", [1] * rank + [0, size]) for rank in (0, 1, 2, 3) for size in HUGE]


def sizes_of(class_name):
    """The arguments of a class that are sizes; all sizes, if its arguments are not known."""
    made = CLASSES.get(class_name)
    is_known = made is not None and not made.only_in_files
    return [name for name in SIZES if not is_known or name in made.arguments]


def shapes(huge):
    yield from ([None, huge], [None, 4, huge], [None, huge, 2], [None, 8, 8, huge])
    yield from ([None, huge, huge, 3], [None, 4, 4, 4, huge], [None, 0], [None, 4, 0])
    yield from ([None, 8, 8, 0], [None, 4, 4, 4, 0])


def write(folder, class_name, config, weights=()):
    layer = {"class_name": class_name, "config": {"name": "l", **USUAL, **config}}
    model = {"class_name": "Sequential", "config": {"name": "s", "layers": [layer]}}
    listed = [{"name": f"l/{n}", "shape": s, "dtype": "float32"} for n, s in weights]
    path = folder / "model.json"
    topology = {"keras_version": "tfjs-layers 1", "model_config": model}
    manifest = [{"paths": [], "weights": listed}]
    path.write_text(json.dumps({"modelTopology": topology, "weightsManifest": manifest}))
    return path


def load(path):
    """Load within 200 MB; whether that was too little."""
    try:
        with room(200 * 2**20), core.limits(core.Limits.strict()):
            load_model(path)
    except ZooError as error:
        causes = [error]
        while causes[-1] is not None:
            causes.append(causes[-1].__cause__ or causes[-1].__context__)
        assert not any(isinstance(cause, MemoryError) for cause in causes), path.read_text()


@pytest.mark.parametrize("class_name", CLASS_NAMES)
def test_a_declared_size_takes_no_memory(tmp_path, class_name):
    for shape in shapes(HUGE[0]):
        load(write(tmp_path, class_name, {"batch_input_shape": shape}))
    for name in sizes_of(class_name):
        for shape in ([None, 4], [None, 4, 4], [None, 8, 8, 4]):
            load(write(tmp_path, class_name, {"batch_input_shape": shape, name: HUGE[1]}))


@pytest.mark.parametrize("class_name", [n for n in CLASS_NAMES if n.startswith("Conv")])
def test_weights_without_elements_fit_no_width(tmp_path, class_name):
    for shape in ([None, 4, 0], [None, 8, 8, 0], [None, 4, 4, 4, 0]):
        for name, extents in EMPTY:
            config = {"filters": extents[-1], "groups": extents[-1], "batch_input_shape": shape}
            load(write(tmp_path, class_name, config, [(name, extents)]))


def test_normalization_of_a_single_number_stays_one(tmp_path):
    path = write(tmp_path, "Normalization", {"batch_input_shape": [None, HUGE[0]]})
    graph = core.converter.read_graph(path)
    assert all(array.size == 1 for array in graph.weights.values())
    model = load_model(write(tmp_path, "Normalization", {"batch_input_shape": [None, 3]}))
    (found,) = model.predict(np.float32([[0.5, 1.5, -0.5]])).values()
    assert found.numpy().tolist() == [[0, 1, -1]]
