"""Blocks of features: the values that one network gives for an image."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from core.process.locks import new_lock
from weights_cache.registry import find_record
from zoo.catalog.entries import model_class
from zoo.catalog.entry import Entry
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model_cache import load
from zoo.pipeline.options import checked
from zoo.pipeline.preprocess import prepare

if TYPE_CHECKING:
    from core import GraphModel


class FeatureVector(NamedTuple):
    """The features of one image, or the reason why it has no features."""

    values: np.ndarray | None  # float32 [size]
    missing: str = ""  # such as "no hand was found"


class Block(Protocol):
    """The part of a vector of features that one network gives."""

    name: str
    backend: str
    together: int  # images that run as one batch
    keeps_pixels: bool  # whether `prepared` is as large as the image

    @property
    def size(self) -> int:
        """Number of values."""

    def prepared(self, image: np.ndarray) -> np.ndarray:
        """Return the input of `vectors` for an image, uint8 [height, width, 3]; thread-safe."""

    def vectors(self, images: Sequence[np.ndarray]) -> list[FeatureVector]:
        """Return the features of inputs from `prepared`."""

    def facts(self) -> list[str]:
        """Return everything that the values depend on, as texts."""

    def provenance(self) -> list[dict[str, str]]:
        """Return the origin of each network that is used."""

    def warmup(self) -> float:
        """Make the network ready; return how many milliseconds it took."""

    def close(self) -> None:
        """Release the network."""


class LazyModel:
    """A model of the zoo that is loaded when it is first needed.

    Args:
        name: of the model.
        backend: where its networks run.
    """

    def __init__(self, name: str, backend: str):
        self.backend = backend
        self._model_name = name
        self._loaded: LoadedModel | None = None
        self._loading = new_lock()

    @property
    def model(self) -> LoadedModel:
        """The model, loaded once."""
        with self._loading:
            model = self._loaded
            if model is None:
                model = self._loaded = load(self._model_name, backend=self.backend)
        return model

    def warmup(self) -> float:
        """Make the networks ready; return how many milliseconds it took."""
        return self.model.warmup()

    def close(self) -> None:
        """Release the networks; the next use loads them again."""
        with self._loading:
            if self._loaded is not None:
                self._loaded.close()
            self._loaded = None


class EmbeddingBlock(LazyModel):
    """The embedding of a network of the zoo, or of a copy of one with other weights.

    Args:
        entry: of the network, with its preprocessing and the node of its embedding.
        backend: where the network runs.
        network: with other weights, or None for those of the entry.
        node: of ``network``, whose values are the features.
    """

    keeps_pixels = False

    def __init__(
        self, entry: Entry, backend: str, network: "GraphModel | None" = None, node: str = ""
    ):
        super().__init__(entry.name, backend)
        self.entry, self.name = entry, entry.name
        self.node, self.together = node or entry.embedding, entry.together
        self._own = network
        self._loaded = None if network is None else LoadedModel(entry.name, network)
        self._input_size = model_class(entry).input_size_of(
            entry, checked(entry.name, entry.options, {})
        )
        self._size = 0

    @property
    def size(self) -> int:
        """Number of values of the embedding, which a run on a black image shows."""
        if not self._size:
            self.vectors([self.prepared(np.zeros((*self._input_size, 3), np.uint8))])
        return self._size

    def prepared(self, image: np.ndarray) -> np.ndarray:
        """Return an image as input of the network, [1, height, width, 3]."""
        return prepare(image, self.entry.preprocess, self._input_size)[0]

    def vectors(self, images: Sequence[np.ndarray]) -> list[FeatureVector]:
        """Return the embedding of each image."""
        batch = images[0] if len(images) == 1 else np.concatenate(images)
        values = np.asarray(self.model.execute(batch, [self.node])[self.node])
        rows = flat_embedding(values)
        self._size = rows.shape[1]
        return [FeatureVector(row) for row in rows]

    def facts(self) -> list[str]:
        """Return the node and the sha256 of all weights."""
        if self._own is None:
            return [self.name, self.node, *files_of(self.entry)]
        return [self.name, self.node, _digest(self._own.graph.weights)]

    def provenance(self) -> list[dict[str, str]]:
        """Return the origin of the network."""
        origin = origin_of(self.entry)
        if self._own is not None:
            origin |= {"changed": "yes", "sha256": _digest(self._own.graph.weights)}
        return [origin]

    @property
    def is_own(self) -> bool:
        """Whether the network has other weights than those of the entry."""
        return self._own is not None

    def close(self) -> None:
        """Release the network, unless it is the caller's own; the next use loads it again."""
        if self._own is None:
            super().close()


def flat_embedding(values: np.ndarray) -> np.ndarray:
    """Return embeddings as rows: [n, height, width, channels] averaged over height and width.

    Args:
        values: float32 [n, ...].

    >>> flat_embedding(np.ones((2, 17, 17, 384), np.float32)).shape
    (2, 384)
    """
    if values.ndim == 4:
        return values.mean(axis=(1, 2), dtype=np.float32)
    return np.array(values, np.float32).reshape(len(values), -1)


def takes_images(entry: Entry) -> bool:
    """Whether the input of a network is an image."""
    return entry.preprocess.size is not None or bool(entry.options)


def files_of(entry: Entry) -> list[str]:
    """Return the sha256 of each weight file of a model."""
    return [f.sha256 for f in find_record(entry.weights).limited_to(entry.files).files]


def origin_of(entry: Entry) -> dict[str, str]:
    """Return what the model card says of the origin of a model, and the sha256 of its weights.

    >>> from zoo.catalog.entries import find_entry
    >>> origin_of(find_entry("posenet.tiny"))["model"]
    'posenet.tiny'
    """
    record = find_record(entry.weights).limited_to(entry.files)
    return {
        "model": entry.name,
        "title": entry.title,
        "licence": record.licence,
        "source": record.source,
        "origin": record.upstream,
        "files": ", ".join(f.path for f in record.files),
        "sha256": ", ".join(f.sha256 for f in record.files),
        "urls": ", ".join(url for f in record.files for url in f.urls),
    }


def _digest(weights: Mapping[str, Any]) -> str:
    """Return the sha256 of arrays by name."""
    found = hashlib.sha256()
    for name in sorted(weights):
        array = np.ascontiguousarray(weights[name])
        found.update(repr((name, array.dtype.str, array.shape)).encode())
        found.update(array.tobytes())
    return found.hexdigest()
