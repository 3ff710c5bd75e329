"""Enumerations of the TFLite schema (version 3): ops, dtypes, and the options of ops.

The numbers are taken from TensorFlow's ``schema.fbs``.
"""

from typing import Any, NamedTuple

from core.converter.tflite.flatbuffer import Table
from core.errors import CoreError

IDENTIFIER = b"TFL3"

_BUILTIN_NAMES = (
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE "
    "EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D "
    "LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU "
    "RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH "
    "CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD "
    "UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB "
    "DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP "
    "TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX "
    "MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV "
    "SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN "
    "FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK "
    "REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE "
    "RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL "
    "REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE "
    "MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 "
    "SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES "
    "CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE "
    "HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE "
    "READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE "
    "RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD "
    "UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST "
    "BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE "
    "STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP "
    "STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE "
    "STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE "
    "STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE "
    "STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT "
    "STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT "
    "STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA "
    "STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE "
    "STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW "
    "STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE"
)

#: Ops by number.
BUILTIN_NAMES = _BUILTIN_NAMES.split()

_DTYPES = (
    "float32 float16 int32 uint8 int64 string bool int16 complex64 int8 float64 complex128 uint64 "
    "resource variant uint32 uint16 int4 bfloat16"
)

#: Names of dtypes by number, NumPy's names if it has the dtype.
DTYPES = _DTYPES.split()

#: Activations that ops apply to their result, by number.
ACTIVATIONS = ("", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT")

PADDINGS = ("SAME", "VALID")


class OptionTable(NamedTuple):
    """The number of a kind of options, and the fields in order, as "name:format=default".

    Names are those of the node's attributes, if a node has an equal attribute. Formats are those
    of `struct`, "v" for a vector of int32, and "t" for a text; "-" is skipped.
    """

    number: int
    fields: str = ""


#: The options of ops that have some.
OPTIONS = {
    "CONV_2D": OptionTable(
        1, "padding:b stride_w:i stride_h:i activation:b dilation_w:i=1 dilation_h:i=1"
    ),
    "DEPTHWISE_CONV_2D": OptionTable(
        2, "padding:b stride_w:i stride_h:i - activation:b dilation_w:i=1 dilation_h:i=1"
    ),
    **dict.fromkeys(
        ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"),
        OptionTable(5, "padding:b stride_w:i stride_h:i filter_w:i filter_h:i activation:b"),
    ),
    "FULLY_CONNECTED": OptionTable(8, "activation:b weights_format:b keep_num_dims:?"),
    "SOFTMAX": OptionTable(9, "beta:f"),
    "CONCATENATION": OptionTable(10, "axis:i activation:b"),
    "ADD": OptionTable(11, "activation:b"),
    "RNN": OptionTable(7, "cell_activation:b"),
    "LSTM": OptionTable(14, "cell_activation:b cell_clip:f proj_clip:f kernel_type:b"),
    "UNIDIRECTIONAL_SEQUENCE_RNN": OptionTable(31, "time_major:? cell_activation:b"),
    "BIDIRECTIONAL_SEQUENCE_LSTM": OptionTable(
        69, "cell_activation:b cell_clip:f proj_clip:f merge_outputs:? time_major:?=1"
    ),
    "BIDIRECTIONAL_SEQUENCE_RNN": OptionTable(70, "time_major:? cell_activation:b merge_outputs:?"),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": OptionTable(
        71, "cell_activation:b cell_clip:f proj_clip:f time_major:? - diagonal_recurrent:?"
    ),
    "L2_NORMALIZATION": OptionTable(12, "activation:b"),
    "LOCAL_RESPONSE_NORMALIZATION": OptionTable(13, "depth_radius:i bias:f alpha:f beta:f"),
    "RESIZE_BILINEAR": OptionTable(15, "- - align_corners:? half_pixel_centers:?"),
    "RESHAPE": OptionTable(17, "new_shape:v"),
    "SPACE_TO_DEPTH": OptionTable(19, "block_size:i"),
    "MUL": OptionTable(21, "activation:b"),
    "GATHER": OptionTable(23, "axis:i batch_dims:i"),
    **dict.fromkeys(
        ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL"),
        OptionTable(27, "keep_dims:?"),
    ),
    "SUB": OptionTable(28, "activation:b"),
    "DIV": OptionTable(29, "activation:b"),
    "SQUEEZE": OptionTable(30, "squeeze_dims:v"),
    "STRIDED_SLICE": OptionTable(
        32, "begin_mask:i end_mask:i ellipsis_mask:i new_axis_mask:i shrink_axis_mask:i offset:?"
    ),
    "SPLIT": OptionTable(35),
    "SPLIT_V": OptionTable(79),
    "TRANSPOSE_CONV": OptionTable(49, "padding:b stride_w:i stride_h:i activation:b"),
    "FAKE_QUANT": OptionTable(58, "min:f max:f num_bits:i narrow_range:?"),
    "PACK": OptionTable(59, "- axis:i"),
    "ONE_HOT": OptionTable(61, "axis:i"),
    "UNPACK": OptionTable(64, "- axis:i"),
    "RESIZE_NEAREST_NEIGHBOR": OptionTable(74, "align_corners:? half_pixel_centers:?"),
    "LEAKY_RELU": OptionTable(75, "alpha:f"),
    "MIRROR_PAD": OptionTable(77, "mode:b"),
    "IF": OptionTable(92, "then_branch:i else_branch:i"),
    "WHILE": OptionTable(93, "cond:i body:i"),
    "DEPTH_TO_SPACE": OptionTable(94, "block_size:i"),
    "BATCH_MATMUL": OptionTable(101, "adj_x:? adj_y:?"),
    "CUMSUM": OptionTable(102, "exclusive:? reverse:?"),
    "CALL_ONCE": OptionTable(103, "subgraph:i"),
    "CONV_3D": OptionTable(
        106,
        "padding:b stride_d:i stride_w:i stride_h:i activation:b "
        "dilation_d:i=1 dilation_w:i=1 dilation_h:i=1",
    ),
    "HASHTABLE": OptionTable(107, "table_id:i key_dtype:b value_dtype:b"),
    "VAR_HANDLE": OptionTable(111, "container:t shared_name:t"),
    "GELU": OptionTable(116, "approximate:?"),
}


def read_builtin_options(name: str, number: int, table: Table | None) -> dict[str, Any]:
    """Return the options of an op by name; absent options have the schema's defaults.

    Raises:
        CoreError: the options are of another op.
    """
    kind = OPTIONS.get(name)
    if kind is None:
        return {}
    if number not in (0, kind.number):
        raise CoreError(f"{name} has options of kind {number}, not {kind.number}")
    return {
        name: _option(table, field, *rest.split("="))
        for field, (name, _, rest) in enumerate(f.partition(":") for f in kind.fields.split())
        if name != "-"
    }


def _option(table: Table | None, field: int, kind: str, default: str = "0") -> Any:
    if kind == "v":
        return None if table is None else table.integers(field)
    if kind == "t":
        return "" if table is None else table.text(field)
    absent = bool(int(default)) if kind == "?" else int(default)
    return absent if table is None else table.number(field, f"<{kind}", absent)


def choice(values: tuple[str, ...] | list[str], number: int, what: str) -> str:
    """Return the name for a number of an enumeration.

    >>> choice(PADDINGS, 1, "padding")
    'VALID'
    """
    if not 0 <= number < len(values):
        raise CoreError(f"{what} {number} is unknown: expected 0 to {len(values) - 1}")
    return values[number]
