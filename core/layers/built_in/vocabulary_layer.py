"""The base of layers with a vocabulary, which is found in data, given, or read.

Source: ``IndexLookup`` of Keras 3: the most frequent keys come first, of equally frequent ones the
last in the order of bytes or numbers.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.adapted_data import AdaptedTo, parts_of
from core.layers.built_in.vocabulary_lookup import Key, Lookup, lookup_of
from core.layers.built_in_layer import OneResult
from core.layers.layer_config import MOST, Options


class VocabularyLayer(OneResult, is_base=True):
    """A layer that replaces the keys of a vocabulary by their numbers."""

    #: Dtype of the keys, and what they are.
    keys: ClassVar[tuple[str, str]] = ("string", "texts")

    keeps_mask = False

    def adapt(self, data: AdaptedTo) -> None:
        """Make the vocabulary of what the data have, the most frequent first, as Keras does.

        With output_mode "tf_idf" this sets `idf_weights`, too, for which each row of the data is a
        document.

        Args:
            data: texts or integers as the layer takes them: an array or list, or a dataset or
                another iterable of batches, each ``x``, or a tuple that begins with it.

        Raises:
            CoreError: the data are of another dtype, or have nothing for a vocabulary, or the layer
                was called already and its result would have another length.

        >>> import core
        >>> layer = core.layers.TextVectorization(max_tokens=4)
        >>> layer.adapt(["to be or not to be", "be!"])
        >>> layer.get_vocabulary()
        ['', '[UNK]', 'be', 'to']
        """
        lookup = self._lookup()
        counts, documents, total = Counter[Key | bytes](), Counter[Key | bytes](), 0
        for part, is_all in parts_of(data, self.name):
            for document in self.documents(self._values(part), is_all):
                counts.update(document)
                documents.update(set(document))
                total += 1
        for special in (lookup.mask, lookup.oov):
            counts.pop(_stored(special), None)
        most = self._options(self.config).integer("max_tokens", MOST)
        keys = sorted(counts, key=lambda key: (counts[key], key), reverse=True)
        keys = keys[: max(most - len(lookup.special), 0)]
        if not keys:
            raise CoreError(
                f"the data for layer {self.name!r} have nothing for a vocabulary: give data with "
                f"values"
            )
        factors = None
        if lookup.mode == "tf_idf":
            found = np.array([documents[key] for key in keys])
            factors = np.log(1 + total / (1 + found)).astype(np.float32).tolist()
        self._set([_decoded(key, self.name) for key in keys], factors)

    def documents(self, x: Tensor, is_all: bool) -> Iterator[list[Any]]:
        """Yield the keys of each document; a vector is one, unless it is all of the data."""
        if x.ndim == 1:
            x = x.reshape((-1, 1) if is_all else (1, -1))
        rows = x.numpy().reshape(x.shape[0], -1).tolist()
        yield from ([_stored(key) for key in row] for row in rows)

    def vocabulary_size(self) -> int:
        """Return the length of the vocabulary with the special entries.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).vocabulary_size()
        3
        """
        return len(self.entries(True))

    def set_vocabulary(
        self,
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
        self._set(listed, None if idf_weights is None else [float(each) for each in idf_weights])

    def entries(self, has_special: bool) -> list[Any]:
        """Return the keys of the vocabulary, with the special ones at the start or without them."""
        found = self._lookup()
        return [*found.special, *found.keys] if has_special else [*found.keys]

    def _values(self, given: Any) -> Tensor:
        try:
            found = given if isinstance(given, Tensor) else tensor(given)
        except (TypeError, ValueError) as error:
            raise CoreError(f"the data for layer {self.name!r} are no array: {error}") from error
        dtype, what = self.keys
        if found.dtype != dtype or not found.size:
            raise CoreError(
                f"layer {self.name!r} adapts to {what}, one or more, got an array of shape "
                f"{found.shape} and dtype {found.dtype}"
            )
        return found.reshape((1,)) if not found.ndim else found

    def _set(self, vocabulary: list[Any], factors: list[float] | None) -> None:
        """Replace the vocabulary, if it is valid and fits a layer that was called."""
        config = {**self.config, "vocabulary": vocabulary, "idf_weights": factors}
        config.pop("vocabulary_size", None)  # that of the former one, in a file of Keras
        new, old = self._lookup(config), self._lookup()
        if self.built and new.mode != "int" and new.size != old.size:
            raise CoreError(
                f"layer {self.name!r} was called with a vocabulary of {old.size} entries and "
                f"returns as many numbers, not {new.size}: make a new layer, or one with "
                f"pad_to_max_tokens"
            )
        self.config = config

    def _lookup(self, config: Mapping[str, Any] | None = None) -> Lookup:
        return lookup_of(self.class_name, self._options(config or self.config), needs_keys=False)

    def _options(self, config: Mapping[str, Any]) -> Options:
        return Options(config, f"layer {self.name!r} ({self.class_name})")


class TextVocabularyLayer(VocabularyLayer, is_base=True):
    """A layer that replaces texts by their numbers."""

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """Return the vocabulary: the text for each number that the layer returns.

        Args:
            include_special_tokens: begin with the mask token and what stands for unknown texts.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).get_vocabulary()
        ['[UNK]', 'cat', 'dog']
        """
        return [str(key) for key in self.entries(include_special_tokens)]


def _stored(key: Any) -> Any:
    """Return a key as tensors have it."""
    return key.encode() if isinstance(key, str) else key


def _decoded(key: Key | bytes, name: str) -> Key:
    try:
        return key.decode() if isinstance(key, bytes) else key
    except UnicodeDecodeError as error:
        raise CoreError(f"the data for layer {name!r} have {key!r:.40}, not UTF-8") from error
