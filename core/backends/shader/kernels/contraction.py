"""Sums of products along named axes.

Factors are multiplied in pairs, in an order that NumPy finds. A product that is large enough for a
tile becomes one of matrices: axes in both factors and the result are its batch, axes of one factor
and the result its rows or columns, and summed axes its inner axis.
"""

from collections.abc import Mapping, Sequence
from math import prod
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from core.backends.shader.codegen.folds import sum_start
from core.backends.shader.codegen.kernel_language import (
    MOST_INPUTS,
    Dispatch,
    KernelBuilder,
    Operand,
)
from core.backends.shader.codegen.reductions import reduced
from core.backends.shader.codegen.tiles.tile_source import Product
from core.backends.shader.kernels.linear import product, wants_product
from core.engine.registry import kernel
from core.engine.specs import Spec
from core.ops.contraction import Terms, read_equation

#: Largest number of products that one invocation sums. Longer sums are split into parts: a second
#: pass takes microseconds, unless there are more parts than this.
_LONG_SUM = 1024
_MOST_PARTS = 256


class _Factor(NamedTuple):
    """Values with a letter for each axis."""

    source: Operand | Dispatch
    term: str


class _Matrix(NamedTuple):
    """A factor as [batch, lines, inner], or as [batch, inner, lines]."""

    source: Operand | Dispatch
    inner_first: bool


@kernel("contract", "shader")
def contract(call: KernelBuilder, inputs: list[Operand], *, equation: str) -> Dispatch:
    """Multiply factors in pairs."""
    terms = read_equation(equation, [x.shape for x in inputs])
    factors = [
        _without_repeats(x, term, terms.sizes) for x, term in zip(inputs, terms.inputs, strict=True)
    ]
    for step in _order(factors, terms):
        chosen = [factors[position] for position in step]
        factors = [f for position, f in enumerate(factors) if position not in step]
        wanted = _needed(chosen, factors, terms.output)
        factors.append(_Factor(_contracted(call, chosen, wanted, terms.sizes), wanted))
    made = factors[0].source
    assert isinstance(made, Dispatch)
    return made


def _without_repeats(x: Operand, term: str, sizes: Mapping[str, int]) -> _Factor:
    """Return a factor without repeated axes of length 1."""
    kept = [(c, n) for c, n in zip(term, x.shape, strict=True) if n == sizes[c]]
    return _Factor(x.reshaped(*(n for _, n in kept)), "".join(c for c, _ in kept))


def _order(factors: Sequence[_Factor], terms: Terms) -> list[tuple[int, ...]]:
    """Return the pairs of factors in order; a product is appended to the factors."""
    count = len(factors)
    if count <= 2:
        return [(*range(count),)]
    equation = f"{','.join(f.term for f in factors)}->{terms.output}"
    shapes = [np.broadcast_to(np.float32(0), f.source.shape) for f in factors]  # takes no memory
    path = np.einsum_path(equation, *shapes)[0][1:]
    if max(map(len, path)) > MOST_INPUTS:
        return [(0, 1)] * (count - 1)
    return [tuple(step) for step in path]


def _needed(chosen: Sequence[_Factor], rest: Sequence[_Factor], output: str) -> str:
    """Return the axes that a product must keep for the result or later factors."""
    if not rest:
        return output
    later = output + "".join(f.term for f in rest)
    return "".join(dict.fromkeys(c for f in chosen for c in f.term if c in later))


def _contracted(
    call: KernelBuilder, factors: Sequence[_Factor], wanted: str, sizes: Mapping[str, int]
) -> Dispatch:
    if len(factors) == 1:
        return _alone(call, factors[0], wanted, sizes)
    summed = set("".join(f.term for f in factors)) - set(wanted)
    results, inner = (prod(sizes[c] for c in part) for part in (wanted, summed))
    if len(factors) == 2 and wants_product(call, factors[0].source, results, inner):
        return _product(call, factors[0], factors[1], wanted, sizes)
    return _sum(call, factors, wanted, sizes)


