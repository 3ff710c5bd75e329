"""Instructions on vectors of 128 bits (SIMD128)."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Loads and stores.
MEMORY: tuple[Opcode, ...] = read_table(
    """
    0x00 | v128.load         | access/16        | i32 -> v128
    0x01 | v128.load8x8_s    | access/8         | i32 -> v128
    0x02 | v128.load8x8_u    | access/8         | i32 -> v128
    0x03 | v128.load16x4_s   | access/8         | i32 -> v128
    0x04 | v128.load16x4_u   | access/8         | i32 -> v128
    0x05 | v128.load32x2_s   | access/8         | i32 -> v128
    0x06 | v128.load32x2_u   | access/8         | i32 -> v128
    0x07 | v128.load8_splat  | access/1         | i32 -> v128
    0x08 | v128.load16_splat | access/2         | i32 -> v128
    0x09 | v128.load32_splat | access/4         | i32 -> v128
    0x0A | v128.load64_splat | access/8         | i32 -> v128
    0x0B | v128.store        | access/16        | i32 v128 ->
    0x54 | v128.load8_lane   | access/1 lane/16 | i32 v128 -> v128
    0x55 | v128.load16_lane  | access/2 lane/8  | i32 v128 -> v128
    0x56 | v128.load32_lane  | access/4 lane/4  | i32 v128 -> v128
    0x57 | v128.load64_lane  | access/8 lane/2  | i32 v128 -> v128
    0x58 | v128.store8_lane  | access/1 lane/16 | i32 v128 ->
    0x59 | v128.store16_lane | access/2 lane/8  | i32 v128 ->
    0x5A | v128.store32_lane | access/4 lane/4  | i32 v128 ->
    0x5B | v128.store64_lane | access/8 lane/2  | i32 v128 ->
    0x5C | v128.load32_zero  | access/4         | i32 -> v128
    0x5D | v128.load64_zero  | access/8         | i32 -> v128
    """,
    feature="simd",
    prefix=0xFD,
)

#: Constants, single lanes, orders of lanes.
LANES: tuple[Opcode, ...] = read_table(
    """
    0x0C | v128.const           | v128    | -> v128
    0x0D | i8x16.shuffle        | shuffle | v128 v128 -> v128
    0x0E | i8x16.swizzle        |         | v128 v128 -> v128
    0x0F | i8x16.splat          |         | i32 -> v128
    0x10 | i16x8.splat          |         | i32 -> v128
    0x11 | i32x4.splat          |         | i32 -> v128
    0x12 | i64x2.splat          |         | i64 -> v128
    0x13 | f32x4.splat          |         | f32 -> v128
    0x14 | f64x2.splat          |         | f64 -> v128
    0x15 | i8x16.extract_lane_s | lane/16 | v128 -> i32
    0x16 | i8x16.extract_lane_u | lane/16 | v128 -> i32
    0x17 | i8x16.replace_lane   | lane/16 | v128 i32 -> v128
    0x18 | i16x8.extract_lane_s | lane/8  | v128 -> i32
    0x19 | i16x8.extract_lane_u | lane/8  | v128 -> i32
    0x1A | i16x8.replace_lane   | lane/8  | v128 i32 -> v128
    0x1B | i32x4.extract_lane   | lane/4  | v128 -> i32
    0x1C | i32x4.replace_lane   | lane/4  | v128 i32 -> v128
    0x1D | i64x2.extract_lane   | lane/2  | v128 -> i64
    0x1E | i64x2.replace_lane   | lane/2  | v128 i64 -> v128
    0x1F | f32x4.extract_lane   | lane/4  | v128 -> f32
    0x20 | f32x4.replace_lane   | lane/4  | v128 f32 -> v128
    0x21 | f64x2.extract_lane   | lane/2  | v128 -> f64
    0x22 | f64x2.replace_lane   | lane/2  | v128 f64 -> v128
    """,
    feature="simd",
    prefix=0xFD,
)

#: Comparisons: all bits of a lane are set where it holds.
COMPARISONS: tuple[Opcode, ...] = read_table(
    """
    0x23 | i8x16.eq   |  | v128 v128 -> v128
    0x24 | i8x16.ne   |  | v128 v128 -> v128
    0x25 | i8x16.lt_s |  | v128 v128 -> v128
    0x26 | i8x16.lt_u |  | v128 v128 -> v128
    0x27 | i8x16.gt_s |  | v128 v128 -> v128
    0x28 | i8x16.gt_u |  | v128 v128 -> v128
    0x29 | i8x16.le_s |  | v128 v128 -> v128
    0x2A | i8x16.le_u |  | v128 v128 -> v128
    0x2B | i8x16.ge_s |  | v128 v128 -> v128
    0x2C | i8x16.ge_u |  | v128 v128 -> v128
    0x2D | i16x8.eq   |  | v128 v128 -> v128
    0x2E | i16x8.ne   |  | v128 v128 -> v128
    0x2F | i16x8.lt_s |  | v128 v128 -> v128
    0x30 | i16x8.lt_u |  | v128 v128 -> v128
    0x31 | i16x8.gt_s |  | v128 v128 -> v128
    0x32 | i16x8.gt_u |  | v128 v128 -> v128
    0x33 | i16x8.le_s |  | v128 v128 -> v128
    0x34 | i16x8.le_u |  | v128 v128 -> v128
    0x35 | i16x8.ge_s |  | v128 v128 -> v128
    0x36 | i16x8.ge_u |  | v128 v128 -> v128
    0x37 | i32x4.eq   |  | v128 v128 -> v128
    0x38 | i32x4.ne   |  | v128 v128 -> v128
    0x39 | i32x4.lt_s |  | v128 v128 -> v128
    0x3A | i32x4.lt_u |  | v128 v128 -> v128
    0x3B | i32x4.gt_s |  | v128 v128 -> v128
    0x3C | i32x4.gt_u |  | v128 v128 -> v128
    0x3D | i32x4.le_s |  | v128 v128 -> v128
    0x3E | i32x4.le_u |  | v128 v128 -> v128
    0x3F | i32x4.ge_s |  | v128 v128 -> v128
    0x40 | i32x4.ge_u |  | v128 v128 -> v128
    0x41 | f32x4.eq   |  | v128 v128 -> v128
    0x42 | f32x4.ne   |  | v128 v128 -> v128
    0x43 | f32x4.lt   |  | v128 v128 -> v128
    0x44 | f32x4.gt   |  | v128 v128 -> v128
    0x45 | f32x4.le   |  | v128 v128 -> v128
    0x46 | f32x4.ge   |  | v128 v128 -> v128
    0x47 | f64x2.eq   |  | v128 v128 -> v128
    0x48 | f64x2.ne   |  | v128 v128 -> v128
    0x49 | f64x2.lt   |  | v128 v128 -> v128
    0x4A | f64x2.gt   |  | v128 v128 -> v128
    0x4B | f64x2.le   |  | v128 v128 -> v128
    0x4C | f64x2.ge   |  | v128 v128 -> v128
    0xD6 | i64x2.eq   |  | v128 v128 -> v128
    0xD7 | i64x2.ne   |  | v128 v128 -> v128
    0xD8 | i64x2.lt_s |  | v128 v128 -> v128
    0xD9 | i64x2.gt_s |  | v128 v128 -> v128
    0xDA | i64x2.le_s |  | v128 v128 -> v128
    0xDB | i64x2.ge_s |  | v128 v128 -> v128
    """,
    feature="simd",
    prefix=0xFD,
)

#: Bits, and tests of all lanes.
BITS: tuple[Opcode, ...] = read_table(
    """
    0x4D | v128.not       |  | v128 -> v128
    0x4E | v128.and       |  | v128 v128 -> v128
    0x4F | v128.andnot    |  | v128 v128 -> v128
    0x50 | v128.or        |  | v128 v128 -> v128
    0x51 | v128.xor       |  | v128 v128 -> v128
    0x52 | v128.bitselect |  | v128 v128 v128 -> v128
    0x53 | v128.any_true  |  | v128 -> i32
    0x63 | i8x16.all_true |  | v128 -> i32
    0x64 | i8x16.bitmask  |  | v128 -> i32
    0x83 | i16x8.all_true |  | v128 -> i32
    0x84 | i16x8.bitmask  |  | v128 -> i32
    0xA3 | i32x4.all_true |  | v128 -> i32
    0xA4 | i32x4.bitmask  |  | v128 -> i32
    0xC3 | i64x2.all_true |  | v128 -> i32
    0xC4 | i64x2.bitmask  |  | v128 -> i32
    """,
    feature="simd",
    prefix=0xFD,
)

#: Arithmetic of integers.
INTEGERS: tuple[Opcode, ...] = read_table(
    """
    0x60 | i8x16.abs           |  | v128 -> v128
    0x61 | i8x16.neg           |  | v128 -> v128
    0x62 | i8x16.popcnt        |  | v128 -> v128
    0x6B | i8x16.shl           |  | v128 i32 -> v128
    0x6C | i8x16.shr_s         |  | v128 i32 -> v128
    0x6D | i8x16.shr_u         |  | v128 i32 -> v128
    0x6E | i8x16.add           |  | v128 v128 -> v128
    0x6F | i8x16.add_sat_s     |  | v128 v128 -> v128
    0x70 | i8x16.add_sat_u     |  | v128 v128 -> v128
    0x71 | i8x16.sub           |  | v128 v128 -> v128
    0x72 | i8x16.sub_sat_s     |  | v128 v128 -> v128
    0x73 | i8x16.sub_sat_u     |  | v128 v128 -> v128
    0x76 | i8x16.min_s         |  | v128 v128 -> v128
    0x77 | i8x16.min_u         |  | v128 v128 -> v128
    0x78 | i8x16.max_s         |  | v128 v128 -> v128
    0x79 | i8x16.max_u         |  | v128 v128 -> v128
    0x7B | i8x16.avgr_u        |  | v128 v128 -> v128
    0x80 | i16x8.abs           |  | v128 -> v128
    0x81 | i16x8.neg           |  | v128 -> v128
    0x82 | i16x8.q15mulr_sat_s |  | v128 v128 -> v128
    0x8B | i16x8.shl           |  | v128 i32 -> v128
    0x8C | i16x8.shr_s         |  | v128 i32 -> v128
    0x8D | i16x8.shr_u         |  | v128 i32 -> v128
    0x8E | i16x8.add           |  | v128 v128 -> v128
    0x8F | i16x8.add_sat_s     |  | v128 v128 -> v128
    0x90 | i16x8.add_sat_u     |  | v128 v128 -> v128
    0x91 | i16x8.sub           |  | v128 v128 -> v128
    0x92 | i16x8.sub_sat_s     |  | v128 v128 -> v128
    0x93 | i16x8.sub_sat_u     |  | v128 v128 -> v128
    0x95 | i16x8.mul           |  | v128 v128 -> v128
    0x96 | i16x8.min_s         |  | v128 v128 -> v128
    0x97 | i16x8.min_u         |  | v128 v128 -> v128
    0x98 | i16x8.max_s         |  | v128 v128 -> v128
    0x99 | i16x8.max_u         |  | v128 v128 -> v128
    0x9B | i16x8.avgr_u        |  | v128 v128 -> v128
    0xA0 | i32x4.abs           |  | v128 -> v128
    0xA1 | i32x4.neg           |  | v128 -> v128
    0xAB | i32x4.shl           |  | v128 i32 -> v128
    0xAC | i32x4.shr_s         |  | v128 i32 -> v128
    0xAD | i32x4.shr_u         |  | v128 i32 -> v128
    0xAE | i32x4.add           |  | v128 v128 -> v128
    0xB1 | i32x4.sub           |  | v128 v128 -> v128
    0xB5 | i32x4.mul           |  | v128 v128 -> v128
    0xB6 | i32x4.min_s         |  | v128 v128 -> v128
    0xB7 | i32x4.min_u         |  | v128 v128 -> v128
    0xB8 | i32x4.max_s         |  | v128 v128 -> v128
    0xB9 | i32x4.max_u         |  | v128 v128 -> v128
    0xBA | i32x4.dot_i16x8_s   |  | v128 v128 -> v128
    0xC0 | i64x2.abs           |  | v128 -> v128
    0xC1 | i64x2.neg           |  | v128 -> v128
    0xCB | i64x2.shl           |  | v128 i32 -> v128
    0xCC | i64x2.shr_s         |  | v128 i32 -> v128
    0xCD | i64x2.shr_u         |  | v128 i32 -> v128
    0xCE | i64x2.add           |  | v128 v128 -> v128
    0xD1 | i64x2.sub           |  | v128 v128 -> v128
    0xD5 | i64x2.mul           |  | v128 v128 -> v128
    """,
    feature="simd",
    prefix=0xFD,
)

#: Integers that become wider or narrower.
WIDTHS: tuple[Opcode, ...] = read_table(
    """
    0x65 | i8x16.narrow_i16x8_s          |  | v128 v128 -> v128
    0x66 | i8x16.narrow_i16x8_u          |  | v128 v128 -> v128
    0x85 | i16x8.narrow_i32x4_s          |  | v128 v128 -> v128
    0x86 | i16x8.narrow_i32x4_u          |  | v128 v128 -> v128
    0x7C | i16x8.extadd_pairwise_i8x16_s |  | v128 -> v128
    0x7D | i16x8.extadd_pairwise_i8x16_u |  | v128 -> v128
    0x7E | i32x4.extadd_pairwise_i16x8_s |  | v128 -> v128
    0x7F | i32x4.extadd_pairwise_i16x8_u |  | v128 -> v128
    0x87 | i16x8.extend_low_i8x16_s      |  | v128 -> v128
    0x88 | i16x8.extend_high_i8x16_s     |  | v128 -> v128
    0x89 | i16x8.extend_low_i8x16_u      |  | v128 -> v128
    0x8A | i16x8.extend_high_i8x16_u     |  | v128 -> v128
    0x9C | i16x8.extmul_low_i8x16_s      |  | v128 v128 -> v128
    0x9D | i16x8.extmul_high_i8x16_s     |  | v128 v128 -> v128
    0x9E | i16x8.extmul_low_i8x16_u      |  | v128 v128 -> v128
    0x9F | i16x8.extmul_high_i8x16_u     |  | v128 v128 -> v128
    0xA7 | i32x4.extend_low_i16x8_s      |  | v128 -> v128
    0xA8 | i32x4.extend_high_i16x8_s     |  | v128 -> v128
    0xA9 | i32x4.extend_low_i16x8_u      |  | v128 -> v128
    0xAA | i32x4.extend_high_i16x8_u     |  | v128 -> v128
    0xBC | i32x4.extmul_low_i16x8_s      |  | v128 v128 -> v128
    0xBD | i32x4.extmul_high_i16x8_s     |  | v128 v128 -> v128
    0xBE | i32x4.extmul_low_i16x8_u      |  | v128 v128 -> v128
    0xBF | i32x4.extmul_high_i16x8_u     |  | v128 v128 -> v128
    0xC7 | i64x2.extend_low_i32x4_s      |  | v128 -> v128
    0xC8 | i64x2.extend_high_i32x4_s     |  | v128 -> v128
    0xC9 | i64x2.extend_low_i32x4_u      |  | v128 -> v128
    0xCA | i64x2.extend_high_i32x4_u     |  | v128 -> v128
    0xDC | i64x2.extmul_low_i32x4_s      |  | v128 v128 -> v128
    0xDD | i64x2.extmul_high_i32x4_s     |  | v128 v128 -> v128
    0xDE | i64x2.extmul_low_i32x4_u      |  | v128 v128 -> v128
    0xDF | i64x2.extmul_high_i32x4_u     |  | v128 v128 -> v128
    """,
    feature="simd",
    prefix=0xFD,
)

#: Arithmetic and conversions of floating-point numbers.
FLOATS: tuple[Opcode, ...] = read_table(
    """
    0x67 | f32x4.ceil                   |  | v128 -> v128
    0x68 | f32x4.floor                  |  | v128 -> v128
    0x69 | f32x4.trunc                  |  | v128 -> v128
    0x6A | f32x4.nearest                |  | v128 -> v128
    0xE0 | f32x4.abs                    |  | v128 -> v128
    0xE1 | f32x4.neg                    |  | v128 -> v128
    0xE3 | f32x4.sqrt                   |  | v128 -> v128
    0xE4 | f32x4.add                    |  | v128 v128 -> v128
    0xE5 | f32x4.sub                    |  | v128 v128 -> v128
    0xE6 | f32x4.mul                    |  | v128 v128 -> v128
    0xE7 | f32x4.div                    |  | v128 v128 -> v128
    0xE8 | f32x4.min                    |  | v128 v128 -> v128
    0xE9 | f32x4.max                    |  | v128 v128 -> v128
    0xEA | f32x4.pmin                   |  | v128 v128 -> v128
    0xEB | f32x4.pmax                   |  | v128 v128 -> v128
    0x74 | f64x2.ceil                   |  | v128 -> v128
    0x75 | f64x2.floor                  |  | v128 -> v128
    0x7A | f64x2.trunc                  |  | v128 -> v128
    0x94 | f64x2.nearest                |  | v128 -> v128
    0xEC | f64x2.abs                    |  | v128 -> v128
    0xED | f64x2.neg                    |  | v128 -> v128
    0xEF | f64x2.sqrt                   |  | v128 -> v128
    0xF0 | f64x2.add                    |  | v128 v128 -> v128
    0xF1 | f64x2.sub                    |  | v128 v128 -> v128
    0xF2 | f64x2.mul                    |  | v128 v128 -> v128
    0xF3 | f64x2.div                    |  | v128 v128 -> v128
    0xF4 | f64x2.min                    |  | v128 v128 -> v128
    0xF5 | f64x2.max                    |  | v128 v128 -> v128
    0xF6 | f64x2.pmin                   |  | v128 v128 -> v128
    0xF7 | f64x2.pmax                   |  | v128 v128 -> v128
    0x5E | f32x4.demote_f64x2_zero      |  | v128 -> v128
    0x5F | f64x2.promote_low_f32x4      |  | v128 -> v128
    0xF8 | i32x4.trunc_sat_f32x4_s      |  | v128 -> v128
    0xF9 | i32x4.trunc_sat_f32x4_u      |  | v128 -> v128
    0xFA | f32x4.convert_i32x4_s        |  | v128 -> v128
    0xFB | f32x4.convert_i32x4_u        |  | v128 -> v128
    0xFC | i32x4.trunc_sat_f64x2_s_zero |  | v128 -> v128
    0xFD | i32x4.trunc_sat_f64x2_u_zero |  | v128 -> v128
    0xFE | f64x2.convert_low_i32x4_s    |  | v128 -> v128
    0xFF | f64x2.convert_low_i32x4_u    |  | v128 -> v128
    """,
    feature="simd",
    prefix=0xFD,
)
