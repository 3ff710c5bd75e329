"""Exports of taught models, for browsers, Teachable Machine's library, Keras and ONNX."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import core
from core.converter import ModelFacts, convert_to_onnx, load_model
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.pipeline.loaded_model import LoadedModel
from zoo.transfer.exports.bases import (
    TEACHABLE_RANGE,
    UNIT_RANGE,
    Base,
    ExportedNetwork,
    of_features,
)
from zoo.transfer.exports.graphs import graph_of_images, head_graph
from zoo.transfer.exports.labels_files import labels_file
from zoo.transfer.exports.layers import (
    find_trunk,
    head_alone,
    layers_for_keras,
    layers_for_teachable,
)
from zoo.transfer.exports.teachable_files import (
    check_folder,
    metadata_file,
    metadata_of,
    network_files,
    write_export,
    write_file,
    write_folder,
    zip_of,
)
from zoo.transfer.heads import Head

#: Endings of what is exported; "" is a folder.
_KERAS = (".keras", ".h5")
_TEACHABLE = ("", ".zip")
_ONNX = ".onnx"

#: Tolerances between the outputs of an exported file and of the model: rounding.
_RELATIVE, _ABSOLUTE = 1e-3, 1e-4


class Export(NamedTuple):
    """An export that was written.

    Attributes:
        path: the file or folder.
        takes: what the network in it takes, as part of a sentence, such as "images, float32 [n,
            224, 224, 3], RGB, with pixels p as p / 127.5 - 1 (-1 to 1)".
        is_whole: whether it takes images; else it is the head alone, which takes features.
        format: of an ONNX file, with what differs from the model; else "".
    """

    path: Path
    takes: str
    is_whole: bool
    format: str = ""


def export_model(
    path: str | os.PathLike[str],
    *,
    head: Head,
    labels: Sequence[str],
    model: LoadedModel | None,
    node: str,
    name: str,
    metadata: Mapping[str, Any],
) -> Export:
    """Write a taught model for other programs; the ending of the path says for which.

    - A folder (a path without ending) or a ``.zip``: the layout of Teachable Machine,
      ``metadata.json``, ``model.json`` and ``weights.bin``, which `zoo.load` reads, too. The
      network takes images float32 [n, height, width, 3], RGB, the square in their middle, with
      pixels p as ``p / 127 - 1``: -1 to 1.0079, which is what Teachable Machine's library feeds.
      If the features' network is a model of layers (``mobilenet.v1_025``), so is the export, for
      ``tf.loadLayersModel`` and Teachable Machine's library; else it is a graph, with all rounding
      of quantised networks, for ``tf.loadGraphModel``, which that library cannot load.
    - ``.keras`` (Keras 3) and ``.h5`` (Keras 2 and 3): of features from a model of layers the whole
      network, which takes such images with pixels p as ``p / 127.5 - 1``: -1 to 1, which is what
      the program that Teachable Machine shows for Keras feeds. Its ``labels.txt`` is written
      beside, and with that `zoo.load` classifies. Else the head alone, which takes features, as
      Keras has no layers that round like a quantised network.
    - ``.onnx``: the whole network, which takes such images with pixels p as ``p / 255``: 0 to 1.
      Labels, task and size are in its metadata under Ultralytics's keys (``names``, ``task``,
      ``imgsz``), by which `zoo.load` and other programs classify.
    - Features that are landmarks: the head alone in all of these.

    The first layer of a whole network converts these ranges exactly to that of the features'
    network, so that both exports compute on the same pixels.

    Classes have softmax, several labels sigmoid, values no activation. Teachable Machine knows
    classes alone: ``userMetadata`` in ``metadata.json`` names the kind, and the metadata of a head
    for values lacks the keys of Teachable Machine, so that its programs do not take them for
    probabilities. What was written is read and compared with the head before it gets its name.

    How near other programs come: layers in float32 give probabilities that differ by about 1e-6 (up
    to 5e-6 in images between two classes). Quantised networks round after every layer: where sums
    in another order round a value the other way, all that follow change, and probabilities by some
    thousandths; NumPy's and generated kernels here differ no less.

    Args:
        path: a file or folder. A folder with other files is refused; an earlier export and a file
            are replaced. A failed export leaves nothing. A ``labels.txt`` that may belong to
            another model is an error.
        head: the trained head.
        labels: labels of its outputs.
        model: the network of the features; None for landmarks.
        node: name of the node of ``model.network.graph`` that gives the features.
        name: name of the model, for ``metadata.json``.
        metadata: facts such as provenance and licences, of types that JSON has, which become part
            of ``userMetadata``.

    Returns:
        The path, and what the network there takes.

    Raises:
        ZooError: the ending is unknown, or ``.tflite``, which only TensorFlow writes; the labels do
            not fit the head; the target is in the way; or the network is not expressible.

    Source of the layout: the library ``@teachablemachine/image`` 0.8.5.

    >>> import tempfile, zoo
    >>> head = Head().fit([[0.0, 1.0], [0.1, 0.9], [1.0, 0.0]], ["up", "up", "down"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export = export_model(f"{folder}/mine", head=head, labels=head.labels, model=None,
    ...                           node="", name="mine", metadata={})
    ...     sorted(file.name for file in export.path.iterdir()), export.takes
    (['metadata.json', 'model.json', 'weights.bin'], '2 features of each image, ...)
    """
    target = Path(path)
    check_target(target)
    if len(labels) != len(head.bias) or not head.labels:
        raise ZooError(f"the head has {len(head.bias)} outputs, labels are {list(labels)!r:.200}")
    format = ""
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        if target.suffix.lower() in _KERAS:
            exported = _for_keras(head, model, node)
            has_labels = exported.size is not None and head.kind != "regression"
            _write_keras(exported, labels if has_labels else (), target, Path(folder))
        elif target.suffix.lower() == _ONNX:
            exported = _for_onnx(head, model, node)
            made = convert_to_onnx(
                _graph_of(exported),
                Path(folder) / "model.onnx",
                facts=_onnx_facts(exported, head, labels, name, metadata),
            )
            _check_written(made.path, exported)
            write_file(target, made.path.read_bytes())
            format = made.format
        else:
            exported = _for_teachable(head, model, node)
            facts = metadata_of(exported, head, labels, name, metadata)
            _write_teachable(exported, facts, target, Path(folder))
    return Export(target, exported.takes, exported.size is not None, format)


def check_target(target: Path) -> None:
    """Raise unless a target of `export_model` may be written to, and its ending is known.

    Raises:
        ZooError: see `export_model`.
    """
    ending = target.suffix.lower()
    if ending == ".tflite":
        keras = str(target.with_suffix(".keras"))
        raise ZooError(
            f"{target} cannot be written, as only TensorFlow writes .tflite files: export {keras!r}"
            f"; in TensorFlow model = tf.keras.models.load_model({keras!r}), then "
            f"tf.lite.TFLiteConverter.from_keras_model(model).convert() gives the file's bytes"
        )
    if ending not in (*_KERAS, *_TEACHABLE, _ONNX):
        hint = did_you_mean(ending, [*_KERAS, _ONNX, ".zip"])
        raise ZooError(
            f"unknown ending {ending!r}{hint} (a folder without ending or a .zip for TensorFlow.js "
            f"and Teachable Machine, .keras or .h5 for Keras, .onnx for ONNX Runtime and others)"
        )
    if not ending:
        check_folder(target)
    elif target.is_dir():
        raise ZooError(f"cannot export to {target}: it is a folder, and the ending is of a file")


def _for_teachable(head: Head, model: LoadedModel | None, node: str) -> ExportedNetwork:
    if model is None:
        return head_alone(head)
    base = _base_of(head, model, node)
    trunk = find_trunk(base)
    if trunk is None:
        return graph_of_images(base, head, TEACHABLE_RANGE)
    return layers_for_teachable(base, trunk, head)


def _for_keras(head: Head, model: LoadedModel | None, node: str) -> ExportedNetwork:
    if model is None:
        return head_alone(head)
    base = _base_of(head, model, node)
    trunk = find_trunk(base)
    return head_alone(head) if trunk is None else layers_for_keras(base, trunk, head)


def _for_onnx(head: Head, model: LoadedModel | None, node: str) -> ExportedNetwork:
    if model is None:
        return of_features(head_graph(head), head)
    return graph_of_images(_base_of(head, model, node), head, UNIT_RANGE)


def _graph_of(exported: ExportedNetwork) -> core.Graph:
    assert isinstance(exported.network, core.Graph)
    return exported.network


def _onnx_facts(
    exported: ExportedNetwork,
    head: Head,
    labels: Sequence[str],
    name: str,
    metadata: Mapping[str, Any],
) -> ModelFacts:
    """Return what an ONNX file says of a network: of classifiers of images all that these need."""
    licences = [str(each["licence"]) for each in metadata.get("provenance", ())]
    found = {
        "description": f"{name}: {head.kind}, takes {exported.takes}",
        **({"license": "; ".join(dict.fromkeys(licences))} if licences else {}),
    }
    if exported.size is not None and head.kind == "classification":
        found |= {"task": "classify", "imgsz": repr([*exported.size]), "fit": exported.fit}
    doc = "\n".join(f"{key}: {text}" for key, text in found.items())
    return ModelFacts(doc, found, () if head.kind == "regression" else labels)


def _base_of(head: Head, model: LoadedModel, node: str) -> Base:
    base = Base(model, node)
    size = base.features.shape[1]
    if size != len(head.kernel):
        raise ZooError(
            f"the head takes {len(head.kernel)} features, {model.name} gives {size}: give the "
            f"network whose features it was trained on"
        )
    return base


def _write_keras(
    exported: ExportedNetwork, labels: Sequence[str], target: Path, folder: Path
) -> None:
    """Write layers as a file of Keras, with labels if any, by way of a temporary folder."""
    assert isinstance(exported.network, core.Model)
    beside = labels_file(labels, target) if labels else {}
    file = folder / f"model{target.suffix.lower()}"
    exported.network.save(file, include_optimizer=False)
    _check_written(file, exported)
    if beside:
        write_folder(target.parent, {**beside, target.name: file.read_bytes()})
    else:
        write_file(target, file.read_bytes())


def _write_teachable(
    exported: ExportedNetwork, facts: Mapping[str, Any], target: Path, folder: Path
) -> None:
    """Write a network in the layout of Teachable Machine, by way of a temporary folder."""
    files = metadata_file(facts) | network_files(exported, folder / "shards")
    made = folder / f"model{target.suffix}"
    _write_either(made, files)
    _check_written(made, exported)
    _write_either(target, files)


def _write_either(target: Path, files: Mapping[str, bytes]) -> None:
    """Write files as a zip, or into a folder, which is a path without ending."""
    if target.suffix:
        write_file(target, zip_of(files))
    else:
        write_export(target, files)


def _check_written(path: Path, exported: ExportedNetwork) -> None:
    """Raise unless a written network reproduces the outputs of the head."""
    (output,) = load_model(path).predict(exported.sample).values()
    found, expected = output.numpy(), exported.expected
    if found.shape != expected.shape or not np.isfinite(found).all():
        raise ZooError(f"the exported network gives {found!r:.200}: it was not written")
    if not (exported.rounds or np.allclose(found, expected, _RELATIVE, _ABSOLUTE)):
        raise ZooError(
            f"the exported network gives other outputs than the head, by "
            f"{np.abs(found - expected).max():.2g}: it was not written, as the head was trained on "
            f"features of another network or version"
        )
