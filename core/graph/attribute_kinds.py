"""Kinds of the values of node attributes, checked when a node type reads one."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from core.errors import CoreError
from core.graph.nodes import Attributes

_NUMBER = (int, float, np.integer, np.floating, np.bool_)

_TEXTS = "fused_ops row_partition_types"
_TEXT = """
data_format equation fill_mode interpolation method mode padding tensor_array_name
"""
_TEXT_OR_BYTES = "left_pad pattern rewrite right_pad separator"
_NUMBERS = "dilations explicit_paddings ksize ngram_widths rates strides"
_ONE_NUMBER = """
OUTPUT_RAGGED_RANK adj_x adj_y align_corners alpha batch_dims begin_mask beta bias binary_output
block_size clear_after_read constant_value depth_radius detections_per_class dilation dynamic_size
ellipsis_mask end_mask epsilon exclusive extrapolation_value h_scale half_pixel_centers high
include_batch_in_index iou_threshold is_constant is_training k keep_dims keepdims leakyrelu_alpha
low max_classes_per_detection max_detections maxval means minval new_axis_mask nms_iou_threshold
nms_score_threshold nudge num_args num_buckets num_classes num_split pad_to_max_output_size
pad_width preserve_short_sequences replace_global reverse scale seed shrink_axis_mask skip_empty
sorted stddev stride transpose_a transpose_b use_regular_nms w_scale x_scale y_scale zero_point
"""
_NUMBER_OR_NUMBERS = "axis squeeze_dims"


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBER)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_number, value))


#: Whether a value is of a kind, and what the kind is called, by name of attribute.
_KINDS = {
    name: kind
    for names, kind in (
        (_TEXT, (lambda v: isinstance(v, str), "text")),
        (_TEXT_OR_BYTES, (lambda v: isinstance(v, (str, bytes)), "text")),
        (
            _TEXTS,
            (
                lambda v: isinstance(v, (list, tuple)) and all(isinstance(t, str) for t in v),
                "a list of texts",
            ),
        ),
        (_ONE_NUMBER, (_is_number, "a number")),
        (_NUMBERS, (_are_numbers, "a list of numbers")),
        (
            _NUMBER_OR_NUMBERS,
            (lambda v: _is_number(v) or _are_numbers(v), "a number or a list of numbers"),
        ),
    )
    for name in names.split()
}


class CheckedAttributes(Mapping[str, Any]):
    """The attributes of a node; reading one of a wrong kind raises a CoreError.

    None, which stands for a missing value, has no kind: `get` returns the default.

    >>> CheckedAttributes({"padding": 3})["padding"]
    Traceback (most recent call last):
    core.errors.CoreError: the attribute 'padding' must be text, got 3
    """

    def __init__(self, attributes: Attributes):
        self._attributes = attributes

    def __getitem__(self, name: str) -> Any:
        value = self._attributes[name]
        is_of_kind, kind = _KINDS.get(name, (None, ""))
        if is_of_kind is not None and not is_of_kind(value):
            raise CoreError(f"the attribute {name!r} must be {kind}, got {value!r:.80}")
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, or a default where the node lacks it."""
        return default if self._attributes.get(name) is None else self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)
