"""Instructions of threads: waiting, waking, atomic accesses of a shared memory."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Threads wait for others; the fence orders accesses.
WAITING: tuple[Opcode, ...] = read_table(
    """
    0x00 | memory.atomic.notify | atomic/4 | i32 i32 -> i32
    0x01 | memory.atomic.wait32 | atomic/4 | i32 i32 i64 -> i32
    0x02 | memory.atomic.wait64 | atomic/8 | i32 i64 i64 -> i32
    0x03 | atomic.fence         | zero     | ->
    """,
    feature="threads",
    prefix=0xFE,
)

#: Loads and stores.
ACCESSES: tuple[Opcode, ...] = read_table(
    """
    0x10 | i32.atomic.load     | atomic/4 | i32 -> i32
    0x11 | i64.atomic.load     | atomic/8 | i32 -> i64
    0x12 | i32.atomic.load8_u  | atomic/1 | i32 -> i32
    0x13 | i32.atomic.load16_u | atomic/2 | i32 -> i32
    0x14 | i64.atomic.load8_u  | atomic/1 | i32 -> i64
    0x15 | i64.atomic.load16_u | atomic/2 | i32 -> i64
    0x16 | i64.atomic.load32_u | atomic/4 | i32 -> i64
    0x17 | i32.atomic.store    | atomic/4 | i32 i32 ->
    0x18 | i64.atomic.store    | atomic/8 | i32 i64 ->
    0x19 | i32.atomic.store8   | atomic/1 | i32 i32 ->
    0x1A | i32.atomic.store16  | atomic/2 | i32 i32 ->
    0x1B | i64.atomic.store8   | atomic/1 | i32 i64 ->
    0x1C | i64.atomic.store16  | atomic/2 | i32 i64 ->
    0x1D | i64.atomic.store32  | atomic/4 | i32 i64 ->
    """,
    feature="threads",
    prefix=0xFE,
)

#: Read, modify, write: the result is the value before.
CHANGES: tuple[Opcode, ...] = read_table(
    """
    0x1E | i32.atomic.rmw.add         | atomic/4 | i32 i32 -> i32
    0x1F | i64.atomic.rmw.add         | atomic/8 | i32 i64 -> i64
    0x20 | i32.atomic.rmw8.add_u      | atomic/1 | i32 i32 -> i32
    0x21 | i32.atomic.rmw16.add_u     | atomic/2 | i32 i32 -> i32
    0x22 | i64.atomic.rmw8.add_u      | atomic/1 | i32 i64 -> i64
    0x23 | i64.atomic.rmw16.add_u     | atomic/2 | i32 i64 -> i64
    0x24 | i64.atomic.rmw32.add_u     | atomic/4 | i32 i64 -> i64
    0x25 | i32.atomic.rmw.sub         | atomic/4 | i32 i32 -> i32
    0x26 | i64.atomic.rmw.sub         | atomic/8 | i32 i64 -> i64
    0x27 | i32.atomic.rmw8.sub_u      | atomic/1 | i32 i32 -> i32
    0x28 | i32.atomic.rmw16.sub_u     | atomic/2 | i32 i32 -> i32
    0x29 | i64.atomic.rmw8.sub_u      | atomic/1 | i32 i64 -> i64
    0x2A | i64.atomic.rmw16.sub_u     | atomic/2 | i32 i64 -> i64
    0x2B | i64.atomic.rmw32.sub_u     | atomic/4 | i32 i64 -> i64
    0x2C | i32.atomic.rmw.and         | atomic/4 | i32 i32 -> i32
    0x2D | i64.atomic.rmw.and         | atomic/8 | i32 i64 -> i64
    0x2E | i32.atomic.rmw8.and_u      | atomic/1 | i32 i32 -> i32
    0x2F | i32.atomic.rmw16.and_u     | atomic/2 | i32 i32 -> i32
    0x30 | i64.atomic.rmw8.and_u      | atomic/1 | i32 i64 -> i64
    0x31 | i64.atomic.rmw16.and_u     | atomic/2 | i32 i64 -> i64
    0x32 | i64.atomic.rmw32.and_u     | atomic/4 | i32 i64 -> i64
    0x33 | i32.atomic.rmw.or          | atomic/4 | i32 i32 -> i32
    0x34 | i64.atomic.rmw.or          | atomic/8 | i32 i64 -> i64
    0x35 | i32.atomic.rmw8.or_u       | atomic/1 | i32 i32 -> i32
    0x36 | i32.atomic.rmw16.or_u      | atomic/2 | i32 i32 -> i32
    0x37 | i64.atomic.rmw8.or_u       | atomic/1 | i32 i64 -> i64
    0x38 | i64.atomic.rmw16.or_u      | atomic/2 | i32 i64 -> i64
    0x39 | i64.atomic.rmw32.or_u      | atomic/4 | i32 i64 -> i64
    0x3A | i32.atomic.rmw.xor         | atomic/4 | i32 i32 -> i32
    0x3B | i64.atomic.rmw.xor         | atomic/8 | i32 i64 -> i64
    0x3C | i32.atomic.rmw8.xor_u      | atomic/1 | i32 i32 -> i32
    0x3D | i32.atomic.rmw16.xor_u     | atomic/2 | i32 i32 -> i32
    0x3E | i64.atomic.rmw8.xor_u      | atomic/1 | i32 i64 -> i64
    0x3F | i64.atomic.rmw16.xor_u     | atomic/2 | i32 i64 -> i64
    0x40 | i64.atomic.rmw32.xor_u     | atomic/4 | i32 i64 -> i64
    0x41 | i32.atomic.rmw.xchg        | atomic/4 | i32 i32 -> i32
    0x42 | i64.atomic.rmw.xchg        | atomic/8 | i32 i64 -> i64
    0x43 | i32.atomic.rmw8.xchg_u     | atomic/1 | i32 i32 -> i32
    0x44 | i32.atomic.rmw16.xchg_u    | atomic/2 | i32 i32 -> i32
    0x45 | i64.atomic.rmw8.xchg_u     | atomic/1 | i32 i64 -> i64
    0x46 | i64.atomic.rmw16.xchg_u    | atomic/2 | i32 i64 -> i64
    0x47 | i64.atomic.rmw32.xchg_u    | atomic/4 | i32 i64 -> i64
    0x48 | i32.atomic.rmw.cmpxchg     | atomic/4 | i32 i32 i32 -> i32
    0x49 | i64.atomic.rmw.cmpxchg     | atomic/8 | i32 i64 i64 -> i64
    0x4A | i32.atomic.rmw8.cmpxchg_u  | atomic/1 | i32 i32 i32 -> i32
    0x4B | i32.atomic.rmw16.cmpxchg_u | atomic/2 | i32 i32 i32 -> i32
    0x4C | i64.atomic.rmw8.cmpxchg_u  | atomic/1 | i32 i64 i64 -> i64
    0x4D | i64.atomic.rmw16.cmpxchg_u | atomic/2 | i32 i64 i64 -> i64
    0x4E | i64.atomic.rmw32.cmpxchg_u | atomic/4 | i32 i64 i64 -> i64
    """,
    feature="threads",
    prefix=0xFE,
)
