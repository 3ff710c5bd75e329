"""Ops that run other subgraphs."""

from collections.abc import Sequence

from core.converter.tflite.step import Step
from core.converter.tflite.translation import Rule


def _if(step: Step) -> Sequence[str]:
    branches = {
        "then_branch": step.graph.function(step.options["then_subgraph"]),
        "else_branch": step.graph.function(step.options["else_subgraph"]),
    }
    return step.outputs_of(step.node("StatelessIf", *step.inputs(), **branches))


def _while(step: Step) -> Sequence[str]:
    bodies = {
        "cond": step.graph.function(step.options["cond_subgraph"]),
        "body": step.graph.function(step.options["body_subgraph"]),
    }
    return step.outputs_of(step.node("StatelessWhile", *step.inputs(), **bodies))


RULES = {"IF": Rule(_if), "WHILE": Rule(_while)}
