"""What passes, plans and backends may rely on: the traits of ops, beside what their rules do."""

import pytest

from core.backends.cpu import CpuBackend
from core.backends.shader import ShaderBackend
from core.engine.registry import OPS
from core.engine.specs import Spec

ROWS = sorted(name for name, op in OPS.items() if op.traits.elementwise and not op.list_inputs)


ELEMENTWISE = {name for name, op in OPS.items() if op.traits.elementwise}


def those_with(trait: str) -> set[str]:
    return {name for name, op in OPS.items() if getattr(op.traits, trait)}


def test_backends_fuse_all_elementwise_ops():
    """Each backend answers for itself; the shader backend is asked without starting it."""
    asked = [
        (CpuBackend.can_fuse, CpuBackend(), set()),
        (ShaderBackend.can_fuse, None, {"select"}),  # of optimizers
    ]
    for can_fuse, backend, more in asked:
        found = {n for n, op in OPS.items() if can_fuse(backend, op, Spec((2,)))}
        assert found == ELEMENTWISE | more
        assert not any(can_fuse(backend, op, Spec((2,), "int32")) for op in OPS.values())


def test_which_ops_are_views_or_heavy():
    assert those_with("view") == {"reshape", "expand_dims", "identity", "cast"}
    assert {"conv2d", "matmul", "fused_conv2d"} <= those_with("heavy")


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
