"""Bits of numbers, quotients, remainders, roots, integers and complex numbers."""

#: Test for NaN by its bits: drivers may assume that there is none.
BITS = {
    "is_nan": "bool is_nan(float x) { return (floatBitsToInt(x) & 0x7fffffff) > 0x7f800000; }",
    "is_inf": "bool is_inf(float x) { return (floatBitsToInt(x) & 0x7fffffff) == 0x7f800000; }",
    "is_finite": (
        "bool is_finite(float x) { return (floatBitsToInt(x) & 0x7fffffff) < 0x7f800000; }"
    ),
    "is_negative": "bool is_negative(float x) { return floatBitsToInt(x) < 0; }",
    # Not by "and" and "or" of bits: beside `is_nan` the compiler of Mesa (LLVM 15) gets that wrong.
    "with_sign": """
float with_sign(float size, float x) {
    return floatBitsToInt(x) < 0 ? -abs(size) : abs(size);
}""",
    # With limits; a zero that is one of them keeps its sign.
    "clamped": """
float clamped(float x, float low, float high) {
    return is_nan(x) || x == low ? x : clamp(x, low, high);
}""",
    # The upper 12 of 24 bits: the product of two such numbers is exact.
    "upper_half": "float upper_half(float x) { return intBitsToFloat(floatBitsToInt(x) & -4096); }",
    # x * 2**n in two steps, as 2**n alone may be beyond float32; n from -250 to 250.
    "scaled": """
float scaled(float x, int n) {
    int h = n >> 1;
    return x * intBitsToFloat((h + 127) << 23) * intBitsToFloat((n - h + 127) << 23);
}""",
}


