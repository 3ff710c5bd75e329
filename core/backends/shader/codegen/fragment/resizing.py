"""Drawn resizing of images: four channels at once."""

from core.backends.shader.codegen.fragment.fragment_source import Drawing
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Source
from core.specs import Spec

_TEXT = """void draw(int o) {
int n = o % vectors;
int column = o / vectors % new_width;
int line = o / vectors / new_width;
int row = line % new_height;
int image = line / new_height * height;
int top = (image + rows_1(row)) * width;
int bottom = (image + rows_1(new_height + row)) * width;
int left = columns_1(column);
int right = columns_1(new_width + column);
float across = column_share_1(column);
vec4 upper = x_4((top + left) * vectors + n);
upper += (x_4((top + right) * vectors + n) - upper) * across;
vec4 lower = x_4((bottom + left) * vectors + n);
lower += (x_4((bottom + right) * vectors + n) - lower) * across;
made[0] = upper + (lower - upper) * row_share_1(row);
}
"""


def can_draw_resize(call: KernelBuilder, x: Source) -> bool:
    """Return whether images can be resized by drawing: floats with channels in fours."""
    return not call.has_tiles and x.dtype == "float32" and x.shape[3] % 4 == 0


def drawn_resize(call: KernelBuilder, to: Spec, x: Source, **steps: Source) -> Dispatch:
    """Resize [n, h, w, channels] bilinearly.

    Args:
        call: builder of the kernel.
        to: shape of the result.
        x: the images.
        steps: ``rows`` and ``columns``, [2, length]: for each new line the two old ones around it;
            ``row_share`` and ``column_share``: its distance from the first.
    """
    values = {
        "vectors": x.shape[3] // 4,
        "height": x.shape[1],
        "width": x.shape[2],
        "new_height": to.shape[1],
        "new_width": to.shape[2],
    }
    return call.draw(Drawing(_TEXT), to=to, values=values, x=x, **steps)
