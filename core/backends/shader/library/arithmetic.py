"""Quotients, remainders, roots, whole numbers and complex ones."""

#: Quotients and roots are those of the driver, corrected from the exact rest: they round correctly.
ARITHMETIC = {
    # The scale keeps the products, and 1 / b, which drivers multiply by, from being denormal.
    "divide": """
float divide(float a, float b) {
    float size = abs(b);
    float m = min(size, abs(a)) < 5.4210109e-20 ? 1.8446744e19 : 1.0;
    if (size > 9.0e18) m = 5.4210109e-20;
    a *= m;
    b *= m;
    float q = a / b;
    float q1 = upper_half(q);
    float q2 = q - q1;
    float b1 = upper_half(b);
    float b2 = b - b1;
    float rest = ((a - q1 * b1) - q1 * b2 - q2 * b1) - q2 * b2;
    bool is_usual = abs(q) > 1.0e-30 && abs(q) < 1.0e38 && abs(a) > 1.0e-28;
    return is_usual ? q + rest / b : q;
}""",
    "sqrt_": """
float sqrt_(float x) {
    float y = sqrt(x);
    float y1 = upper_half(y);
    float y2 = y - y1;
    float rest = ((x - y1 * y1) - 2.0 * y1 * y2) - y2 * y2;
    if (x < 0.0) return NAN;
    return x > 1.0e-30 && x < INF ? y + 0.5 * rest / y : (x == 0.0 ? 0.0 : (x == INF ? INF : y));
}""",
    "rsqrt_": (
        "float rsqrt_(float x) { return x == 0.0 ? with_sign(INF, x) : divide(1.0, sqrt_(x)); }"
    ),
    "maximum": "float maximum(float a, float b) { return a > b || is_nan(a) ? a : b; }",
    "minimum": "float minimum(float a, float b) { return a < b || is_nan(a) ? a : b; }",
    # Division of whole numbers that rounds down; by 0 it gives 0. -1 would overflow.
    "floor_divide": """
int floor_divide(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return -a;
    int q = a / b;
    return (a - q * b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}""",
    # Whole numbers by squaring; they wrap around. 1 / base, cut off, is 0 but for 1 and -1.
    "integer_power": """
int integer_power(int base, int n) {
    if (n < 0) return base == 1 ? 1 : (base == -1 ? ((n & 1) == 0 ? 1 : -1) : 0);
    int result = 1;
    while (n > 0) {
        if ((n & 1) == 1) result *= base;
        base *= base;
        n >>= 1;
    }
    return result;
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
    # a / b rounded down, as from float64: where float32 has a whole quotient, the rest tells more.
    "floor_of_quotient": """
int floor_of_quotient(float a, float b) {
    float q = divide(a, b);
    float f = floor(q);
    int n = to_int(f);
    if (f != q || abs(a) < 1.0e-28 || abs(q) > 4.0e9) return n;
    float f1 = upper_half(f);
    float f2 = f - f1;
    float b1 = upper_half(b);
    float b2 = b - b1;
    float rest = ((a - f1 * b1) - f1 * b2 - f2 * b1) - f2 * b2;
    return n + int(floor(rest / b));
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
    # Of unlike signs b is added, unless nothing remains.
    "floor_mod": """
float floor_mod(float a, float b) {
    float r = truncated_mod(a, b);
    if (is_nan(r) || (a < 0.0 && b < 0.0) || (a >= 0.0 && b >= 0.0)) return r;
    if (is_inf(b)) return NAN;
    return abs(r) <= abs(b) * 5.5511151e-17 ? 0.0 : r + b;
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
