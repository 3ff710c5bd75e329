"""Instructions on floating-point numbers: constants, comparisons, arithmetic."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Instructions on 32 bits.
F32: tuple[Opcode, ...] = read_table(
    """
    0x43 | f32.const    | f32 | -> f32
    0x5B | f32.eq       |     | f32 f32 -> i32
    0x5C | f32.ne       |     | f32 f32 -> i32
    0x5D | f32.lt       |     | f32 f32 -> i32
    0x5E | f32.gt       |     | f32 f32 -> i32
    0x5F | f32.le       |     | f32 f32 -> i32
    0x60 | f32.ge       |     | f32 f32 -> i32
    0x8B | f32.abs      |     | f32 -> f32
    0x8C | f32.neg      |     | f32 -> f32
    0x8D | f32.ceil     |     | f32 -> f32
    0x8E | f32.floor    |     | f32 -> f32
    0x8F | f32.trunc    |     | f32 -> f32
    0x90 | f32.nearest  |     | f32 -> f32
    0x91 | f32.sqrt     |     | f32 -> f32
    0x92 | f32.add      |     | f32 f32 -> f32
    0x93 | f32.sub      |     | f32 f32 -> f32
    0x94 | f32.mul      |     | f32 f32 -> f32
    0x95 | f32.div      |     | f32 f32 -> f32
    0x96 | f32.min      |     | f32 f32 -> f32
    0x97 | f32.max      |     | f32 f32 -> f32
    0x98 | f32.copysign |     | f32 f32 -> f32
    """,
    feature="mvp",
)

#: Instructions on 64 bits.
F64: tuple[Opcode, ...] = read_table(
    """
    0x44 | f64.const    | f64 | -> f64
    0x61 | f64.eq       |     | f64 f64 -> i32
    0x62 | f64.ne       |     | f64 f64 -> i32
    0x63 | f64.lt       |     | f64 f64 -> i32
    0x64 | f64.gt       |     | f64 f64 -> i32
    0x65 | f64.le       |     | f64 f64 -> i32
    0x66 | f64.ge       |     | f64 f64 -> i32
    0x99 | f64.abs      |     | f64 -> f64
    0x9A | f64.neg      |     | f64 -> f64
    0x9B | f64.ceil     |     | f64 -> f64
    0x9C | f64.floor    |     | f64 -> f64
    0x9D | f64.trunc    |     | f64 -> f64
    0x9E | f64.nearest  |     | f64 -> f64
    0x9F | f64.sqrt     |     | f64 -> f64
    0xA0 | f64.add      |     | f64 f64 -> f64
    0xA1 | f64.sub      |     | f64 f64 -> f64
    0xA2 | f64.mul      |     | f64 f64 -> f64
    0xA3 | f64.div      |     | f64 f64 -> f64
    0xA4 | f64.min      |     | f64 f64 -> f64
    0xA5 | f64.max      |     | f64 f64 -> f64
    0xA6 | f64.copysign |     | f64 f64 -> f64
    """,
    feature="mvp",
)
