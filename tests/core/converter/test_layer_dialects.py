"""Topologies in other dialects: models compute the same, or the error lists what cannot be said."""

from collections import Counter

import numpy as np
import pytest

import core
from core.converter.layer_files import LayersDocument, translated
from core.converter.layer_files.training_configs import (
    compile_config_of_h5,
    compile_config_of_tfjs,
    h5_training_config,
    tfjs_training_config,
)
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from core.layers.dialects.tables import LACKED_LAYERS, TFJS_LAYERS
from core.layers.dialects.topologies import translated_topology
from core.layers.inference import graph_of_layer_weights
from core.layers.lookup import find_layer_class
from core.layers.weight_slots import bind_by_names, weight_slots
from core.models.sequential import model_from_document
from tests.core.layers.recorded import documents, recorded

DIALECTS = {"keras3": "keras3", "keras2": "keras2", "tensorflow_js": "tfjs"}

#: Least numbers of models that a dialect expresses.
EXPRESSED = {
    ("keras3", "keras2"): 121,
    ("keras3", "tfjs"): 84,
    ("keras2", "keras3"): 39,
    ("keras2", "tfjs"): 33,
    ("tfjs", "keras3"): 14,
    ("tfjs", "keras2"): 23,
}


def predictions(document: LayersDocument, inputs: list[np.ndarray]) -> list[np.ndarray]:
    every = (s for top in weight_slots(document.topology) for s in top.flattened())
    lists = {
        "/".join(slots.path): [document.weights[slots.path][name] for name in slots.weights]
        for slots in every
        if slots.weights
    }
    model = GraphModel(graph_of_layer_weights(document.topology, lists))
    found = model.predict(dict(zip(model.inputs, inputs, strict=True)))
    return [tensor.numpy() for tensor in found.values()]


@pytest.mark.parametrize("file", DIALECTS)
def test_recorded_models_compute_the_same(file):
    source = DIALECTS[file]
    counts = Counter()
    for name in documents(file):
        topology, weights, inputs, outputs, *_ = recorded(file, name)
        bound = bind_by_names(weight_slots(topology), weights)
        document = LayersDocument(topology, bound, dialect=source)
        expected = None
        for target in {*DIALECTS.values()} - {source}:
            try:
                found = translated(document, target)
            except CoreError:
                continue
            expected = predictions(document, inputs) if expected is None else expected
            for mine, right in zip(predictions(found, inputs), expected, strict=True):
                np.testing.assert_allclose(mine, right, rtol=1e-6, atol=1e-6, err_msg=name)
            counts[source, target] += 1
            assert outputs is not None
    for pair, count in counts.items():
        assert count >= EXPRESSED[pair], pair


def model_of(*layers: dict, shape=(4, 3)) -> dict:
    first = {"class_name": "InputLayer", "config": {"batch_shape": [None, *shape], "name": "x"}}
    return {"class_name": "Sequential", "config": {"name": "m", "layers": [first, *layers]}}


def layer(class_name: str, **config) -> dict:
    return {"class_name": class_name, "config": {"name": class_name.lower(), **config}}


def translated_layer(document: dict, source: str, target: str) -> dict:
    topology = model_of(document)
    if source != "keras3":
        version = {"keras2": "2.15.0", "tfjs": "tfjs-layers 4.22.0"}[source]
        topology["keras_version"] = version
    return translated_topology(topology, target)["config"]["layers"][1]["config"]


