"""The choice of a specialized kernel, a tile or a drawing, for sums of products."""

from core.backends.shader.codegen.kernel_language import KernelBuilder, Source

#: Number of products up to which a program for all shapes is as fast as a tile, which is compiled
#: for one combination of shapes.
_FEW_FOR_TILES = 1 << 15

#: Number of products up to which a drawing, which computes four results at once, gains nothing.
_FEW_FOR_DRAWINGS = 1 << 12

#: Number of products of a value beyond which one invocation is too slow, however few values.
_SHORT_SUM = 64


def wants_tile(call: KernelBuilder, x: Source, results: int, inner: int) -> bool:
    """Return whether a tile computes sums of products.

    Args:
        call: builder of the kernel.
        x: one of the factors.
        results: number of sums.
        inner: number of products in each.
    """
    return call.has_tiles and _is_enough(x, results, inner, _FEW_FOR_TILES)


def wants_drawing(call: KernelBuilder, x: Source, results: int, inner: int) -> bool:
    """Return whether a drawing computes sums of products, four at once; as `wants_tile`."""
    return not call.has_tiles and _is_enough(x, results, inner, _FEW_FOR_DRAWINGS)


def _is_enough(x: Source, results: int, inner: int, few: int) -> bool:
    products = results * inner
    return x.dtype == "float32" and (products > few or (inner > _SHORT_SUM and products > 0))
