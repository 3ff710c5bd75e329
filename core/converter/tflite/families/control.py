"""Ops that run other subgraphs, whose numbers are the options."""

from collections.abc import Sequence

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule


def _calling(kind: str) -> Rule:
    def translate(op: TranslatedOp) -> Sequence[str]:
        functions = {name: op.graph.function(number) for name, number in op.options.items()}
        return op.outputs_of(op.node(kind, *op.inputs(), **functions))

    return Rule(translate)


RULES = {"IF": _calling("StatelessIf"), "WHILE": _calling("StatelessWhile")}
