"""Arithmetic with pairs of floats, where the cpu backend computes in float64.

A pair (vec2) is the sum of its two floats; the second float is the rounding error of the first, so
that both hold 48 bits together (Dekker, 1971; Shewchuk, 1997). GLSL 330 has no doubles, and many
GPUs compute them slowly.

A compiler that simplifies ``(a + b) - a`` to ``b`` would destroy this. So sums pass through `kept`,
which changes nothing, but only at run time: it flips the bits given by ``o >> 31``, and ``o``, the
index of a value, is never negative.
"""

import numpy as np

#: GLSL functions by name; ``o`` is any non-negative number. A non-finite pair has 0 as second part.
PAIRS = {
    "kept": "float kept(float x, int o) { return intBitsToFloat(floatBitsToInt(x) ^ (o >> 31)); }",
    "with_rest": "vec2 with_rest(float x, float rest) {"
    " return vec2(x, is_finite(x) ? rest : 0.0); }",
    "pair_sum": """vec2 pair_sum(float a, float b, int o) {
    float s = kept(a + b, o), c = kept(s - a, o);
    return with_rest(s, (a - (s - c)) + (b - c));
}""",
    # Of a float that is no smaller than the other.
    "quick_sum": """vec2 quick_sum(float a, float b, int o) {
    float s = kept(a + b, o);
    return with_rest(s, b - (s - a));
}""",
    # Each factor is cut into halves of 12 bits, whose products are exact.
    "pair_product": """vec2 pair_product(float a, float b, int o) {
    float p = kept(a * b, o);
    float c = upper_half(a), e = a - c;
    float d = upper_half(b), f = b - d;
    return with_rest(p, (((c * d - p) + c * f) + e * d) + e * f);
}""",
    "pair_add": """vec2 pair_add(vec2 a, vec2 b, int o) {
    vec2 s = pair_sum(a.x, b.x, o);
    return quick_sum(s.x, s.y + (a.y + b.y), o);
}""",
    "pair_times": """vec2 pair_times(vec2 a, vec2 b, int o) {
    vec2 p = pair_product(a.x, b.x, o);
    return quick_sum(p.x, p.y + (a.x * b.y + a.y * b.x), o);
}""",
    # A quotient, and twice what it left.
    "pair_divide": """vec2 pair_divide(vec2 a, vec2 b, int o) {
    float q = a.x / b.x;
    if (!is_finite(q)) return vec2(q, 0.0);
    vec2 left = pair_add(a, -pair_times(b, vec2(q, 0.0), o), o);
    float r = left.x / b.x;
    left = pair_add(left, -pair_times(b, vec2(r, 0.0), o), o);
    vec2 s = quick_sum(q, r, o);
    return quick_sum(s.x, s.y + left.x / b.x, o);
}""",
    # 1 / sqrt of a positive number: a first guess and one step of Newton's method.
    "pair_rsqrt": """vec2 pair_rsqrt(vec2 a, int o) {
    float y = inversesqrt(a.x);
    vec2 one = pair_times(a, pair_product(y, y, o), o);
    EXACT float off = (1.0 - one.x) - one.y;
    return quick_sum(y, y * off * (0.5 + 0.375 * off), o);
}""",
    # The quotient by a float, and that of what it left, so that it is rounded once.
    "pair_mean": """float pair_mean(vec2 total, float count, int o) {
    float mean = total.x / count;
    if (!is_finite(total.x)) return mean;
    vec2 back = pair_product(mean, count, o);
    return mean + (((total.x - back.x) - back.y) + total.y) / count;
}""",
    # The product of two floats added to a total; what it loses is gathered in the second part.
    "with_product": """vec2 with_product(vec2 total, float a, vec2 b, int o) {
    vec2 p = pair_product(a, b.x, o), s = pair_sum(total.x, p.x, o);
    return vec2(s.x, total.y + (s.y + (p.y + a * b.y)));
}""",
    # The largest integer that is no larger.
    "pair_floor": """float pair_floor(vec2 a) {
    float whole = floor(a.x);
    return whole == a.x && a.y < 0.0 ? whole - 1.0 : whole;
}""",
    # What is left of a pair above its floor, from 0 to 1.
    "pair_share": """vec2 pair_share(vec2 a) {
    float whole = pair_floor(a);
    return vec2(whole, (a.x - whole) + a.y);
}""",
    "pair_is_beyond": """bool pair_is_beyond(vec2 a, float b) {
    return a.x > b || (a.x == b && a.y > 0.0);
}""",
}

#: GLSL that adds the float ``v`` to the pair ``total``, whose second part gathers what is lost.
ADD = "vec2 s = pair_sum(total.x, v, o); total = vec2(s.x, total.y + s.y);"

#: GLSL that adds the pair ``v`` to the pair ``total``.
ADD_PAIR = "vec2 s = pair_sum(total.x, v.x, o); total = vec2(s.x, total.y + (s.y + v.y));"


def pair_of(name: str, number: float) -> dict[str, float]:
    """Return the values ``NAME_first`` and ``NAME_rest`` of a number.

    >>> pair_of("e", 0.5)
    {'e_first': 0.5, 'e_rest': 0.0}
    """
    first = float(np.float32(number))
    return {f"{name}_first": first, f"{name}_rest": float(np.float32(number - first))}
