"""Instructions on the linear memory; ``access/4`` accesses 4 bytes."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Loads, stores, size.
MEMORY: tuple[Opcode, ...] = read_table(
    """
    0x28 | i32.load     | access/4 | i32 -> i32
    0x29 | i64.load     | access/8 | i32 -> i64
    0x2A | f32.load     | access/4 | i32 -> f32
    0x2B | f64.load     | access/8 | i32 -> f64
    0x2C | i32.load8_s  | access/1 | i32 -> i32
    0x2D | i32.load8_u  | access/1 | i32 -> i32
    0x2E | i32.load16_s | access/2 | i32 -> i32
    0x2F | i32.load16_u | access/2 | i32 -> i32
    0x30 | i64.load8_s  | access/1 | i32 -> i64
    0x31 | i64.load8_u  | access/1 | i32 -> i64
    0x32 | i64.load16_s | access/2 | i32 -> i64
    0x33 | i64.load16_u | access/2 | i32 -> i64
    0x34 | i64.load32_s | access/4 | i32 -> i64
    0x35 | i64.load32_u | access/4 | i32 -> i64
    0x36 | i32.store    | access/4 | i32 i32 ->
    0x37 | i64.store    | access/8 | i32 i64 ->
    0x38 | f32.store    | access/4 | i32 f32 ->
    0x39 | f64.store    | access/8 | i32 f64 ->
    0x3A | i32.store8   | access/1 | i32 i32 ->
    0x3B | i32.store16  | access/2 | i32 i32 ->
    0x3C | i64.store8   | access/1 | i32 i64 ->
    0x3D | i64.store16  | access/2 | i32 i64 ->
    0x3E | i64.store32  | access/4 | i32 i64 ->
    0x3F | memory.size  | memory   | -> i32
    0x40 | memory.grow  | memory   | i32 -> i32
    """,
    feature="mvp",
)

#: Copies from segments and of ranges.
BULK: tuple[Opcode, ...] = read_table(
    """
    0x08 | memory.init | data memory   | i32 i32 i32 ->
    0x09 | data.drop   | data          | ->
    0x0A | memory.copy | memory memory | i32 i32 i32 ->
    0x0B | memory.fill | memory        | i32 i32 i32 ->
    """,
    feature="bulk_memory",
    prefix=0xFC,
)
