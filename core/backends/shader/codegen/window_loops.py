"""GLSL loops over windows of convolutions and pools, and the numbers that they use."""

from core.engine.windows import Window


def window_values(w: Window) -> dict[str, int]:
    """Return for each axis its ``size_0``, ``stride_0``, ``dilation_0``, and so on.

    ``before_0`` is the padding, ``length_0`` the image's and ``count_0`` the result's length.
    """
    numbers = {
        "size": w.size,
        "stride": w.strides,
        "dilation": w.dilations,
        "before": tuple(before for before, _ in w.padding),
        "length": w.in_size,
        "count": w.out_size,
    }
    return {f"{name}_{axis}": n for name, all_n in numbers.items() for axis, n in enumerate(all_n)}


def over_pixels(w: Window, body: str) -> str:
    """Return GLSL that runs a body for each pixel that the window at ``o1, o2, ...`` reads.

    In the body ``p0, p1, ...`` is the pixel and ``k0, k1, ...`` its position in the window. Padding
    is skipped, so products of zero and a filter's infinities are missing there; tiles may have
    them.
    """
    for axis in reversed(range(len(w.size))):
        body = f"""for (int k{axis} = 0; k{axis} < size_{axis}; k{axis}++) {{
int p{axis} = o{axis + 1} * stride_{axis} + k{axis} * dilation_{axis} - before_{axis};
if (p{axis} < 0 || p{axis} >= length_{axis}) continue;
{body}
}}"""
    return body


def over_windows(w: Window, body: str) -> str:
    """Return GLSL that runs a body for each window that reads the pixel at ``o1, o2, ...``.

    In the body ``q0, q1, ...`` is the window and ``k0, k1, ...`` the pixel's position in it.
    """
    for axis in reversed(range(len(w.size))):
        body = f"""for (int k{axis} = 0; k{axis} < size_{axis}; k{axis}++) {{
int d{axis} = o{axis + 1} + before_{axis} - k{axis} * dilation_{axis};
int q{axis} = d{axis} / stride_{axis};
if (d{axis} < 0 || q{axis} >= count_{axis} || d{axis} % stride_{axis} != 0) continue;
{body}
}}"""
    return body


def names(letter: str, w: Window) -> str:
    """Return ``p0, p1, ...`` for each axis of a window."""
    return ", ".join(f"{letter}{axis}" for axis in range(len(w.size)))
