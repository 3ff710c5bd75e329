"""Models of any kind: a path in, a graph or a model that runs out."""

import os
from collections.abc import Callable, Container, Mapping
from typing import Any

from core.converter.class_labels import Pixels, with_labels_beside
from core.converter.graph_def import read_frozen_graph
from core.converter.input_shapes import InputShapes, with_input_shapes
from core.converter.keras_files import read_keras
from core.converter.ml5 import with_ml5_meta
from core.converter.onnx import read_onnx
from core.converter.opened import Opened, opened
from core.converter.reading import reading
from core.converter.saved_model import read_saved_model
from core.converter.teachable import read_teachable
from core.converter.tflite import read_tflite
from core.converter.web import read_web
from core.engine.backends import AUTO
from core.engine.limits import Limits, limited
from core.engine.settings import backend as on_backend
from core.engine.settings import chosen_backend
from core.graph.nodes import Graph
from core.graph_model.graph_model import GraphModel
from weights_cache.common.errors import WeightsError


def read_graph(
    path: str | os.PathLike[str],
    kernels: Container[str] = (),
    signature: str | None = None,
    inputs: InputShapes | None = None,
) -> Graph:
    """Read a model file of any known kind.

    The content of the file or folder determines the kind; the name does if that is ambiguous.

    Args:
        path: a TensorFlow.js ``model.json`` or its folder, an export of Teachable Machine (folder
            or zip), a ``.tflite``, ``.onnx``, ``.h5``, ``.keras`` or frozen ``.pb`` file, or a
            SavedModel folder.
        kernels: classes of layers that user-defined functions run; they become nodes of that type.
        signature: name of the signature of a SavedModel, by default ``"serving_default"``.
        inputs: shapes of inputs by name, in place of those that the file declares: many networks
            take other sizes than the one with which they were exported. None is any length.

    Returns:
        The graph of the model.

    Raises:
        WeightsError: the path does not exist, is of another kind, damaged, or has no such
            signature; those that it has are listed.
        CoreError: ``inputs`` names no input of the model, or has another number of axes.
    """
    with opened(path) as model:
        graph = graph_of(model, kernels, signature)
    return with_input_shapes(graph, inputs)


def graph_of(model: Opened, kernels: Container[str] = (), signature: str | None = None) -> Graph:
    """Read the graph of an open model, with what the file or files beside it say of it.

    Args:
        model: the model.
        kernels: as for `read_graph`.
        signature: as for `read_graph`.

    Raises:
        WeightsError: the model is damaged, has no such signature, or its labels are of another
            network.
    """
    if signature is not None and model.kind != "saved":
        raise WeightsError(
            f"{model.path} is not a SavedModel, so it has no signature {signature!r}"
        )
    graph = _bare_graph(model, kernels, signature)
    if model.kind == "web":
        graph = with_ml5_meta(graph, model.path)
    is_said = graph.metadata is not None and not isinstance(graph.metadata, Pixels)
    return graph if is_said else with_labels_beside(graph, model.path)


def _bare_graph(model: Opened, kernels: Container[str], signature: str | None) -> Graph:
    """Read the graph of an open model; only the reader of its format is imported."""
    match model.kind:
        case "tflite":
            return read_tflite(model.path, metadata=True)
        case "web":
            return read_web(model.path, kernels)
        case "onnx":
            return read_onnx(model.path)
        case "keras":
            return read_keras(model, kernels)
        case "teachable":
            return read_teachable(model, kernels)
        case "frozen":
            return read_frozen_graph(model.path)
        case _:
            return read_saved_model(model.path, signature)


def load_model(
    path: str | os.PathLike[str],
    backend: str | None = None,
    *,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
    limits: Limits | None = None,
    signature: str | None = None,
    inputs: InputShapes | None = None,
) -> GraphModel:
    """Load a model file of any known kind as a model that runs.

    Args:
        path: as for `read_graph`.
        backend: name of the backend, by default the active one.
        kernels: functions for node types or classes of layers without a kernel, as for
            `core.graph_model.graph_model.GraphModel`.
        limits: limits of reading the file and of a run of the model. For untrusted files:
            ``core.Limits.strict()``.
        signature: as for `read_graph`.
        inputs: as for `read_graph`.

    Raises:
        WeightsError: as for `read_graph`, or the graph is invalid.
        CoreError: as for `read_graph`; or the outputs need node types without a kernel, all of
            which are listed; or the backend does not exist.

    >>> import tempfile
    >>> import numpy as np
    >>> from core.converter.web_writer import write_web
    >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
    >>> x, y = (Endpoint(name, PartialSpec((None,))) for name in ("x", "y"))
    >>> graph = Graph([Node("x", "Placeholder"), Node("y", "Neg", ("x",))], {}, {"x": x}, {"y": y})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = load_model(write_web(graph, folder))
    >>> model.predict(np.float32([1, 2]))["y"].numpy()
    array([-1., -2.], dtype=float32)
    """
    name = backend or chosen_backend()
    own = dict(kernels or {})
    # Nodes of user-defined layers have no package of ``register_keras_serializable``.
    own |= {name.rpartition(">")[2]: function for name, function in own.items()}
    with on_backend("cpu" if name == AUTO else name), limited(limits):
        graph = read_graph(path, own, signature, inputs)._replace(resizable=True)
        with reading(path):
            return GraphModel(graph, name, kernels=own, limits=limits)
