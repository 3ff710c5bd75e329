"""Powers, logarithms and functions made of them."""

EXPONENTIALS = {
    # Cephes expf: e**x = 2**k * e**r, where ln 2 has two parts; 2**n times that.
    "scaled_exp": """
float scaled_exp(float x, int n) {
    float c = clamp(x, -104.0, 90.0);
    float k = roundEven(c * 1.44269504);
    float r = (c - k * 0.693359375) - k * -2.12194440e-4;
    float y = HORNER(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
        1.6666665459e-1, 5.0000001201e-1);
    y = y * (r * r) + r + 1.0;
    return is_nan(x) ? x : scaled(y, int(k) + n);
}""",
    "exp_": "float exp_(float x) { return scaled_exp(x, 0); }",
    # The same r; 2**k * (e**r - 1) + (2**k - 1), halved meanwhile so that 2**128 does not occur;
    # of small numbers, whose halves may be denormal, e**r - 1 alone.
    "expm1_": """
float expm1_(float x) {
    float c = clamp(x, -30.0, 89.0);
    float k = roundEven(c * 1.44269504);
    float r = (c - k * 0.693359375) - k * -2.12194440e-4;
    float y = HORNER(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
        1.6666665459e-1, 5.0000001201e-1);
    y = y * (r * r) + r;
    float m = scaled(1.0, int(k) - 1);
    EXACT float half_of_it = m * y + (m - 0.5);
    if (is_nan(x) || x == 0.0) return x;
    return k == 0.0 ? y : 2.0 * half_of_it;
}""",
    # Cephes logf: x = 2**k * (1 + f), 1 + f from sqrt(0.5) to sqrt(2). 2**k * (1 + f + rest) is
    # the number; the rest is too small for float32 to hold it beside 1.
    "log_of_sum": """
float log_of_sum(float f, float rest, float k) {
    float z = f * f;
    float y = HORNER(f, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
        1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1);
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
    if (x > -1.0 && x < INF) return x == 0.0 ? x : y;
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
    # Both polynomials by Norbert Juffa: erf itself, and ln(1 - erf) beyond 0.9277.
    "erf_": """
float erf_(float x) {
    float a = abs(x);
    float z = x * x;
    float y = HORNER(z, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1,
        -3.76125336e-1, 1.28379166e-1);
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
    float r = HORNER(z, 0.20697501302, 0.23066075146, 0.27272811532, 0.33333334327, 0.42857143283,
        0.60000002384);
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
    EXACT float f = (high - k) + low;
    float y = HORNER(f, 1.535336188319500e-4, 1.339887440266574e-3, 9.618437357674640e-3,
        5.550332471162809e-2, 2.402264791363012e-1, 6.931472028550421e-1);
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
}