#: Quotients and roots are those of the driver, corrected from the exact rest: they round correctly.
ARITHMETIC = {
    # Of the mantissas, so that no product, and no 1 / b, which drivers multiply by, is denormal.
    "divide": """
float divide(float a, float b) {
    int x = floatBitsToInt(a) & 0x7fffffff;
    int y = floatBitsToInt(b) & 0x7fffffff;
    if (min(x, y) < 0x800000 || max(x, y) >= 0x7f800000) return a / b;
    float u = intBitsToFloat(x & 0x7fffff | 0x3f800000);
    float v = intBitsToFloat(y & 0x7fffff | 0x3f800000);
    float q = u / v;
    float q1 = upper_half(q);
    float q2 = q - q1;
    float v1 = upper_half(v);
    float v2 = v - v1;
    EXACT float rest = ((u - q1 * v1) - q1 * v2 - q2 * v1) - q2 * v2;
    q = scaled(q + rest / v, (x >> 23) - (y >> 23));
    return is_negative(a) == is_negative(b) ? q : -q;
}""",
    # Of a number from 1 to 4.
    "sqrt_": """
float sqrt_(float x) {
    int bits = floatBitsToInt(x);
    if (bits < 0x800000 || bits >= 0x7f800000) return x < 0.0 ? NAN : (x == 0.0 ? x : sqrt(x));
    int n = (bits >> 24) - 63;
    float u = intBitsToFloat(bits - (n << 24));
    float y = sqrt(u);
    float y1 = upper_half(y);
    float y2 = y - y1;
    EXACT float rest = ((u - y1 * y1) - 2.0 * y1 * y2) - y2 * y2;
    return (y + 0.5 * rest / y) * intBitsToFloat((n + 127) << 23);
}""",
    "rsqrt_": (
        "float rsqrt_(float x) { return x == 0.0 ? with_sign(INF, x) : divide(1.0, sqrt_(x)); }"
    ),
    "maximum": "float maximum(float a, float b) { return a > b || is_nan(a) ? a : b; }",
    "minimum": "float minimum(float a, float b) { return a < b || is_nan(a) ? a : b; }",
    # Division of integers that rounds down; by 0 it gives 0. -1 would overflow.
    "floor_divide": """
int floor_divide(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return -a;
    int q = a / b;
    return (a - q * b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}""",
    # As the cpu kernel: the last 32 bits of the power in float64, which rounds beyond 2**53. Those
    # of the exact one come by themselves; a pair of floats tells its size, so where it is rounded.
    "integer_power": """
int integer_power(int base, int n) {
    if (n == 0 || base == 1) return 1;
    if (base == -1) return (n & 1) == 0 ? 1 : -1;
    if (n < 0 || base == 0) return 0;
    int upper = base / 4096 * 4096;
    vec2 factor = quick_sum(float(upper), float(base - upper), n);
    vec2 size = vec2(1.0, 0.0);
    uint result = 1u;
    for (int i = 0; i < n; i++) {
        result *= uint(base);
        size = pair_times(size, factor, n);
        if (abs(size.x) > 3.8e25) return 0;
    }
    int bits = floatBitsToInt(abs(size.x));
    bool is_below = (bits & 0x7fffff) == 0 && size.x * size.y < 0.0;
    int lost = (bits >> 23) - 127 - 52 - int(is_below);
    if (lost <= 0) return int(result);
    if (lost > 31) return 0;
    if (size.x < 0.0) result = -result;
    uint unit = 1u << lost;
    uint rest = result & (unit - 1u);
    result -= rest;
    if (rest * 2u > unit || (rest * 2u == unit && (result & unit) != 0u)) result += unit;
    return int(size.x < 0.0 ? -result : result);
}""",
    # JavaScript's typed arrays: NaN and infinity are 0, what is too large wraps around.
    "to_int": """
int to_int(float x) {
    int bits = floatBitsToInt(x);
    int n = ((bits >> 23) & 255) - 150;
    if (n < -23 || n > 31) return 0;
    int m = (bits & 0x7fffff) | 0x800000;
    int size = n < 0 ? m >> -n : m << n;
    return bits < 0 ? -size : size;
}""",
    # The last 32 bits of a / b rounded down, as from float64: 53 bits of the quotient by long
    # division of the mantissas, and what remains rounds them; there are no ties.
    "floor_of_quotient": """
int floor_of_quotient(float a, float b) {
    int x = floatBitsToInt(a) & 0x7fffffff;
    int y = floatBitsToInt(b) & 0x7fffffff;
    if (x < 0x800000 || x >= 0x7f800000 || y < 0x800000 || y > 0x7f800000) return 0;
    bool is_below = is_negative(a) != is_negative(b);
    int e = (x >> 23) - (y >> 23);
    uint d = uint(y & 0x7fffff | 0x800000);
    uint r = uint(x & 0x7fffff | 0x800000);
    if (r < d) {
        r <<= 1;
        e--;
    }
    if (e < 0) return is_below && y < 0x7f800000 ? -1 : 0;
    uint high = 0u;
    uint low = 1u;
    r -= d;
    for (int i = 0; i < 13; i++) {
        r <<= 4;
        high = high << 4 | low >> 28;
        low = low << 4 | r / d;
        r %= d;
    }
    if (r * 2u > d && ++low == 0u) high++;
    int lost = 52 - e;
    if (lost < -31) return 0;
    uint size = low << max(-lost, 0);
    bool has_rest = false;
    if (lost > 31) {
        size = high >> (lost - 32);
        has_rest = low != 0u || (size << (lost - 32)) != high;
    } else if (lost > 0) {
        size = high << (32 - lost) | low >> lost;
        has_rest = (low >> lost << lost) != low;
    }
    return is_below ? -int(size) - int(has_rest) : int(size);
}""",
    # The remainder with the sign of a, by long division of the mantissas, 8 bits at a time.
    "truncated_mod": """
float truncated_mod(float a, float b) {
    int x = floatBitsToInt(a) & 0x7fffffff;
    int y = floatBitsToInt(b) & 0x7fffffff;
    if (x >= 0x7f800000 || y > 0x7f800000 || y < 0x800000) return NAN;
    if (x < y) return a;
    uint d = uint(y & 0x7fffff | 0x800000);
    uint r = uint(x & 0x7fffff | 0x800000) % d;
    int steps = (x >> 23) - (y >> 23);
    while (steps > 0) {
        int n = min(steps, 8);
        r = (r << n) % d;
        steps -= n;
    }
    return with_sign(scaled(float(r), (y >> 23) - 150), a);
}""",
    # Of unlike signs b is added, unless float64 would not tell b and the sum apart.
    "floor_mod": """
float floor_mod(float a, float b) {
    float r = truncated_mod(a, b);
    if (is_nan(r) || (a < 0.0 && b < 0.0) || (a >= 0.0 && b >= 0.0)) return r;
    if (is_inf(b)) return NAN;
    float power = intBitsToFloat(floatBitsToInt(b) & 0x7f800000);
    float bound = power * (abs(b) == power ? 5.5511151e-17 : 1.1102230e-16);
    return abs(r) <= bound ? with_sign(0.0, b) : r + b;
}""",
    # The cpu kernel step by step, each rounded to float32. 2**-20 of the quotient is found by its
    # bits, else multiplication and addition might become one.
    "nearest_quantum": """
float nearest_quantum(float x, float step, float lowest, float highest, bool nudge) {
    float q = divide(x, step);
    if (nudge && abs(q) > 1.0e-20) q += intBitsToFloat(floatBitsToInt(q) - (20 << 23));
    q = trunc(q + with_sign(0.5, q));
    return is_nan(x) ? x : clamp(q, lowest, highest) * step;
}""",
    # A product with a number of 31 bits, in an upper and a lower part, without its last 31 bits;
    # then shifted to the right. Rounded both times, halves up and halves away from 0.
    "rounded_product": """
int rounded_product(int x, int upper, int lower, int right) {
    uint low = uint(x & 65535) * uint(lower);
    int first = (x >> 16) * lower + int(low >> 16);
    int second = (x & 65535) * upper;
    int middle = (first & 65535) + (second & 65535) + 16384;
    int high = ((x >> 16) * upper + (first >> 16) + (second >> 16)) * 2 + (middle >> 15);
    return right == 0 ? high : high + (1 << (right - 1)) - int(high < 0) >> right;
}""",
    # See `core.plan.integer_ops.REQUANTISE`.
    "quantum_of_sum": """
float quantum_of_sum(float x, float upper, float lower, float lowest, float highest) {
    int rest = int(lower);
    int shift = (rest & 63) - 32;
    int rounded = rounded_product(int(x) << max(shift, 0), int(upper), rest >> 6, max(-shift, 0));
    return clamp(float(rounded), lowest, highest);
}""",
}

