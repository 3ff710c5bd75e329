"""Convolutions of images [n, h, w, c] with filters [kh, kw, c, filters].

A convolution is a product: a row for each output pixel, the inner axis over the filter's positions
and the channels. The left factor is never stored; its side gathers it from the images.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.choices import choose
from core.backends.shader.codegen.tiles.held import FLOATS, Held
from core.backends.shader.codegen.tiles.matrix import dense_text, matmul_tile, tile_grid
from core.backends.shader.codegen.tiles.sides import (
    OperandLayout,
    Side,
    inside_or_zero,
    matrix_side,
    returned_inside,
)
from core.backends.shader.codegen.tiles.tile_source import (
    Choice,
    Product,
    Tile,
    TileLimits,
    run_function,
    threads,
)
from core.engine.windows import Window

#: Largest number of input channels of a direct convolution: a vec4 of few is mostly padding.
FEW_CHANNELS = 4
_MOST_UNROLLED = 64  # values of a row of the image that a thread holds

#: Sizes for which a thread makes whole pixels, from so many on. On an H200 a layer of 3x3 from 8
#: channels to 1 for 256x256 pixels takes 4.9 us by this instead of 14.4.
_FEW_FILTERS, _FEW_INPUTS, _FEW_TAPS, LEAST_PIXELS = 2, 8, 9, 1 << 14


class Convolution(NamedTuple):
    """A convolution of ``x`` with the filter ``w``."""

    batch: int
    channels: int
    filters: int
    window: Window  # groups of channels are not for this

    @property
    def pixels(self) -> int:
        """Return the number of pixels of the results of the whole batch."""
        return self.batch * self.window.out_size[0] * self.window.out_size[1]

    @property
    def taps(self) -> int:
        """Return the number of positions of the filter."""
        return self.window.size[0] * self.window.size[1]

    @property
    def is_whole(self) -> bool:
        """Return whether the only window is the whole image."""
        w = self.window
        return w.size == w.in_size and max(w.out_size) == 1 and not any(map(any, w.padding))

    @property
    def product(self) -> Product:
        """Return the sizes of the convolution as a product."""
        return Product(self.pixels, self.taps * self.channels, self.filters)


def conv2d_tile(c: Convolution, limits: TileLimits) -> Tile:
    """Return a convolution as product, or directly for images of few channels."""
    if c.window.pointwise or c.is_whole:
        return matmul_tile(c.product, limits, names=("x", "w"))
    if direct_fits(c, limits):
        return direct_tile(c, direct_pixels(c, limits))
    if narrow_fits(c):
        return narrow_tile(c)
    return gathered_tile(c, choose(c.product, limits), limits.held)


def gathered_tile(c: Convolution, choice: Choice, held: Held = FLOATS) -> Tile:
    """Return a convolution as product."""
    p = c.product
    guard = bool(p.inner % choice.strip)
    layout = OperandLayout(
        gather_side(c, held),
        matrix_side("w", "0", p.columns, p.inner, False, guard, held),
        str(p.rows),
        p.columns,
        lambda strip: str(ceil_div(p.inner, strip)),
        lambda row: f"{row} * {p.columns}",
    )
    groups, prologue = tile_grid(choice, p.rows, p.columns, 1)
    text = dense_text(choice, layout, prologue, p.inner, "w", held)
    return Tile(text, choice.threads, groups)


def pixel_function(c: Convolution, held: Held = FLOATS) -> str:
    """Return GLSL of ``x_pixel(image, y, x, k)``: four inputs of the window with corner y, x.

    k counts along positions and channels. Values are zero outside the image and past the end of k.
    """
    w, (height, width) = c.window, c.window.in_size
    inner = c.taps * c.channels
    body = (
        f"int tap = int(uint(k) / {c.channels}u), c = k - tap * {c.channels};\n"
        f"int row = y + tap / {w.size[1]} * {w.dilations[0]};\n"
        f"int column = x + tap % {w.size[1]} * {w.dilations[1]};\n"
        f"bool inside = k < {inner} && uint(row) < {height}u && uint(column) < {width}u;\n"
        f"int at = ((image * {height} + row) * {width} + column) * {c.channels} + c;\n"
    )
    name = "x_pixel(int image, int y, int x, int k)"
    if c.channels % 4 == 0:
        end = returned_inside(held.four, held.read("x") + "({})", "at / 4")
        return f"{held.four} {name} {{\n{body}{end}"
    one = f"float x_float(int image, int y, int x, int k) {{\n{body}"
    one += returned_inside("float", "x_1({})", "at")
    parts = ", ".join(f"x_float(image, y, x, k + {j})" for j in range(4))
    return f"{one}vec4 {name} {{ return vec4({parts}); }}\n"


def corner(c: Convolution, s: str, row: str) -> str:
    """Return GLSL that splits a row's index into ``image``, ``y`` and ``x`` of a window."""
    (height, width), w = c.window.out_size, c.window
    return (
        f"int m{s} = min({row}, {c.pixels - 1}), image{s} = m{s} / {height * width};\n"
        f"int y{s} = m{s} / {width} % {height} * {w.strides[0]} - {w.padding[0][0]};\n"
        f"int x{s} = m{s} % {width} * {w.strides[1]} - {w.padding[1][0]};\n"
    )


