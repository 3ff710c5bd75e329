"""Runs tiles as the compiler does, with plain declarations around them."""

import re

import numpy as np

from core.backends.shader.codegen.library import functions_for
from core.backends.shader.codegen.tiles.tile_source import Tile, TwoStages

_BUFFER = (
    "layout(std430, binding = {k}) {how} restrict buffer {name}Block {{ {kind} {name}data[]; }};"
)


def wrapped(tile: Tile, inputs: list[str], extra: str = "", store: str = "v") -> str:
    """The whole source of a kernel; ``store`` is the epilogue of ``v``, at place ``i``."""
    lines = ["#version 430", f"layout(local_size_x = {tile.local_size}) in;"]
    for k, name in enumerate(inputs):
        lines += _declare(k, name, tile.text + extra)
    wide = "store_4" in tile.text
    assert not (wide and "store_1" in tile.text)
    kind = "vec4" if wide else "float"
    lines.append(_BUFFER.format(k=len(inputs), how="writeonly", name="result", kind=kind))
    name = "store_4" if wide else "store_1"
    lines.append(f"void {name}(int i, {kind} v) {{ resultdata[i] = {store}; }}")
    return "\n".join([*lines, functions_for(tile.text), extra, tile.text])


def _declare(k: int, name: str, text: str) -> list[str]:
    """A buffer as vec4s or as floats, by what the text reads; both are not needed anywhere."""
    wide = re.search(rf"\b{name}_4\(", text)
    assert not (wide and re.search(rf"\b{name}_1\(", text))
    kind, suffix = ("vec4", "_4") if wide else ("float", "_1")
    return [
        _BUFFER.format(k=k, how="readonly", name=name, kind=kind),
        f"#define {name}{suffix}(i) {name}data[i]",
    ]


def run(context, tile: Tile | TwoStages, inputs: dict[str, np.ndarray], size: int, extra: str = ""):
    """The result of a tile, as a flat array; what it does not write stays NaN."""
    if isinstance(tile, TwoStages):
        partial = run(context, tile.first, inputs, tile.partials, extra)
        return run(context, tile.second, {"partial": partial}, size)
    program = context.compute_shader(wrapped(tile, list(inputs), extra))
    buffers = [context.buffer(_padded(a)) for a in inputs.values()]
    buffers.append(context.buffer(_padded(np.full(size, np.nan, np.float32))))
    for k, buffer in enumerate(buffers):
        buffer.bind_to_storage_buffer(k)
    program.run(*tile.groups)
    context.finish()
    result = np.frombuffer(buffers[-1].read(), np.float32)[:size].copy()
    for held in (*buffers, program):
        held.release()
    return result


def _padded(array: np.ndarray) -> bytes:
    """The bytes of a dense float32 array, up to a multiple of 16; the rest are NaNs."""
    flat = np.ascontiguousarray(array, np.float32).ravel()
    rest = np.full(-flat.size % 4, np.nan, np.float32)
    return np.concatenate([flat, rest]).tobytes()
