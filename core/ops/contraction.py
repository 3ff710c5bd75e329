"""Sums of products along named axes: einsum."""

from collections.abc import Sequence
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.operation import specs_of
from core.engine.registry import composite, op
from core.engine.specs import Shape, Spec
from core.engine.tensors import Tensor
from core.errors import CoreError


class Terms(NamedTuple):
    """An equation with a letter for each axis, also for the axes of ``...``."""

    inputs: tuple[str, ...]
    output: str
    sizes: dict[str, int]


def read_equation(equation: str, shapes: Sequence[Shape]) -> Terms:
    """The terms of an equation such as ``"ij,jk->ik"``, checked against the shapes.

    >>> read_equation("...ij->...ji", [(5, 2, 3)])
    Terms(inputs=('aij',), output='aji', sizes={'a': 5, 'i': 2, 'j': 3})
    """
    equation = "".join(equation.split())
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    symbols = set(equation.replace("->", "", 1).replace("...", ""))
    if not equation or symbols - {*ascii_letters, ","} or "," in right:
        raise CoreError(
            f"einsum {equation!r} must be letters, ',' and '...'. Expecting exactly one '->', or "
            f"none for the usual result"
        )
    if len(terms) != len(shapes):
        raise CoreError(f"einsum {equation!r}: Expected {len(terms)} input but got: {len(shapes)}")
    counts = [len(s) - len(t.replace("...", "")) for t, s in zip(terms, shapes, strict=True)]
    dots = [t.count("...") for t in terms]
    if any(n < 0 or d > 1 or (n and not d) for n, d in zip(counts, dots, strict=True)):
        raise CoreError(f"einsum {equation!r} does not fit to shapes {list(shapes)}")
    unused = [letter for letter in ascii_letters if letter not in equation]
    between = "".join(unused[: max(counts)])  # the axes of the longest "..."
    full = [
        t.replace("...", between[len(between) - n :]) for t, n in zip(terms, counts, strict=True)
    ]
    output = right.replace("...", between) if arrow else _implied_output(left, between)
    _check_output(equation, output, full, between)
    return Terms(tuple(full), output, _sizes(equation, full, shapes, between))


def _implied_output(left: str, between: str) -> str:
    """The result's axes without an arrow: the letters that occur once, in alphabetical order."""
    return between + "".join(c for c in sorted(set(left)) if c.isalpha() and left.count(c) == 1)


def _check_output(equation: str, output: str, terms: Sequence[str], between: str) -> None:
    unknown = set(output) - set("".join(terms))
    if unknown:
        raise CoreError(
            f"Output subscripts contain the label {min(unknown)} not present in the input "
            f"subscripts."
        )
    if len(set(output)) != len(output) or set(between) - set(output):
        raise CoreError(f"einsum {equation!r}: the result needs each letter once, and '...'")


def _sizes(
    equation: str, terms: Sequence[str], shapes: Sequence[Shape], between: str
) -> dict[str, int]:
    """Length of each axis; an axis of ``...`` may be repeated from 1."""
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for axis, (letter, length) in enumerate(zip(term, shape, strict=True)):
            known = sizes.setdefault(letter, length)
            if letter in between and 1 in (known, length):
                sizes[letter] = length if known == 1 else known
            elif known != length:
                wanted = str(list(shape)).replace(" ", "")
                raise CoreError(
                    f"einsum {equation!r}: Expected dimension {known} at axis {axis} of input "
                    f"shaped {wanted}, but got dimension {length}"
                )
    return sizes


@op(kernel_name="Einsum", promote=True, input_dtype="real")
def contract(inputs: Sequence[TensorLike], equation: str) -> Spec:
    """`einsum` with a list of tensors as the first argument.

    Args:
        inputs: the tensors.
        equation: see `einsum`.

    >>> core.contract([[[1.0, 2.0]], [3.0, 4.0]], equation="ij,j->i").numpy()
    array([11.], dtype=float32)
    """
    specs = specs_of(inputs)
    terms = read_equation(equation, [s.shape for s in specs])
    return Spec(tuple(terms.sizes[letter] for letter in terms.output), specs[0].dtype)


@contract.gradient("inputs")
def _(g, inputs, equation):
    terms = read_equation(equation, [x.shape for x in inputs])
    full = [
        ops.broadcast_to(x, shape=tuple(terms.sizes[letter] for letter in term))
        for term, x in zip(terms.inputs, inputs, strict=True)
    ]
    return [_flow_into(position, g, full, terms) for position in range(len(full))]


def _flow_into(position: int, g: Any, inputs: list[Any], terms: Terms) -> Any:
    """The gradient of one input: another sum of products, of g and the other inputs."""
    known = [terms.output, *terms.inputs[:position], *terms.inputs[position + 1 :]]
    factors = [g, *inputs[:position], *inputs[position + 1 :]]
    unused = iter(set(ascii_letters) - set("".join(terms.inputs)))
    wanted = ""
    for letter in terms.inputs[position]:
        length = terms.sizes[letter]
        if letter in wanted:  # a diagonal: no gradient reaches the other values
            known.append(letter + (letter := next(unused)))
            factors.append(np.eye(length, dtype=np.float32))
        elif letter not in "".join(known):  # summed by itself: all values get one gradient
            known.append(letter)
            factors.append(np.ones(length, np.float32))
        wanted += letter
    return ops.contract(factors, equation=f"{','.join(known)}->{wanted}")


@composite
def einsum(equation: str, *tensors: TensorLike) -> Tensor:
    """Multiply tensors along axes of the same letter, and sum over letters not in the result.

    Args:
        equation: for each tensor its axes as letters, then those of the result, such as
            ``"bij,bjk->bik"``. ``...`` stands for any axes; a letter twice in one term takes the
            diagonal; without ``->`` the result has the letters that occur once.
        tensors: as many as the equation has terms; mixed dtypes take the common one.

    >>> import core
    >>> core.einsum("ij->ji", [[1.0, 2.0]]).shape
    (2, 1)
    """
    return ops.contract(list(tensors), equation=equation)
