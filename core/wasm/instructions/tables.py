"""Instructions on tables, and on many elements at once."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Single elements; ``$table`` is the type of the table's elements.
TABLES: tuple[Opcode, ...] = read_table(
    """
    0x25 | table.get | table | i32 -> $table
    0x26 | table.set | table | i32 $table ->
    """,
    feature="reference_types",
)

#: Copies from segments and tables.
BULK: tuple[Opcode, ...] = read_table(
    """
    0x0C | table.init | element_for_table table | i32 i32 i32 ->
    0x0D | elem.drop  | element                 | ->
    0x0E | table.copy | table table_of_the_type | i32 i32 i32 ->
    """,
    feature="bulk_memory",
    prefix=0xFC,
)

#: Sizes and fills.
SIZES: tuple[Opcode, ...] = read_table(
    """
    0x0F | table.grow | table | $table i32 -> i32
    0x10 | table.size | table | -> i32
    0x11 | table.fill | table | i32 $table i32 ->
    """,
    feature="reference_types",
    prefix=0xFC,
)
