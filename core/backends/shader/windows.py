"""The numbers of windows of convolutions and poolings, by the names that GLSL texts read."""

from core.geometry import Window


def window_values(w: Window) -> dict[str, int]:
    """For each axis its ``size_0``, ``stride_0``, ``dilation_0``, and so on.

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
