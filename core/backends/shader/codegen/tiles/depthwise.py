"""Depthwise convolutions: each channel has separate filters, [kh, kw, c, multiplier].

They contain no product of matrices; speed needs few reads of each pixel. A thread makes some
neighbouring pixels of four channels, and holds the columns of the image they share.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.held import FLOATS, Held
from core.backends.shader.codegen.tiles.sides import inside_or_zero
from core.backends.shader.codegen.tiles.tile_source import Tile, TileLimits, threads
from core.engine.windows import Window


class Depthwise(NamedTuple):
    """A depthwise convolution of ``x`` with the filter ``w``."""

    batch: int
    channels: int
    multiplier: int
    window: Window

    @property
    def results(self) -> int:
        """Return the channels of the result."""
        return self.channels * self.multiplier


class Strip(NamedTuple):
    """The pixels of a thread and the threads of a group."""

    pixels: int = 1  # along x, of a thread
    local_size: int = 128


class _Reads(NamedTuple):
    """A thread's reads of image and filter, and its stores: its channels and their type."""

    kind: str
    store: str
    wide: int  # channels of the result that a thread makes
    image: str  # of position p, counted in channels of the image, as GLSL
    step: int  # between pixels, in what is read

    def read(self, at: str) -> str:
        return self.image.format(at=at)


def depthwise_tile(d: Depthwise, limits: TileLimits, strip: Strip | None = None) -> Tile:
    """Return a depthwise convolution of any multiplier; one filter for a channel is fast.

    Args:
        d: the convolution.
        limits: limits of the device.
        strip: work of a thread, for measurements and tests; by default the best known.
    """
    s = strip or choose_strip(d, limits)
    (height, width), w = d.window.out_size, d.window
    r = _reads(d)
    vectors, blocks = d.results // r.wide, ceil_div(width, s.pixels)
    count = d.batch * height * blocks * vectors
    groups, start = threads(count, s.local_size)
    text = f"void main() {{\n{start}if (id >= {count}) return;\n"
    text += f"int c = id % {vectors}, p = id / {vectors};\n"
    text += f"int block = p % {blocks}, y = p / {blocks} % {height};\n"
    text += f"int image = p / {blocks * height};\n"
    text += f"int first = block * {s.pixels * w.strides[1]} - {w.padding[1][0]};\n"
    text += "".join(f"{r.kind} s{q} = {r.kind}(0.0);\n" for q in range(s.pixels))
    for ky in range(w.size[0]):
        text += f"{{ int row = y * {w.strides[0]} + {ky * w.dilations[0] - w.padding[0][0]};\n"
        text += _row(d, r, s.pixels, ky, _held(d, limits)) + "}\n"
    text += f"int to = ((image * {height} + y) * {width} + block * {s.pixels}) * {vectors} + c;\n"
    for q in range(s.pixels):
        guard = f"if (block * {s.pixels} + {q} < {width}) " if width % s.pixels else ""
        text += f"{guard}{r.store}(to + {q * vectors}, s{q});\n"
    return Tile(text + "}\n", s.local_size, groups)


def choose_strip(d: Depthwise, limits: TileLimits) -> Strip:
    """Return several pixels for a thread if there are enough of them to fill the device."""
    threads_of_one = d.batch * d.window.out_size[0] * d.window.out_size[1] * d.results // 4
    filled = threads_of_one > 2048 * 8 * (limits.multiprocessors or 16)
    return Strip(2 if filled and max(d.window.strides) == 1 else 1)


