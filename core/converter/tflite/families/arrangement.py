"""Ops that move values: shapes, slices, padding, blocks, and tensors split and joined."""

from collections.abc import Sequence

from core.converter.tflite.schema import choice
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule, plain
from core.errors import CoreError

_MIRROR_MODES = ("REFLECT", "SYMMETRIC")


def _reshape(op: TranslatedOp) -> str:
    """Reshape to the shape of an input or, in old files, of an option."""
    if op.has(1) and op.is_constant(1):
        shape = op.integers(op.constant(1).ravel())
    elif op.has(1):
        shape = op.input(1)
    elif op.options["new_shape"] is not None:
        shape = op.integers(op.options["new_shape"])
    else:
        shape = op.integers([-1 if n is None else n for n in op.output().signature or ()])
    return op.node("Reshape", op.input(0), shape)


def _squeeze(op: TranslatedOp) -> str:
    axes = list(op.options["squeeze_dims"] or ())
    return op.node("Squeeze", op.input(0), squeeze_dims=axes)


def _pack(op: TranslatedOp) -> str:
    return op.node("Pack", *op.inputs(), **op.options, N=len(op.inputs()))


def _unpack(op: TranslatedOp) -> Sequence[str]:
    count = len(op.operator.outputs)
    return op.outputs_of(op.node("Unpack", op.input(0), **op.options, num=count))


def _concatenation(op: TranslatedOp) -> str:
    axis = op.integers(op.options["axis"])
    return op.activated(op.node("ConcatV2", *op.inputs(), axis, N=len(op.inputs())))


def _split(op: TranslatedOp) -> Sequence[str]:
    count = len(op.operator.outputs)
    return op.outputs_of(op.node("Split", op.number(0), op.input(1), num_split=count))


def _strided_slice(op: TranslatedOp) -> str:
    x, begin, end, strides = (op.input(i) for i in range(4))
    masks = {name: mask for name, mask in op.options.items() if name.endswith("mask")}
    if op.options["offset"]:
        end = op.node("AddV2", begin, end)
    return op.node("StridedSlice", x, begin, end, strides, **masks)


def _mirror_pad(op: TranslatedOp) -> str:
    mode = choice(_MIRROR_MODES, op.options["mode"], "the mode")
    return op.node("MirrorPad", op.input(0), op.input(1), mode=mode)


def _space_to_depth(op: TranslatedOp) -> str:
    """Move blocks of pixels to channels."""
    size, (_, height, width, channels) = op.options["block_size"], op.shape(0)
    if size < 1 or height is None or width is None or channels is None:
        raise CoreError(f"its block size {size} must be at least 1, and {op.shape(0)} known")
    height, width = height // size, width // size
    split = op.integers([-1, height, size, width, size, channels])
    blocks = op.node("Reshape", op.input(0), split)
    moved = op.node("Transpose", blocks, op.integers([0, 1, 3, 2, 4, 5]))
    return op.node("Reshape", moved, op.integers([-1, height, width, size * size * channels]))


def _gather(op: TranslatedOp) -> str:
    axis, batch_dims = op.integers(op.options["axis"]), op.options["batch_dims"]
    return op.node("GatherV2", op.input(0), op.input(1), axis, batch_dims=batch_dims)


def _embedding_lookup(op: TranslatedOp) -> str:
    return op.node("GatherV2", op.input(1), op.input(0), op.integers(0), batch_dims=0)


RULES = {
    "BATCH_TO_SPACE_ND": plain("BatchToSpaceND", moves=True),
    "BROADCAST_ARGS": plain("BroadcastArgs", moves=True),
    "BROADCAST_TO": plain("BroadcastTo", moves=True),
    "CONCATENATION": Rule(_concatenation, moves=True),
    "DEPTH_TO_SPACE": plain("DepthToSpace", 0, data_format="NHWC", moves=True),
    "EMBEDDING_LOOKUP": Rule(_embedding_lookup, moves=True),
    "EXPAND_DIMS": plain("ExpandDims", 0, numbers=(1,), moves=True),
    "GATHER": Rule(_gather, moves=True),
    "GATHER_ND": plain("GatherNd", moves=True),
    "MIRROR_PAD": Rule(_mirror_pad, moves=True),
    "PACK": Rule(_pack, moves=True),
    "PAD": plain("Pad", moves=True),
    "PADV2": plain("PadV2", moves=True),
    "RESHAPE": Rule(_reshape, moves=True),
    "REVERSE_V2": plain("ReverseV2", moves=True),
    "SCATTER_ND": plain("ScatterNd", moves=True),
    "SLICE": plain("Slice", moves=True),
    "SPACE_TO_BATCH_ND": plain("SpaceToBatchND", moves=True),
    "SPACE_TO_DEPTH": Rule(_space_to_depth, moves=True),
    "SPARSE_TO_DENSE": plain("SparseToDense", moves=True),
    "SPLIT": Rule(_split, moves=True),
    "SPLIT_V": plain("SplitV", 0, 1, numbers=(2,), moves=True, several=True),
    "SQUEEZE": Rule(_squeeze, moves=True),
    "STRIDED_SLICE": Rule(_strided_slice, moves=True),
    "TILE": plain("Tile", moves=True),
    "TRANSPOSE": plain("Transpose", moves=True),
    "UNPACK": Rule(_unpack, moves=True),
}
