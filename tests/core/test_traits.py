"""What passes, plans and backends may rely on: the traits of ops, beside what their rules do."""

import pytest

from core.plan.elementwise import ELEMENTWISE_OPS
from core.plan.program import HEAVY_OPS, VIEW_OPS
from core.registry import OPS
from core.specs import Spec

ROWS = sorted(name for name, op in OPS.items() if op.traits.elementwise and not op.list_inputs)


def those_with(trait: str) -> set[str]:
    return {name for name, op in OPS.items() if getattr(op.traits, trait)}


def test_traits_hold_what_the_lists_held():
    assert those_with("heavy") == HEAVY_OPS
    assert those_with("view") == VIEW_OPS
    assert those_with("elementwise") - ELEMENTWISE_OPS == {
        *("erf", "selu", "sign", "pow", "tan", "atan2", "step", "mod"),
        *("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"),
    }


@pytest.mark.parametrize("name", ROWS)
def test_elementwise_ops_keep_float32_and_broadcast(name):
    op = OPS[name]
    values = dict.fromkeys(op.required_attributes, 1) | {n: op.defaults[n] for n in op.defaults}
    inputs = [Spec((3, 1)), Spec((1, 4))][: op.count]
    assert op.rule(*inputs, **values) == Spec((3, 4) if op.count == 2 else (3, 1))


def test_what_depends_on_data_is_read_from_the_rule():
    assert {"unique", "non_max_suppression", "string_split"} <= those_with("data_dependent")
    assert not {"add", "topk", "multinomial"} & those_with("data_dependent")
    assert those_with("random") == {"multinomial"}
