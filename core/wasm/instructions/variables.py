"""Instructions on operands, locals, globals and references."""

from core.wasm.instructions.opcode import Opcode, read_table

#: Operands are dropped or selected.
OPERANDS: tuple[Opcode, ...] = read_table(
    """
    0x1A | drop   |  | rule drop
    0x1B | select |  | rule select
    """,
    feature="mvp",
)

#: Selection with the type in the instruction, as references need it.
TYPED_SELECT: tuple[Opcode, ...] = read_table(
    """
    0x1C | select | types | rule typed_select
    """,
    feature="reference_types",
)

#: Locals and globals; ``$local`` is the type of the variable.
VARIABLES: tuple[Opcode, ...] = read_table(
    """
    0x20 | local.get  | local          | -> $local
    0x21 | local.set  | local          | $local ->
    0x22 | local.tee  | local          | $local -> $local
    0x23 | global.get | global         | -> $global
    0x24 | global.set | mutable_global | $mutable_global ->
    """,
    feature="mvp",
)

#: References.
REFERENCES: tuple[Opcode, ...] = read_table(
    """
    0xD0 | ref.null    | reference         | -> $reference
    0xD1 | ref.is_null |                   | rule ref.is_null
    0xD2 | ref.func    | declared_function | -> funcref
    """,
    feature="reference_types",
)
