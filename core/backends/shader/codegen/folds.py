"""Sums and other reductions of values, in GLSL.

Floats are summed and multiplied as pairs: results are rounded once, as on the cpu backend.
"""

from typing import NamedTuple

from core.backends.shader.codegen.compiler.memory_layouts import GLSL_TYPES
from core.backends.shader.codegen.kernel_language import literal
from core.backends.shader.codegen.library.pairs import ADD, ADD_PAIR

_LEAST = literal(-(2**31))


class Fold(NamedTuple):
    """A reduction of values, in GLSL.

    Attributes:
        start: statements before the first value.
        step: statements for the value ``v``.
        end: statements after the last value, with ``return``.
    """

    start: str
    step: str
    end: str


_ANY = Fold("", "if (v) return true;", "return false;")
_ALL = Fold("", "if (!v) return false;", "return true;")
_COMPLEX = """vec2 s = pair_sum(total.x, v.x, o), t = pair_sum(total.y, v.y, o);
total = vec2(s.x, t.x);
rest += vec2(s.y, t.y);"""
#: Product as a pair from 1 to 2 and a power of two; zeros, infinities and NaN are separate.
_PRODUCT = """int exponent = (floatBitsToInt(w.x) >> 23) & 255;
if (exponent == 0 || exponent == 255) {
    odd *= w.x;
} else {
    w = vec2(scaled(w.x, 127 - exponent), scaled(w.y, 127 - exponent));
    total = pair_times(total, w, o);
    int extra = ((floatBitsToInt(total.x) >> 23) & 255) - 127;
    total = vec2(scaled(total.x, -extra), scaled(total.y, -extra));
    power += exponent - 127 + extra;
}"""
_PRODUCT_END = "power = clamp(power, -250, 250);\nif (odd != 1.0) {} odd * sign(total.x){};"


class PairFold(NamedTuple):
    """A reduction of floats to a pair, in GLSL.

    Attributes:
        start: statements before the first value.
        step: statements for the float ``v``.
        pair_step: statements for the pair ``v`` of an earlier stage.
        pair_end: statements after the last value that return a pair.
        end: statements after the last value that return a float.
    """

    start: str
    step: str
    pair_step: str
    pair_end: str
    end: str


#: Retry of a sum whose partial sums overflow, as float64 would not: all values are multiplied by
#: ``scale``, 2**-64, which ``back`` undoes. A stage passes such a sum on as (INF, sum).
SECOND_TRY = "scale = 5.42101086e-20;\nback = 1.84467441e19;"
SCALES = "float scale = 1.0, back = 1.0;"
#: Statements before the step, by the dtype of ``v``.
SCALED = {
    "float32": "v *= scale;\n",
    "complex64": "if (back > 1.0) v = is_finite(v.x) ? v * scale : vec2(v.y, 0.0);\n",
}

_SUM = (
    "vec2 total = vec2(0.0);",
    ADD,
    ADD_PAIR,
    "return back > 1.0 ? vec2(INF, total.x + total.y) : total;",
)
PAIR_FOLDS: dict[str, PairFold] = {
    "sum": PairFold(*_SUM, "return (total.x + total.y) * back;"),
    "mean": PairFold(*_SUM, "return pair_mean(total, mean_of, o) * back;"),
    "prod": PairFold(
        "vec2 total = vec2(1.0, 0.0);\nfloat odd = 1.0;\nint power = 0;",
        f"vec2 w = vec2(v, 0.0);\n{_PRODUCT}",
        f"vec2 w = v;\n{_PRODUCT}",
        _PRODUCT_END.format("return vec2(", ", 0.0)")
        + "\nreturn vec2(scaled(total.x, power), scaled(total.y, power));",
        _PRODUCT_END.format("return", "") + "\nreturn scaled(total.x + total.y, power);",
    ),
}

#: Folds by op and dtype of the reduced values.
FOLDS: dict[tuple[str, str], Fold] = {
    ("sum", "int32"): Fold("int total = 0;", "total += v;", "return total;"),
    ("sum", "complex64"): Fold(
        "vec2 total = vec2(0.0), rest = vec2(0.0);", _COMPLEX, "return total + rest;"
    ),
    ("prod", "int32"): Fold("int total = 1;", "total *= v;", "return total;"),
    ("max", "float32"): Fold(
        "float best = -INF;", "if (is_nan(v)) return NAN;\nbest = max(best, v);", "return best;"
    ),
    ("min", "float32"): Fold(
        "float best = INF;", "if (is_nan(v)) return NAN;\nbest = min(best, v);", "return best;"
    ),
    ("max", "int32"): Fold(f"int best = {_LEAST};", "best = max(best, v);", "return best;"),
    ("min", "int32"): Fold("int best = 2147483647;", "best = min(best, v);", "return best;"),
    ("max", "bool"): _ANY,
    ("min", "bool"): _ALL,
    ("any", "bool"): _ANY,
    ("all", "bool"): _ALL,
}

#: Results of empty reductions, as GLSL.
_OF_NOTHING = {"prod": "1", "all": "true", "max": "NAN", "min": "NAN"}


def nothing(how: str, dtype: str) -> str:
    """Return GLSL of the result of an empty reduction."""
    if dtype == "bool":
        return "true" if how == "all" else "false"
    if dtype == "complex64":
        return "vec2(0.0)"
    given = _OF_NOTHING.get(how, "0")
    if dtype == "float32":
        return given if given == "NAN" else f"{given}.0"
    return "0" if given == "NAN" else given


class Accumulator(NamedTuple):
    """An accumulation of values, for cumulative sums and sums of rows, as GLSL expressions.

    ``total`` is the accumulated value; its dtype may differ from those of values and result.

    Attributes:
        dtype: dtype of the total.
        start: total of no values.
        item: total of one value, written ``{}``.
        step: total after adding ``v``, another total.
        finish: result of a total.
    """

    dtype: str
    start: str
    item: str
    step: str
    finish: str

    @property
    def kind(self) -> str:
        """Return GLSL's type of the total."""
        return GLSL_TYPES[self.dtype]


#: Sums by dtype of the values; those of floats are pairs, rounded once as if in float64.
SUMS = {
    "float32": Accumulator(
        "complex64", "vec2(0.0)", "vec2({}, 0.0)", ADD_PAIR, "total.x + total.y"
    ),
    "int32": Accumulator("int32", "0", "{}", "total += v;", "total"),
    "complex64": Accumulator("complex64", "vec2(0.0)", "{}", "total += v;", "total"),
}


def of_totals(how: Accumulator) -> Accumulator:
    """Return the accumulation of totals into another total."""
    return how._replace(item="{}", finish="total")


def sum_start(dtype: str) -> str:
    """Return GLSL that declares a ``sum`` of values of a dtype, for loops that add to it.

    >>> sum_start("int32")
    'int sum = int(0);'
    """
    kind = GLSL_TYPES[dtype]
    return f"{kind} sum = {kind}(0);"
