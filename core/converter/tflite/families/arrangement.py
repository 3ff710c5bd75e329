"""Ops that move values: shapes, slices, borders, blocks, tensors taken apart and joined."""

from collections.abc import Sequence

from core.converter.tflite.schema import choice
from core.converter.tflite.step import Step
from core.converter.tflite.translation import Rule
from core.errors import CoreError

_MIRROR_MODES = ("REFLECT", "SYMMETRIC")


def _reshape(step: Step) -> str:
    """The shape is an input or, in old files, an option."""
    if step.has(1) and step.is_constant(1):
        shape = step.integers(step.constant(1).ravel())
    elif step.has(1):
        shape = step.input(1)
    elif step.options["new_shape"] is not None:
        shape = step.integers(step.options["new_shape"])
    else:
        shape = step.integers([-1 if n is None else n for n in step.output().signature or ()])
    return step.node("Reshape", step.input(0), shape)


def _squeeze(step: Step) -> str:
    axes = list(step.options["squeeze_dims"] or ())
    return step.node("Squeeze", step.input(0), squeeze_dims=axes)


def _with_inputs(kind: str, **attributes: int) -> Rule:
    """A node that has the op's inputs."""
    return Rule(lambda step: step.node(kind, *step.inputs(), **attributes), moves=True)


def _expand_dims(step: Step) -> str:
    return step.node("ExpandDims", step.input(0), step.number(1))


def _pack(step: Step) -> str:
    return step.node("Pack", *step.inputs(), axis=step.options["axis"], N=len(step.inputs()))


def _unpack(step: Step) -> Sequence[str]:
    count = len(step.operator.outputs)
    return step.outputs_of(step.node("Unpack", step.input(0), axis=step.options["axis"], num=count))


def _concatenation(step: Step) -> str:
    axis = step.integers(step.options["axis"])
    made = step.node("ConcatV2", *step.inputs(), axis, N=len(step.inputs()))
    return step.activated(made)


def _split(step: Step) -> Sequence[str]:
    count = len(step.operator.outputs)
    return step.outputs_of(step.node("Split", step.number(0), step.input(1), num_split=count))


def _split_v(step: Step) -> Sequence[str]:
    sizes = step.input(1)
    return step.outputs_of(step.node("SplitV", step.input(0), sizes, step.number(2)))


def _strided_slice(step: Step) -> str:
    x, begin, end, strides = (step.input(i) for i in range(4))
    masks = {name: mask for name, mask in step.options.items() if name.endswith("mask")}
    if step.options["offset"]:
        end = step.node("AddV2", begin, end)
    return step.node("StridedSlice", x, begin, end, strides, **masks)


def _mirror_pad(step: Step) -> str:
    mode = choice(_MIRROR_MODES, step.options["mode"], "the mode")
    return step.node("MirrorPad", step.input(0), step.input(1), mode=mode)


def _depth_to_space(step: Step) -> str:
    size = step.options["block_size"]
    return step.node("DepthToSpace", step.input(0), block_size=size, data_format="NHWC")


def _space_to_depth(step: Step) -> str:
    """Blocks of pixels become channels."""
    size, (_, height, width, channels) = step.options["block_size"], step.shape(0)
    if size < 1 or height is None or width is None or channels is None:
        raise CoreError(f"its block size {size} must be at least 1, and {step.shape(0)} known")
    height, width = height // size, width // size
    split = step.integers([-1, height, size, width, size, channels])
    blocks = step.node("Reshape", step.input(0), split)
    moved = step.node("Transpose", blocks, step.integers([0, 1, 3, 2, 4, 5]))
    return step.node("Reshape", moved, step.integers([-1, height, width, size * size * channels]))


def _gather(step: Step) -> str:
    axis = step.integers(step.options["axis"])
    batch_dims = step.options["batch_dims"]
    return step.node("GatherV2", step.input(0), step.input(1), axis, batch_dims=batch_dims)


def _embedding_lookup(step: Step) -> str:
    return step.node("GatherV2", step.input(1), step.input(0), step.integers(0), batch_dims=0)


RULES = {
    "BATCH_TO_SPACE_ND": _with_inputs("BatchToSpaceND"),
    "BROADCAST_ARGS": _with_inputs("BroadcastArgs"),
    "BROADCAST_TO": _with_inputs("BroadcastTo"),
    "CONCATENATION": Rule(_concatenation, moves=True),
    "DEPTH_TO_SPACE": Rule(_depth_to_space, moves=True),
    "EMBEDDING_LOOKUP": Rule(_embedding_lookup, moves=True),
    "EXPAND_DIMS": Rule(_expand_dims, moves=True),
    "GATHER": Rule(_gather, moves=True),
    "GATHER_ND": _with_inputs("GatherNd"),
    "MIRROR_PAD": Rule(_mirror_pad, moves=True),
    "PACK": Rule(_pack, moves=True),
    "PAD": _with_inputs("Pad"),
    "PADV2": _with_inputs("PadV2"),
    "RESHAPE": Rule(_reshape, moves=True),
    "REVERSE_V2": _with_inputs("ReverseV2"),
    "SCATTER_ND": _with_inputs("ScatterNd"),
    "SLICE": _with_inputs("Slice"),
    "SPACE_TO_BATCH_ND": _with_inputs("SpaceToBatchND"),
    "SPACE_TO_DEPTH": Rule(_space_to_depth, moves=True),
    "SPARSE_TO_DENSE": _with_inputs("SparseToDense"),
    "SPLIT": Rule(_split, moves=True),
    "SPLIT_V": Rule(_split_v, moves=True),
    "SQUEEZE": Rule(_squeeze, moves=True),
    "STRIDED_SLICE": Rule(_strided_slice, moves=True),
    "TILE": _with_inputs("Tile"),
    "TRANSPOSE": _with_inputs("Transpose"),
    "UNPACK": Rule(_unpack, moves=True),
}
