"""The formats of model files: recognition of a path's format, and the reader of each format."""

import os
from collections.abc import Callable, Container, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from core.converter.archives import open_archive
from core.converter.reading import reading
from core.converter.teachable import is_teachable
from core.engine.backends import AUTO
from core.engine.limits import Limits, limited
from core.engine.settings import backend as on_backend
from core.engine.settings import chosen_backend
from core.graph.nodes import Graph
from core.graph_model.graph_model import GraphModel
from weights_cache.common.errors import WeightsError
from weights_cache.regular_files import open_regular

#: The supported formats, for errors.
KINDS = (
    "a TensorFlow.js model.json or its folder, a Teachable Machine folder or .zip, a TFLite "
    ".tflite, a Keras .h5 or .keras, a frozen graph .pb, or a SavedModel folder"
)

#: Readers by the kind that `find_kind` gives.
_READERS = {
    "web": ("web", "read_web"),
    "tflite": ("tflite", "read_tflite"),
    "keras": ("keras_files", "read_keras"),
    "teachable": ("teachable", "read_teachable"),
    "frozen": ("graph_def", "read_frozen_graph"),
    "saved": ("saved_model", "read_saved_model"),
}

#: Kinds that may have layers, some of which user-defined functions may run.
_LAYERED = frozenset({"web", "keras", "teachable"})

#: Kinds by the ending of a file's name, for content that is ambiguous.
ENDINGS = {
    ".pb": "frozen",
    ".tflite": "tflite",
    ".h5": "keras",
    ".hdf5": "keras",
    ".keras": "keras",
    ".json": "web",
}

_HDF5 = b"\x89HDF\r\n\x1a\n"


def read_graph(path: str | os.PathLike[str], kernels: Container[str] = ()) -> Graph:
    """Read a model file of any known kind.

    The content of the file or folder determines the kind; the name does if that is ambiguous.

    Args:
        path: a TensorFlow.js ``model.json`` or its folder, a Teachable Machine bundle (folder or
            zip), a ``.tflite``, ``.h5``, ``.keras`` or frozen ``.pb`` file, or a SavedModel folder.
        kernels: classes of layers that user-defined functions run; they become nodes of that type.

    Returns:
        The graph of the model.

    Raises:
        WeightsError: the path does not exist, is of another kind, or damaged.
    """
    with reading(path):
        kind, path = find_kind(path), Path(path)
        module, function = _READERS[kind]
        reader: Callable[..., Any] = getattr(import_module(f"core.converter.{module}"), function)
        graph = reader(path, kernels) if kind in _LAYERED else reader(path)
    # read_teachable also returns the metadata
    return graph if isinstance(graph, Graph) else graph[0]


def load_model(
    path: str | os.PathLike[str],
    backend: str | None = None,
    *,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
    limits: Limits | None = None,
) -> GraphModel:
    """Load a model file of any known kind as a model that runs.

    Args:
        path: as for `read_graph`.
        backend: name of the backend, by default the active one.
        kernels: functions for node types or classes of layers without a kernel, as for
            `core.graph_model.graph_model.GraphModel`.
        limits: limits of reading the file and of a run of the model. For untrusted files:
            ``core.Limits.strict()``.

    Raises:
        WeightsError: as for `read_graph`, or the graph is invalid.
        CoreError: the outputs need node types without a kernel, all of which are listed; or the
            backend does not exist.

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
    with on_backend("cpu" if name == AUTO else name), limited(limits):
        graph = read_graph(path, kernels or ())
        with reading(path):
            return GraphModel(graph, name, kernels=kernels, limits=limits)


def find_kind(path: str | os.PathLike[str]) -> str:
    """Return the kind of a model: ``"web"``, ``"tflite"``, ``"keras"``, ``"teachable"`` ...

    Raises:
        WeightsError: the path does not exist, or is not a model of a known kind.
    """
    path = _existing(path)
    with reading(path):
        found = _kind_of_folder(path) if path.is_dir() else _kind_of_file(path)
    if found is None:
        raise WeightsError(f"{path} is not a supported model: give {KINDS}")
    return found


def _existing(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise WeightsError(f"a model is read from a path, not from a {type(path).__name__}")
    with reading(path):
        found = Path(path)
        if not found.exists():
            raise WeightsError(f"there is no file or folder {found}: give {KINDS}")
        if not (found.is_dir() or found.is_file()):
            raise WeightsError(f"{found} is neither a file nor a folder: give {KINDS}")
    return found


def _kind_of_folder(folder: Path) -> str | None:
    if is_teachable(folder):
        return "teachable"
    names = set(os.listdir(folder))
    if "saved_model.pb" in names:
        return "saved"
    return "web" if any(name.endswith("model.json") for name in names) else None


def _kind_of_file(path: Path) -> str | None:
    with open_regular(path, buffering=0) as stream:
        start = stream.read(64)
    if start[4:8] == b"TFL3":
        return "tflite"
    if start.startswith(_HDF5):
        return "keras"
    if start.startswith(b"PK"):
        return _kind_of_archive(path)
    if start.lstrip().startswith((b"{", b"[")) and path.suffix != ".pb":
        return "teachable" if is_teachable(path) else "web"
    # A GraphDef has no fixed bytes, and a damaged file its name only.
    return "saved" if path.name == "saved_model.pb" else ENDINGS.get(path.suffix.lower())


def _kind_of_archive(path: Path) -> str | None:
    """Return the kind of an archive: of Keras or of Teachable Machine."""
    with open_archive(path) as archive:
        names = {name.rpartition("/")[2] for name in archive.names}
    if "model.json" in names:
        return "teachable"
    return "keras" if "config.json" in names else None
