"""A depthwise convolution and the pointwise one after it, in one kernel.

The tile of the product computes its left factor instead of loading it, again for every tile of
columns: it is faster if the pointwise convolution has few columns, as in a network's first layers.
"""

from math import prod

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.choices import choose_separable
from core.backends.shader.codegen.tiles.convolution import LEAST_PIXELS, Convolution, corner
from core.backends.shader.codegen.tiles.depthwise import Depthwise
from core.backends.shader.codegen.tiles.held import Held
from core.backends.shader.codegen.tiles.matrix import dense_text, tile_grid
from core.backends.shader.codegen.tiles.sides import (
    OperandLayout,
    Side,
    inside_or_zero,
    matrix_side,
)
from core.backends.shader.codegen.tiles.tile_source import (
    Choice,
    Product,
    Tile,
    TileLimits,
    threads,
)

#: Taps of the largest filter that was measured, and of those of all channels that are added up
#: anew for each tile: with 14,400 (5x5 of 576, on 8x8 pixels of BlazePose) two kernels are faster.
_MOST_TAPS, _MOST_TAPS_OF_ALL = 25, 9216

_COLUMNS = 128  # of the tiles that win

#: The most channels and weights of a pointwise filter whose threads make whole pixels. On an H200 8
#: channels to 8 for 256x256 pixels take 6.3 us by this instead of 16, but 24 to 8 for 128x128 take
#: 9.5 instead of 6.6.
_FEW_CHANNELS, _FEW_WEIGHTS = 8, 64
_MOST_SUMS = 1 << 18


def separable_tile(
    d: Depthwise, filters: int, limits: TileLimits, choice: Choice | None = None
) -> Tile:
    """Return a separable convolution of ``x``: depthwise filter ``d``, pointwise filter ``w``.

    Between them the text calls ``vec4 middle_4(int c, vec4 v)``, which the compiler defines: bias
    and activation of the depthwise convolution, for vec4 number c of its channels.

    Args:
        d: the depthwise convolution, of multiplier 1 and whole vec4s of channels.
        filters: filters of the pointwise convolution.
        limits: limits of the device.
        choice: tile of the product, for measurements and tests; by default the best known.
    """
    c = Convolution(d.batch, d.channels, filters, d.window)
    if choice is None and _is_narrow(c):
        return narrow_separable_tile(c)
    p = Product(c.pixels, d.channels, filters)
    choice, held = choice or choose_separable(p, limits), limits.held
    guard = bool(p.inner % choice.strip)
    layout = OperandLayout(
        _depthwise_side(c),
        matrix_side("w", "0", p.columns, p.inner, False, guard, held),
        str(p.rows),
        p.columns,
        lambda strip: str(ceil_div(p.inner, strip)),
        lambda row: f"{row} * {p.columns}",
        (lambda choice: _fill(c, choice, held)) if choice.threads >= c.channels // 4 else None,
    )
    groups, prologue = tile_grid(choice, p.rows, p.columns, 1)
    text = dense_text(choice, layout, prologue, p.inner, "w", held)
    return Tile(text, choice.threads, groups)


def narrow_separable_tile(c: Convolution, local_size: int = 128) -> Tile:
    """Return a tile whose threads make all filters of one pixel each."""
    vectors, columns = c.channels // 4, c.filters // 4
    groups, start = threads(c.pixels, local_size)
    text = _depthwise_side(c).functions
    text += f"void main() {{\n{start}if (id >= {c.pixels}) return;\n{corner(c, '', 'id')}"
    text += "".join(f"vec4 s{f} = vec4(0.0);\n" for f in range(columns))
    text += f"for (int c = 0; c < {vectors}; c++) {{\n"
    text += "vec4 v = middle_4(c, x_sum(image, y, x, c));\n"
    for j in range(4):
        for f in range(columns):
            at = f"c * {4 * columns} + {j * columns + f}"
            text += f"s{f} = fma(vec4(v.{'xyzw'[j]}), w_4({at}), s{f});\n"
    text += "}\n"
    text += "".join(f"store_4(id * {columns} + {f}, s{f});\n" for f in range(columns))
    return Tile(text + "}\n", local_size, groups)


def _is_narrow(c: Convolution) -> bool:
    """Return whether there are many pixels of so few channels that a product would be padding."""
    is_small = c.channels <= _FEW_CHANNELS and c.channels * c.filters <= _FEW_WEIGHTS
    return is_small and c.filters % 4 == 0 and c.pixels >= LEAST_PIXELS


def can_fuse(d: Depthwise) -> bool:
    """Return whether `separable_tile` can compute the convolution."""
    return d.multiplier == 1 and d.channels % 4 == 0


