"""Sums of products in layers: matrices and equations of axes."""

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from core.layers.common_ops import expand
from core.layers.layer_call import LayerCall, Operand
from core.layers.op_shapes import broadcast


def einsum(call: LayerCall, equation: str, values: Sequence[Operand]) -> Any:
    """Add the sum of products that an equation such as "abc,acd->abd" describes."""
    terms, result = _terms(call, equation, values)
    lengths: dict[str, int | None] = {}
    for term, value in zip(terms, values, strict=True):
        for letter, n in zip(term, call.shape(value), strict=True):
            known = lengths.get(letter)
            if known not in (None, 1) and n not in (None, 1, known):
                raise call.error(f"the axes {letter!r} of {equation!r} have lengths {known}, {n}")
            lengths[letter] = n if known in (None, 1) and n is not None else known
    return call.ops.contract(list(values), equation=f"{','.join(terms)}->{result}")


def _terms(call: LayerCall, equation: str, values: Sequence[Operand]) -> tuple[list[str], str]:
    """Return the terms and the result of an equation, with letters for the dots."""
    left, arrow, right = "".join(equation.split()).partition("->")
    given = left.split(",")
    ranks = [len(call.shape(value)) for value in values]
    if len(given) != len(values):
        raise call.error(f"the equation {equation!r} is for {len(given)} tensors")
    unused = [letter for letter in ascii_letters if letter not in equation]
    counts = [rank - len(t.replace("...", "")) for t, rank in zip(given, ranks, strict=True)]
    dots = "".join(unused[: max(0, *counts)])
    terms = [
        t.replace("...", dots[len(dots) - n :]) if n > 0 else t.replace("...", "")
        for t, n in zip(given, counts, strict=True)
    ]
    every = "".join(terms)
    if not arrow:
        right = "..." * bool(dots) + "".join(
            c for c in sorted(set(every)) if every.count(c) == 1 and c not in dots
        )
    result = right.replace("...", dots)
    fits = [len(t) for t in terms] == ranks and set(result) <= set(every)
    if not fits or not set(every) <= set(ascii_letters):
        raise call.error(f"the equation {equation!r} does not fit tensors of {ranks} axes")
    return terms, result


def matrix_product(call: LayerCall, x: Operand, y: Operand) -> Any:
    """Add the product of matrices in the last two axes; vectors are rows or columns of one."""
    first, second = len(call.shape(x)), len(call.shape(y))
    x = expand(call, x, 0) if first == 1 else x
    y = expand(call, y, 1) if second == 1 else y
    a, b = call.shape(x), call.shape(y)
    if len(a) < 2 or len(b) < 2 or (None not in (a[-1], b[-2]) and a[-1] != b[-2]):
        raise call.error(f"cannot multiply matrices of shapes {x.shape} and {y.shape}")
    batch = broadcast(call, a[:-2], b[:-2])
    assert batch is not None
    product = call.ops.matmul(x, y)
    if first == 1:
        product = call.ops.squeeze(product, axis=(len(batch),))
    last = len(call.shape(product)) - 1
    return call.ops.squeeze(product, axis=(last,)) if second == 1 else product
