"""Softmax along the last axis: a group of threads for each row."""

from core.backends.shader.codegen.tiles.tile_source import Tile, TileLimits, spread


def shares_tile(rows: int, length: int, limits: TileLimits, value: str) -> Tile:
    """Return e**``x`` of each row divided by its sum, or another function of these.

    The largest value is found first, so that no power overflows; values equal to it are counted
    separately, as many small ones would be lost beside it.

    Args:
        rows: rows of x, [rows, length].
        length: length of a row.
        limits: limits of the device.
        value: GLSL of a result from ``v``, the value there, ``most`` and ``total``.
    """
    size = min(256, limits.max_threads)
    groups, start = spread(rows)
    text = f"shared vec2 parts[{size}];\nvoid main() {{\n{start}"
    text += f"int t = int(gl_LocalInvocationIndex), base = group * {length};\n"
    text += f"float most = -INF;\nfor (int i = t; i < {length}; i += {size})\n"
    text += "most = max(most, x_1(base + i));\n"
    text += _tree(size, "vec2(most, 0.0)", "vec2(max(parts[t].x, parts[t + h].x), 0.0)")
    text += "most = parts[0].x;\nbarrier();\nfloat count = 0.0, rest = 0.0;\n"
    text += f"for (int i = t; i < {length}; i += {size}) {{\nfloat v = x_1(base + i);\n"
    text += "if (v == most && v < INF) count += 1.0;\nelse rest += exp_(v - most);\n}\n"
    text += _tree(size, "vec2(count, rest)", "parts[t] + parts[t + h]")
    text += "float total = parts[0].x + parts[0].y;\n"
    text += f"for (int i = t; i < {length}; i += {size}) {{\nfloat v = x_1(base + i);\n"
    text += f"store_1(base + i, {value});\n}}\n}}\n"
    return Tile(text, size, groups)


def _tree(size: int, own: str, both: str) -> str:
    """Return GLSL that combines each thread's part into ``parts[0]``."""
    text = f"parts[t] = {own};\nbarrier();\nfor (int h = {size // 2}; h > 0; h >>= 1) {{\n"
    return text + f"if (t < h) parts[t] = {both};\nbarrier();\n}}\n"
