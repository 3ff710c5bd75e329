"""Arguments, defaults and configs of layers beside those of Keras 3."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import core
from core.layers.arguments import REQUIRED
from tests.core.models.keras_names import classes, first_cases
from tests.core.models.layer_cases import layer_of

#: Classes that Keras 3 does not have, with the reason to have them.
NOT_IN_KERAS = {
    "ConvLSTM1DCell": "inside of a layer in Keras, too, under a private name",
    "ConvLSTM2DCell": "inside of a layer in Keras, too, under a private name",
    "ConvLSTM3DCell": "inside of a layer in Keras, too, under a private name",
    "ThresholdedReLU": "of Keras 2 and TensorFlow.js",
    "RandomHeight": "of Keras 2",
    "RandomWidth": "of Keras 2",
}

#: Arguments of Keras that are missing, with the reason.
MISSING = {
    "lora_rank": "trains a model in low rank",
    "lora_alpha": "trains a model in low rank",
    "quantization_config": "computes with integers",
    "gptq_unpacked_column_size": "computes with integers",
    "use_cudnn": "for kernels of NVIDIA's library",
    "renorm": "not supported, and off by default",
    "renorm_clipping": "not supported, and off by default",
    "renorm_momentum": "not supported, and off by default",
    "synchronized": "for training on several devices",
    "sparse": "for sparse tensors",
    "fill_mode": "for pad_to_aspect_ratio, which is not supported",
    "fill_value": "for pad_to_aspect_ratio, which is not supported",
    "salt": "for hashes that depend on a key",
    "oov_method": "integers are divided by num_oov_indices, as by default",
    "vocabulary_dtype": "the engine's integers are int32",
    "data_format": "of random layers of images, which have channels last",
}

#: Arguments that Keras has by ``**kwargs`` alone.
MORE = {"zero_output_for_mask", "unroll", "activity_regularizer"}

#: Other defaults than Keras's: by class, with the reason.
OTHER_DEFAULTS = {
    "AveragePooling1D": {"pool_size": "2, as in Keras 2 and TensorFlow.js; Keras 3 requires it"},
    "AveragePooling2D": {"pool_size": "2, as in Keras 2 and TensorFlow.js; Keras 3 requires it"},
    "AveragePooling3D": {"pool_size": "2, as in Keras 2 and TensorFlow.js; Keras 3 requires it"},
}

#: Arguments for which None stays in the config; Keras writes the value of another one.
LIKE_ANOTHER = {"strides": "pool_size", "value_dim": "key_dim"}

#: Classes whose arguments have another order, which matters for those without a name.
OTHER_ORDER = {
    "Conv3DTranspose": "Keras has data_format and output_padding in another order than for 1D, 2D",
    "SimpleRNN": "Keras has seed at another place than for LSTM and GRU",
    "GRUCell": "Keras has seed at another place than for LSTMCell",
}


@cache
def recorded() -> Any:
    """What Keras gave."""
    return json.loads(Path(__file__).with_name("keras_names.json").read_text())


def test_classes_are_those_of_keras():
    assert set(classes()) - set(recorded()["signatures"]) == set(NOT_IN_KERAS)


def test_every_missing_argument_is_of_some_class():
    theirs = recorded()["signatures"]
    mine = {name: set(getattr(core.layers, name).kind.arguments) for name in theirs}
    assert {key for name in theirs for key in set(theirs[name]) - mine[name]} == set(MISSING)


@pytest.mark.parametrize("name", [n for n in classes() if n not in NOT_IN_KERAS])
def test_arguments_and_defaults(name):
    theirs = recorded()["signatures"][name]
    mine = dict(getattr(core.layers, name).kind.arguments)
    assert set(theirs) - set(mine) <= set(MISSING)
    assert set(mine) - set(theirs) <= MORE
    shared = [key for key in mine if key in theirs]
    other = OTHER_DEFAULTS.get(name, {})
    for key in shared:
        default = "required" if mine[key] is REQUIRED else mine[key]
        assert (simple(default) != simple(theirs[key])) == (key in other), key
    assert (shared != [key for key in theirs if key in mine]) == (name in OTHER_ORDER)


@pytest.mark.parametrize("name", first_cases())
def test_config(name):
    theirs = recorded()["configs"][name]
    mine = layer_of(core.layers, first_cases()[name]).get_config()
    for key, value in theirs.items():
        if key in mine and key not in ("name", "dtype", "layer", "backward_layer", "cell", "cells"):
            found = mine[key]
            if found is None and key in LIKE_ANOTHER:
                found = mine[LIKE_ANOTHER[key]]
            assert simple(found) == simple(value), key


def simple(value: Any) -> Any:
    """A value in the same form for both: one number for equal ones, objects by class and config."""
    if isinstance(value, dict) and "class_name" in value:
        given = {key: part for key, part in value["config"].items() if part is not None}
        return value["class_name"].lower(), given
    if isinstance(value, (list, tuple)):
        parts = [simple(part) for part in value]
        return parts[0] if parts and all(part == parts[0] for part in parts) else parts
    if value in (None, "linear", "channels_last"):
        return None
    return value.lower() if isinstance(value, str) else value
