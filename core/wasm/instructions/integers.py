"""Instructions on integers: constants, comparisons, arithmetic, bits."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Instructions on 32 bits.
I32: tuple[Opcode, ...] = read_table(
    """
    0x41 | i32.const  | i32 | -> i32
    0x45 | i32.eqz    |     | i32 -> i32
    0x46 | i32.eq     |     | i32 i32 -> i32
    0x47 | i32.ne     |     | i32 i32 -> i32
    0x48 | i32.lt_s   |     | i32 i32 -> i32
    0x49 | i32.lt_u   |     | i32 i32 -> i32
    0x4A | i32.gt_s   |     | i32 i32 -> i32
    0x4B | i32.gt_u   |     | i32 i32 -> i32
    0x4C | i32.le_s   |     | i32 i32 -> i32
    0x4D | i32.le_u   |     | i32 i32 -> i32
    0x4E | i32.ge_s   |     | i32 i32 -> i32
    0x4F | i32.ge_u   |     | i32 i32 -> i32
    0x67 | i32.clz    |     | i32 -> i32
    0x68 | i32.ctz    |     | i32 -> i32
    0x69 | i32.popcnt |     | i32 -> i32
    0x6A | i32.add    |     | i32 i32 -> i32
    0x6B | i32.sub    |     | i32 i32 -> i32
    0x6C | i32.mul    |     | i32 i32 -> i32
    0x6D | i32.div_s  |     | i32 i32 -> i32
    0x6E | i32.div_u  |     | i32 i32 -> i32
    0x6F | i32.rem_s  |     | i32 i32 -> i32
    0x70 | i32.rem_u  |     | i32 i32 -> i32
    0x71 | i32.and    |     | i32 i32 -> i32
    0x72 | i32.or     |     | i32 i32 -> i32
    0x73 | i32.xor    |     | i32 i32 -> i32
    0x74 | i32.shl    |     | i32 i32 -> i32
    0x75 | i32.shr_s  |     | i32 i32 -> i32
    0x76 | i32.shr_u  |     | i32 i32 -> i32
    0x77 | i32.rotl   |     | i32 i32 -> i32
    0x78 | i32.rotr   |     | i32 i32 -> i32
    """,
    feature="mvp",
)

#: Instructions on 64 bits.
I64: tuple[Opcode, ...] = read_table(
    """
    0x42 | i64.const  | i64 | -> i64
    0x50 | i64.eqz    |     | i64 -> i32
    0x51 | i64.eq     |     | i64 i64 -> i32
    0x52 | i64.ne     |     | i64 i64 -> i32
    0x53 | i64.lt_s   |     | i64 i64 -> i32
    0x54 | i64.lt_u   |     | i64 i64 -> i32
    0x55 | i64.gt_s   |     | i64 i64 -> i32
    0x56 | i64.gt_u   |     | i64 i64 -> i32
    0x57 | i64.le_s   |     | i64 i64 -> i32
    0x58 | i64.le_u   |     | i64 i64 -> i32
    0x59 | i64.ge_s   |     | i64 i64 -> i32
    0x5A | i64.ge_u   |     | i64 i64 -> i32
    0x79 | i64.clz    |     | i64 -> i64
    0x7A | i64.ctz    |     | i64 -> i64
    0x7B | i64.popcnt |     | i64 -> i64
    0x7C | i64.add    |     | i64 i64 -> i64
    0x7D | i64.sub    |     | i64 i64 -> i64
    0x7E | i64.mul    |     | i64 i64 -> i64
    0x7F | i64.div_s  |     | i64 i64 -> i64
    0x80 | i64.div_u  |     | i64 i64 -> i64
    0x81 | i64.rem_s  |     | i64 i64 -> i64
    0x82 | i64.rem_u  |     | i64 i64 -> i64
    0x83 | i64.and    |     | i64 i64 -> i64
    0x84 | i64.or     |     | i64 i64 -> i64
    0x85 | i64.xor    |     | i64 i64 -> i64
    0x86 | i64.shl    |     | i64 i64 -> i64
    0x87 | i64.shr_s  |     | i64 i64 -> i64
    0x88 | i64.shr_u  |     | i64 i64 -> i64
    0x89 | i64.rotl   |     | i64 i64 -> i64
    0x8A | i64.rotr   |     | i64 i64 -> i64
    """,
    feature="mvp",
)

#: Sign extension of the lowest bits.
SIGN_EXTENSIONS: tuple[Opcode, ...] = read_table(
    """
    0xC0 | i32.extend8_s  |  | i32 -> i32
    0xC1 | i32.extend16_s |  | i32 -> i32
    0xC2 | i64.extend8_s  |  | i64 -> i64
    0xC3 | i64.extend16_s |  | i64 -> i64
    0xC4 | i64.extend32_s |  | i64 -> i64
    """,
    feature="sign_extension",
)