def gather_side(c: Convolution, held: Held = FLOATS) -> Side:
    """Return the images as left factor."""
    held = FLOATS if c.channels % 4 else held
    return Side(
        True,
        pixel_function(c, held),
        lambda s, line, k: corner(c, s, line) + f"int k{s} = {k};",
        lambda s: f"x_pixel(image{s}, y{s}, x{s}, k{s})",
        lambda s, length: f"k{s} += {length};",
        held,
    )


def direct_fits(c: Convolution, limits: TileLimits) -> bool:
    """Return whether there are few channels and a filter that fits into shared memory."""
    size = 16 * c.taps * c.channels * ceil_div(c.filters, 4)
    row = c.window.size[1] * c.channels
    return c.channels <= FEW_CHANNELS and size <= limits.shared_bytes and row <= _MOST_UNROLLED


def direct_pixels(c: Convolution, limits: TileLimits) -> int:
    """Return the pixels of a thread of a direct convolution: several, if enough threads are left.

    A thread reads each vec4 of the filter once for all of them: the first layer of 32 images,
    224x224x3 to 112x112x32, takes 43 us with four pixels on an H200 and 67 with one. Of a single
    image it takes 6.8 with one on an H100 and 7.5 with two.
    """
    count = c.pixels * ceil_div(c.filters, 4)
    return 4 if count > 8 * 2048 * (limits.multiprocessors or 16) else 1


def direct_tile(c: Convolution, pixels: int = 1, local_size: int = 256) -> Tile:
    """Return a tile whose threads make some neighbouring pixels of four filters each.

    The filter is in shared memory.

    Args:
        c: the convolution.
        pixels: pixels of a thread, for measurements and tests.
        local_size: threads of a group, likewise.
    """
    (height, width), w = c.window.out_size, c.window
    vectors, blocks = ceil_div(c.filters, 4), ceil_div(width, pixels)
    count = c.batch * height * blocks * vectors
    groups, start = threads(count, local_size)
    size = c.taps * c.channels * vectors
    read = "w_4(e)"
    if c.filters % 4:
        read = f"w_run(e / {vectors} * {c.filters} + e % {vectors} * 4, "
        read += f"{c.filters} - e % {vectors} * 4)"
    text = "" if c.filters % 4 == 0 else run_function("w")
    text += f"shared vec4 filter_[{size}];\nvoid main() {{\n{start}"
    text += f"for (int e = t; e < {size}; e += {local_size}) filter_[e] = {read};\nbarrier();\n"
    text += f"if (id >= {count}) return;\n"
    text += f"int f = id % {vectors}, p = id / {vectors};\n"
    text += f"int block = p % {blocks}, y = p / {blocks} % {height};\n"
    text += f"int image = p / {blocks * height};\n"
    text += f"int first = block * {pixels * w.strides[1]} - {w.padding[1][0]};\n"
    text += "".join(f"vec4 s{q} = vec4(0.0);\n" for q in range(pixels))
    text += f"for (int ky = 0; ky < {w.size[0]}; ky++) {{\n"
    text += f"int row = y * {w.strides[0]} - {w.padding[0][0]} + ky * {w.dilations[0]};\n"
    text += f"if (uint(row) < {w.in_size[0]}u) {{\n{_direct_row(c, pixels, vectors)}}} }}\n"
    text += f"int to = ((image * {height} + y) * {width} + block * {pixels}) * {c.filters};\n"
    for q in range(pixels):
        guard = f"if (block * {pixels} + {q} < {width}) " if width % pixels else ""
        text += f"{guard}{{ {_direct_store(c, q)} }}\n"
    return Tile(text + "}\n", local_size, groups)


