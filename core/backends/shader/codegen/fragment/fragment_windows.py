"""GLSL of sums over windows of images, for one or several pixels at once."""

from core.backends.shader.codegen.fragment.fragment_source import for_targets
from core.backends.shader.codegen.window_loops import window_values
from core.engine.windows import Window

#: Pixel at tap ``k0``, ``k1`` of a window.
_FORTH = """int y@ = row@ * stride_0 + k0 * dilation_0 - before_0;
int x@ = column@ * stride_1 + k1 * dilation_1 - before_1;
bool in@ = y@ >= 0 && y@ < length_0 && x@ >= 0 && x@ < length_1;
int at@ = (image@ * length_0 + y@) * length_1 + x@;"""

#: Window that has a pixel at its tap ``k0``, ``k1``.
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
    """Return the text of a drawing that loops over the windows of a result's pixels.

    The texts may use ``n``, the index of the texel in its pixel, and the values of `drawn_values`.
    In texts for a target, ``@`` is its number; ``in@`` is whether the pixel at position ``k0``,
    ``k1`` of its window is in the image, and ``at@`` the index of that pixel.

    Args:
        targets: number of targets.
        start: statements for each target, before all others.
        tap: statements for each target and position of the window.
        finish: for each target, its vec4.
        once: statements before ``tap``, once for all targets. They may open a loop around ``tap``,
            which a brace closes.
        back: whether results are pixels that gather from windows, not windows that gather pixels.
    """
    height, width = ("length_0", "length_1") if back else ("count_0", "count_1")
    pixel = f"""int pixel@ = min(o / vectors + @ * chunk, pixels - 1);
int column@ = pixel@ % {width};
int row@ = pixel@ / {width} % {height};
int image@ = pixel@ / ({width} * {height});
{start}"""
    return f"""void draw(int o) {{
int n = o % vectors;
{for_targets(targets, pixel)}
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
    """Return the numbers that the texts use.

    Args:
        w: the window.
        pixels: pixels of all results.
        vectors: texels of a result's pixel.
        chunk: pixels of a target.
    """
    return {"vectors": vectors, "pixels": pixels, "chunk": chunk, **window_values(w)}
