"""Kernels on spatial axes: padding and blocks."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.create import constant
from core.backends.shader.kernels.shape import ZEROS, merged, reordered
from core.engine.registry import kernel
from core.engine.specs import Spec
from core.ops.space import Pads, depth_blocks


@kernel("pad", "shader")
def pad(call: KernelBuilder, x: Operand, *, paddings: Pads, constant_value: Any) -> Dispatch:
    """Pad with one value."""
    border, values = constant("border", constant_value, x.dtype)
    outside = "if (at_{i} < 0 || at_{i} >= x_{i}) return " + border + ";"
    return _bordered(call, x, paddings, outside, values)


@kernel("mirror_pad", "shader")
def mirror_pad(call: KernelBuilder, x: Operand, *, paddings: Pads, mode: str) -> Dispatch:
    """Pad by mirroring the inside; ``edge`` is 1 if the outermost values are not repeated."""
    outside = """
    if (at_{i} < 0) at_{i} = edge - 1 - at_{i};
    if (at_{i} >= x_{i}) at_{i} = 2 * x_{i} - 1 - edge - at_{i};"""
    return _bordered(call, x, paddings, outside, {"edge": int(mode == "reflect")})


def _bordered(
    call: KernelBuilder, x: Operand, paddings: Pads, outside: str, values: Mapping[str, float]
) -> Dispatch:
    """Return a padded tensor, by GLSL for coordinates ``at_{i}`` in x that are outside of it."""
    wide = {axis for axis, sides in enumerate(paddings) if any(sides)}
    lengths, indices = merged(x.shape, wide)
    at, lines, before = [f"o{i}" for i in range(len(lengths))], [], {}
    made = list(lengths)
    for axis, i in indices.items():
        made[i] += sum(paddings[axis])
        before[f"before_{i}"] = paddings[axis][0]
        lines.append(f"int at_{i} = o{i} - before_{i};")
        lines.append(outside.replace("{i}", str(i)))
        at[i] = f"at_{i}"
    text = "\n".join([*lines, f"return get_x({', '.join(at)});"])
    to = Spec(tuple(made), x.dtype)
    bordered = call.map(text, to=to, values={**values, **before}, x=x.reshaped(*lengths))
    return bordered.reshaped(*call.to.shape)


@kernel("space_to_batch_nd", "shader")
def space_to_batch_nd(
    call: KernelBuilder, x: Operand, *, block_shape: Sequence[int], paddings: Pads
) -> Dispatch:
    """Return axes: positions in a block, batch, blocks on each spatial axis, and the rest."""
    m = len(block_shape)
    rest = prod(x.shape[m + 1 :])
    values: dict[str, float] = {}
    lines, at = [], [f"o{m}"]
    for i, (length, (before, _)) in enumerate(zip(block_shape, paddings, strict=True)):
        values |= {f"block_{i}": length, f"before_{i}": before}
        lines.append(f"int at_{i} = o{m + 1 + i} * block_{i} + o{i} - before_{i};")
        lines.append(f"if (at_{i} < 0 || at_{i} >= x_{i + 1}) return {ZEROS[x.dtype]};")
        at.append(f"at_{i}")
    at.append(f"o{2 * m + 1}")
    text = "\n".join([*lines, f"return get_x({', '.join(at)});"])
    to = Spec((*block_shape, x.shape[0], *call.to.shape[1 : m + 1], rest), x.dtype)
    rows = x.reshaped(*x.shape[: m + 1], rest)
    return call.map(text, to=to, values=values, x=rows).reshaped(*call.to.shape)


@kernel("batch_to_space_nd", "shader")
def batch_to_space_nd(
    call: KernelBuilder, x: Operand, *, block_shape: Sequence[int], crops: Pads
) -> Dispatch:
    """Invert `space_to_batch_nd`, and crop."""
    m = len(block_shape)
    rest, batch = prod(x.shape[m + 1 :]), call.to.shape[0]
    values: dict[str, float] = {}
    inside, across = [], []
    for i, (length, (before, _)) in enumerate(zip(block_shape, crops, strict=True)):
        values |= {f"block_{i}": length, f"before_{i}": before}
        inside.append(f"(o{i + 1} + before_{i}) % block_{i}")
        across.append(f"(o{i + 1} + before_{i}) / block_{i}")
    text = f"get_x({', '.join([*inside, 'o0', *across, f'o{m + 1}'])})"
    blocks = x.reshaped(*block_shape, batch, *x.shape[1 : m + 1], rest)
    to = Spec((*call.to.shape[: m + 1], rest), x.dtype)
    return call.map(text, to=to, values=values, x=blocks).reshaped(*call.to.shape)


@kernel("depth_to_space", "shader")
def depth_to_space(
    call: KernelBuilder, x: Operand, *, block_size: int, data_format: str
) -> Dispatch:
    """Split the channels, and put their parts beside the pixels."""
    how = depth_blocks(x.shape, block_size, data_format)
    return reordered(call, x.reshaped(*how.split), how.order).reshaped(*how.result)
