"""Features of images: vectors from pretrained networks, on which small heads are trained."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from core import data
from core.graph_model.deferred_model import network_backend
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import all_entries, lookup
from zoo.images.flips import flipped
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.options import check_backend
from zoo.pipeline.verb_signatures import ImageSource
from zoo.transfer.features.blocks import Block, EmbeddingBlock, FeatureVector, takes_images
from zoo.transfer.features.landmarks import LANDMARKS, LandmarkBlock

if TYPE_CHECKING:
    from core import GraphModel

DEFAULT_FEATURES = "mobilenet.v2_100_quant"

_LAYOUT = 1  # to be raised when the values of any features change
_AHEAD = 4  # batches that are read while the network runs
_MOST_WAITING = 64  # results that wait for a batch

Item = TypeVar("Item")

#: Prepared inputs of the networks for an image, its features, or the error of reading it.
Look = list[np.ndarray] | FeatureVector | ImageError


class FeatureExtractor:
    """Computes the features of images: embeddings of networks, landmarks, or several together.

    Made by `feature_extractor`. Networks are loaded when they are first needed.

    Args:
        blocks: one for each name.

    >>> extractor = feature_extractor("posenet.tiny")
    >>> extractor.of_image(np.zeros((60, 80, 3), np.uint8)).values.shape, extractor.size
    ((384,), 384)
    """

    def __init__(self, blocks: Sequence[Block]):
        self._blocks = tuple(blocks)
        self.names = tuple(block.name for block in blocks)
        first = blocks[0]
        self._embedding = first if len(blocks) == 1 and isinstance(first, EmbeddingBlock) else None

    @property
    def is_embedding(self) -> bool:
        """Whether the features are a single embedding of a network, which heads normalise."""
        return self._embedding is not None

    @property
    def backend(self) -> str:
        """Name of the backend on which the networks run."""
        return self._blocks[0].backend

    @property
    def is_own(self) -> bool:
        """Whether the features are those of a network with other weights than the zoo's."""
        return self._embedding is not None and self._embedding.is_own

    @property
    def size(self) -> int:
        """Number of values of a vector."""
        several = len(self._blocks) > 1
        return sum(block.size + _has_presence(block, several) for block in self._blocks)

    @property
    def model(self) -> LoadedModel | None:
        """The network of a single embedding, else None."""
        return self._embedding.model if self._embedding else None

    @property
    def node(self) -> str:
        """Name of the node with the embedding in ``model.network.graph``; else ``""``."""
        return self._embedding.node if self._embedding else ""

    @cached_property
    def key(self) -> str:
        """Sha256 over all that the values depend on: names, weights, the version of the layout."""
        facts = [_LAYOUT, *(block.facts() for block in self._blocks)]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    @property
    def provenance(self) -> list[dict[str, str]]:
        """The origin of each network: model, title, licence, source, files and their sha256."""
        found = {o["model"]: o for block in self._blocks for o in block.provenance()}
        return list(found.values())

    def of_image(self, image: ImageSource, *, mirror: bool = False) -> FeatureVector:
        """Return the features of an image.

        Args:
            image: anything that the verbs take.
            mirror: the image is a mirror image: its flip is what the networks see.

        Raises:
            ImageError: the image cannot be read.
            WeightsError: the weights are missing or damaged.
        """
        return self._vectors([self.look(read_image(image), mirror=mirror)])[0]

    def of_images(
        self, images: Iterable[ImageSource], *, mirror: bool = False
    ) -> Iterator[FeatureVector | ImageError]:
        """Yield the features of images in their order; a thread reads ahead.

        Args:
            images: a list, or an iterator, which is advanced in the thread. Few images are in
                memory at a time.
            mirror: the images are mirror images.

        Yields:
            For each image its features, or the error if it cannot be read.

        Raises:
            ZooError: a single path is given instead of a list.
            WeightsError: the weights are missing or damaged.
        """
        if isinstance(images, (str, bytes, os.PathLike)):
            raise ZooError(
                f"{images!r:.80} is one image, and of_images takes several: call of_image, or give "
                "a list"
            )

        def look(image: ImageSource) -> Look:
            try:
                return self.look(read_image(image), mirror=mirror)
            except ImageError as error:
                return error

        return self.of_looks(self.read_ahead(map(look, images)))

    @property
    def advice(self) -> str:
        """A hint for images where nothing was found, or ``""``."""
        lines = [block.advice for block in self._blocks if isinstance(block, LandmarkBlock)]
        return "; ".join(dict.fromkeys(lines))

    def read_ahead(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items that a thread takes from an iterator ahead of what the networks need.

        Args:
            items: made from images, of which few are held where they stay as large as they are.
        """
        keeps = any(block.keeps_pixels for block in self._blocks)
        size = 2 if keeps else _AHEAD * self._together
        return iter(data.from_generator(items).prefetch(size))

    def look(self, pixels: np.ndarray, *, mirror: bool = False) -> list[np.ndarray]:
        """Return the inputs of the networks for an image, uint8 [height, width, 3]."""
        if mirror:
            pixels = flipped(pixels)
        return [block.prepared(pixels) for block in self._blocks]

    def of_looks(self, looks: Iterable[Look]) -> Iterator[FeatureVector | ImageError]:
        """Yield the features of what `look` returned; known features and errors stay as they are.

        Args:
            looks: of images, of which some run as one batch.
        """
        waiting: list[Look] = []
        unknown = 0
        for look in looks:
            waiting.append(look)
            unknown += isinstance(look, list)
            if unknown in (0, self._together) or len(waiting) == _MOST_WAITING:
                yield from self._filled(waiting)
                waiting, unknown = [], 0
        yield from self._filled(waiting)

    def warmup(self) -> float:
        """Make the networks ready; return how many milliseconds it took."""
        return sum(block.warmup() for block in self._blocks)

    def close(self) -> None:
        """Release the networks; the next use loads them again."""
        for block in self._blocks:
            block.close()

    @property
    def _together(self) -> int:
        return self._embedding.together if self._embedding else 1

    def _filled(self, waiting: Sequence[Look]) -> Iterator[FeatureVector | ImageError]:
        looks = [look for look in waiting if isinstance(look, list)]
        computed = iter(self._vectors(looks) if looks else ())
        for look in waiting:
            yield next(computed) if isinstance(look, list) else look

    def _vectors(self, looks: Sequence[list[np.ndarray]]) -> list[FeatureVector]:
        columns = zip(self._blocks, zip(*looks, strict=True), strict=True)
        found = [block.vectors(images) for block, images in columns]
        if len(self._blocks) == 1:
            return found[0]
        return [self._joined(vectors) for vectors in zip(*found, strict=True)]

    def _joined(self, vectors: Sequence[FeatureVector]) -> FeatureVector:
        """Return one vector; each block of landmarks begins with 1 where it was found, else 0."""
        if all(vector.values is None for vector in vectors):
            return FeatureVector(None, ", ".join(vector.missing for vector in vectors))
        parts: list[Any] = []
        for block, vector in zip(self._blocks, vectors, strict=True):
            if _has_presence(block, True):
                parts.append([vector.values is not None])
            parts.append(np.zeros(block.size) if vector.values is None else vector.values)
        return FeatureVector(np.concatenate(parts).astype(np.float32))

    def __repr__(self) -> str:
        return f"<features {'+'.join(self.names)}>"


def feature_extractor(
    features: str | Sequence[str] = DEFAULT_FEATURES, *, backend: str | None = None
) -> FeatureExtractor:
    """Return the extractor of some features.

    Args:
        features: a model of the zoo with an embedding, such as ``"mobilenet.v1_025"``; or
            landmarks: ``"hand"`` (78 values), ``"face"``, ``"pose"``, ``"body_parts"``; or
            several, as ``["pose", "hand"]`` or ``"pose+hand"``.
        backend: where the networks run, by default the active one.

    Returns:
        The extractor, which has read no weights yet.

    Raises:
        ZooError: unknown features or backend; the message lists the valid ones.

    >>> feature_extractor("pose+hand").names
    ('pose', 'hand')
    """
    check_backend(backend)
    names = _names_in(features)
    return FeatureExtractor([_block(name, network_backend(backend)) for name in names])


def embedding_extractor(name: str, network: "GraphModel", node: str) -> FeatureExtractor:
    """Return the extractor of the embedding of a fine-tuned copy of a network.

    Args:
        name: of the model that it is a copy of, which says how images are prepared.
        network: with other weights; closing the extractor does not release it.
        node: of the network's graph, with the embedding.

    Raises:
        ZooError: no model with an embedding has that name.
    """
    block = _block(name, network.backend)
    if not isinstance(block, EmbeddingBlock):
        raise ZooError(f"{name!r} has no embedding: {_valid()}")
    return FeatureExtractor([EmbeddingBlock(block.entry, network.backend, network, node)])


def feature_names() -> tuple[list[str], list[str]]:
    """Return the names of the landmarks that serve as features, and of the models.

    >>> feature_names()[0]
    ['hand', 'face', 'pose', 'body_parts']
    """
    models = [e.name for e in all_entries().values() if e.embedding and takes_images(e)]
    return list(LANDMARKS), models


def _names_in(features: str | Sequence[str]) -> list[str]:
    """Return the names of features, each once.

    >>> _names_in("pose + hand")
    ['pose', 'hand']
    """
    several = features.split("+") if isinstance(features, str) else features
    if not isinstance(several, (list, tuple)) or not all(isinstance(n, str) for n in several):
        raise ZooError(f"{features!r:.80} is no name of features: {_valid()}")
    names = [name.strip() for name in several]
    if not any(names):
        raise ZooError(f"{features!r:.80} is no name of features: {_valid()}")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ZooError(f"the features {features!r:.80} name {twice!r} twice: name each once")
    return names


def _block(name: str, backend: str) -> Block:
    if name in LANDMARKS:
        return LandmarkBlock(name, backend)
    entry = lookup(name)
    if entry is None and os.path.isfile(name):
        raise ZooError(
            f"{name} is a file, and features are of models of the zoo, which say how images are "
            f"prepared: compute its own by zoo.load(path, labels=.., preprocessing=..)"
            f".infer(images, embedding=True), and fit a zoo.Head on them"
        )
    if entry is None:
        close = did_you_mean(name.lower(), [*LANDMARKS, *all_entries()])
        raise ZooError(f"unknown features {name!r}{close}; {_valid(name)}")
    if not (entry.embedding and takes_images(entry)):
        raise ZooError(f"{name} has no embedding of images, so it gives no features: {_valid()}")
    return EmbeddingBlock(entry, backend)


def _valid(name: str = "") -> str:
    """The names of features for messages: of models those of the family, else all families."""
    landmarks, models = feature_names()
    families = dict.fromkeys(f"{model.partition('.')[0]}." for model in models)
    near = get_close_matches(f"{name.partition('.')[0]}.", families, n=1)
    its = [m for m in models if near and m.startswith(near[0])] or [f"{f}*" for f in families]
    return f"features are {', '.join(landmarks)} and models such as {', '.join(its)}"


def _has_presence(block: Block, several: bool) -> bool:
    return several and isinstance(block, LandmarkBlock)
