"""What a generator of drawings returns, and the GLSL that all of them share.

The text of a `Drawing` defines ``void draw(int o)``, which writes ``made[i]``, a vec4, for each
target i. The texels of the result are cut into as many chunks as there are targets; ``o`` is a
texel of the first chunk, and ``made[i]`` the one at the same place in chunk i. The last chunk may
have fewer: what is made after its end is not read, but must not read beyond the inputs. Around the
text the compiler declares, for each input ``x``, ``x_4(i)``: vec4 number i of the dense values, and
``x_1(i)``: value i.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.shapes import TileLimits

#: With fewer invocations a device has idle units: then they make less each.
LEAST_INVOCATIONS = 1024

#: Of the work at most one part of so many is for what is made after the end of the last chunk.
_LEAST_USED = 16


class Drawing(NamedTuple):
    """The text of a fragment shader, to how many textures it draws, and texels of a chunk."""

    text: str
    targets: int = 1
    chunk: int = 0


class Share(NamedTuple):
    """How the lines of a result, its rows or pixels, are shared out among targets."""

    targets: int
    lines: int  # of each but the last

    def drawing(self, text: str, vectors: int) -> Drawing:
        """A drawing of lines of so many texels."""
        return Drawing(text, self.targets, self.lines * vectors)


def share(lines: int, vectors: int, limits: TileLimits, targets: int | None = None) -> Share:
    """How many targets share the work, and how much each has.

    Args:
        lines: rows or pixels of the result.
        vectors: texels of a line.
        limits: of the device.
        targets: a number that is wanted.

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
    r"""A text once for each target, with its number in the place of ``@``.

    >>> for_targets(2, "made[@] = s@;")
    'made[0] = s0;\nmade[1] = s1;'
    """
    return "\n".join(text.replace("@", str(i)) for i in range(targets))
