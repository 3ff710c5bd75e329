"""Rows of the table of instructions, and how a table of text becomes rows.

A line of a table is ``code | name | immediates | stack``:

- The code follows the prefix of the table, if there is one.
- Immediates are separated by blanks. A number behind a slash is a property of the immediate: the
  bytes that ``access/4`` accesses, the lanes from which ``lane/16`` selects one.
- The stack is ``parameters -> results``, each a value type or ``$immediate``, the type of the
  variable that the immediate names. ``rule NAME`` stands for what only code can say, such as how
  ``br_if`` types the stack: the validator has a function for each of these names.
"""

from typing import NamedTuple


class Immediate(NamedTuple):
    """An operand in the code itself: a kind and a number, such as the bytes that are accessed."""

    kind: str
    number: int = 0


class Opcode(NamedTuple):
    """One row: everything that is known of an instruction.

    Attributes:
        code: what stands in the code, behind the prefix.
        prefix: the byte before the code, or None.
        name: the instruction in the text format.
        immediates: operands in the code.
        parameters: types that are taken from the stack; the last one is on top.
        results: types that are put on the stack.
        rule: name of the rule that types the stack where the two do not say it, or "".
        feature: the extension of WebAssembly that brought the instruction.
    """

    code: int
    prefix: int | None
    name: str
    immediates: tuple[Immediate, ...]
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    rule: str
    feature: str


def read_table(text: str, *, feature: str, prefix: int | None = None) -> tuple[Opcode, ...]:
    """Return the rows of a table of text.

    Args:
        text: lines as described above.
        feature: the extension of WebAssembly to which the rows belong.
        prefix: the byte before each code.

    >>> (row,) = read_table("0x28 | i32.load | access/4 | i32 -> i32", feature="mvp")
    >>> row.name, row.immediates[0].number, row.parameters, row.results
    ('i32.load', 4, ('i32',), ('i32',))
    """
    lines = [line for line in text.splitlines() if line.strip()]
    return tuple(_read_row(line, feature, prefix) for line in lines)


def _read_row(line: str, feature: str, prefix: int | None) -> Opcode:
    code, name, immediates, stack = (part.strip() for part in line.split("|"))
    is_rule, rule = stack.startswith("rule "), stack.removeprefix("rule ")
    before, after = ("", "") if is_rule else stack.split("->")
    return Opcode(
        code=int(code, 16),
        prefix=prefix,
        name=name,
        immediates=tuple(_read_immediate(word) for word in immediates.split()),
        parameters=tuple(before.split()),
        results=tuple(after.split()),
        rule=rule if is_rule else "",
        feature=feature,
    )


def _read_immediate(word: str) -> Immediate:
    kind, _, number = word.partition("/")
    return Immediate(kind, int(number or 0))