def _reads(d: Depthwise) -> _Reads:
    if d.multiplier == 1 and d.channels % 4 == 0:
        return _Reads("vec4", "store_4", 4, "x_4({at} + c)", d.channels // 4)
    if d.multiplier % 4 == 0:
        image = f"vec4(x_1({{at}} + c / {d.multiplier // 4}))"
        return _Reads("vec4", "store_4", 4, image, d.channels)
    return _Reads("float", "store_1", 1, f"x_1({{at}} + c / {d.multiplier})", d.channels)


def _held(d: Depthwise, limits: TileLimits) -> Held:
    """Return the storage: 16 bits where products are of whole vectors."""
    are_whole = d.multiplier == 1 and d.channels % 4 == 0
    held = limits.held.summed(d.window.size[0])
    return held if are_whole and held.is_multiplied else FLOATS


def _row(d: Depthwise, r: _Reads, pixels: int, ky: int, held: Held) -> str:
    """Return GLSL that loads a row of the image for the pixels, once, and adds its products.

    No branch encloses the loads, so that all loads of a thread are in flight at once. Products of
    16 bits are added up in 16 bits along the row.
    """
    w, (height, width) = d.window, d.window.in_size
    text = f"bool in_ = uint(row) < {height}u;\n"
    vectors = d.results // r.wide
    text += f"int at = ((image * {height} + row) * {width} + first) * {r.step};\n"
    columns = [
        [q * w.strides[1] + k * w.dilations[1] for k in range(w.size[1])] for q in range(pixels)
    ]
    if held.is_packed:
        return text + _row_of_halves(columns, r.step, width, ky * w.size[1] * vectors, held)
    for k in range(w.size[1]):
        read = f"w{'_4' if r.wide == 4 else '_1'}({(ky * w.size[1] + k) * vectors} + c)"
        text += f"{r.kind} f{k} = {read};\n"
    for x in sorted({x for row in columns for x in row}):
        inside = f"in_ && uint(first + {x}) < {width}u"
        text += inside_or_zero(r.kind, f"v{x}", inside, r.read("{}"), f"at + {x * r.step}", "0")
    for q in range(pixels):
        text += "".join(f"s{q} = fma(v{x}, f{k}, s{q});\n" for k, x in enumerate(columns[q]))
    return text


def _row_of_halves(columns: list[list[int]], step: int, width: int, tap: int, held: Held) -> str:
    """Return GLSL of a row of products of 16 bits.

    Args:
        columns: for each pixel the columns of the image that it needs.
        step: vectors between columns of the image, and between positions of the filter.
        width: columns of the image.
        tap: vector of the filter at which the row begins.
        held: form of the numbers.
    """
    kind, text = held.factor, ""
    for k in range(len(columns[0])):
        read = f"{held.read('w')}({tap + k * step} + c)"
        text += f"{kind} f{k} = {held.factors(read)};\n"
    for x in sorted({x for row in columns for x in row}):
        read, inside = f"{held.read('x')}({{}} + c)", f"in_ && uint(first + {x}) < {width}u"
        text += inside_or_zero("uvec2", f"p{x}", inside, read, f"at + {x * step}", "0")
        text += f"{kind} v{x} = {held.factors(f'p{x}')};\n"
    for q, row in enumerate(columns):
        text += f"{kind} h{q} = v{row[0]} * f0;\n"
        text += "".join(f"h{q} = fma(v{x}, f{k}, h{q});\n" for k, x in enumerate(row) if k)
        text += f"s{q} += vec4(h{q});\n"
    return text


def depthwise_input_tile(d: Depthwise, limits: TileLimits) -> Tile:
    """Return the gradient of a depthwise convolution for its input."""
    wide = 4 if d.multiplier == 1 and d.channels % 4 == 0 else 1
    kind, suffix = ("vec4", "_4") if wide == 4 else ("float", "_1")
    w, (height, width) = d.window, d.window.in_size
    (out_height, out_width), vectors = w.out_size, d.channels // wide
    count, size = d.batch * height * width * vectors, min(128, limits.max_threads)
    groups, start = threads(count, size)
    text = f"void main() {{\n{start}if (id >= {count}) return;\n"
    text += f"int c = id % {vectors}, x = id / {vectors} % {width};\n"
    text += f"int y = id / {vectors * width} % {height}, image = id / {vectors * width * height};\n"
    text += f"{kind} sum = {kind}(0.0);\nfor (int ky = 0; ky < {w.size[0]}; ky++) {{\n"
    text += f"int down = y + {w.padding[0][0]} - ky * {w.dilations[0]}, "
    text += f"row = down / {w.strides[0]};\n"
    text += f"if (down >= 0 && down % {w.strides[0]} == 0 && row < {out_height})\n"
    text += f"for (int kx = 0; kx < {w.size[1]}; kx++) {{\n"
    text += f"int across = x + {w.padding[1][0]} - kx * {w.dilations[1]}, "
    text += f"column = across / {w.strides[1]};\n"
    text += f"if (across >= 0 && across % {w.strides[1]} == 0 && column < {out_width})\n"
    text += f"for (int q = 0; q < {d.multiplier}; q++) {{\n"
    per = d.results // wide
    text += f"int o = c * {d.multiplier} + q, tap = ky * {w.size[1]} + kx;\n"
    text += f"int pixel = (image * {out_height} + row) * {out_width} + column;\n"
    text += f"sum = fma(dy{suffix}(pixel * {per} + o), w{suffix}(tap * {per} + o), sum);\n"
    return Tile(text + f"}} }} }}\nstore{suffix}(id, sum);\n}}\n", size, groups)
