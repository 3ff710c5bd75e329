"""Element-wise arithmetic of two inputs that broadcast."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle import draws
from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.families.unary import NUMBER, some_pair


class Row(NamedTuple):
    """A kernel, its function in TensorFlow, and where a and b are drawn."""

    kernel: str
    function: Callable[[Any, Any], Any]
    dtypes: tuple[str, ...] = NUMBER
    a: tuple[float, float] = (-5, 5)
    b: tuple[float, float] = (-5, 5)
    gradient: bool = True
    differs: str = ""


_BY_ZERO = "TensorFlow refuses to divide whole numbers by 0; here the result is 0."
NUMBERS = (*NUMBER, "complex64")


def _floor_div(a: Any, b: Any) -> Any:
    return tf.cast(tf.math.floordiv(a, b), tf.int32)


ROWS = [
    Row("Add", tf.add, NUMBERS),
    Row("Sub", tf.subtract, NUMBERS),
    Row("Multiply", tf.multiply, NUMBERS),
    Row("RealDiv", tf.divide, ("float32", "complex64"), (-1, 5), (0.5, 5)),
    Row(
        "FloorDiv",
        _floor_div,
        gradient=False,
        differs=f"{_BY_ZERO} Floats give float32 in TensorFlow, int32 in TensorFlow.js and here.",
    ),
    Row("Mod", tf.math.floormod, differs=_BY_ZERO),
    Row("Maximum", tf.maximum),
    Row("Minimum", tf.minimum),
    Row("SquaredDifference", tf.math.squared_difference),
    Row("Atan2", tf.atan2, ("float32",)),
    Row("BitwiseAnd", tf.bitwise.bitwise_and, ("int32",), (-99, 99), (-99, 99)),
    Row(
        "Pow",
        tf.pow,
        differs="TensorFlow refuses whole numbers to a negative power; here they are cut to 0.",
    ),
]

_SPECIAL_DIFFERS = {
    "FloorDiv": "Where the quotient does not fit into int32 there is nothing to compare.",
    "Mod": "Where signs differ TensorFlow gives b modulo an infinite or much larger b; "
    "TensorFlow.js and we give NaN or 0.",
    "Pow": "1 to the power of NaN and 1 or -1 to an infinite power are 1 in TensorFlow, "
    "NaN in TensorFlow.js and here.",
    "RealDiv": "TensorFlow makes 0 of quotients below 1e-38.",
}


def _usual(row: Row) -> Comparison:
    def draw(rng, dtype):
        first, second = draws.broadcastable(rng)
        a, b = draws.values(rng, dtype, first, *row.a), draws.values(rng, dtype, second, *row.b)
        if row.kernel == "Pow":
            a, b = (abs(a) + 0.2, b) if dtype == "float32" else (a, abs(b))
        return {"a": a, "b": _without_zero(row.kernel, b)}, {}

    return Comparison(
        row.kernel,
        draw,
        lambda inputs, _: [row.function(inputs["a"], inputs["b"])],
        dtypes=row.dtypes,
        differs=row.differs,
        gradient=row.gradient and "float32" in row.dtypes,
    )


def _without_zero(kernel: str, b: np.ndarray) -> np.ndarray:
    divides = kernel in ("FloorDiv", "Mod") and b.dtype == np.int32
    return np.where(b == 0, np.int32(1), b) if divides else b


def _special(row: Row) -> Comparison:
    dtypes = [d for d in row.dtypes if d in NUMBER]
    if row.kernel in ("FloorDiv", "Pow"):
        dtypes.remove("float32" if row.kernel == "FloorDiv" else "int32")
    return Comparison(
        row.kernel,
        lambda rng, dtype: (_without_differences(row.kernel, *some_pair(rng, dtype)), {}),
        lambda inputs, _: [row.function(inputs["a"], inputs["b"])],
        dtypes=tuple(dtypes),
        label="special values",
        differs=_SPECIAL_DIFFERS.get(row.kernel, ""),
    )


def _without_differences(kernel: str, a: np.ndarray, b: np.ndarray) -> Named:
    """The pair without what `_SPECIAL_DIFFERS` names."""
    if kernel == "Pow":
        b = np.where((abs(a) == 1) & ~np.isfinite(b), np.float32(2), b)
    if kernel == "Mod" and b.dtype == np.float32:
        b = np.where(np.isinf(b), np.float32(2.5), b)
        a = np.where((a < 0) != (b < 0), -a, a)
    return {"a": a, "b": _without_zero(kernel, b)}


def _draw_add_n(rng, dtype):
    shape = draws.shape(rng)
    count = int(rng.integers(1, 6))
    return {"inputs": [draws.values(rng, dtype, shape) for _ in range(count)]}, {}


COMPARISONS = [
    *map(_usual, ROWS),
    *map(_special, ROWS),
    Comparison(
        "AddN",
        _draw_add_n,
        lambda inputs, _: [tf.add_n(inputs["inputs"])],
        dtypes=NUMBER,
        gradient=True,
    ),
]
