"""Products of matrices, sums over products, and bands of matrices."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import broadcastable, flag, shape, values
from tests.core.ops.tf_oracle.fused import drawn_finish, finished

Rng = np.random.Generator
Case = tuple[Named, Named]
_LETTERS = "abcde"

# A sum into one number, or a bias, may leave next to nothing of what was rounded.
_CANCELLED = 1e-5


def _matrix(rng: Rng, dtype: str, batch: tuple, sizes: tuple, turned: bool) -> np.ndarray:
    return values(rng, dtype, (*batch, *(sizes[::-1] if turned else sizes)))


def _drawn_product(rng: Rng, dtype: str) -> Case:
    """Matrices whose leading axes broadcast."""
    rows, inner, columns = (int(n) for n in rng.integers(1, 8, 3))
    if rng.random() < 0.1:
        rows, inner = (0, inner) if flag(rng) else (rows, 0)
    first, second = broadcastable(rng, high=2)
    turned = {"transposeA": flag(rng), "transposeB": flag(rng)}
    inputs = {
        "a": _matrix(rng, dtype, first, (rows, inner), turned["transposeA"]),
        "b": _matrix(rng, dtype, second, (inner, columns), turned["transposeB"]),
    }
    return inputs, turned


def _product(inputs: Named, a: Named) -> list[tf.Tensor]:
    first, second = inputs["a"], inputs["b"]
    turned = {"transpose_a": a["transposeA"], "transpose_b": a["transposeB"]}
    return [tf.matmul(first, second, **turned)]


def _drawn_fused_product(rng: Rng, dtype: str) -> Case:
    """Matrices or batches of them, a bias and an activation."""
    rows, inner, columns = (int(n) for n in rng.integers(1, 8, 3))
    batch = (int(rng.integers(1, 4)),) * int(rng.integers(2))
    turned = {"transposeA": flag(rng), "transposeB": flag(rng)}
    inputs = {
        "a": _matrix(rng, dtype, batch, (rows, inner), turned["transposeA"]),
        "b": _matrix(rng, dtype, batch, (inner, columns), turned["transposeB"]),
    }
    more = drawn_finish(rng, dtype, [columns], [columns])
    return {**inputs, **more[0]}, {**turned, **more[1]}


def _fused_product(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [finished(_product(inputs, a)[0], inputs, a)]


def _drawn_einsum(rng: Rng, dtype: str) -> Case:
    """One or two operands, any labels but none twice in one operand, any of them kept."""
    sizes = dict(zip(_LETTERS, rng.integers(1, 5, len(_LETTERS)).tolist(), strict=True))
    operands = [
        "".join(rng.permutation(list(_LETTERS))[: rng.integers(0, 4)])
        for _ in range(rng.integers(1, 3))
    ]
    labels = rng.permutation(sorted(set("".join(operands))))
    kept = "".join(labels[: rng.integers(0, len(labels) + 1)])
    tensors = [values(rng, dtype, tuple(sizes[label] for label in o)) for o in operands]
    return {"inputs": tensors}, {"equation": f"{','.join(operands)}->{kept}"}


def _einsum(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.einsum(a["equation"], *inputs["inputs"])]


def _drawn_band(rng: Rng, dtype: str) -> Case:
    """Matrices, and how many diagonals remain; negative: all."""
    x = values(rng, dtype, shape(rng, 2, 4))
    lower, upper = (int(rng.integers(-1, n + 1)) for n in x.shape[-2:])
    inputs = {"input": x, "numLower": np.int32(lower), "numUpper": np.int32(upper)}
    return {k: np.asarray(v) for k, v in inputs.items()}, {}


def _band(inputs: Named, a: Named) -> list[tf.Tensor]:
    lower, upper = inputs["numLower"], inputs["numUpper"]
    return [tf.raw_ops.MatrixBandPart(input=inputs["input"], num_lower=lower, num_upper=upper)]


COMPARISONS = [
    Comparison("BatchMatMul", _drawn_product, _product, ("float32", "int32"), gradient=True),
    Comparison(
        "_FusedMatMul",
        _drawn_fused_product,
        _fused_product,
        tolerance=_CANCELLED,
        gradient=True,
    ),
    Comparison("Einsum", _drawn_einsum, _einsum, tolerance=_CANCELLED, gradient=True),
    Comparison("MatrixBandPart", _drawn_band, _band, ("float32", "int32", "bool"), gradient=True),
]
