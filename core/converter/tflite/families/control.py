"""Ops that run other subgraphs, whose numbers are the options, and ops on variables."""

from collections.abc import Sequence

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule
from core.converter.tflite.variables import variables_of


def _calling(kind: str) -> Rule:
    def translate(op: TranslatedOp) -> Sequence[str]:
        functions = {name: op.graph.function(number) for name, number in op.options.items()}
        return op.outputs_of(op.node(kind, *op.inputs(), **functions))

    return Rule(translate)


def _call_once(op: TranslatedOp) -> Sequence[str]:
    number = op.options["subgraph"]
    op.graph.check_called(number)
    variables_of(op).subgraphs.append(number)
    return ()


def _var_handle(op: TranslatedOp) -> Sequence[str]:
    name = "/".join(filter(None, (op.options["container"], op.options["shared_name"])))
    variables_of(op).name(op.operator.outputs[0], name)
    return ()


def _read_variable(op: TranslatedOp) -> str:
    return variables_of(op).read(op)


def _assign_variable(op: TranslatedOp) -> Sequence[str]:
    variables_of(op).assign(op)
    return ()


RULES = {
    "ASSIGN_VARIABLE": Rule(_assign_variable),
    "CALL_ONCE": Rule(_call_once),
    "IF": _calling("StatelessIf"),
    "READ_VARIABLE": Rule(_read_variable, moves=True),
    "VAR_HANDLE": Rule(_var_handle),
    "WHILE": _calling("StatelessWhile"),
}
