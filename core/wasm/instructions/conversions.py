"""Conversions between types of numbers."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Conversions; those of floats out of range trap.
CONVERSIONS: tuple[Opcode, ...] = read_table(
    """
    0xA7 | i32.wrap_i64        |  | i64 -> i32
    0xA8 | i32.trunc_f32_s     |  | f32 -> i32
    0xA9 | i32.trunc_f32_u     |  | f32 -> i32
    0xAA | i32.trunc_f64_s     |  | f64 -> i32
    0xAB | i32.trunc_f64_u     |  | f64 -> i32
    0xAC | i64.extend_i32_s    |  | i32 -> i64
    0xAD | i64.extend_i32_u    |  | i32 -> i64
    0xAE | i64.trunc_f32_s     |  | f32 -> i64
    0xAF | i64.trunc_f32_u     |  | f32 -> i64
    0xB0 | i64.trunc_f64_s     |  | f64 -> i64
    0xB1 | i64.trunc_f64_u     |  | f64 -> i64
    0xB2 | f32.convert_i32_s   |  | i32 -> f32
    0xB3 | f32.convert_i32_u   |  | i32 -> f32
    0xB4 | f32.convert_i64_s   |  | i64 -> f32
    0xB5 | f32.convert_i64_u   |  | i64 -> f32
    0xB6 | f32.demote_f64      |  | f64 -> f32
    0xB7 | f64.convert_i32_s   |  | i32 -> f64
    0xB8 | f64.convert_i32_u   |  | i32 -> f64
    0xB9 | f64.convert_i64_s   |  | i64 -> f64
    0xBA | f64.convert_i64_u   |  | i64 -> f64
    0xBB | f64.promote_f32     |  | f32 -> f64
    0xBC | i32.reinterpret_f32 |  | f32 -> i32
    0xBD | i64.reinterpret_f64 |  | f64 -> i64
    0xBE | f32.reinterpret_i32 |  | i32 -> f32
    0xBF | f64.reinterpret_i64 |  | i64 -> f64
    """,
    feature="mvp",
)

#: Conversions that give the nearest integer where the float is out of range.
SATURATING: tuple[Opcode, ...] = read_table(
    """
    0x00 | i32.trunc_sat_f32_s |  | f32 -> i32
    0x01 | i32.trunc_sat_f32_u |  | f32 -> i32
    0x02 | i32.trunc_sat_f64_s |  | f64 -> i32
    0x03 | i32.trunc_sat_f64_u |  | f64 -> i32
    0x04 | i64.trunc_sat_f32_s |  | f32 -> i64
    0x05 | i64.trunc_sat_f32_u |  | f32 -> i64
    0x06 | i64.trunc_sat_f64_s |  | f64 -> i64
    0x07 | i64.trunc_sat_f64_u |  | f64 -> i64
    """,
    feature="saturating_float_to_int",
    prefix=0xFC,
)
