"""Documentation of the ops that are rows of tables: what each row says, with an example."""

from collections.abc import Sequence
from functools import cache
from inspect import cleandoc

from core.operation import Rule

#: Types of an input, by its kind in `core.dtypes.KINDS`; None takes any.
TAKES = {
    "float32": "float32; int32 and bool are converted to it",
    "real": "float32 or int32; bool becomes int32",
    "number": "float32, int32 or complex64; bool becomes int32",
    "int32": "int32; bool is converted to it",
    "bool": "bool",
    "no string": "of any dtype but string",
    None: "of any dtype",
}


def document(summary: str, inputs: Sequence[str], rule: Rule, example: tuple[str, str, str]) -> str:
    """The docstring of a row's op.

    Args:
        summary: what it computes, a sentence.
        inputs: a line for each input.
        rule: its docstring says in the first paragraph what comes out, and in a second one, if
            there is one, what each attribute means.
        example: name of the op, arguments of a call, which a test runs, and what is printed; no
            arguments for none.
    """
    returned, attributes = _paragraphs(rule)
    lines = [summary, "", "Args:", *[f"    {line}" for line in (*inputs, *attributes)]]
    lines += ["", "Returns:", f"    {returned}"]
    name, call, shown = example
    if call:
        lines += ["", f">>> core.{name}({call}).numpy()", shown]
    return "\n".join(lines)


@cache
def _paragraphs(rule: Rule) -> tuple[str, list[str]]:
    returned, _, attributes = cleandoc(rule.__doc__ or "").partition("\n\n")
    return " ".join(returned.split()), attributes.splitlines()
