"""GLSL of sums over windows of images, for one or several pixels at once."""

from core.backends.shader.codegen.fragment.fragment_source import for_targets
from core.backends.shader.codegen.window_loops import window_values
from core.windows import Window

#: Of a window and its place ``k0``, ``k1``: the pixel there.
_FORTH = """int y@ = row@ * stride_0 + k0 * dilation_0 - before_0;
int x@ = column@ * stride_1 + k1 * dilation_1 - before_1;
bool in@ = y@ >= 0 && y@ < length_0 && x@ >= 0 && x@ < length_1;
int at@ = (image@ * length_0 + y@) * length_1 + x@;"""

#: Of a pixel: the window that has it at its place ``k0``, ``k1``.
_BACK = """int d@ = row@ + before_0 - k0 * dilation_0;
int e@ = column@ + before_1 - k1 * dilation_1;
int y@ = d@ / stride_0;
int x@ = e@ / stride_1;
bool in@ = d@ >= 0 && y@ < count_0 && y@ * stride_0 == d@;
in@ = in@ && e@ >= 0 && x@ < count_1 && x@ * stride_1 == e@;
int at@ = (image@ * count_0 + y@) * count_1 + x@;"""


def drawn_windows(
    targets: int, start: str, tap: str, finish: str, once: str = "", back: bool = False
) -> str:
    """The text of a drawing that goes over the windows of a result's pixels.

    Its texts read ``n``: which texel of its pixel is made, and the values of `drawn_values`. In
    those of a target ``@`` is its number; ``in@`` is whether the pixel at place ``k0``, ``k1`` of
    its window lies in the image, and ``at@`` the number of that pixel.

    Args:
        targets: how many.
        start: statements for each target, before all.
        tap: for each target, for each place of the window.
        finish: for each target, the vec4 that it makes.
        once: statements before ``tap``, once for all targets. It may open a loop, ``tap`` then
            stands in it, and a brace closes it.
        back: whether results are pixels that gather from the windows that have them, not windows
            that gather pixels.
    """
    height, width = ("length_0", "length_1") if back else ("count_0", "count_1")
    place = f"""int pixel@ = min(o / vectors + @ * chunk, pixels - 1);
int column@ = pixel@ % {width};
int row@ = pixel@ / {width} % {height};
int image@ = pixel@ / ({width} * {height});
{start}"""
    return f"""void draw(int o) {{
int n = o % vectors;
{for_targets(targets, place)}
for (int k0 = 0; k0 < size_0; k0++) {{
for (int k1 = 0; k1 < size_1; k1++) {{
{for_targets(targets, _BACK if back else _FORTH)}
{once}
{for_targets(targets, tap)}
{"}" * (once.count("{") - once.count("}"))}
}}
}}
{for_targets(targets, f"made[@] = {finish};")}
}}
"""


def drawn_values(w: Window, pixels: int, vectors: int, chunk: int) -> dict[str, int]:
    """The numbers that the texts read.

    Args:
        w: the window.
        pixels: of all results.
        vectors: texels of a result's pixel.
        chunk: pixels of a target.
    """
    return {"vectors": vectors, "pixels": pixels, "chunk": chunk, **window_values(w)}
