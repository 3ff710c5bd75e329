"""Gradients of convolutions for their filters: sums over all pixels of all images.

The result is small and the sums are long, so several groups share a sum. Then a second kernel adds
up their partial sums.
"""

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.choices import choose
from core.backends.shader.codegen.tiles.convolution import Convolution
from core.backends.shader.codegen.tiles.depthwise import Depthwise
from core.backends.shader.codegen.tiles.matrix import product_text
from core.backends.shader.codegen.tiles.sides import (
    OperandLayout,
    Side,
    matrix_side,
    returned_inside,
)
from core.backends.shader.codegen.tiles.tile_source import (
    Choice,
    Product,
    Tile,
    TileLimits,
    TwoStages,
    spread,
    threads,
)

#: Largest number of partial sums: more take longer to add up than they save.
_MOST_PARTS = 64
_LANES = 8  # of a depthwise gradient: threads that share the pixels of a group


def filter_gradient(
    c: Convolution, limits: TileLimits, choice: Choice | None = None, parts: int = 0
) -> Tile | TwoStages:
    """Return the gradient of a convolution for its filter, from ``x`` and ``dy``.

    Args:
        c: the convolution.
        limits: limits of the device.
        choice: tile of the product, whose rows are the filter's positions and channels; for
            measurements and tests, by default the best known.
        parts: number of groups that share a sum, likewise; 0: as many as fill the device.
    """
    p = Product(c.taps * c.channels, c.pixels, c.filters, transpose_a=True)
    choice = choice or choose(p, limits)
    across, down = ceil_div(p.columns, choice.columns), ceil_div(p.rows, choice.rows)
    strips = ceil_div(p.inner, choice.strip)
    parts = min(parts or parts_of(across * down, strips, limits), strips)
    length = ceil_div(strips, parts) * choice.strip
    parts = ceil_div(p.inner, length)
    layout = OperandLayout(
        _later(_patches(c)),
        _later(matrix_side("dy", "0", p.columns, p.inner, False, True)),
        str(p.rows),
        p.columns,
        lambda strip: str(length // strip),
        lambda row: f"(z * {p.rows} + {row}) * {p.columns}",
    )
    groups, prologue = spread(across * down * parts)
    prologue += f"int first_column = group % {across} * {choice.columns};\n"
    prologue += f"int first_row = group / {across} % {down} * {choice.rows};\n"
    prologue += f"int z = group / {across * down}, first_k = z * {length};\n"
    first = Tile(product_text(choice, layout, prologue), choice.threads, groups)
    return in_two(first, p.rows * p.columns, parts)


def parts_of(tiles: int, most: int, limits: TileLimits) -> int:
    """Return the number of groups that share a sum, so that two run on each multiprocessor."""
    return max(min(2 * (limits.multiprocessors or 16) // tiles, most, _MOST_PARTS), 1)


def in_two(first: Tile, size: int, parts: int) -> Tile | TwoStages:
    """Return a kernel with a second one that adds its parts, if there are several."""
    return first if parts == 1 else TwoStages(first, sum_tile(size, parts), size * parts)


def sum_tile(size: int, parts: int) -> Tile:
    """Return the sum of ``partial`` over its first axis, [parts, size]."""
    wide, local_size = size % 4 == 0, 64
    kind, suffix, count = ("vec4", "_4", size // 4) if wide else ("float", "_1", size)
    groups, start = threads(count, local_size)
    text = f"void main() {{\n{start}if (id >= {count}) return;\n{kind} sum = {kind}(0.0);\n"
    text += f"for (int i = 0; i < {parts}; i++) sum += partial{suffix}(i * {count} + id);\n"
    return Tile(text + f"store{suffix}(id, sum);\n}}\n", local_size, groups)


def _later(side: Side) -> Side:
    """Return a factor that starts at the part's first element."""
    return side._replace(start=lambda s, line, k: side.start(s, line, f"(first_k + {k})"))


def _patches(c: Convolution) -> Side:
    """Return the images as left factor: a row for each of the filter's positions and channels."""
    w, (height, width), (out_height, out_width) = c.window, c.window.in_size, c.window.out_size
    body = (
        f"int image = k / {out_height * out_width};\n"
        f"int row = y + k / {out_width} % {out_height} * {w.strides[0]};\n"
        f"int column = x + k % {out_width} * {w.strides[1]};\n"
        f"bool inside = k < {c.pixels} && uint(row) < {height}u && uint(column) < {width}u;\n"
        f"int at = ((image * {height} + row) * {width} + column) * {c.channels} + channel;\n"
    )
    lines = c.taps * c.channels
    split = (
        f"int tap = line / {c.channels}, channel = line % {c.channels};\n"
        f"int y = tap / {w.size[1]} * {w.dilations[0]} - {w.padding[0][0]};\n"
        f"int x = tap % {w.size[1]} * {w.dilations[1]} - {w.padding[1][0]};\n"
    )
    if c.channels % 4 == 0:
        text = "vec4 x_patch(int y, int x, int channel, int k) {\n"
        text += body + returned_inside("vec4", "x_4({})", "at / 4")

        def start(s: str, line: str, k: str) -> str:
            names = {"line": f"line{s}", "tap": f"tap{s}", "channel": f"channel{s}"}
            mine = split
            for name, other in [
                *names.items(),
                ("int y =", f"int y{s} ="),
                ("int x =", f"int x{s} ="),
            ]:
                mine = mine.replace(name, other)
            return f"int line{s} = min({line}, {lines - 4});\n{mine}int k{s} = {k};"

        value = "x_patch(y{s}, x{s}, channel{s}, k{s})"
    else:
        text = f"float x_float(int line, int k) {{\nif (line >= {lines}) return 0.0;\n"
        text += split + body + returned_inside("float", "x_1({})", "at")

        def start(s: str, line: str, k: str) -> str:
            return f"int line{s} = {line}, k{s} = {k};"

        value = "vec4(" + ", ".join(f"x_float(line{{s}} + {j}, k{{s}})" for j in range(4)) + ")"
    return Side(
        False,
        text,
        start,
        lambda s: value.format(s=s),
        lambda s, length: f"k{s} += {length};",
    )


def depthwise_filter_gradient(d: Depthwise, limits: TileLimits, parts: int = 0) -> Tile | TwoStages:
    """Return the gradient of a depthwise convolution for its filter, from ``x`` and ``dy``.

    A thread sums some pixels for a position of the filter and its channels; see `filter_gradient`.

    Args:
        d: the convolution.
        limits: limits of the device.
        parts: number of groups that share a sum, for tests; 0: as many as fill the device.
    """
    w, (height, width), (out_height, out_width) = d.window, d.window.in_size, d.window.out_size
    wide = d.multiplier == 1 and d.channels % 4 == 0
    kind, suffix = ("vec4", "_4") if wide else ("float", "_1")
    count = d.results // 4 if wide else d.results  # vectors of the result at a tap
    step = d.channels // 4 if wide else d.channels
    size = 128
    across, pixels = size // _LANES, d.batch * out_height * out_width
    blocks, taps = ceil_div(count, across), w.size[0] * w.size[1]
    parts = min(parts or parts_of(blocks * taps, ceil_div(pixels, 4 * _LANES), limits), pixels)
    length = ceil_div(pixels, parts)
    parts = ceil_div(pixels, length)
    groups, start = spread(blocks * taps * parts)
    text = f"shared {kind} sums[{size}];\nvoid main() {{\n{start}"
    text += (
        f"int t = int(gl_LocalInvocationIndex), lane = t / {across}, z = group / {blocks * taps};\n"
    )
    text += (
        f"int c = group % {blocks} * {across} + t % {across}, tap = group / {blocks} % {taps};\n"
    )
    text += f"int y = tap / {w.size[1]} * {w.dilations[0]} - {w.padding[0][0]};\n"
    text += f"int x = tap % {w.size[1]} * {w.dilations[1]} - {w.padding[1][0]};\n"
    text += f"int end = min({pixels}, (z + 1) * {length});\n{kind} sum = {kind}(0.0);\n"
    text += f"if (c < {count}) for (int p = z * {length} + lane; p < end; p += {_LANES}) {{\n"
    text += f"int row = y + p / {out_width} % {out_height} * {w.strides[0]};\n"
    text += f"int column = x + p % {out_width} * {w.strides[1]};\n"
    text += (
        f"int at = ((p / {out_height * out_width} * {height} + row) * {width} + column) * {step};\n"
    )
    text += f"if (uint(row) < {height}u && uint(column) < {width}u)\n"
    text += (
        f"sum = fma(x{suffix}(at + c / {d.multiplier}), dy{suffix}(p * {count} + c), sum);\n}}\n"
    )
    text += f"sums[t] = sum;\nbarrier();\nif (lane == 0 && c < {count}) {{\n"
    text += f"for (int i = 1; i < {_LANES}; i++) sum += sums[t + i * {across}];\n"
    text += f"store{suffix}((z * {taps} + tap) * {count} + c, sum);\n}} }}\n"
    return in_two(Tile(text, size, groups), taps * d.results, parts)
