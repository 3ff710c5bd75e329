"""The arguments and results of generators of tiles, and the GLSL that all of them share.

The text of a `Tile` contains its shared memory, its functions and ``main``. The compiler declares
the buffers and writes, as functions or macros,

- for each input ``x``: ``x_4(i)``, vec4 number i of the dense array, and ``x_1(i)``, float i;
- for the result: ``store_4(i, v)`` and ``store_1(i, v)``, with the epilogue inside.

A text uses ``x_4`` only if rows start on a vec4, and ``store_4`` only if the last axis of the
result has whole vec4s. Every element of the result is stored just once.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div

#: Groups along an axis that every driver takes (OpenGL 4.3 guarantees as many).
MOST_GROUPS = 65535


class Tile(NamedTuple):
    """The text of one compute kernel, its groups and its threads."""

    text: str
    local_size: int  # threads in a group
    groups: tuple[int, int, int]


class TwoStages(NamedTuple):
    """A sum in two kernels: the first writes partial sums, the second adds them up.

    The first has the inputs and a result of ``partials`` floats; the second has the one input
    ``partial`` and the epilogue.
    """

    first: Tile
    second: Tile
    partials: int


def spread(count: int) -> tuple[tuple[int, int, int], str]:
    """Return groups for independent pieces of work, and GLSL that sets ``group``.

    Groups beyond the limit of an axis form rows; those past the end return.
    """
    if count <= MOST_GROUPS:
        return (count, 1, 1), "int group = int(gl_WorkGroupID.x);\n"
    rows = ceil_div(count, MOST_GROUPS)
    across = ceil_div(count, rows)
    text = f"int group = int(gl_WorkGroupID.y) * {across} + int(gl_WorkGroupID.x);\n"
    guard = f"if (group >= {count}) return;\n" if across * rows != count else ""
    return (across, rows, 1), text + guard


def threads(count: int, local_size: int) -> tuple[tuple[int, int, int], str]:
    """Return groups for independent threads, and GLSL that sets ``id`` and ``t``."""
    groups, text = spread(ceil_div(count, local_size))
    text += f"int t = int(gl_LocalInvocationIndex), id = group * {local_size} + t;\n"
    return groups, text


def run_function(name: str) -> str:
    """Return GLSL of ``<name>_run(at, left)``: a vec4 from ``at``, zero after ``left``."""
    parts = ", ".join(f"left > {j} ? {name}_1(at + {j}) : 0.0" for j in range(4))
    return f"vec4 {name}_run(int at, int left) {{ return vec4({parts}); }}\n"
