"""The result of generators of drawings, and the GLSL that all of them share.

The text of a `Drawing` defines ``void draw(int o)``, which writes ``made[i]``, a vec4, for each
target i. The texels of the result are cut into as many chunks as there are targets; ``o`` is a
texel of the first chunk, and ``made[i]`` the texel at that position of chunk i. The last chunk may
have fewer: texels after its end are not read, but must not read beyond the inputs. The compiler
declares, for each input ``x``, ``x_4(i)``: vec4 number i of the dense values, and ``x_1(i)``:
value i.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.tile_source import TileLimits

#: Smallest number of invocations that keeps a device busy; with fewer, each computes less.
LEAST_INVOCATIONS = 1024

#: Inverse of the largest share of invocations that lie past the end of the last chunk.
_LEAST_USED = 16


class Drawing(NamedTuple):
    """The text of a fragment shader, the number of target textures, and texels of a chunk."""

    text: str
    targets: int = 1
    chunk: int = 0


class Share(NamedTuple):
    """The distribution of a result's lines, rows or pixels, among targets."""

    targets: int
    lines: int  # of each but the last

    def drawing(self, text: str, vectors: int) -> Drawing:
        """Return a drawing of lines with a number of texels."""
        return Drawing(text, self.targets, self.lines * vectors)


def share(lines: int, vectors: int, limits: TileLimits, targets: int | None = None) -> Share:
    """Return the number of targets, and the lines of each.

    Args:
        lines: rows or pixels of the result.
        vectors: texels of a line.
        limits: limits of the device.
        targets: a required number of targets.

    >>> limits = TileLimits(max_targets=8)
    >>> share(112 * 112, 8, limits), share(7 * 7, 256, limits), share(17 * 17, 64, limits)
    (Share(targets=8, lines=1568), Share(targets=7, lines=7), Share(targets=8, lines=37))
    >>> share(4, 4, limits)
    Share(targets=1, lines=4)
    """
    for count in [targets] if targets else range(limits.max_targets, 1, -1):
        each = ceil_div(lines, count)
        wasted = each * count - lines
        if targets or (each * vectors >= LEAST_INVOCATIONS and wasted * _LEAST_USED <= lines):
            return Share(count, each)
    return Share(1, lines)


def for_targets(targets: int, text: str) -> str:
    r"""Repeat a text for each target, with its number instead of ``@``.

    >>> for_targets(2, "made[@] = s@;")
    'made[0] = s0;\nmade[1] = s1;'
    """
    return "\n".join(text.replace("@", str(i)) for i in range(targets))
