"""The choice of a tile for a product: measured tiles, and a model of the time.

The model counts clocks of a multiprocessor, whose groups share its arithmetic, its memory path and
its threads. Its constants were fitted to 44 products of common networks on an H100 (132
multiprocessors; 4 to 3300 us each, some 12 tiles for each). Its tile is slower than the best by
2.6 % in the median, 5.8 % in the mean and 31 % at worst (32 products; for the other 12 it chooses a
tile that was not measured). `TUNED` has the best tiles where the model misses them by more than
2 %. With a depthwise convolution inside it is 2.8 % in the mean and 24 % at worst (13); for many
channels to few, as in MobileNet v2, it missed by up to 2.3 times: see the table.
`core.tune_shader` measures on the present device; its results precede both.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.tile_source import Choice, Product, TileLimits

#: Tiles that were fastest in some measurement.
CANDIDATES = tuple(
    Choice(*sizes)
    for sizes in (
        (128, 128, 16, 1, 1, 16),
        (128, 128, 8, 2, 1, 8),
        (128, 128, 8, 2, 1, 32),
        (64, 128, 8, 2, 1, 16),
        (64, 128, 8, 2, 2, 16),
        (64, 64, 8, 1, 1, 16),
        (64, 64, 4, 1, 1, 16),
        (32, 64, 8, 1, 2, 8),
        (32, 64, 4, 1, 4, 16),
        (16, 128, 8, 1, 4, 8),
        (64, 32, 4, 1, 2, 16),
        (32, 32, 4, 1, 4, 8),
        (64, 16, 4, 1, 4, 8),
        (32, 16, 4, 1, 8, 8),
        (16, 32, 4, 1, 8, 8),
        # Resident ones.
        (16, 64, 4, 1, 4, 4, 0),
        (8, 128, 4, 1, 4, 4, 0),
        (4, 128, 4, 1, 8, 4, 0),
        (8, 64, 4, 1, 8, 4, 0),
        (14, 64, 7, 1, 16, 4, 0),
        (7, 128, 7, 1, 16, 4, 0),
        (4, 64, 4, 1, 16, 4, 0),
        (8, 32, 8, 1, 32, 4, 0),
        (7, 64, 7, 1, 32, 4, 0),
    )
)

#: Tiles for a fused depthwise and pointwise convolution: few columns of tiles.
SEPARABLE = tuple(
    Choice(*sizes)
    for sizes in (
        (32, 64, 4, 1, 2, 16),
        (16, 64, 4, 1, 2, 4, 0),
        (16, 64, 4, 1, 4, 4, 0),
        (8, 128, 8, 1, 4, 4, 0),
        (4, 128, 4, 1, 4, 4, 0),
        (4, 128, 4, 1, 8, 4, 0),
        (8, 64, 4, 1, 8, 4, 0),
        (14, 64, 7, 1, 16, 4, 0),
        (7, 128, 7, 1, 16, 4, 0),
        (7, 128, 7, 1, 32, 4, 0),
        (7, 64, 7, 1, 32, 4, 0),
        (28, 64, 14, 1, 16, 4, 0),
        (8, 32, 8, 1, 16, 4, 0),
    )
)

#: Tiles of few rows for these, whose time the model does not know; the first two for products.
FEW_ROWS = tuple(
    Choice(*sizes)
    for sizes in (
        (2, 32, 2, 1, 32, 4, 0),
        (4, 32, 4, 1, 32, 4, 0),
        (8, 32, 4, 1, 16, 4, 0),
        (2, 64, 2, 1, 16, 4, 0),
        (2, 64, 2, 1, 32, 4, 0),
        (4, 64, 4, 1, 16, 4, 0),
        (4, 64, 4, 1, 32, 4, 0),
    )
)

#: Rows, inner axis and columns, for a device of at least 96 multiprocessors.
TUNED: dict[tuple[int, int, int], Choice] = {
    key: Choice(*sizes)
    for key, sizes in {
        (289, 384, 768): (16, 128, 8, 1, 4, 8),
        (289, 768, 768): (16, 128, 8, 1, 4, 8),
        (4096, 4096, 4096): (128, 128, 16, 1, 1, 16),
        (1024, 1024, 1024): (64, 128, 8, 2, 2, 16),
        (2048, 2048, 2048): (128, 128, 8, 2, 1, 32),
        (100352, 64, 128): (128, 128, 16, 1, 1, 16),
        (100352, 128, 128): (128, 128, 16, 1, 1, 16),
        (25088, 128, 256): (64, 128, 8, 2, 1, 16),
        (25088, 256, 256): (128, 128, 8, 2, 1, 32),
        (6272, 256, 512): (64, 128, 8, 2, 1, 16),
        (6272, 512, 512): (64, 128, 8, 2, 1, 16),
        (1568, 512, 1024): (128, 128, 8, 2, 1, 32),
        (1568, 1024, 1024): (128, 128, 8, 2, 1, 32),
        (49, 1024, 1024): (7, 64, 7, 1, 32, 4, 0),
        (49, 512, 1024): (7, 64, 7, 1, 32, 4, 0),
        (196, 256, 512): (4, 64, 4, 1, 16, 4, 0),
        (784, 256, 256): (4, 128, 4, 1, 8, 4, 0),
        (784, 128, 256): (16, 32, 4, 1, 8, 8),
        (49, 320, 1280): (4, 64, 4, 1, 16, 4, 0),
        (49, 960, 160): (7, 64, 7, 1, 32, 4, 0),
        (49, 160, 960): (4, 32, 4, 1, 32, 4, 0),
        (49, 576, 160): (7, 64, 7, 1, 32, 4, 0),
        (196, 576, 96): (7, 64, 7, 1, 32, 4, 0),
        (196, 64, 384): (16, 32, 4, 1, 8, 8),
        (784, 144, 32): (4, 64, 4, 1, 16, 4, 0),
        (12544, 16, 96): (64, 64, 4, 1, 1, 16),
        (784, 32, 192): (32, 32, 4, 1, 4, 8),
        (12544, 32, 16): (64, 16, 4, 1, 4, 8),
        (289, 384, 384): (7, 128, 7, 1, 16, 4, 0),
        (289, 192, 384): (16, 32, 4, 1, 8, 8),
        (16641, 24, 48): (64, 64, 4, 1, 1, 16),
        (4096, 16, 96): (64, 64, 4, 1, 1, 16),
        (4096, 32, 39): (32, 32, 4, 1, 4, 8),
        (1024, 24, 144): (16, 64, 4, 1, 4, 4, 0),
        (256, 240, 56): (4, 64, 4, 1, 16, 4, 0),
        (256, 336, 56): (4, 64, 4, 1, 16, 4, 0),
        (256, 56, 336): (32, 16, 4, 1, 8, 8),
        (64, 96, 576): (4, 64, 4, 1, 16, 4, 0),
        (64, 576, 96): (2, 32, 2, 1, 32, 4, 0),
        (196, 96, 576): (14, 64, 7, 1, 16, 4, 0),
    }.items()
}

#: Further tiles that were fastest with 16-bit products.
OF_HALVES = (Choice(64, 128, 4, 4, 1, 32), Choice(64, 128, 8, 2, 1, 32))

#: Tiles of products of 16 bits, measured on an H200.
TUNED_HALVES: dict[tuple[int, int, int], Choice] = {
    (401408, 32, 64): Choice(64, 64, 4, 1, 1, 16),
    (100352, 64, 128): Choice(64, 64, 4, 1, 1, 16),
    **dict.fromkeys(
        (
            (100352, 128, 128),
            (25088, 128, 256),
            (25088, 256, 256),
            (6272, 256, 512),
            (6272, 512, 512),
            (1568, 512, 1024),
            (1568, 1024, 1024),
        ),
        OF_HALVES[0],
    ),
}

#: Measured choices for `fused.separable_tile`, whose inner axis is the channels.
TUNED_SEPARABLE: dict[tuple[int, int, int], Choice] = {
    key: Choice(*sizes)
    for key, sizes in {
        (16641, 24, 48): (16, 64, 4, 1, 2, 4, 0),
        (4225, 48, 96): (4, 128, 4, 1, 4, 4, 0),
        (4225, 96, 96): (4, 128, 4, 1, 4, 4, 0),
        (289, 384, 384): (7, 128, 7, 1, 32, 4, 0),
        (1089, 96, 192): (4, 128, 4, 1, 4, 4, 0),
        (1089, 192, 192): (28, 64, 14, 1, 16, 4, 0),
        (3136, 144, 24): (8, 32, 8, 1, 16, 4, 0),
        (196, 384, 64): (2, 32, 2, 1, 32, 4, 0),
        (12544, 32, 64): (32, 64, 4, 1, 2, 16),
        (3136, 64, 128): (8, 128, 8, 1, 4, 4, 0),
        (3136, 128, 128): (8, 128, 8, 1, 4, 4, 0),
        (784, 128, 256): (4, 128, 4, 1, 8, 4, 0),
        (784, 256, 256): (4, 128, 4, 1, 8, 4, 0),
        (196, 256, 512): (7, 128, 7, 1, 16, 4, 0),
        (196, 512, 512): (7, 128, 7, 1, 16, 4, 0),
        (49, 512, 1024): (7, 64, 7, 1, 32, 4, 0),
        (49, 1024, 1024): (7, 64, 7, 1, 32, 4, 0),
        (196, 192, 64): (4, 32, 4, 1, 32, 4, 0),
        (196, 384, 96): (4, 64, 4, 1, 32, 4, 0),
        (196, 576, 96): (2, 32, 2, 1, 32, 4, 0),
        (49, 576, 160): (2, 64, 2, 1, 32, 4, 0),
        (49, 960, 160): (2, 64, 2, 1, 32, 4, 0),
        (49, 960, 320): (2, 64, 2, 1, 32, 4, 0),
        (256, 144, 40): (4, 64, 4, 1, 16, 4, 0),
        (256, 240, 40): (4, 32, 4, 1, 32, 4, 0),
        (256, 240, 56): (4, 64, 4, 1, 16, 4, 0),
        (256, 336, 56): (2, 64, 2, 1, 16, 4, 0),
        (64, 336, 96): (2, 32, 2, 1, 32, 4, 0),
        (64, 576, 192): (2, 32, 2, 1, 32, 4, 0),
        (16, 192, 192): (4, 32, 4, 1, 32, 4, 0),
        (4, 192, 192): (4, 32, 4, 1, 32, 4, 0),
        (4096, 96, 16): (8, 32, 4, 1, 16, 4, 0),
        (784, 144, 32): (4, 32, 4, 1, 32, 4, 0),
        (784, 192, 32): (4, 32, 4, 1, 32, 4, 0),
    }.items()
}

#: Tile within the limits of every device.
SMALLEST = Choice(16, 32, 4, 1, 4, 8)
_MANY = 96  # multiprocessors: from here on the tuned entries hold
_GUESS = 32  # multiprocessors of a device that does not say


class _Costs(NamedTuple):
    """The constants of the model, in clocks; ``bytes`` are bytes for each clock."""

    reads: float  # of shared memory, for each vec4 a product needs of it
    idle: float  # where one warp alone waits for itself
    bytes: float  # from memory or its cache, a clock
    group: float  # to start and end a group
    turn: tuple[float, float, float]  # of a resident tile; with one stage; with two
    split: float  # to add up what a split has
    fill_bytes: float = 0.0  # that a depthwise convolution reads, a clock; 0: there is none
    fill: float = 0.0  # for each vec4 that a thread makes of it


_PRODUCT = _Costs(3.1, 1.35, 21, 1200, (160, 236, 189), 21)
_WITH_DEPTHWISE = _Costs(3.1, 1.3, 81, 680, (180, 270, 215), 57, 37, 2.3)


class Family(NamedTuple):
    """The tiles of one kind of kernel, and their choice.

    Attributes:
        name: name of the family.
        candidates: tiles of which the model knows the time.
        measured: further tiles, for the table and for measurements.
        table: the best tiles where the model misses them.
        costs: costs of the model.
    """

    name: str
    candidates: tuple[Choice, ...]
    measured: tuple[Choice, ...]
    table: dict[tuple[int, int, int], Choice]
    costs: _Costs

    def fitting(self, p: Product, limits: TileLimits) -> list[Choice]:
        """Return the tiles that may be fast for a product."""
        widest = max(2 * p.columns, 33)
        more = OF_HALVES if limits.held.is_multiplied else ()
        tiles = (*self.candidates, *self.measured, *more)
        return [c for c in tiles if c.fits(limits, p) and c.columns < widest]

    def has(self, choice: Choice) -> bool:
        """Return whether a tile is one of the family's."""
        return choice in (*self.candidates, *self.measured, *OF_HALVES)

    def choose(self, p: Product, limits: TileLimits) -> Choice:
        """Return the tile measured on this device, else that of the table, else the model's."""
        found = limits.tuned((self.name, p))
        if found is None and limits.multiprocessors >= _MANY and p.batch == 1:
            size = p.rows, p.inner, p.columns
            is_half = limits.held.is_multiplied and self.name == "product"
            found = (is_half and TUNED_HALVES.get(size)) or self.table.get(size)
        if found and found.fits(limits, p):
            return found
        fitting = [c for c in self.fitting(p, limits) if c not in self.measured] or [SMALLEST]
        return min(fitting, key=lambda c: _clocks(c, p, limits, self.costs))


