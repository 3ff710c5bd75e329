"""Layers that replace texts or integers by their numbers in a vocabulary.

Source: ``StringLookup`` and ``IntegerLookup`` of Keras 3, whose results are int64.
"""

from collections.abc import Sequence
from typing import Any, Literal

from core.layers.built_in.vocabulary_layer import TextVocabularyLayer, VocabularyLayer
from core.layers.built_in.vocabulary_lookup import looked_up, lookup_settings
from core.layers.common_ops import cast
from core.layers.layer_call import LayerCall, Operand


class StringLookup(TextVocabularyLayer):
    """Replace texts by their numbers in a vocabulary.

    Called on texts of any shape, returns integers of that shape, or a vector for each text by the
    output_mode "one_hot". "multi_hot" and "count" give a vector for each row of `[batch, texts]`,
    or one for `[texts]`, as in Keras; "tf_idf" multiplies counts by idf_weights. Numbers begin with
    that of the mask token, where there is one, then those of unknown texts; without any of these,
    unknown texts become -1. Vectors leave masked texts out. Give a vocabulary, or let adapt() find
    it in data.

    Args:
        max_tokens: numbers in all, where results are padded to them.
        num_oov_indices: numbers for what is not in the vocabulary, from 0.
        mask_token: text or integer whose number is 0.
        oov_token: what stands for unknown values in a vocabulary.
        vocabulary: texts or integers in the order of their numbers.
        idf_weights: factor of each entry of the vocabulary, for output_mode="tf_idf".
        invert: texts for numbers; not supported.
        output_mode: kind of the result.
        pad_to_max_tokens: make vectors of max_tokens numbers.
        sparse: accepted for Keras's sake; results are dense.
        encoding: of the texts, utf-8.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.StringLookup(vocabulary=["cat", "dog"])(["dog", "owl"]).numpy()
    array([2, 0], dtype=int32)
    """

    max_tokens: int | None = None
    num_oov_indices: int = 1
    mask_token: str | int | None = None
    oov_token: str | int = "[UNK]"
    vocabulary: Sequence[str] | Sequence[int] | None = None
    idf_weights: Sequence[float] | None = None
    invert: bool = False
    output_mode: Literal["int", "one_hot", "multi_hot", "count", "tf_idf"] = "int"
    pad_to_max_tokens: bool = False
    sparse: bool = False
    encoding: str = "utf-8"

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> list[Any]:
        """Look up texts."""
        if x.dtype != "string":
            raise call.error(
                f"looks up texts, got {x.dtype} values: use IntegerLookup for integers"
            )
        return looked_up(call, x, call.settings(lookup_settings))


class IntegerLookup(VocabularyLayer):
    """Replace integers by their numbers in a vocabulary.

    Called on integers of any shape, returns integers of that shape, or vectors by output_mode, all
    like `StringLookup`.

    Args:
        max_tokens: numbers in all, where results are padded to them.
        num_oov_indices: numbers for what is not in the vocabulary, from 0.
        mask_token: text or integer whose number is 0.
        oov_token: what stands for unknown values in a vocabulary.
        vocabulary: texts or integers in the order of their numbers.
        idf_weights: factor of each entry of the vocabulary, for output_mode="tf_idf".
        invert: integers for numbers; not supported.
        output_mode: kind of the result.
        sparse: accepted for Keras's sake; results are dense.
        pad_to_max_tokens: make vectors of max_tokens numbers.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.IntegerLookup(vocabulary=[10, 30])([30, 20, 10]).numpy()
    array([2, 0, 1], dtype=int32)
    """

    max_tokens: int | None = None
    num_oov_indices: int = 1
    mask_token: str | int | None = None
    oov_token: str | int = -1
    vocabulary: Sequence[str] | Sequence[int] | None = None
    idf_weights: Sequence[float] | None = None
    invert: bool = False
    output_mode: Literal["int", "one_hot", "multi_hot", "count", "tf_idf"] = "int"
    sparse: bool = False
    pad_to_max_tokens: bool = False

    keys = ("int32", "integers")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> list[Any]:
        """Look up integers."""
        if x.dtype == "string":
            raise call.error("looks up integers, got texts: use StringLookup")
        found = call.settings(lookup_settings)
        if found.unknown > 1:
            given = f"num_oov_indices={found.unknown}"
            for name, usual in (("salt", None), ("oov_method", "floormod")):
                if call.options.get(name, usual) not in (None, usual):
                    raise call.options.error(name, f"{usual!r} with {given}")
        return looked_up(call, cast(call, x, "int32"), found)

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[int]:
        """Return the vocabulary: the integer for each number that the layer returns.

        Args:
            include_special_tokens: begin with the mask token and what stands for unknown integers.

        >>> import core
        >>> core.layers.IntegerLookup(vocabulary=[10, 30]).get_vocabulary()
        [-1, 10, 30]
        """
        return [int(key) for key in self.entries(include_special_tokens)]
