"""Which tile for which product.

A rule by how many groups the device holds.
"""

from typing import NamedTuple

from core.backends.shader.tiles.source import Limits, ceil_div


class Product(NamedTuple):
    """a @ b for each of a batch; a side that is ``shared`` has one matrix for the whole batch."""

    rows: int
    inner: int
    columns: int
    batch: int = 1
    transpose_a: bool = False
    transpose_b: bool = False
    shared_a: bool = False
    shared_b: bool = False


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
        """How much of the inner axis a turn takes."""
        return self.inner * self.splits

    @property
    def threads(self) -> int:
        """Threads of a group."""
        across = self.columns // 4 // self.thread_vectors
        return across * (self.rows // self.thread_rows) * self.splits

    @property
    def resident(self) -> bool:
        """Whether a group keeps all of its left rows, and reads the right factor directly."""
        return self.stages == 0

    @property
    def held_sums(self) -> int:
        """How many splits have their sums in shared memory at once."""
        held = self.splits
        while held > 1 and held * self.rows * self.columns > 4 * SUM_VECTORS:
            held = ceil_div(held, 2)
        return held

    def sum_vectors(self) -> int:
        """vec4s of shared memory for the sums of the splits."""
        return self.held_sums * self.rows * self.columns // 4 if self.splits > 1 else 0

    def shared_vectors(self, inner: int) -> int:
        """vec4s of shared memory, whichever way the factors lie, for an inner axis."""
        if self.resident:
            return max(self.rows * (inner // 4 | 1), self.sum_vectors())
        strips = (self.rows + self.columns) * (self.strip // 4 + 1)
        return max(self.stages * strips, self.sum_vectors())

    def fits(self, limits: Limits, p: Product) -> bool:
        """Whether a device can compute a product with it."""
        whole = not (
            self.columns % (4 * self.thread_vectors)
            or self.rows % self.thread_rows
            or self.inner % 4
        )
        whole = whole and not (p.transpose_a and self.thread_rows % 4)
        if self.resident:
            whole = whole and not (
                p.inner % 4 or p.columns % 4 or p.transpose_b or p.shared_b < (p.batch > 1)
            )
            whole = whole and self.splits <= p.inner // 4
        return (
            whole
            and 32 <= self.threads <= limits.max_threads
            and 16 * self.shared_vectors(p.inner) <= limits.shared_bytes
        )


#: Tiles that won somewhere, largest first.
CANDIDATES = tuple(
    Choice(*sizes)
    for sizes in (
        (128, 128, 16, 1, 1, 16),
        (128, 64, 8, 1, 1, 16),
        (64, 128, 8, 1, 1, 16),
        (64, 64, 4, 1, 1, 16),
        (64, 64, 4, 1, 2, 16),
        (32, 64, 4, 1, 2, 16),
        (32, 32, 4, 1, 4, 8),
        (16, 64, 4, 1, 4, 8),
        (16, 32, 4, 1, 8, 8),
        (16, 32, 4, 1, 16, 4),
    )
)


def choose(p: Product, limits: Limits) -> Choice:
    """The largest tile that still gives every multiprocessor two groups, or the smallest."""
    wanted = 2 * (limits.multiprocessors or 16)
    fitting = [c for c in CANDIDATES if c.fits(limits, p)]
    for c in fitting:
        if ceil_div(p.rows, c.rows) * ceil_div(p.columns, c.columns) * p.batch >= wanted:
            return c
    return fitting[-1]