#: Complex numbers are vec2.
COMPLEX_ARITHMETIC = {
    # sqrt(x**2 + y**2) without overflow on the way.
    "magnitude": """
float magnitude(vec2 x) {
    float a = abs(x.x);
    float b = abs(x.y);
    if (is_inf(a) || is_inf(b)) return INF;
    if (is_nan(a) || is_nan(b)) return NAN;
    float high = max(a, b);
    float m = high > 1.0e18 ? 1.0842022e-19 : (high < 1.0e-18 ? 9.223372e18 : 1.0);
    a *= m;
    b *= m;
    return sqrt_(a * a + b * b) / m;
}""",
    "complex_product": """
vec2 complex_product(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}""",
    # By the larger part of b, so that b * b does not overflow (Smith 1962).
    "complex_quotient": """
vec2 complex_quotient(vec2 a, vec2 b) {
    if (b == vec2(0.0)) return vec2(a.x / abs(b.x), a.y / abs(b.x));
    bool turn = abs(b.x) < abs(b.y);
    if (turn) b = b.yx;
    float ratio = divide(b.y, b.x);
    float scale = divide(1.0, b.x + b.y * ratio);
    if (turn) return vec2(a.x * ratio + a.y, a.y * ratio - a.x) * scale;
    return vec2(a.x + a.y * ratio, a.y - a.x * ratio) * scale;
}""",
}