def pays(d: Depthwise, filters: int) -> bool:
    """Return whether one kernel takes less time than two.

    It saves a dispatch and computes the depthwise sums once for each tile of columns. On an H100
    all blocks of MobileNet gain at batch 1 (3 to 4.5 us each), with up to 200 thousand vec4s of
    sums; at 300 thousand two kernels are faster, and always at batch 32.
    """
    pixels = d.batch * d.window.out_size[0] * d.window.out_size[1]
    sums = pixels * d.channels // 4 * ceil_div(filters, _COLUMNS)
    taps = prod(d.window.size)
    has_few_taps = taps <= _MOST_TAPS and taps * d.channels <= _MOST_TAPS_OF_ALL
    return can_fuse(d) and has_few_taps and sums <= _MOST_SUMS


def _depthwise_side(c: Convolution) -> Side:
    """Return the depthwise convolution as left factor."""
    w, (height, width), vectors = c.window, c.window.in_size, c.channels // 4
    text = "vec4 x_sum(int image, int y, int x, int c) {\nvec4 sum = vec4(0.0);\n"
    text += f"int at = ((image * {height} + y) * {width} + x) * {vectors} + c;\n"
    for ky in range(w.size[0]):
        down = ky * w.dilations[0]
        text += f"bool in{ky} = uint(y + {down}) < {height}u;\n"
        for kx in range(w.size[1]):
            right, tap = kx * w.dilations[1], ky * w.size[1] + kx
            at = f"at + {(down * width + right) * vectors}"
            inside = f"in{ky} && uint(x + {right}) < {width}u"
            text += inside_or_zero("vec4", f"v{tap}", inside, "x_4({})", at, "c")
    for tap in range(c.taps):
        text += f"sum = fma(v{tap}, d_4({tap * vectors} + c), sum);\n"
    text += "return sum;\n}\nvec4 x_separable(int image, int y, int x, int c) {\n"
    text += f"if (c >= {vectors}) return vec4(0.0);\n"
    text += "return middle_4(c, x_sum(image, y, x, c));\n}\n"
    return Side(
        True,
        text,
        lambda s, line, k: corner(c, s, line) + f"int c{s} = {k} / 4;",
        lambda s: f"x_separable(image{s}, y{s}, x{s}, c{s})",
        lambda s, length: f"c{s} += {length // 4};",
    )


def _fill(c: Convolution, choice: Choice, held: Held) -> str:
    """Return GLSL that computes the left rows of a resident tile.

    A thread keeps its channels' filter in registers and makes some of the tile's pixels.
    """
    vectors = c.channels // 4
    lanes = choice.threads // vectors
    pixels = ceil_div(choice.rows, lanes)
    idle = choice.threads % vectors
    text = f"if (t < {lanes * vectors}) " if idle else ""
    text += f"{{ int c = t % {vectors}, first = t / {vectors} * {pixels};\n"
    text += "".join(f"vec4 s{q} = vec4(0.0);\n" for q in range(pixels))
    if c.window.out_size[1] % choice.rows == 0:
        text += _neighbours(c, pixels)
    else:
        text += "".join(_pixel(c, q) for q in range(pixels))
    for q in range(pixels):
        guard = f"if (first + {q} < {choice.rows}) " if pixels * lanes != choice.rows else ""
        text += (
            f"{guard}tile[(first + {q}) * {vectors | 1} + c] = {held.kept(f'middle_4(c, s{q})')};\n"
        )
    return text + "}\n"


def _neighbours(c: Convolution, pixels: int) -> str:
    """Return GLSL of sums for pixels of one row of an image; each column is read once."""
    w, (height, width), vectors = c.window, c.window.in_size, c.channels // 4
    sx, dx = w.strides[1], w.dilations[1]
    columns = [[q * sx + k * dx for k in range(w.size[1])] for q in range(pixels)]
    text = corner(c, "", "(first_row + first)")
    for ky in range(w.size[0]):
        text += f"{{ int row = y + {ky * w.dilations[0]};\nbool in_ = uint(row) < {height}u;\n"
        text += f"int at = ((image * {height} + row) * {width} + x) * {vectors} + c;\n"
        for k in range(w.size[1]):
            text += f"vec4 f{k} = d_4({(ky * w.size[1] + k) * vectors} + c);\n"
        for i in sorted({i for row in columns for i in row}):
            inside = f"in_ && uint(x + {i}) < {width}u"
            at = f"at + {i * vectors}"
            text += inside_or_zero("vec4", f"v{i}", inside, "x_4({})", at, "c")
        for q in range(pixels):
            text += "".join(f"s{q} = fma(v{i}, f{k}, s{q});\n" for k, i in enumerate(columns[q]))
        text += "}\n"
    return text


def _pixel(c: Convolution, q: int) -> str:
    """Return GLSL of the sum for one pixel at any position."""
    return f"{{ {corner(c, '', f'(first_row + first + {q})')}s{q} = x_sum(image, y, x, c); }}\n"
