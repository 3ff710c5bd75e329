"""Sums of products."""

from typing import TYPE_CHECKING

import numpy as np

from core.backends.tf.raw_ops import dtypes, integers, raw
from core.engine.registry import kernel
from core.ops.contraction import Terms, read_equation

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("contract", "tf")
def contract(inputs: "list[TfTensor]", equation: str) -> "TfTensor":
    """Sum products: of one input in float64, rounded once; of several pair by pair.

    Which pair comes first, NumPy's search finds: TensorFlow multiplies no more than two.
    """
    terms = read_equation(equation, [tuple(x.shape) for x in inputs])
    if _sums_floats(inputs, terms):
        wide = [raw.Cast(x=inputs[0], DstT=dtypes.float64)]
        return raw.Cast(x=contract(wide, equation), DstT=dtypes.float32)
    left = [_without_repeated(x, t, terms.sizes) for x, t in zip(inputs, terms.inputs, strict=True)]
    while len(left) > 2:
        first, second = _best_pair(left, terms.output)
        pair = [left[first], left[second]]
        rest = [each for i, each in enumerate(left) if i not in (first, second)]
        wanted = set(terms.output).union(*(term for _, term in rest))
        kept = "".join(dict.fromkeys(c for _, term in pair for c in term if c in wanted))
        left = [*rest, (_product(pair, kept), kept)]
    made = _product(left, "".join(c for c in terms.output if any(c in term for _, term in left)))
    lengths = [terms.sizes[c] for c in terms.output]
    return made if made.shape == lengths else raw.BroadcastTo(input=made, shape=integers(*lengths))


def _sums_floats(inputs: "list[TfTensor]", terms: Terms) -> bool:
    """Whether float32 values of one input are added."""
    is_float = len(inputs) == 1 and inputs[0].dtype is dtypes.float32
    return is_float and bool(set(terms.inputs[0]) - set(terms.output))


def _product(factors: "list[tuple[TfTensor, str]]", output: str) -> "TfTensor":
    equation = f"{','.join(term for _, term in factors)}->{output}"
    return raw.Einsum(inputs=[x for x, _ in factors], equation=equation)


def _without_repeated(x: "TfTensor", term: str, sizes: dict[str, int]) -> "tuple[TfTensor, str]":
    """Return a tensor and its letters without axes of length 1 that are longer in others."""
    lengths = tuple(x.shape)
    kept = [i for i, c in enumerate(term) if lengths[i] == sizes[c]]
    if len(kept) < len(term):
        x = raw.Reshape(tensor=x, shape=integers(*(lengths[i] for i in kept)))
    return x, "".join(term[i] for i in kept)


def _best_pair(factors: "list[tuple[TfTensor, str]]", output: str) -> tuple[int, int]:
    """Return which two factors to multiply first."""
    shapes = [np.broadcast_to(np.float32(0), tuple(x.shape)) for x, _ in factors]
    equation = f"{','.join(term for _, term in factors)}->{output}"
    path, _ = np.einsum_path(equation, *shapes, optimize=("greedy", 2**62))
    first, second = sorted(path[1])[:2]
    return first, second
