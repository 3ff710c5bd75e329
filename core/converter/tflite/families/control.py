"""Ops that run other subgraphs."""

from collections.abc import Sequence

from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule


def _if(op: TranslatedOp) -> Sequence[str]:
    branches = {
        "then_branch": op.graph.function(op.options["then_subgraph"]),
        "else_branch": op.graph.function(op.options["else_subgraph"]),
    }
    return op.outputs_of(op.node("StatelessIf", *op.inputs(), **branches))


def _while(op: TranslatedOp) -> Sequence[str]:
    bodies = {
        "cond": op.graph.function(op.options["cond_subgraph"]),
        "body": op.graph.function(op.options["body_subgraph"]),
    }
    return op.outputs_of(op.node("StatelessWhile", *op.inputs(), **bodies))


RULES = {"IF": Rule(_if), "WHILE": Rule(_while)}