def _alone(call: KernelBuilder, x: _Factor, wanted: str, sizes: Mapping[str, int]) -> Dispatch:
    """Return the diagonals of one factor, summed over other axes, in the order of the result."""
    if len(set(x.term)) < len(x.term):
        letters = "".join(dict.fromkeys(x.term))
        x = _Factor(_sum(call, [x], letters, sizes), letters)
    kept = "".join(c for c in x.term if c in wanted)
    if kept != x.term:
        axes = [axis for axis, c in enumerate(x.term) if c not in wanted]
        to = Spec(tuple(sizes[c] for c in kept), x.source.dtype)
        x = _Factor(reduced(call, x.source, axes, "sum", to), kept)
    if x.term == wanted and isinstance(x.source, Dispatch):
        return x.source
    return _sum(call, [x], wanted, sizes)


# --- sums in loops -------------------------------------------------------------------------------


def _sum(
    call: KernelBuilder, factors: Sequence[_Factor], wanted: str, sizes: Mapping[str, int]
) -> Dispatch:
    """Compute each value by loops over the summed axes; long sums in parts."""
    letters = set("".join(f.term for f in factors)) - set(wanted)
    summed = sorted(letters, key=lambda c: (sizes[c], c))
    dtype = factors[0].source.dtype
    parts = []
    if prod(sizes[c] for c in summed) > _LONG_SUM:
        parts = [min(sizes[summed[-1]], _MOST_PARTS)]
    inputs: dict[str, Any] = {
        f"x{c}": f.source for c, f in zip(ascii_lowercase, factors, strict=False)
    }
    to = Spec(tuple(sizes[c] for c in wanted), dtype)
    made = call.map(
        _loops([f.term for f in factors], [*inputs], wanted, summed, dtype, bool(parts)),
        to=Spec((*parts, *to.shape), dtype),
        values={f"n_{c}": sizes[c] for c in summed},
        **inputs,
    )
    return reduced(call, made, (0,), "sum", to) if parts else made


def _loops(
    terms: list[str], names: list[str], wanted: str, summed: list[str], dtype: str, in_parts: bool
) -> str:
    """Return GLSL of a sum of products; with parts, the last loop takes strides."""
    coordinates = {c: f"o{axis + in_parts}" for axis, c in enumerate(wanted)}
    coordinates |= {c: f"l_{c}" for c in summed}
    reads = [
        f"get_{name}({', '.join(coordinates[c] for c in term)})"
        for name, term in zip(names, terms, strict=True)
    ]
    text = f"sum += {' * '.join(reads)};"
    for c in summed:
        start, step = ("o0", "out_0") if in_parts and c == summed[-1] else ("0", "1")
        text = f"for (int l_{c} = {start}; l_{c} < n_{c}; l_{c} += {step})\n{text}"
    return f"{sum_start(dtype)}\n{text}\nreturn sum;"


# --- products of matrices ------------------------------------------------------------------------


def _product(
    call: KernelBuilder, a: _Factor, b: _Factor, wanted: str, sizes: Mapping[str, int]
) -> Dispatch:
    both = set(a.term) & set(b.term)
    batch = "".join(c for c in wanted if c in both)
    rows = "".join(c for c in wanted if c in a.term and c not in both)
    columns = "".join(c for c in wanted if c in b.term and c not in both)
    inner = "".join(dict.fromkeys(c for c in a.term if c in both and c not in wanted))
    if wanted == batch + columns + rows:
        a, b, rows, columns = b, a, columns, rows
    left = _matrix(call, a, batch, rows, inner, sizes)
    right = _matrix(call, b, batch, columns, inner, sizes)
    m, k, n, count = (prod(sizes[c] for c in part) for part in (rows, inner, columns, batch))
    p = Product(m, k, n, count, left.inner_first, not right.inner_first)
    order = batch + rows + columns
    made = product(call, p, left.source, right.source, Spec((count, m, n)))
    made = made.reshaped(*(sizes[c] for c in order))
    return made if order == wanted else _alone(call, _Factor(made, order), wanted, sizes)


def _matrix(
    call: KernelBuilder, x: _Factor, batch: str, lines: str, inner: str, sizes: Mapping[str, int]
) -> _Matrix:
    """Return a factor in an order that `product` accepts, permuted if necessary."""
    count, long, deep = (prod(sizes[c] for c in part) for part in (batch, lines, inner))
    order = batch + lines + inner
    if x.term == batch + inner + lines and x.term != order:
        return _Matrix(x.source.reshaped(count, deep, long), True)
    source = x.source if x.term == order else _alone(call, x, order, sizes)
    return _Matrix(source.reshaped(count, long, deep), False)
