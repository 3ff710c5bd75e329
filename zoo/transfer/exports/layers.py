"""Layer models to export: a base up to its features with a head behind it, or the head alone."""

import numpy as np

import core
from core.converter.class_labels import SIGNED_LAYER
from weights_cache.json_documents import parse_json
from weights_cache.store import locate
from zoo.transfer.exports.bases import (
    KERAS_RANGE,
    TEACHABLE_RANGE,
    Base,
    ExportedNetwork,
    of_features,
    of_images,
)
from zoo.transfer.heads import EPSILON, Head

_ACTIVATIONS = {"classification": "softmax", "multi_label": "sigmoid", "regression": "linear"}


def head_alone(head: Head) -> ExportedNetwork:
    """Return the head as layers, which take features [n, size]."""
    features = core.Input((len(head.kernel),), name="features")
    network = _with_weights(core.Model(features, _scores(features, head), name="taught"), head)
    return of_features(network, head)


def find_trunk(base: Base) -> "core.Model | None":
    """Return the layers of a base up to its features, or None if it is no model of layers.

    They have the weights of the network that runs, which may be other than those of the file.
    """
    entry = base.entry
    if entry.file or entry.network:
        return None
    path = locate(entry.weights, only=entry.files)["model.json"]
    topology = parse_json(path.read_bytes(), path).get("modelTopology", {})
    if "node" in topology:
        return None
    model = core.load_layers_model(path, compile=False)
    if not any(layer.name == base.node for layer in model.layers):
        return None
    trunk = core.Model(model.inputs, model.get_layer(base.node).output, name="features")
    weights = base.graph.weights
    if any(variable.name not in weights for variable in trunk.variables):
        return None
    for variable in trunk.variables:
        variable.assign(weights[variable.name])
    return trunk


def layers_for_teachable(base: Base, trunk: "core.Model", head: Head) -> ExportedNetwork:
    """Return layers that take images in the range of Teachable Machine.

    The range is converted by a batch normalization with fixed statistics: TensorFlow.js 1, which
    Teachable Machine's library is made for, has no layer for scaling alone.
    """
    affine, ones = base.affine(TEACHABLE_RANGE), np.ones(3, np.float32)
    if affine.is_identity:
        first = None
    else:
        first = core.layers.BatchNormalization(epsilon=0.0, trainable=False, name="taught_range")
    network = _behind(trunk, first, base, head)
    if first is not None:
        first.set_weights([affine.scale, affine.offset, 0 * ones, ones])
    return of_images(network, base, head, TEACHABLE_RANGE)


def layers_for_keras(base: Base, trunk: "core.Model", head: Head) -> ExportedNetwork:
    """Return layers that take images in the range of Teachable Machine's exports for Keras.

    The first layer, whose name says that of classifiers, converts it to that of the base.
    """
    scale, offset = base.affine(KERAS_RANGE)
    name = "taught_range" if head.kind == "regression" else SIGNED_LAYER
    first = core.layers.Rescaling(scale.tolist(), offset.tolist(), name=name)
    return of_images(_behind(trunk, first, base, head), base, head, KERAS_RANGE)


def _behind(
    trunk: "core.Model", first: "core.layers.Layer | None", base: Base, head: Head
) -> "core.Model":
    """Return a model of a layer that converts images, of a base and of a head."""
    image = core.Input((*base.size, 3), name="image")
    values = trunk(image if first is None else first(image))
    if base.rank == 4:
        values = core.layers.GlobalAveragePooling2D(name="taught_pooling")(values)
    elif base.rank != 2:
        values = core.layers.Flatten(name="taught_flattening")(values)
    return _with_weights(core.Model(image, _scores(values, head), name="taught"), head)


def _scores(values: "core.layers.SymbolicTensor", head: Head) -> "core.layers.SymbolicTensor":
    """Return the outputs of a head on symbolic features."""
    if head.normalize:
        # TensorFlow.js 1 reads scale and center even of a layer without them: here 1 and 0.
        normalization = core.layers.LayerNormalization(
            epsilon=EPSILON, trainable=False, name="taught_normalization"
        )
        values = normalization(values)
    units, activation = len(head.bias), _ACTIVATIONS[head.kind]
    return core.layers.Dense(units, activation=activation, name="taught_scores")(values)


def _with_weights(model: "core.Model", head: Head) -> "core.Model":
    model.get_layer("taught_scores").set_weights([head.kernel, head.bias])
    return model
