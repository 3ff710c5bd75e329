"""Instructions that direct the flow: blocks, branches, calls."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Blocks, branches and calls.
CONTROL: tuple[Opcode, ...] = read_table(
    """
    0x00 | unreachable   |            | rule unreachable
    0x01 | nop           |            | ->
    0x02 | block         | block      | rule block
    0x03 | loop          | block      | rule loop
    0x04 | if            | block      | rule if
    0x05 | else          |            | rule else
    0x0B | end           |            | rule end
    0x0C | br            | label      | rule br
    0x0D | br_if         | label      | rule br_if
    0x0E | br_table      | labels     | rule br_table
    0x0F | return        |            | rule return
    0x10 | call          | function   | rule call
    0x11 | call_indirect | type table | rule call_indirect
    """,
    feature="mvp",
)
