"""Sums of products, against NumPy's einsum without its shortcuts."""

import numpy as np

from tests.core.ops.records.case import Case, bools, floats, ints


def _einsum(inputs, equation):
    numbers = [x.astype(np.int32) if x.dtype == bool else x for x in inputs]
    return np.einsum(equation, *numbers, optimize=False)


def _case(equation, *shapes, draw=floats, label="") -> Case:
    inputs = [draw(*shape) for shape in shapes]
    return Case("contract", (inputs,), _einsum, {"equation": equation}, f"{equation} {label}")


CASES = [
    _case("ij,jk->ik", (2, 3), (3, 4)),
    _case("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    _case("abcd,adbe->acbe", (2, 2, 3, 2), (2, 2, 2, 3)),
    _case("ij->ji", (2, 3)),
    _case("ij->i", (2, 3)),
    _case("ij->", (2, 3)),
    _case("->", ()),
    _case("i,j->j", (3,), (2,)),
    _case(" i, j -> i j", (3,), (2,)),
    _case("ij,ij->ij", (2, 3), (2, 3)),
    _case("ii->i", (3, 3)),
    _case("iji,j->", (2, 3, 2), (3,)),
    _case("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
    _case("ij,jk", (2, 3), (3, 4)),
    _case("ba,b", (2, 3), (2,)),
    _case("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    _case("i...->...i", (2, 3, 4)),
    _case("...,...", (2, 3), (3,)),
    _case("ij,jk->ik", (2, 0), (0, 4), label="nothing between"),
    _case("ij->j", (0, 3), label="no rows"),
    _case("ij,jk->ik", (2, 3), (3, 4), draw=ints, label="int32"),
    _case("ij->i", (2, 3), draw=ints, label="int32"),
    _case("ij,ij->i", (2, 6), (2, 6), draw=bools, label="bool"),
]
