"""Instructions on vectors whose results may differ between processors (relaxed SIMD)."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Numbers out of range, rounding and NaN depend on the processor.
RELAXED: tuple[Opcode, ...] = read_table(
    """
    0x100 | i8x16.relaxed_swizzle               |  | v128 v128 -> v128
    0x101 | i32x4.relaxed_trunc_f32x4_s         |  | v128 -> v128
    0x102 | i32x4.relaxed_trunc_f32x4_u         |  | v128 -> v128
    0x103 | i32x4.relaxed_trunc_f64x2_s_zero    |  | v128 -> v128
    0x104 | i32x4.relaxed_trunc_f64x2_u_zero    |  | v128 -> v128
    0x105 | f32x4.relaxed_madd                  |  | v128 v128 v128 -> v128
    0x106 | f32x4.relaxed_nmadd                 |  | v128 v128 v128 -> v128
    0x107 | f64x2.relaxed_madd                  |  | v128 v128 v128 -> v128
    0x108 | f64x2.relaxed_nmadd                 |  | v128 v128 v128 -> v128
    0x109 | i8x16.relaxed_laneselect            |  | v128 v128 v128 -> v128
    0x10A | i16x8.relaxed_laneselect            |  | v128 v128 v128 -> v128
    0x10B | i32x4.relaxed_laneselect            |  | v128 v128 v128 -> v128
    0x10C | i64x2.relaxed_laneselect            |  | v128 v128 v128 -> v128
    0x10D | f32x4.relaxed_min                   |  | v128 v128 -> v128
    0x10E | f32x4.relaxed_max                   |  | v128 v128 -> v128
    0x10F | f64x2.relaxed_min                   |  | v128 v128 -> v128
    0x110 | f64x2.relaxed_max                   |  | v128 v128 -> v128
    0x111 | i16x8.relaxed_q15mulr_s             |  | v128 v128 -> v128
    0x112 | i16x8.relaxed_dot_i8x16_i7x16_s     |  | v128 v128 -> v128
    0x113 | i32x4.relaxed_dot_i8x16_i7x16_add_s |  | v128 v128 v128 -> v128
    """,
    feature="relaxed_simd",
    prefix=0xFD,
)
