"""The arguments and results of generators of tiles, and the GLSL that all of them share.

The text of a `Tile` contains its shared memory, its functions and ``main``. The compiler declares
the buffers and writes, as functions or macros,

- for each input ``x``: ``x_4(i)``, vec4 number i of the dense array, ``x_raw(i)``, these numbers
  in the form of `held`, and ``x_1(i)``, float i;
- for the result: ``store_4(i, v)`` and ``store_1(i, v)``, with the epilogue inside.

A text uses ``x_4`` and ``x_raw`` only if rows start on a vec4, and ``store_4`` only if the last
axis of the result has whole vec4s. Every element of the result is stored just once.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.held import FLOATS, Held


class Product(NamedTuple):
    """Sizes of a @ b for each of a batch; a ``shared`` side has one matrix for the whole batch."""

    rows: int
    inner: int
    columns: int
    batch: int = 1
    transpose_a: bool = False
    transpose_b: bool = False
    shared_a: bool = False
    shared_b: bool = False

    @property
    def can_be_resident(self) -> bool:
        """Return whether rows are contiguous and aligned to vec4s, with one right side for all."""
        aligned = self.inner % 4 == 0 and self.columns % 4 == 0
        turned = self.transpose_a or self.transpose_b
        return aligned and not turned and (self.batch == 1 or self.shared_b)


#: Key by which a tile is chosen: name of the family, and the product.
Asked: TypeAlias = tuple[str, Product]


def nothing_tuned(asked: Asked) -> "Choice | None":
    """Return None: no tile was measured on the device."""
    return None


class TileLimits(NamedTuple):
    """The limits of a device, the fastest tiles measured on it, and the storage of operands."""

    shared_bytes: int = 32768
    max_threads: int = 1024
    multiprocessors: int = 0  # 0: not known
    max_targets: int = 8  # textures that a shader draws to at once; OpenGL 3.3 promises as many
    tuned: "Callable[[Asked], Choice | None]" = nothing_tuned
    held: Held = FLOATS


#: vec4s of shared memory that sums of splits take at once; more splits take turns.
SUM_VECTORS = 2048


class Choice(NamedTuple):
    """The sizes of a tile.

    Threads: columns/4/thread_vectors * rows/thread_rows * splits.
    """

    rows: int
    columns: int
    thread_rows: int
    thread_vectors: int
    splits: int
    inner: int  # of each split; a strip is inner * splits long
    stages: int = 1  # strips in shared memory: with 2 a turn has one barrier instead of two

    @property
    def strip(self) -> int:
        """Return the length of the inner axis that a round processes."""
        return self.inner * self.splits

    @property
    def threads(self) -> int:
        """Return the threads of a group."""
        across = self.columns // 4 // self.thread_vectors
        return across * (self.rows // self.thread_rows) * self.splits

    @property
    def resident(self) -> bool:
        """Return whether a group keeps its left rows, and reads the right factor directly."""
        return self.stages == 0

    @property
    def held_sums(self) -> int:
        """Return the number of splits with their sums in shared memory at once."""
        held = self.splits
        while held > 1 and held * self.rows * self.columns > 4 * SUM_VECTORS:
            held = ceil_div(held, 2)
        return held

    def sum_vectors(self) -> int:
        """Return the vec4s of shared memory for the sums of the splits."""
        return self.held_sums * self.rows * self.columns // 4 if self.splits > 1 else 0

    def shared_vectors(self, inner: int) -> int:
        """Return the vec4s of shared memory for an inner axis, for any layout of the factors."""
        if self.resident:
            return max(self.rows * (inner // 4 | 1), self.sum_vectors())
        strips = (self.rows + self.columns) * (self.strip // 4 + 1)
        return max(self.stages * strips, self.sum_vectors())

    def fits(self, limits: TileLimits, p: Product) -> bool:
        """Return whether a device can compute a product with the tile."""
        whole = not (
            self.columns % (4 * self.thread_vectors)
            or self.rows % self.thread_rows
            or self.inner % 4
            or (p.transpose_a and self.thread_rows % 4)
        )
        if self.resident:
            whole = whole and self.splits <= p.inner // 4 and p.can_be_resident
        return (
            whole
            and 32 <= self.threads <= limits.max_threads
            and 16 * self.shared_vectors(p.inner) <= limits.shared_bytes
        )


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
