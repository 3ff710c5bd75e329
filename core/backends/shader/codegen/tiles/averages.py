"""Means over the pixels of an image, as before a classifier."""

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.tile_source import Tile, TileLimits, spread

#: Largest number of pixels that one tile adds up, a power of two.
MOST_PIXELS = 4096


def mean_tile(batch: int, pixels: int, channels: int, limits: TileLimits) -> Tile:
    """Return the mean of ``x`` [batch, pixels, channels] over pixels; threads share the pixels.

    A sum that overflows is computed again from smaller values, by one thread.

    Args:
        batch: number of images.
        pixels: pixels of each, from 1 to `MOST_PIXELS`.
        channels: channels of a pixel; channels in fours are read as vectors.
        limits: limits of the device.
    """
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
    position = f"(z * {pixels} + p) * {count} + c"
    text += f"sum += x{suffix}({position});\n"
    text += f"sums[t] = sum;\nbarrier();\nfor (int h = {lanes // 2}; h > 0; h >>= 1) {{\n"
    text += f"if (lane < h) sums[t] += sums[t + h * {across}];\nbarrier();\n}}\n"
    parts = ", ".join(f"is_finite(mean.{part})" for part in "xyzw")
    is_known = f"bvec4({parts})" if wide else "is_finite(mean)"
    text += f"""if (lane != 0 || c >= {count}) return;
{kind} mean = sums[t] / {pixels}.0;
{"bvec4" if wide else "bool"} known = {is_known};
if (!{"all(known)" if wide else "known"}) {{
sum = {kind}(0.0);
for (int first = 0; first < {lanes}; first++) {{
{kind} part = {kind}(0.0);
for (int p = first; p < {pixels}; p += {lanes}) part += x{suffix}({position}) * {1 / MOST_PIXELS};
sum += part;
}}
mean = mix(sum * {MOST_PIXELS / pixels!r}, mean, known);
}}
store{suffix}(z * {count} + c, mean);
"""
    return Tile(text + "}\n", size, groups)
