"""Products of few rows: only the rows are used more than once, so the other matrix is streamed.

A group's threads make a few columns (``across``) and share the inner axis (``lanes``). Their sums
meet in shared memory.
"""

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.tile_source import Product, Tile, TileLimits, spread

#: The rows that a thread keeps in registers.
MOST_ROWS = 4


def vector_tile(p: Product, limits: TileLimits, names: tuple[str, str] = ("a", "b")) -> Tile:
    """Return the product for at most ``MOST_ROWS`` rows."""
    body = _rows_of_b if p.transpose_b else _columns_of_b
    return body(p, min(256, limits.max_threads), *names)


def _a_at(p: Product, row: int, k: str) -> str:
    """Return GLSL of the index of element k of a row of the left factor."""
    at = f"({k}) * {p.rows} + {row}" if p.transpose_a else f"{row} * {p.inner} + ({k})"
    return at if p.batch == 1 or p.shared_a else f"z * {p.rows * p.inner} + {at}"


def _columns_of_b(p: Product, size: int, a: str, b: str) -> Tile:
    """Return the product for b as it is: neighbouring threads read neighbouring columns of b."""
    wide = p.columns % 4 == 0
    count = p.columns // 4 if wide else p.columns
    across = 2 if wide else 8  # the 32 bytes that memory gives at least
    lanes = size // across
    kind, suffix = ("vec4", "_4") if wide else ("float", "_1")
    groups, start = spread(ceil_div(count, across) * p.batch)
    base = "" if p.batch == 1 or p.shared_b else f"z * {p.inner * count} + "
    text = _head(p, start, kind, across, lanes, count)
    text += f"int n = min(column, {count - 1});\n"
    text += f"for (int k = lane; k < {p.inner}; k += {lanes}) {{\n"
    text += f"{kind} v = {b}{suffix}({base}k * {count} + n);\n"
    for i in range(p.rows):
        text += f"c{i} = fma({kind}({a}_1({_a_at(p, i, 'k')})), v, c{i});\n"
    return Tile(text + "}\n" + _tail(p, suffix, across, lanes, count), size, groups)


def _rows_of_b(p: Product, size: int, a: str, b: str) -> Tile:
    """Return the product for transposed b: a row of b makes a column; lanes read along the row."""
    wide = p.inner % 4 == 0 and not p.transpose_a
    inner = p.inner // 4 if wide else p.inner
    across = 8
    lanes = size // across
    groups, start = spread(ceil_div(p.columns, across) * p.batch)
    base = "" if p.batch == 1 or p.shared_b else f"z * {inner * p.columns} + "
    text = _head(p, start, "float", across, lanes, p.columns, lanes_first=True)
    text += f"int n = min(column, {p.columns - 1});\n"
    text += f"for (int k = lane; k < {inner}; k += {lanes}) {{\n"
    kind, suffix = ("vec4", "_4") if wide else ("float", "_1")
    text += f"{kind} v = {b}{suffix}({base}n * {inner} + k);\n"
    for i in range(p.rows):
        at = f"({_a_at(p, i, 'k * 4')}) / 4" if wide else _a_at(p, i, "k")
        part = f"{a}{suffix}({at})"
        text += f"c{i} += dot({part}, v);\n" if wide else f"c{i} = fma({part}, v, c{i});\n"
    return Tile(text + "}\n" + _tail(p, "_1", across, lanes, p.columns), size, groups)


def _head(
    p: Product,
    start: str,
    kind: str,
    across: int,
    lanes: int,
    count: int,
    lanes_first: bool = False,
) -> str:
    tiles = ceil_div(count, across)
    x, lane = ("/", "%") if lanes_first else ("%", "/")
    by = lanes if lanes_first else across
    text = f"shared {kind} sums[{p.rows * across * lanes}];\nvoid main() {{\n{start}"
    text += f"int t = int(gl_LocalInvocationIndex), z = group / {tiles};\n"
    text += f"int x = t {x} {by}, lane = t {lane} {by};\n"
    text += f"int column = group % {tiles} * {across} + x;\n"
    return text + "".join(f"{kind} c{i} = {kind}(0.0);\n" for i in range(p.rows))


def _tail(p: Product, suffix: str, across: int, lanes: int, count: int) -> str:
    """Return GLSL that halves the lanes until one has the sum, and stores it."""
    size = across * lanes
    text = "".join(f"sums[{i * size} + lane * {across} + x] = c{i};\n" for i in range(p.rows))
    text += f"barrier();\nfor (int half_ = {lanes // 2}; half_ > 0; half_ >>= 1) {{\n"
    text += "if (lane < half_) {\n"
    for i in range(p.rows):
        at = f"{i * size} + lane * {across} + x"
        text += f"sums[{at}] += sums[{at} + half_ * {across}];\n"
    text += f"}}\nbarrier();\n}}\nif (lane == 0 && column < {count}) {{\n"
    for i in range(p.rows):
        to = f"(z * {p.rows} + {i}) * {count} + column"
        text += f"store{suffix}({to}, sums[{i * size} + x]);\n"
    return text + "} }\n"