FAMILIES = {
    family.name: family
    for family in (
        Family("product", CANDIDATES, FEW_ROWS[:2], TUNED, _PRODUCT),
        Family("separable", SEPARABLE, FEW_ROWS, TUNED_SEPARABLE, _WITH_DEPTHWISE),
    )
}


def choose(p: Product, limits: TileLimits) -> Choice:
    """Return the tile of a product: a measured one, or the one with the least predicted time."""
    return FAMILIES["product"].choose(p, limits)


def choose_separable(p: Product, limits: TileLimits) -> Choice:
    """Return the tile of a depthwise convolution with the pointwise one that is the product."""
    return FAMILIES["separable"].choose(p, limits)


def _clocks(c: Choice, p: Product, limits: TileLimits, costs: _Costs) -> float:
    """Return the approximate clocks of a multiprocessor for a product with a tile."""
    groups = ceil_div(p.rows, c.rows) * ceil_div(p.columns, c.columns) * p.batch
    mine = ceil_div(groups, limits.multiprocessors or _GUESS)
    rounds = ceil_div(mine, max(2048 // c.threads, 1))  # groups that run one after another
    warps = min(mine * c.threads / 32, 64)
    # For four positions of the inner axis a thread reads this many vec4s for each that it computes.
    reads = (c.thread_rows + 4 * c.thread_vectors) / (16 * c.thread_rows * c.thread_vectors)
    products = mine * c.rows * c.columns * p.inner / 128
    arithmetic = products * (1 + costs.reads * reads) * (1 + costs.idle / warps)
    traffic = mine * (c.rows + c.columns) * p.inner * 4 / costs.bytes
    turns = ceil_div(p.inner, 4 * c.splits if c.resident else c.strip)
    waits = costs.group + costs.turn[c.stages] * turns + costs.split * c.splits
    total = max(arithmetic, traffic) + rounds * waits
    if costs.fill_bytes:
        total += mine * c.rows * p.inner * 4 * 9 / costs.fill_bytes
        total += costs.fill * c.rows * p.inner / 4 / c.threads
    return total
