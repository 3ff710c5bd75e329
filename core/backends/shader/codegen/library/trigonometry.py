"""Circular and hyperbolic functions."""

CIRCULAR = {
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
    if (x == 0.0) return x;
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
    float y = HORNER(z, 9.38540185543e-3, 3.11992232697e-3, 2.44301354525e-2, 5.34112807005e-2,
        1.33387994085e-1, 3.33331568548e-1);
    y = y * z * r + r;
    if (x == 0.0) return x;
    return is_finite(x) ? ((n & 1) == 0 ? y : divide(-1.0, y)) : NAN;
}""",
    # Cephes asinf, for 0 to 0.5.
    "near_asin": """
float near_asin(float x) {
    float z = x * x;
    float y = HORNER(z, 4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2,
        1.6666752422e-1);
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
    float p = HORNER(z, -2.5087816175e-3, 1.3997340575e-2, -3.6671753973e-2, 6.3183531165e-2,
        -8.6891129613e-2, 1.1042055488e-1, -1.4279618859e-1, 1.9999790192e-1, -3.3333331347e-1);
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

HYPERBOLIC = {
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
    float y = HORNER(z, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
        -3.33332819422e-1);
    y = y * z * x + x;
    float far = 1.0 - 2.0 / (exp_(2.0 * a) + 1.0);
    return is_nan(x) ? x : with_sign(a < 0.625 ? y : far, x);
}""",
    # Cephes asinhf below 0.5.
    "asinh_": """
float asinh_(float x) {
    float a = abs(x);
    float z = x * x;
    if (a < 0.5) {
        float y = HORNER(z, 2.0122003309e-2, -4.2699340972e-2, 7.4847586088e-2, -1.6666288134e-1);
        return with_sign(y * z * x + x, x);
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
        float y = HORNER(t, 1.7596881071e-3, -7.5272886713e-3, 2.6454905019e-2, -1.1784741703e-1,
            1.4142135263);
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
        float y = HORNER(z, 1.81740078349e-1, 8.24370301058e-2, 1.46691431730e-1,
            1.99782164500e-1, 3.33337300303e-1);
        return y * z * x + x;
    }
    return with_sign(0.5 * log1p_(divide(2.0 * a, 1.0 - a)), x) + (a > 1.0 ? NAN : 0.0);
}""",
}
