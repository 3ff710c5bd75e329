"""Matrix products."""

from math import prod

from core.backends.shader.codegen.folds import sum_start
from core.backends.shader.codegen.fragment.products import Matrices, drawn_product
from core.backends.shader.codegen.kernel_choice import wants_drawing, wants_tile
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Source
from core.backends.shader.codegen.tiles.matrix import matmul_tile
from core.backends.shader.codegen.tiles.tile_source import Product
from core.engine.registry import kernel
from core.engine.specs import Shape, Spec

#: Largest matrix that is computed without tiles: a work group would have next to nothing to do,
#: however many matrices there are.
_TINY = 64


@kernel("matmul", "shader")
def matmul(
    call: KernelBuilder, a: Operand, b: Operand, *, transpose_a: bool, transpose_b: bool
) -> Dispatch:
    """Return the product of the last two axes."""
    inner = a.shape[-2 if transpose_a else -1]
    is_tiny = inner <= _TINY and prod(call.to.shape[-2:]) <= _TINY
    if not is_tiny and wants_product(call, a, call.to.size, inner):
        return _as_product(call, a, b, transpose_a, transpose_b)
    batch = len(call.to.shape) - 2
    row, column = f"o{batch}", f"o{batch + 1}"
    left = [*_batch_coordinates(a.shape, batch), *(("k", row) if transpose_a else (row, "k"))]
    right = [
        *_batch_coordinates(b.shape, batch),
        *((column, "k") if transpose_b else ("k", column)),
    ]
    text = f"""{sum_start(a.dtype)}
for (int k = 0; k < inner; k++)
sum += get_a({", ".join(left)}) * get_b({", ".join(right)});
return sum;"""
    return call.map(text, values={"inner": inner}, a=a, b=b)


def _batch_coordinates(shape: Shape, batch: int) -> list[str]:
    """Return GLSL of the index of a result's matrix; axes of length 1 are repeated."""
    first = batch - (len(shape) - 2)
    return [f"o{first + axis}" if n != 1 else "0" for axis, n in enumerate(shape[:-2])]


def wants_product(call: KernelBuilder, x: Source, results: int, inner: int) -> bool:
    """Return whether `product` computes sums of ``inner`` products, by a tile or a drawing."""
    return wants_tile(call, x, results, inner) or wants_drawing(call, x, results, inner)


def _as_product(
    call: KernelBuilder, a: Source, b: Source, transpose_a: bool, transpose_b: bool
) -> Dispatch:
    *batch, rows, columns = call.to.shape
    a, b = _repeated(call, a, (*batch,)), _repeated(call, b, (*batch,))
    p = Product(
        rows,
        a.shape[-2 if transpose_a else -1],
        columns,
        prod(batch),
        transpose_a,
        transpose_b,
        prod(a.shape[:-2]) == 1,
        prod(b.shape[:-2]) == 1,
    )
    return product(call, p, a, b, call.to)


def _repeated(call: KernelBuilder, x: Source, batch: Shape) -> Source:
    """Return a matrix for each of a batch, or one for all."""
    if prod(x.shape[:-2]) in (1, prod(batch)):
        return x
    return call.each("x", to=Spec((*batch, *x.shape[-2:]), x.dtype), x=x)


def product(call: KernelBuilder, p: Product, a: Source, b: Source, to: Spec) -> Dispatch:
    """Return a product, with as few matrices as possible: one matrix, or a row of one.

    Args:
        call: builder of the kernel.
        p: its sizes.
        a: the left matrices, float32, [batch, rows, inner] or as ``p`` says transposed or shared,
            in any shape with these axes last.
        b: the right ones, [batch, inner, columns], likewise.
        to: shape of the result, whose values are [batch, rows, columns].
    """
    if p.shared_b and not p.transpose_a and not p.shared_a:
        p = p._replace(rows=p.rows * p.batch, batch=1)
    if p.batch == 1:
        p = p._replace(shared_a=False, shared_b=False)
    if not call.has_tiles:
        return _drawn(call, p, a, b, to)
    if p.columns > 1 or p.rows == 1:
        return call.tile(matmul_tile(p, call.limits), to=to, a=a, b=b)
    # Matrix times column: the column lies as a row does, so a row times the matrix transposed.
    turned = Product(1, p.inner, p.rows, p.batch, False, not p.transpose_a, p.shared_b, p.shared_a)
    return call.tile(matmul_tile(turned, call.limits), to=to, a=b, b=a)


def _drawn(call: KernelBuilder, p: Product, a: Source, b: Source, to: Spec) -> Dispatch:
    if p.shared_a:
        a = call.each("x", to=Spec((p.batch, *a.shape[-2:])), x=a)
    sizes = Matrices(p.batch, p.rows, p.inner, p.columns, p.shared_b or p.batch == 1)
    return drawn_product(call, sizes, a, b, to, p.transpose_a, p.transpose_b)
