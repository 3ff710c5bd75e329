"""Named tuples that ops return. Written by ``python -m core.public.stubs``."""

from core.engine.tensors import Tensor
from typing import NamedTuple

class MaxPoolWithArgmaxResults(NamedTuple):
    result: Tensor
    indexes: Tensor

class NonMaxSuppressionPaddedResults(NamedTuple):
    selected_indices: Tensor
    valid_outputs: Tensor

class NonMaxSuppressionWithScoreResults(NamedTuple):
    selected_indices: Tensor
    selected_scores: Tensor

class RaggedRangeResults(NamedTuple):
    rt_nested_splits: Tensor
    rt_dense_values: Tensor

class SparseFillEmptyRowsResults(NamedTuple):
    output_indices: Tensor
    output_values: Tensor
    empty_row_indicator: Tensor
    reverse_index_map: Tensor

class SparseReshapeResults(NamedTuple):
    output_indices: Tensor
    output_shape: Tensor

class StringNGramsResults(NamedTuple):
    n_grams: Tensor
    n_grams_splits: Tensor

class StringSplitResults(NamedTuple):
    indices: Tensor
    values: Tensor
    shape: Tensor

class StringSplitV2Results(NamedTuple):
    indices: Tensor
    values: Tensor
    shape: Tensor

class TopkResults(NamedTuple):
    values: Tensor
    indices: Tensor

class UnicodeDecodeResults(NamedTuple):
    row_splits: Tensor
    char_values: Tensor

class UniqueResults(NamedTuple):
    values: Tensor
    indices: Tensor
