"""The choice of a specialized kernel, a tile or a drawing, for sums of products."""

from core.backends.shader.codegen.kernel_language import KernelBuilder, Source

#: A tile is a program for one combination of shapes. With at most so many products a program that
#: serves all shapes is as fast and is there already.
_FEW_FOR_TILES = 1 << 15

#: A drawing serves all shapes, too; for fewer products its four results at once gain nothing.
_FEW_FOR_DRAWINGS = 1 << 12

#: Unless more of them than this make a value: one invocation would be long at it.
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
