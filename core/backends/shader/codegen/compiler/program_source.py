"""The GLSL program of a dispatch."""

from collections.abc import Mapping

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.compiler.single import SingleWriter
from core.backends.shader.codegen.compiler.vectors import DrawingWriter, TileWriter
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
    """Write the program of a dispatch.

    Args:
        made: the dispatch.
        layouts: layouts of its inputs by name; inputs of the epilogue and the middle have the names
            of `core.backends.shader.codegen.compiler.writing`.
        to: layout of its result.
        baked: whether lengths and values become constants of the program, instead of uniforms.
    """
    return _WRITERS[made.kind](made, layouts, to, baked or bool(made.epilogue)).program()
