"""Writes the GLSL program of a pass."""

from collections.abc import Mapping

from core.backends.shader.codegen.compiler.drawing import DrawingWriter
from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.compiler.single import SingleWriter
from core.backends.shader.codegen.compiler.tiled import TileWriter
from core.backends.shader.codegen.compiler.writing import ShaderText, Writer
from core.backends.shader.codegen.kernel_language import Dispatch

_WRITERS: dict[str, type[Writer]] = {
    "map": SingleWriter,
    "each": SingleWriter,
    "tile": TileWriter,
    "draw": DrawingWriter,
}


def write(
    made: Dispatch,
    layouts: Mapping[str, MemoryLayout],
    to: MemoryLayout,
    baked: bool = False,
) -> ShaderText:
    """The program of a pass.

    Args:
        made: the pass.
        layouts: how its inputs are stored, by name; those of the epilogue and the middle by the
            names that `core.backends.shader.codegen.compiler.writing` gives them.
        to: how its result is stored.
        baked: whether lengths and values become constants of the program; else they are uniforms.
    """
    return _WRITERS[made.kind](made, layouts, to, baked or bool(made.epilogue)).program()
