"""Vocabularies of layers: found in data, given, and read.

Source: ``IndexLookup`` of Keras 3: the most frequent keys come first, of equally frequent ones the
last in the order of bytes or numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.adapted_data import AdaptedTo, parts_of
from core.layers.layer_config import MOST, Options
from core.layers.lowering.lookups import Key, Lookup, lookup_of
from core.layers.lowering.vectorization import tokens_of
from core.layers.tensor_calls import TensorCall


class _Layer(Protocol):
    """A built-in layer, as far as this file needs it."""

    name: str
    class_name: str
    built: bool
    config: dict[str, Any]

    def _tensor_call(self, training: bool, keywords: Mapping[str, Any]) -> TensorCall: ...


def adapt(self: _Layer, data: AdaptedTo) -> None:  # noqa: D417 - a method
    """Make the vocabulary of what the data have, the most frequent first, as Keras does.

    With output_mode "tf_idf" this sets `idf_weights`, too, for which each row of the data is a
    document.

    Args:
        data: texts or integers as the layer takes them: an array or list, or a dataset or another
            iterable of batches, each ``x``, or a tuple that begins with it.

    Raises:
        CoreError: the data are of another dtype, or have nothing for a vocabulary, or the layer was
            called already and its result would have another length.

    >>> import core
    >>> layer = core.layers.TextVectorization(max_tokens=4)
    >>> layer.adapt(["to be or not to be", "be!"])
    >>> layer.get_vocabulary()
    ['', '[UNK]', 'be', 'to']
    """
    lookup = _lookup(self)
    counts, documents, total = Counter[Key | bytes](), Counter[Key | bytes](), 0
    for part, is_all in parts_of(data, self.name):
        for document in _documents(self, part, is_all):
            counts.update(document)
            documents.update(set(document))
            total += 1
    for special in (lookup.mask, lookup.oov):
        counts.pop(_stored(special), None)
    most = _options(self, self.config).integer("max_tokens", MOST)
    keys = sorted(counts, key=lambda key: (counts[key], key), reverse=True)
    keys = keys[: max(most - len(lookup.special), 0)]
    if not keys:
        raise CoreError(
            f"the data for layer {self.name!r} have nothing for a vocabulary: give data with values"
        )
    factors = None
    if lookup.mode == "tf_idf":
        found = np.array([documents[key] for key in keys])
        factors = np.log(1 + total / (1 + found)).astype(np.float32).tolist()
    _set(self, [_decoded(key, self.name) for key in keys], factors)


def _documents(self: _Layer, part: Any, is_all: bool) -> Iterator[list[Any]]:
    """Yield the keys of each document; a vector is one, unless it is all of the data."""
    x = _values(part, self)
    is_split = self.class_name == "TextVectorization" and self.config.get("split") is not None
    if x.ndim == 1 and not is_split:
        x = x.reshape((-1, 1) if is_all else (1, -1))
    if self.class_name == "TextVectorization":
        found = tokens_of(self._tensor_call(False, {}), x)
        if found.splits is not None:
            tokens, splits = found.values.numpy().tolist(), found.splits.numpy().tolist()
            yield from (tokens[i:j] for i, j in zip(splits[:-1], splits[1:], strict=True))
            return
        x = found.values
    rows = x.numpy().reshape(x.shape[0], -1).tolist()
    yield from ([_stored(key) for key in row] for row in rows)


def _values(given: Any, self: _Layer) -> Tensor:
    try:
        found = given if isinstance(given, Tensor) else tensor(given)
    except (TypeError, ValueError) as error:
        raise CoreError(f"the data for layer {self.name!r} are no array: {error}") from error
    expected = "int32" if self.class_name == "IntegerLookup" else "string"
    if found.dtype != expected or not found.size:
        raise CoreError(
            f"layer {self.name!r} adapts to {'integers' if expected == 'int32' else 'texts'}, one "
            f"or more, got an array of shape {found.shape} and dtype {found.dtype}"
        )
    return found.reshape((1,)) if not found.ndim else found


def _stored(key: Any) -> Any:
    """Return a key as tensors have it."""
    return key.encode() if isinstance(key, str) else key


def _decoded(key: Key | bytes, name: str) -> Key:
    try:
        return key.decode() if isinstance(key, bytes) else key
    except UnicodeDecodeError as error:
        raise CoreError(f"the data for layer {name!r} have {key!r:.40}, not UTF-8") from error


def get_vocabulary(self: _Layer, include_special_tokens: bool = True) -> list[str]:  # noqa: D417
    """Return the vocabulary: the text for each number that the layer returns.

    Args:
        include_special_tokens: begin with the mask token and what stands for unknown texts.

    >>> import core
    >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).get_vocabulary()
    ['[UNK]', 'cat', 'dog']
    """
    return [str(key) for key in _listed(self, include_special_tokens)]


def get_integer_vocabulary(  # noqa: D417 - a method
    self: _Layer, include_special_tokens: bool = True
) -> list[int]:
    """Return the vocabulary: the integer for each number that the layer returns.

    Args:
        include_special_tokens: begin with the mask token and what stands for unknown integers.

    >>> import core
    >>> core.layers.IntegerLookup(vocabulary=[10, 30]).get_vocabulary()
    [-1, 10, 30]
    """
    return [int(key) for key in _listed(self, include_special_tokens)]


def _listed(self: _Layer, has_special: bool) -> list[Any]:
    found = _lookup(self)
    return [*found.special, *found.keys] if has_special else [*found.keys]


def vocabulary_size(self: _Layer) -> int:
    """Return the length of the vocabulary with the special entries.

    >>> import core
    >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).vocabulary_size()
    3
    """
    return len(_listed(self, True))


def set_vocabulary(  # noqa: D417 - a method
    self: _Layer,
    vocabulary: Sequence[str] | Sequence[int],
    idf_weights: Sequence[float] | None = None,
) -> None:
    """Replace the vocabulary.

    Args:
        vocabulary: different texts or integers, with or without the special ones at the start.
        idf_weights: a factor for each of them, which the output_mode "tf_idf" needs.

    Raises:
        CoreError: the vocabulary is invalid or longer than max_tokens, or the layer was called
            already and its result would have another length.

    >>> import core
    >>> layer = core.layers.StringLookup(vocabulary=["cat"])
    >>> layer.set_vocabulary(["owl", "dog"])
    >>> layer(["dog"]).numpy()
    array([2], dtype=int32)
    """
    listed = [key.item() if isinstance(key, np.generic) else key for key in vocabulary]
    _set(self, listed, None if idf_weights is None else [float(each) for each in idf_weights])


def _set(self: _Layer, vocabulary: list[Any], factors: list[float] | None) -> None:
    """Replace the vocabulary, if it is valid and fits a layer that was called."""
    config = {**self.config, "vocabulary": vocabulary, "idf_weights": factors}
    config.pop("vocabulary_size", None)  # that of the former one, in a file of Keras
    new, old = _lookup(self, config), _lookup(self)
    if self.built and new.mode != "int" and new.size != old.size:
        raise CoreError(
            f"layer {self.name!r} was called with a vocabulary of {old.size} entries and returns "
            f"as many numbers, not {new.size}: make a new layer, or one with pad_to_max_tokens"
        )
    self.config = config


def _lookup(self: _Layer, config: Mapping[str, Any] | None = None) -> Lookup:
    options = _options(self, config or self.config)
    return lookup_of(self.class_name, options, needs_keys=False)


def _options(self: _Layer, config: Mapping[str, Any]) -> Options:
    return Options(config, f"layer {self.name!r} ({self.class_name})")


_OF_TEXTS: Mapping[str, Callable[..., Any]] = {
    "adapt": adapt,
    "get_vocabulary": get_vocabulary,
    "set_vocabulary": set_vocabulary,
    "vocabulary_size": vocabulary_size,
}

#: Methods of the layers that have a vocabulary, by class.
VOCABULARY_METHODS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "IntegerLookup": {**_OF_TEXTS, "get_vocabulary": get_integer_vocabulary},
    "StringLookup": _OF_TEXTS,
    "TextVectorization": _OF_TEXTS,
}
