"""Access to the bits of numbers."""

#: Drivers may assume that there is no NaN, and compare accordingly: bits tell.
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