def narrow_fits(c: Convolution) -> bool:
    """Return whether there are many pixels of so few filters that a product would be padding."""
    few = c.filters <= _FEW_FILTERS and c.channels % 4 == 0 and c.taps <= _FEW_TAPS
    return few and c.channels <= _FEW_INPUTS and c.pixels >= LEAST_PIXELS


def narrow_tile(c: Convolution, local_size: int = 128) -> Tile:
    """Return a tile whose threads make all filters of one pixel each."""
    w, (height, width), vectors = c.window, c.window.in_size, c.channels // 4
    groups, start = threads(c.pixels, local_size)
    text = f"void main() {{\n{start}if (id >= {c.pixels}) return;\n{corner(c, '', 'id')}"
    text += "".join(f"float s{f} = 0.0;\n" for f in range(c.filters))
    for ky in range(w.size[0]):
        for kx in range(w.size[1]):
            down, right = ky * w.dilations[0], kx * w.dilations[1]
            text += f"{{ int row = y + {down}, column = x + {right};\n"
            text += f"bool inside = uint(row) < {height}u && uint(column) < {width}u;\n"
            text += f"int at = ((image * {height} + row) * {width} + column) * {vectors};\n"
            for v in range(vectors):
                text += inside_or_zero("vec4", f"v{v}", "inside", "x_4({})", f"at + {v}", "0")
            first = (ky * w.size[1] + kx) * c.channels
            for f in range(c.filters):
                for k in range(c.channels):
                    weight = f"w_1({(first + k) * c.filters + f})"
                    text += f"s{f} = fma(v{k // 4}.{'xyzw'[k % 4]}, {weight}, s{f});\n"
            text += "}\n"
    text += "".join(f"store_1(id * {c.filters} + {f}, s{f});\n" for f in range(c.filters))
    return Tile(text + "}\n", local_size, groups)


def _direct_row(c: Convolution, pixels: int, vectors: int) -> str:
    """Return GLSL that loads a row of the image for the pixels, once, and adds its products."""
    w, width = c.window, c.window.in_size[1]
    columns = [
        [q * w.strides[1] + k * w.dilations[1] for k in range(w.size[1])] for q in range(pixels)
    ]
    text = f"int at = ((image * {c.window.in_size[0]} + row) * {width} + first) * {c.channels};\n"
    for x in sorted({x for row in columns for x in row}):
        text += f"bool in{x} = uint(first + {x}) < {width}u;\n"
        for ch in range(c.channels):
            at = f"at + {x * c.channels + ch}"
            text += inside_or_zero("float", f"v{x}_{ch}", f"in{x}", "x_1({})", at, "0")
    for k in range(w.size[1]):
        for ch in range(c.channels):
            tap = f"(ky * {w.size[1]} + {k}) * {c.channels} + {ch}"
            text += f"{{ vec4 f_ = filter_[({tap}) * {vectors} + f];\n"
            text += "".join(
                f"s{q} = fma(vec4(v{columns[q][k]}_{ch}), f_, s{q});\n" for q in range(pixels)
            )
            text += "}\n"
    return text


def _direct_store(c: Convolution, q: int) -> str:
    if c.filters % 4 == 0:
        return f"store_4(to / 4 + {q * c.filters // 4} + f, s{q});"
    return " ".join(
        f"if (f * 4 + {j} < {c.filters}) store_1(to + {q * c.filters + j} + f * 4, s{q}[{j}]);"
        for j in range(4)
    )
