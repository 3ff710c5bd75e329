"""Small valid modules: one for each row of the table, and some that use every section."""

from core.wasm.instructions import ALL, BY_NAME, Opcode
from core.wasm.module import (
    CustomSection,
    Data,
    Element,
    Export,
    Function,
    Global,
    Import,
    Instruction,
    MemoryAccess,
    Module,
    instruction,
)
from core.wasm.types import FunctionType, GlobalType, Limits, MemoryType, TableType

#: A value for each kind of immediates, of the module that `around` makes.
VALUES = {
    "local": 0,
    "global": 0,
    "mutable_global": 0,
    "table": 0,
    "table_of_the_type": 1,
    "element": 0,
    "element_for_table": 0,
    "memory": 0,
    "zero": 0,
    "lane": 1,
    "shuffle": tuple(range(3, 19)),
    "function": 0,
    "declared_function": 0,
    "type": 0,
    "data": 0,
    "reference": "funcref",
    "i32": -7,
    "i64": -(2**40),
    "f32": 0x7FA00001,
    "f64": 0x3FF8000000000000,
    "v128": bytes(range(16)),
}

#: Types of the variables that immediates name there.
VARIABLES = {
    "$local": "i32",
    "$global": "i32",
    "$mutable_global": "i32",
    "$table": "funcref",
    "$reference": "funcref",
}

i = instruction
TYPED_SELECT = next(row for row in ALL if row.rule == "typed_select")

#: Bodies for the instructions that have a rule.
BY_RULE = {
    "unreachable": (i("unreachable"), i("i32.add"), i("drop")),
    "block": (i("block", "i32"), i("i32.const", 1), i("end"), i("drop")),
    "loop": (i("loop", None), i("end")),
    "if": (i("i32.const", 1), i("if", None), i("nop"), i("end")),
    "else": (
        *(i("i32.const", 1), i("if", "i32"), i("i32.const", 1)),
        *(i("else"), i("i32.const", 2), i("end"), i("drop")),
    ),
    "end": (i("i32.const", 3), i("block", 1), i("drop"), i("end")),
    "br": (i("block", None), i("br", 0), i("end")),
    "br_if": (i("loop", None), i("i32.const", 0), i("br_if", 0), i("end")),
    "br_table": (
        *(i("block", None), i("block", None), i("i32.const", 0)),
        *(i("br_table", (0, 1, 0)), i("end"), i("end")),
    ),
    "return": (i("return"),),
    "call": (i("call", 0),),
    "call_indirect": (i("i32.const", 0), i("call_indirect", 0, 0)),
    "drop": (i("i64.const", 1), i("drop")),
    "select": (i("f32.const", 1.0), i("f32.const", 2.0), i("i32.const", 1), i("select"), i("drop")),
    "typed_select": (
        *(i("ref.null", "externref"), i("ref.null", "externref"), i("i32.const", 1)),
        *(
            Instruction(next(r for r in ALL if r.rule == "typed_select"), (("externref",),)),
            i("drop"),
        ),
    ),
    "ref.is_null": (i("ref.null", "externref"), i("ref.is_null"), i("drop")),
}


def constant(type_: str) -> Instruction:
    """An instruction that puts a value of a type on the stack."""
    if type_ in ("funcref", "externref"):
        return instruction("ref.null", type_)
    value = bytes(16) if type_ == "v128" else 0
    return Instruction(BY_NAME[f"{type_}.const"], (value,))


def body_with(row: Opcode) -> tuple[Instruction, ...]:
    """A valid body with an instruction."""
    if row.rule:
        return BY_RULE[row.rule]
    values = []
    for each in row.immediates:
        access = MemoryAccess(each.number.bit_length() - 1, 16)
        values.append(access if each.kind in ("access", "atomic") else VALUES[each.kind])
    operands = [constant(VARIABLES.get(t, t)) for t in row.parameters]
    dropped = [instruction("drop") for _ in row.results]
    return (*operands, Instruction(row, tuple(values)), *dropped)


def around(*bodies: tuple[Instruction, ...]) -> Module:
    """A module with some bodies, each of a function that takes and returns nothing."""
    return Module(
        types=(FunctionType(), FunctionType(("i32",))),
        functions=tuple(Function(0, ("i32", "f64", "f64"), body) for body in bodies),
        tables=(TableType("funcref", Limits(2)), TableType("funcref", Limits(1, 9))),
        memories=(MemoryType(Limits(1, 2), shared=True),),
        globals=(Global(GlobalType("i32", True), (instruction("i32.const", 5),)),),
        exports=(Export("f", "func", 0), Export("memory", "memory", 0)),
        elements=(Element("passive", ((instruction("ref.func", 0),),), form=1),),
        data=(Data(b"abc"),),
        has_data_count=True,
    )


def with_all_sections() -> Module:
    """A module that has something in every section."""
    zero = (instruction("i32.const", 0),)
    function = instruction("ref.func", 1)
    return Module(
        types=(
            FunctionType(),
            FunctionType(("i32", "i64"), ("f32", "f64")),
            FunctionType(("i32",)),
        ),
        imports=(
            Import("env", "f", 0),
            Import("env", "t", TableType("externref", Limits(1, 3))),
            Import("env", "g", GlobalType("i32")),
        ),
        functions=(
            Function(0, ("i32", "i32", "v128"), body_with(BY_NAME["br_table"])),
            Function(1, (), (instruction("f32.const", 1.5), instruction("f64.const", 2.5))),
        ),
        tables=(TableType("funcref", Limits(4)),),
        memories=(MemoryType(Limits(1)),),
        globals=(Global(GlobalType("i32"), (instruction("global.get", 0),)),),
        exports=(
            *(Export("é", "func", 1), Export("t", "table", 1)),
            *(Export("m", "memory", 0), Export("g", "global", 1)),
        ),
        start=1,
        elements=(
            Element("active", ((function,),), table=1, offset=zero, form=2),
            Element("passive", ((function,), (instruction("ref.null", "funcref"),)), form=5),
            Element("declarative", ((function,),), form=3),
            Element("active", ((instruction("ref.null", "externref"),),), "externref", 0, zero, 6),
        ),
        data=(Data(b"\0\xff", (instruction("global.get", 0),)), Data(b"passive")),
        has_data_count=True,
        custom=(CustomSection("producers", b"\0", 11), CustomSection("first", b"x", 0)),
    )
