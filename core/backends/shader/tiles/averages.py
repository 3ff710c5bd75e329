"""Means over the pixels of an image, as before a classifier."""

from core.backends.shader.tiles.source import Limits, Tile, ceil_div, spread


def mean_tile(batch: int, pixels: int, channels: int, limits: Limits) -> Tile:
    """The mean of ``x`` [batch, pixels, channels] over pixels; threads share the pixels."""
    wide = channels % 4 == 0
    kind, suffix, count = ("vec4", "_4", channels // 4) if wide else ("float", "_1", channels)
    size = min(256, limits.max_threads)
    across = 8 if wide else 32
    lanes, blocks = size // across, ceil_div(count, across)
    groups, start = spread(blocks * batch)
    text = f"shared {kind} sums[{size}];\nvoid main() {{\n{start}"
    text += f"int t = int(gl_LocalInvocationIndex), lane = t / {across}, z = group / {blocks};\n"
    text += f"int c = group % {blocks} * {across} + t % {across};\n{kind} sum = {kind}(0.0);\n"
    text += f"if (c < {count}) for (int p = lane; p < {pixels}; p += {lanes})\n"
    text += f"sum += x{suffix}((z * {pixels} + p) * {count} + c);\n"
    text += f"sums[t] = sum;\nbarrier();\nfor (int h = {lanes // 2}; h > 0; h >>= 1) {{\n"
    text += f"if (lane < h) sums[t] += sums[t + h * {across}];\nbarrier();\n}}\n"
    text += f"if (lane == 0 && c < {count}) store{suffix}(z * {count} + c, sums[t] / {pixels}.0);\n"
    return Tile(text + "}\n", size, groups)
