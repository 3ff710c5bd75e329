"""GLSL functions that kernels use by name; a program has those that its text calls.

GLSL promises little of its own functions beyond their names: drivers differ in exp and sin, in
how they divide, and in what they do with NaN. The ones below are ours: the same polynomials on
every driver, within two units in the last place (tan: three) where a driver adds and multiplies
correctly, and with the special values of NumPy. What is denormal may count as zero.

Compilers may contract ``a * b + c``, and may reckon that ``(a + b) - a`` is ``b``. So no function
relies on how a sum was rounded: where a rest is needed, numbers are cut off by their bits, which no
compiler sees through, and products are of so few bits that they are exact either way.

Polynomials: "Cephes" are those of Moshier's single precision library, "msun" those of FreeBSD's.
"""

import re

#: Numbers by their bits: drivers may assume that there is no NaN.
_BITS = {
    "is_nan": "bool is_nan(float x) { return (floatBitsToInt(x) & 0x7fffffff) > 0x7f800000; }",
    "is_inf": "bool is_inf(float x) { return (floatBitsToInt(x) & 0x7fffffff) == 0x7f800000; }",
    "is_finite": (
        "bool is_finite(float x) { return (floatBitsToInt(x) & 0x7fffffff) < 0x7f800000; }"
    ),
    "is_negative": "bool is_negative(float x) { return floatBitsToInt(x) < 0; }",
    "with_sign": """
float with_sign(float size, float x) {
    return intBitsToFloat(floatBitsToInt(size) & 0x7fffffff | floatBitsToInt(x) & -2147483648);
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

#: What rounds correctly: the driver's result and a correction from the exact rest.
_ARITHMETIC = {
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
}

_EXPONENTIALS = {
    # Cephes expf: e**x = 2**k * e**r, where ln 2 has two parts; 2**n times that.
    "scaled_exp": """
float scaled_exp(float x, int n) {
    float c = clamp(x, -104.0, 90.0);
    float k = roundEven(c * 1.44269504);
    float r = (c - k * 0.693359375) - k * -2.12194440e-4;
    float y = 1.9875691500e-4;
    y = y * r + 1.3981999507e-3;
    y = y * r + 8.3334519073e-3;
    y = y * r + 4.1665795894e-2;
    y = y * r + 1.6666665459e-1;
    y = y * r + 5.0000001201e-1;
    y = y * (r * r) + r + 1.0;
    return is_nan(x) ? x : scaled(y, int(k) + n);
}""",
    "exp_": "float exp_(float x) { return scaled_exp(x, 0); }",
    # The same r; 2**k * (e**r - 1) + (2**k - 1), halved meanwhile so that 2**128 does not occur.
    "expm1_": """
float expm1_(float x) {
    float c = clamp(x, -30.0, 89.0);
    float k = roundEven(c * 1.44269504);
    float r = (c - k * 0.693359375) - k * -2.12194440e-4;
    float y = 1.9875691500e-4;
    y = y * r + 1.3981999507e-3;
    y = y * r + 8.3334519073e-3;
    y = y * r + 4.1665795894e-2;
    y = y * r + 1.6666665459e-1;
    y = y * r + 5.0000001201e-1;
    y = y * (r * r) + r;
    float m = scaled(1.0, int(k) - 1);
    return is_nan(x) ? x : 2.0 * (m * y + (m - 0.5));
}""",
    # Cephes logf: x = 2**k * (1 + f), 1 + f from sqrt(0.5) to sqrt(2). 2**k * (1 + f + rest) is
    # the number; the rest is too small for float32 to hold it beside 1.
    "log_of_sum": """
float log_of_sum(float f, float rest, float k) {
    float z = f * f;
    float y = 7.0376836292e-2;
    y = y * f - 1.1514610310e-1;
    y = y * f + 1.1676998740e-1;
    y = y * f - 1.2420140846e-1;
    y = y * f + 1.4249322787e-1;
    y = y * f - 1.6668057665e-1;
    y = y * f + 2.0000714765e-1;
    y = y * f - 2.4999993993e-1;
    y = y * f + 3.3333331174e-1;
    y = y * f * z + k * -2.12194440e-4 + rest - 0.5 * z;
    return f + y + k * 0.693359375;
}""",
    "log_": """
float log_(float x) {
    int bits = floatBitsToInt(x);
    int k = (bits - 0x3f3504f3) >> 23;
    float y = log_of_sum(intBitsToFloat(bits - (k << 23)) - 1.0, 0.0, float(k));
    if (bits >= 0x800000 && bits < 0x7f800000) return y;
    if ((bits & 0x7fffffff) < 0x800000) return -INF;
    return bits < 0 ? NAN : x;
}""",
    # 1 + x loses bits of x. They are found again after one is cut off on purpose.
    "log1p_": """
float log1p_(float x) {
    float u = intBitsToFloat(floatBitsToInt(1.0 + x) & -2);
    float c = u < 2.0 ? x - (u - 1.0) : (x - u) + 1.0;
    int bits = floatBitsToInt(u);
    int k = (bits - 0x3f3504f3) >> 23;
    bool near = x > -0.29 && x < 0.41;
    float f = near ? x : intBitsToFloat(bits - (k << 23)) - 1.0;
    float y = log_of_sum(f, near ? 0.0 : c / u, near ? 0.0 : float(k));
    if (x > -1.0 && x < INF) return y;
    return x == -1.0 ? -INF : (x < -1.0 ? NAN : x);
}""",
    # One way for both signs would lose a bit where the result is small.
    "sigmoid_": """
float sigmoid_(float x) {
    float e = exp_(-abs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}""",
    "softplus_": """
float softplus_(float x) {
    float rest = log1p_(exp_(-abs(x)));
    return x > 0.0 ? x + rest : rest;
}""",
    "elu_": "float elu_(float x) { return x > 0.0 ? x : expm1_(x); }",
}

_HYPERBOLIC = {
    # Cephes sinhf below 1.
    "sinh_": """
float sinh_(float x) {
    float a = abs(x);
    float z = x * x;
    float y = (2.03721912945e-4 * z + 8.33028376239e-3) * z + 1.66667160211e-1;
    if (a < 1.0) return y * z * x + x;
    float e = scaled_exp(a, -1);
    return with_sign(e - 0.25 / e, x);
}""",
    "cosh_": """
float cosh_(float x) {
    float e = scaled_exp(abs(x), -1);
    return e + 0.25 / e;
}""",
    # Cephes tanhf: both ways are short, and no branch is needed.
    "tanh_": """
float tanh_(float x) {
    float a = abs(x);
    float z = x * x;
    float y = -5.70498872745e-3;
    y = y * z + 2.06390887954e-2;
    y = y * z - 5.37397155531e-2;
    y = y * z + 1.33314422036e-1;
    y = y * z - 3.33332819422e-1;
    y = y * z * x + x;
    float far = 1.0 - 2.0 / (exp_(2.0 * a) + 1.0);
    return a < 0.625 ? y : (is_nan(x) ? x : with_sign(far, x));
}""",
    # Cephes asinhf below 0.5.
    "asinh_": """
float asinh_(float x) {
    float a = abs(x);
    float z = x * x;
    if (a < 0.5) {
        float y = 2.0122003309e-2;
        y = y * z - 4.2699340972e-2;
        y = y * z + 7.4847586088e-2;
        y = y * z - 1.6666288134e-1;
        return y * z * x + x;
    }
    float y = a > 10000.0 ? log_(a) + 0.69314718 : log1p_(a + divide(z, 1.0 + sqrt_(1.0 + z)));
    return is_nan(x) ? x : with_sign(y, x);
}""",
    # Cephes acoshf below 1.5.
    "acosh_": """
float acosh_(float x) {
    float t = x - 1.0;
    if (x < 1.0) return NAN;
    if (t < 0.5) {
        float y = 1.7596881071e-3;
        y = y * t - 7.5272886713e-3;
        y = y * t + 2.6454905019e-2;
        y = y * t - 1.1784741703e-1;
        y = y * t + 1.4142135263;
        return sqrt_(t) * y;
    }
    return x > 10000.0 ? log_(x) + 0.69314718 : log1p_(t + sqrt_(2.0 * t + t * t));
}""",
    # Cephes atanhf below 0.5.
    "atanh_": """
float atanh_(float x) {
    float a = abs(x);
    float z = x * x;
    if (a < 0.5) {
        float y = 1.81740078349e-1;
        y = y * z + 8.24370301058e-2;
        y = y * z + 1.46691431730e-1;
        y = y * z + 1.99782164500e-1;
        y = y * z + 3.33337300303e-1;
        return y * z * x + x;
    }
    return with_sign(0.5 * log1p_(divide(2.0 * a, 1.0 - a)), x) + (a > 1.0 ? NAN : 0.0);
}""",
}

_CIRCULAR = {
    # x less the nearest multiple n of pi / 2. Below 8192 pi / 2 has four parts of 11 bits and a
    # rest, and n * part is exact (Cody and Waite); far from 0 one sum less rounds less. Beyond, the
    # bits of 2 / pi that matter are multiplied by x's mantissa, byte by byte (Payne and Hanek);
    # multiples of 4 drop out.
    "quarter_turns": """
float quarter_turns(float x, out int n) {
    if (abs(x) < 8192.0) {
        float k = roundEven(x * 0.63661977);
        n = int(k);
        float r = (x - k * 1.5703125) - k * 4.837512969970703e-4;
        if (abs(r) > 0.1) return r - k * 7.5497900e-8;
        return ((r - k * 7.549533620476723e-8) - k * 2.5632829192545614e-12) - k * 6.1232343e-17;
    }
    const uint two_over_pi[9] = uint[9](
        0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
        0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u
    );
    int bits = floatBitsToInt(x);
    uint mantissa = uint(bits & 0x7fffff | 0x800000);
    int first = ((bits >> 23) & 255) - 120;
    uint carry = 0u;
    uint high = 0u;
    uint low = 0u;
    for (int i = 11; i >= 0; i--) {
        int at = first + 8 * i;
        int s = at & 31;
        uint word = two_over_pi[at >> 5] << s;
        if (s > 24) word |= two_over_pi[(at >> 5) + 1] >> (32 - s);
        uint t = mantissa * (word >> 24) + carry;
        carry = t >> 8;
        if (i < 4) high |= (t & 255u) << (24 - 8 * i);
        else if (i < 8) low |= (t & 255u) << (56 - 8 * i);
    }
    n = int(high >> 30);
    high = high << 2 | low >> 30;
    low <<= 2;
    bool beyond = high >= 0x80000000u;
    if (beyond) {
        n++;
        high = ~high;
        low = ~low;
    }
    float upper = float(high >> 20) * 2.44140625e-4;
    float lower = float(high & 0xfffffu) * 2.3283064e-10 + float(low) * 5.4210109e-20;
    float r = upper * 1.5703125 + (upper * 4.8382679e-4 + lower * 1.5707964);
    if (bits < 0) n = -n;
    return beyond != (bits < 0) ? -r : r;
}""",
    # Cephes sinf and cosf, for -pi / 4 to pi / 4.
    "near_sin": """
float near_sin(float r) {
    float z = r * r;
    return ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
}""",
    "near_cos": """
float near_cos(float r) {
    float z = r * r;
    float y = (2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2;
    return y * z * z - 0.5 * z + 1.0;
}""",
    "sin_": """
float sin_(float x) {
    int n;
    float r = quarter_turns(x, n);
    float y = (n & 1) == 0 ? near_sin(r) : near_cos(r);
    return is_finite(x) ? ((n & 2) == 0 ? y : -y) : NAN;
}""",
    "cos_": """
float cos_(float x) {
    int n;
    float r = quarter_turns(x, n);
    float y = (n & 1) == 0 ? near_cos(r) : near_sin(r);
    return is_finite(x) ? (((n + 1) & 2) == 0 ? y : -y) : NAN;
}""",
    # Cephes tanf.
    "tan_": """
float tan_(float x) {
    int n;
    float r = quarter_turns(x, n);
    float z = r * r;
    float y = 9.38540185543e-3;
    y = y * z + 3.11992232697e-3;
    y = y * z + 2.44301354525e-2;
    y = y * z + 5.34112807005e-2;
    y = y * z + 1.33387994085e-1;
    y = y * z + 3.33331568548e-1;
    y = y * z * r + r;
    return is_finite(x) ? ((n & 1) == 0 ? y : divide(-1.0, y)) : NAN;
}""",
    # Cephes asinf, for 0 to 0.5.
    "near_asin": """
float near_asin(float x) {
    float z = x * x;
    float y = 4.2163199048e-2;
    y = y * z + 2.4181311049e-2;
    y = y * z + 4.5470025998e-2;
    y = y * z + 7.4953002686e-2;
    y = y * z + 1.6666752422e-1;
    return y * z * x + x;
}""",
    "asin_": """
float asin_(float x) {
    float a = abs(x);
    if (a <= 0.5) return near_asin(x);
    float y = 1.57079637 - (2.0 * near_asin(sqrt_(0.5 - 0.5 * a)) + 4.3711388e-8);
    return a <= 1.0 ? with_sign(y, x) : NAN;
}""",
    "acos_": """
float acos_(float x) {
    float a = abs(x);
    if (a <= 0.5) return 1.57079637 - (near_asin(x) + 4.3711388e-8);
    float y = 2.0 * near_asin(sqrt_(0.5 - 0.5 * a));
    return a <= 1.0 ? (x < 0.0 ? 3.14159274 - (y + 8.7422777e-8) : y) : NAN;
}""",
    # The angle of the point (x, y), both 0 or more. The polynomial is fitted by least squares with
    # weights that make the largest error least: 1.2e-8 of the angle, up to pi / 4.
    "first_angle": """
float first_angle(float y, float x) {
    float high = max(x, y);
    float t = x == y ? 1.0 : divide(min(x, y), high);
    float z = t * t;
    float p = -2.5087816175e-3;
    p = p * z + 1.3997340575e-2;
    p = p * z - 3.6671753973e-2;
    p = p * z + 6.3183531165e-2;
    p = p * z - 8.6891129613e-2;
    p = p * z + 1.1042055488e-1;
    p = p * z - 1.4279618859e-1;
    p = p * z + 1.9999790192e-1;
    p = p * z - 3.3333331347e-1;
    p = p * z * t + t;
    return high == 0.0 ? 0.0 : (y > x ? 1.57079637 - (p + 4.3711388e-8) : p);
}""",
    "atan_": """
float atan_(float x) {
    return is_nan(x) ? x : with_sign(first_angle(abs(x), 1.0), x);
}""",
    "atan2_": """
float atan2_(float y, float x) {
    float a = first_angle(abs(y), abs(x));
    if (is_negative(x)) a = 3.14159274 - (a + 8.7422777e-8);
    return is_nan(x) || is_nan(y) ? NAN : with_sign(a, y);
}""",
}

_OTHERS = {
    # Both polynomials by Norbert Juffa: erf itself, and ln(1 - erf) beyond 0.9277.
    "erf_": """
float erf_(float x) {
    float a = abs(x);
    float z = x * x;
    float y = -5.96761703e-4;
    y = y * z + 4.99119423e-3;
    y = y * z - 2.67681349e-2;
    y = y * z + 1.12819925e-1;
    y = y * z - 3.76125336e-1;
    y = y * z + 1.28379166e-1;
    if (a < 1.0e-30) return 1.12837917 * x;
    if (a < 0.927734375) return y * x + x;
    a = min(a, 5.0);
    float r = -1.72853470e-5 * a + 3.83197126e-4;
    float s = -3.88396438e-3 * a + 2.42546219e-2;
    r = r * (a * a) + s;
    r = r * a - 1.06777877e-1;
    r = r * a - 6.34846687e-1;
    r = r * a - 1.28717512e-1;
    r = r * a - a;
    return is_nan(x) ? x : with_sign(1.0 - exp_(r), x);
}""",
    # msun e_powf: log2 of the base in two numbers, of which the first has few bits, so that its
    # product with the exponent is known to 2**-24 even where that is 128. Then Cephes exp2f.
    "power_of_size": """
float power_of_size(float a, float b) {
    int bits = floatBitsToInt(a);
    int part = bits & 0x7fffff;
    int n = (bits >> 23) - 127;
    bits = part | 0x3f800000;
    bool upper = part > 0x1cc471 && part < 0x5db3d7;
    if (part >= 0x5db3d7) {
        n++;
        bits -= 0x800000;
    }
    float x = intBitsToFloat(bits);
    float near = upper ? 1.5 : 1.0;
    float u = x - near;
    float v = 1.0 / (x + near);
    float s = u * v;
    float s1 = upper_half(s);
    int sum = ((bits >> 1) & -4096 | 0x20000000) + (upper ? 0x600000 : 0x400000);
    float t1 = intBitsToFloat(sum);
    float t2 = x - (t1 - near);
    float s2 = v * ((u - s1 * t1) - s1 * t2);
    float z = s * s;
    float r = 0.20697501302;
    r = r * z + 0.23066075146;
    r = r * z + 0.27272811532;
    r = r * z + 0.33333334327;
    r = r * z + 0.42857143283;
    r = r * z + 0.60000002384;
    r = r * z * z + s2 * (s1 + s);
    z = s1 * s1;
    t1 = upper_half(3.0 + z + r);
    t2 = r - ((t1 - 3.0) - z);
    u = s1 * t1;
    v = s2 * t1 + t2 * s;
    float p1 = upper_half(u + v);
    float p2 = v - (p1 - u);
    float z1 = 0.9619140625 * p1;
    float z2 = -1.1736857402e-4 * p1 + p2 * 0.96179670095 + (upper ? 1.56322085e-6 : 0.0);
    float whole = float(n);
    float half_way = upper ? 0.584960938 : 0.0;
    float log1 = upper_half(((z1 + z2) + half_way) + whole);
    float log2 = z2 - (((log1 - whole) - half_way) - z1);
    float b1 = upper_half(b);
    float high = b1 * log1;
    float low = (b - b1) * log1 + b * log2;
    float e = high + low;
    if (e > 130.0) return INF;
    if (e < -160.0) return 0.0;
    float k = roundEven(e);
    float f = (high - k) + low;
    float y = 1.535336188319500e-4;
    y = y * f + 1.339887440266574e-3;
    y = y * f + 9.618437357674640e-3;
    y = y * f + 5.550332471162809e-2;
    y = y * f + 2.402264791363012e-1;
    y = y * f + 6.931472028550421e-1;
    return scaled(y * f + 1.0, int(k));
}""",
    # As in JavaScript: NaN to the power of 0 is 1, that of NaN is NaN, as 1 to that of infinity.
    "pow_": """
float pow_(float a, float b) {
    if (b == 0.0) return 1.0;
    if (is_nan(a) || is_nan(b)) return NAN;
    float size = abs(a);
    if (is_inf(b)) return size == 1.0 ? NAN : ((size > 1.0) == (b > 0.0) ? INF : 0.0);
    bool is_whole = b == trunc(b);
    bool is_odd = is_whole && abs(b) < 16777216.0 && (int(b) & 1) == 1;
    float y;
    if (size < 1.17549435e-38 || size == INF) y = (size == INF) == (b > 0.0) ? INF : 0.0;
    else if (a < 0.0 && !is_whole) return NAN;
    else y = power_of_size(size, b);
    return is_odd && is_negative(a) ? -y : y;
}""",
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

#: Function by name; those that it calls are found in its text.
FUNCTIONS: dict[str, str] = {
    name: text.strip()
    for group in (_BITS, _ARITHMETIC, _EXPONENTIALS, _HYPERBOLIC, _CIRCULAR, _OTHERS)
    for name, text in group.items()
}


def functions_for(text: str) -> str:
    """The functions that a text calls, each after those that it calls itself."""
    found: dict[str, str] = {}
    _collect(text, found)
    return "\n".join(found.values())


def _collect(text: str, found: dict[str, str]) -> None:
    for name in re.findall(r"\b(\w+)\s*\(", text):
        if name in FUNCTIONS and name not in found:
            _collect(FUNCTIONS[name].split("{", 1)[1], found)
            found[name] = FUNCTIONS[name]