L2 = {
    "module": "keras.regularizers",
    "class_name": "L2",
    "config": {"l2": 0.25},
    "registered_name": None,
}
VARIANCE = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "distribution": "truncated_normal", "seed": 1},
}
CASES = [
    ("tfjs", layer("LeakyReLU", negative_slope=0.1), {"alpha": 0.1}),
    ("tfjs", layer("Activation", activation="silu"), {"activation": "swish"}),
    (
        "keras2",
        layer("Dense", units=1, dtype={"config": {"name": "float32"}}),
        {"dtype": "float32"},
    ),
    (
        "tfjs",
        layer("Dense", units=1, kernel_regularizer=L2),
        {"kernel_regularizer": {"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.25}}},
    ),
    (
        "tfjs",
        layer("Dense", units=1, kernel_initializer=VARIANCE),
        {
            "kernel_initializer": {
                "class_name": "VarianceScaling",
                "config": {"scale": 2.0, "distribution": "normal", "seed": 1},
            }
        },
    ),
]


@pytest.mark.parametrize("target, document, expected", CASES)
def test_arguments_from_keras3_and_back(target, document, expected):
    found = translated_layer(document, "keras3", target)
    assert {key: found[key] for key in expected} == expected
    back = translated_layer({**document, "config": found}, target, "keras3")
    assert set(back) == set(document["config"])


def test_arguments_to_keras3():
    norm = translated_layer(layer("BatchNormalization", axis=[2], momentum=0.9), "keras2", "keras3")
    assert norm == {"name": "batchnormalization", "axis": 2, "momentum": 0.9}
    gru = {"units": 2, "implementation": 2, "time_major": False}
    found = translated_layer(layer("GRU", **gru), "keras2", "keras3")
    assert found == {"name": "gru", "units": 2, "reset_after": False}
    with pytest.raises(CoreError, match="has time_major=True"):
        translated_layer(layer("GRU", **{**gru, "time_major": True}), "keras2", "keras3")


NOT_EXPRESSED = [
    ("keras3", "tfjs", layer("GRU", units=2, reset_after=True), "reset_after=True"),
    ("keras3", "tfjs", layer("GroupNormalization"), "is of a class that it lacks"),
    ("keras3", "tfjs", layer("Resizing", height=2, width=2), "TensorFlow.js computes otherwise"),
    ("keras3", "keras2", layer("Activation", activation="relu6"), "which Keras 2 lacks"),
    ("keras2", "keras3", layer("Activation", activation="hard_sigmoid"), "another function"),
    ("tfjs", "keras3", layer("LSTM", units=2), "another function"),
    ("tfjs", "keras3", layer("ThresholdedReLU", theta=1.0), "is of a class that it lacks"),
]


@pytest.mark.parametrize("source, target, document, match", NOT_EXPRESSED)
def test_what_cannot_be_expressed(source, target, document, match):
    with pytest.raises(CoreError, match=match):
        translated_layer(document, source, target)


def test_initial_states_are_inputs_elsewhere():
    def tensor(layer: str, output: int) -> dict:
        config = {"shape": [None], "dtype": "float32", "keras_history": [layer, 0, output]}
        return {"class_name": "__keras_tensor__", "config": config}

    states = [tensor("first", 1), tensor("first", 2)]
    calls = {
        "x": [],
        "first": [{"args": [tensor("x", 0)], "kwargs": {"training": False, "mask": None}}],
        "second": [{"args": [tensor("x", 0)], "kwargs": {"initial_state": states}}],
    }
    layers = [
        layer("InputLayer", batch_shape=[None, 4, 3]),
        layer("LSTM", units=2, return_state=True, recurrent_activation="sigmoid"),
        layer("LSTM", units=2, recurrent_activation="sigmoid"),
    ]
    for document, (name, nodes) in zip(layers, calls.items(), strict=True):
        document.update(name=name, inbound_nodes=nodes)
        document["config"]["name"] = name
    config = {"name": "m", "layers": layers, "input_layers": [["x", 0, 0]]}
    config["output_layers"] = ["second", 0, 0]
    for target in ("tfjs", "keras2"):
        found = translated_topology({"class_name": "Functional", "config": config}, target)
        nodes = found["config"]["layers"][2]["inbound_nodes"]
        assert nodes == [[["x", 0, 0, {}], ["first", 0, 1, {}], ["first", 0, 2, {}]]]
        found["keras_version"] = {"tfjs": "tfjs-layers 4.22.0", "keras2": "2.15.0"}[target]
        back = translated_topology(found, "keras3")["config"]["layers"][2]["inbound_nodes"]
        histories = [t["config"]["keras_history"] for t in back[0]["kwargs"]["initial_state"]]
        assert histories == [["first", 0, 1], ["first", 0, 2]]


def functions_of(make) -> tuple[core.Model, list[dict]]:
    """A model of operators between tensors, and its layers where there are no functions."""
    x = core.layers.Input((4,), name="x")
    model = core.Model(x, make(core.layers.Dense(4, name="d")(x), x))
    found = translated_topology(model.file_spec(), "keras2")
    return model, found["config"]["layers"][2:]


@pytest.mark.parametrize(
    "make, class_name, config",
    [
        (lambda a, b: a + b, "Add", {}),
        (lambda a, b: a - b, "Subtract", {}),
        (lambda a, b: a * b, "Multiply", {}),
        (lambda a, b: a + 2, "Rescaling", {"scale": 1.0, "offset": 2.0}),
        (lambda a, b: a - 2, "Rescaling", {"scale": 1.0, "offset": -2.0}),
        (lambda a, b: 2 - a, "Rescaling", {"scale": -1.0, "offset": 2.0}),
        (lambda a, b: a * 3, "Rescaling", {"scale": 3.0, "offset": 0.0}),
        (lambda a, b: a / 4, "Rescaling", {"scale": 0.25, "offset": 0.0}),
        (lambda a, b: -a, "Rescaling", {"scale": -1.0, "offset": 0.0}),
    ],
)
def test_functions_become_layers(make, class_name, config):
    _, (layer,) = functions_of(make)
    assert layer["class_name"] == class_name
    assert {key: layer["config"][key] for key in config} == config
    assert len(layer["inbound_nodes"][0]) == (1 if config else 2)


@pytest.mark.parametrize("make", [lambda a, b: a**2, lambda a, b: a / b, lambda a, b: 2 / a])
def test_functions_without_a_layer(make):
    with pytest.raises(CoreError, match="is the function .* of Keras 3, not a layer"):
        functions_of(make)


def test_layers_of_one_model_have_their_own_dialects():
    """A new head on the layers of an old file is saved for Keras 3 as a whole."""
    norm = layer("BatchNormalization", axis=[2], fused=True, batch_input_shape=[None, 4, 3])
    old = model_from_document({**model_of(norm), "keras_version": "2.15.0"})
    model = core.Model(old.inputs[0], core.layers.Dense(2, name="head")(old.layers[-1].output))
    found = translated_topology(model.file_spec(), "keras3")["config"]["layers"]
    assert [each["config"]["name"] for each in found] == ["x", "batchnormalization", "head"]
    assert found[1]["config"]["axis"] == 2
    assert not {"fused", "batch_input_shape"} & {*found[1]["config"]}
    again = type(old.layers[-1]).from_config(old.layers[-1].get_config())
    assert again.get_config()["axis"] == 2


def test_a_layer_that_was_frozen_after_loading_is_written_frozen():
    dense = layer("Dense", units=2, trainable=True)
    model = model_from_document({**model_of(dense, shape=(3,)), "keras_version": "2.15.0"})
    model.layers[-1].trainable = False
    assert model.get_config()["layers"][1]["config"]["trainable"] is False


IN_TFJS = [
    (layer("Cropping2D", cropping=[[1, 2], [0, 1]], data_format=None), {"cropping"}),
    (layer("UpSampling2D", size=2, data_format=None), {"size"}),
]


@pytest.mark.parametrize("document, keys", IN_TFJS)
def test_null_is_no_value_in_tensorflow_js(document, keys):
    """TensorFlow.js takes ``"data_format": null`` for channels first."""
    found = translated_layer(document, "keras3", "tfjs")
    assert {*found} == {"name", *keys}
    assert found.get("size", [2, 2]) == [2, 2]


def test_no_activation_is_linear_in_tensorflow_js():
    lstm = layer("LSTM", units=2, activation=None, recurrent_activation="sigmoid")
    assert translated_layer(lstm, "keras3", "tfjs")["activation"] == "linear"


def test_masks_that_would_be_others_are_refused():
    layers = core.layers
    words = [layers.Input((4,), dtype="int32", name=f"w{i}") for i in range(2)]
    tables = [layers.Embedding(5, 3, mask_zero=True, name=f"t{i}") for i in range(2)]
    both = layers.Add(name="both")([t(w) for t, w in zip(tables, words, strict=True)])
    model = core.Model(words, layers.LSTM(2, name="read")(both))
    with pytest.raises(CoreError, match="Keras 2 cannot .*: 'read' would use another mask"):
        translated_topology(model.file_spec(), "keras2")
    one = layers.Add(name="twice")([tables[0].output, tables[0].output])
    alike = core.Model(words[0], layers.LSTM(2, name="read")(one))
    assert translated_topology(alike.file_spec(), "keras2")


def test_initializers_of_old_and_new_files():
    """TensorFlow 1 wrote their dtype; Keras 3 writes a longer name for one."""
    old = {"class_name": "GlorotUniform", "config": {"seed": None, "dtype": "float32"}}
    dense = layer("Dense", units=1, kernel_initializer=old)
    found = translated_layer(dense, "keras2", "keras3")["kernel_initializer"]
    assert (found["class_name"], found["config"]) == ("GlorotUniform", {"seed": None})
    new = {"class_name": "OrthogonalInitializer", "config": {"gain": 1.0, "seed": None}}
    lstm = layer("LSTM", units=1, recurrent_initializer=new, recurrent_activation="sigmoid")
    for target in ("keras2", "tfjs"):
        found = translated_layer(lstm, "keras3", target)["recurrent_initializer"]
        assert found["class_name"] == "Orthogonal"


def test_shapes_in_the_config_of_attention():
    """Keras 2 keeps those of its calls among the arguments; Keras 3 has no such arguments."""
    shapes = {f"{name}_shape": [None, 4, 3] for name in ("query", "key", "value")}
    document = layer("MultiHeadAttention", num_heads=1, key_dim=2, **shapes)
    assert not {*shapes} & {*translated_layer(document, "keras2", "keras3")}
    x = core.layers.Input((4, 3))
    model = core.Model(x, core.layers.MultiHeadAttention(1, 2)(x, x))
    (_, found) = translated_topology(model.file_spec(), "keras2")["config"]["layers"]
    assert {name: found["config"][name] for name in shapes} == shapes


def test_functions_of_tf_keras_become_layers():
    """``x + y`` and ``x * 2.0`` between layers of tf.keras 2."""

    def function(name: str, *inbound) -> dict:
        config = {"name": name, "function": f"math.{name}"}
        document = {"class_name": "TFOpLambda", "name": name, "config": config}
        return {**document, "inbound_nodes": list(inbound)}

    layers = [
        {**layer("InputLayer", batch_input_shape=[None, 3]), "name": "x", "inbound_nodes": []},
        function("add", ["x", 0, 0, {"y": ["x", 0, 0], "name": None}]),
        function("multiply", ["add", 0, 0, {"y": 2.0, "name": None}]),
    ]
    layers[0]["config"]["name"] = "x"
    config = {"name": "m", "layers": layers, "input_layers": [["x", 0, 0]]}
    config["output_layers"] = [["multiply", 0, 0]]
    old = {"class_name": "Functional", "config": config, "keras_version": "2.8.0"}
    model = model_from_document(old)
    for target in ("keras3", "keras2", "tfjs"):
        found = translated_topology(model.file_spec(), target)
        names = [each["class_name"] for each in found["config"]["layers"]]
        assert names == ["InputLayer", "Add", "Rescaling"]
    again = model_from_document(translated_topology(model.file_spec(), "keras3"))
    x = np.float32([[1, 2, 3]])
    assert model(x).numpy().tolist() == again(x).numpy().tolist() == [[4, 8, 12]]


def test_flat_rows_are_not_flattened_in_tensorflow_js():
    x = core.layers.Input((4,))
    flat = core.Model(x, core.layers.Flatten(name="flat")(core.layers.Dense(3)(x)))
    (*_, found) = translated_topology(flat.file_spec(), "tfjs")["config"]["layers"]
    assert (found["class_name"], found["config"]["activation"]) == ("Activation", "linear")
    (*_, same) = translated_topology(flat.file_spec(), "keras3")["config"]["layers"]
    assert same["class_name"] == "Flatten"


@pytest.mark.parametrize(
    "loss, metric, expected",
    [
        ("mse", "mean_absolute_error", ("mean_squared_error", "mae")),
        ("kld", "mean_squared_error", ("kullback_leibler_divergence", "mse")),
    ],
)
def test_names_of_losses_and_metrics_in_tensorflow_js(loss, metric, expected):
    found = tfjs_training_config({**COMPILED, "loss": loss, "metrics": [metric]})
    assert (found["loss"], *found["metrics"]) == expected
    for name in ("recall", "sparse_categorical_accuracy"):
        with pytest.raises(CoreError, match=f"TensorFlow.js has no metric {name}"):
            tfjs_training_config({**COMPILED, "metrics": [name]})


def test_all_problems_are_listed():
    topology = model_of(layer("Masking"), layer("GlobalAveragePooling1D"), layer("Subtract"))
    with pytest.raises(CoreError, match=r"'subtract'.*; 'globalaverage.* uses masks in Keras only"):
        translated_topology(topology, "tfjs")


def test_tables_name_layers_of_the_engine():
    for name in {*TFJS_LAYERS, *LACKED_LAYERS["keras2"], *LACKED_LAYERS["keras3"]} - {"InputLayer"}:
        assert find_layer_class(name), name


# --- what models were compiled with -------------------------------------------------------------

COMPILED = {
    "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.1, "momentum": 0.9}},
    "loss": {"class_name": "CategoricalCrossentropy", "config": {"from_logits": False}},
    "metrics": ["accuracy", {"class_name": "function", "config": "mean_absolute_error"}],
}


def test_training_config_of_tfjs():
    found = tfjs_training_config(COMPILED)
    assert found == {
        "loss": "categorical_crossentropy",
        "metrics": ["accuracy", "mae"],
        "optimizer_config": {
            "class_name": "Momentum",
            "config": {"learningRate": 0.1, "momentum": 0.9},
        },
    }
    back = compile_config_of_tfjs(found)
    assert (back["loss"], back["metrics"]) == (found["loss"], found["metrics"])
    assert back["optimizer"]["config"] == COMPILED["optimizer"]["config"]


@pytest.mark.parametrize(
    "changed, match",
    [
        ({"loss_weights": [1, 2]}, "reads no loss_weights"),
        ({"loss": {"class_name": "Huber", "config": {}}}, "no loss huber"),
        ({"loss": {"class_name": "BinaryCrossentropy", "config": {"from_logits": True}}}, "logits"),
        ({"metrics": [{"class_name": "AUC", "config": {}}]}, "no metric auc"),
        ({"optimizer": {"class_name": "Lion", "config": {}}}, "no optimizer Lion"),
        ({"optimizer": {"class_name": "Adam", "config": {"clipnorm": 1.0}}}, "no clipnorm=1.0"),
        ({"optimizer": None}, "compile it first"),
    ],
)
def test_what_tfjs_cannot_compile(changed, match):
    with pytest.raises(CoreError, match=match):
        tfjs_training_config({**COMPILED, **changed})


def test_training_config_of_keras2():
    optimizer = {"class_name": "Adam", "config": {"learning_rate": 0.1, "loss_scale_factor": None}}
    found = h5_training_config({"optimizer": optimizer, "loss": "mse"}, "keras2")
    config = found["optimizer_config"]["config"]
    assert config == {"learning_rate": 0.1, "is_legacy_optimizer": False}
    assert found["loss"] == "mean_squared_error"  # Keras 3 does not read "mse" from .h5 files
    assert compile_config_of_h5(found)["optimizer"]["config"] == {"learning_rate": 0.1}


def test_decay_of_old_optimizers_becomes_a_schedule():
    old = {"class_name": "SGD", "config": {"learning_rate": 0.1, "decay": 0.5}}
    found = compile_config_of_h5({"loss": "mse", "optimizer_config": old})["optimizer"]["config"]
    schedule = found["learning_rate"]
    assert schedule["class_name"] == "InverseTimeDecay"
    assert schedule["config"]["decay_rate"] == 0.5
