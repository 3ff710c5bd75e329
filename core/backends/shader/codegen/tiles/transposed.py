"""Transposed convolutions, which are also the gradient of convolutions for their input.

Each pixel of the result gathers its contributions. With strides, pixels fall into phases by their
position modulo the stride; all of a phase read one set of filter positions, every stride-th one. So
a phase is a dense product, and the tiles of all phases make one dispatch.
"""

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.choices import choose
from core.backends.shader.codegen.tiles.convolution import Convolution
from core.backends.shader.codegen.tiles.matrix import product_text
from core.backends.shader.codegen.tiles.sides import OperandLayout, Side, returned_inside
from core.backends.shader.codegen.tiles.tile_source import Product, Tile, TileLimits, spread

_AXES = ("y", "x")


def transposed_tile(c: Convolution, limits: TileLimits) -> Tile:
    """Return the gradient of a convolution for x, from ``dy`` and the filter ``w``."""
    (sy, sx), w = c.window.strides, c.window
    height, width = (ceil_div(n, s) for n, s in zip(w.in_size, w.strides, strict=True))
    taps = ceil_div(w.size[0], sy) * ceil_div(w.size[1], sx)
    p = Product(c.batch * height * width, taps * c.filters, c.channels, sy * sx, transpose_b=True)
    choice = choose(p, limits)
    layout = OperandLayout(
        _pixels(c),
        _filter(c),
        "rows",
        p.columns,
        lambda strip: f"(inner + {strip - 1}) / {strip}",
        lambda row: (
            f"(({row} / (ny * nx) * {w.in_size[0]} + hy + {row} / nx % ny * {sy}) * {w.in_size[1]}"
            f" + hx + {row} % nx * {sx}) * {c.channels}"
        ),
    )
    across, down = ceil_div(p.columns, choice.columns), ceil_div(p.rows, choice.rows)
    groups, prologue = spread(across * down * p.batch)
    prologue += f"int first_column = group % {across} * {choice.columns};\n"
    prologue += f"int first_row = group / {across} % {down} * {choice.rows};\n"
    prologue += f"int ry = group / {across * down * sx}, rx = group / {across * down} % {sx};\n"
    prologue += _phase(c, 0) + _phase(c, 1)
    prologue += f"int rows = {c.batch} * ny * nx, inner = ty_ * tx_ * {c.filters};\n"
    prologue += "if (first_row >= rows) return;\n"
    return Tile(product_text(choice, layout, prologue), choice.threads, groups)


def _phase(c: Convolution, axis: int) -> str:
    """Return the numbers of phase r of an axis.

    ``h``: its first pixel, ``n``: number of its pixels, ``t_``: positions of the filter, ``e``: the
    pixel of dy that the first of them reads for the first pixel.
    """
    a, w = _AXES[axis], c.window
    stride, before = w.strides[axis], w.padding[axis][0]
    return (
        f"int h{a} = (r{a} + {before * stride - before}) % {stride};\n"
        f"int n{a} = ({w.in_size[axis] + stride - 1} - h{a}) / {stride};\n"
        f"int e{a} = (h{a} + {before} - r{a}) / {stride};\n"
        f"int t{a}_ = ({w.size[axis] + stride - 1} - r{a}) / {stride};\n"
    )


def _split(c: Convolution) -> str:
    """Return GLSL that splits k into a channel ``f`` of dy and a tap ``j``, ``i`` of the phase."""
    size, stride = c.window.size[1], c.window.strides[1]
    most, least = ceil_div(size, stride), max(size // stride, 1)
    j = f"phase_tap / {most}"
    if most != least:  # division by a constant is a multiplication
        j = f"(tx_ == {most} ? phase_tap / {most} : phase_tap / {least})"
    return (
        f"int phase_tap = int(uint(k) / {c.filters}u), f = k - phase_tap * {c.filters};\n"
        f"int j = {j}, i = phase_tap - j * tx_;\n"
    )


def _functions(name: str, arguments: str, body: str, wide: bool) -> str:
    """Return GLSL of a vec4 function, from a body that sets ``inside`` and ``at`` for a float."""
    parameters = "".join(f"int {a}, " for a in arguments.split(", "))
    head = f"{name}_vector({parameters}int k, int tx_, int inner)"
    if wide:
        return f"vec4 {head} {{\n{body}" + returned_inside("vec4", name + "_4({})", "at / 4")
    one = head.replace("_vector", "_float")
    text = f"float {one} {{\n{body}" + returned_inside("float", name + "_1({})", "at")
    parts = ", ".join(f"{name}_float({arguments}, k + {n}, tx_, inner)" for n in range(4))
    return f"{text}vec4 {head} {{ return vec4({parts}); }}\n"


def _pixels(c: Convolution) -> Side:
    """Return the left factor, dy: a row for each pixel of the phase."""
    w, (height, width) = c.window, c.window.out_size
    body = _split(c)
    body += f"int row = y - j * {w.dilations[0]}, column = x - i * {w.dilations[1]};\n"
    body += f"bool inside = k < inner && uint(row) < {height}u && uint(column) < {width}u;\n"
    body += f"int at = ((image * {height} + row) * {width} + column) * {c.filters} + f;\n"

    def start(s: str, line: str, k: str) -> str:
        return (
            f"int m{s} = min({line}, rows - 1), image{s} = m{s} / (ny * nx);\n"
            f"int y{s} = ey + m{s} / nx % ny, x{s} = ex + m{s} % nx, k{s} = {k};\n"
        )

    return Side(
        True,
        _functions("dy", "image, y, x", body, c.filters % 4 == 0),
        start,
        lambda s: f"dy_vector(image{s}, y{s}, x{s}, k{s}, tx_, inner)",
        lambda s, length: f"k{s} += {length};",
    )


def _filter(c: Convolution) -> Side:
    """Return the right factor, the filter: a column for each channel of the result."""
    w = c.window
    body = _split(c)
    body += f"bool inside = k < inner && channel < {c.channels};\n"
    body += f"int tap = (ry + j * {w.strides[0]}) * {w.size[1]} + rx + i * {w.strides[1]};\n"
    body += f"int at = (tap * {c.channels} + channel) * {c.filters} + f;\n"
    return Side(
        True,
        _functions("w", "ry, rx, channel", body, c.filters % 4 == 0),
        lambda s, line, k: f"int channel{s} = {line}, wk{s} = {k};",
        lambda s: f"w_vector(ry, rx, channel{s}, wk{s}, tx_, inner)",
        lambda s, length: f"wk{s} += {length};",
    )
