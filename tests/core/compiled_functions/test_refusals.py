"""What no plan can hold: the function runs op by op, and the report says why and on which line."""

from dataclasses import dataclass

import numpy as np
import pytest

import core


def test_values_that_python_needs():
    @core.compile
    def clip(x):
        if core.sum(x).item() > 1.0:  # a line of the report
            return x / core.sum(x)
        return x

    assert clip(core.tensor([3.0, 1.0])).tolist() == [0.75, 0.25]
    assert clip(core.tensor([0.0, 0.5])).tolist() == [0.0, 0.5]
    report = clip.report()
    assert "op by op, as it reads the values of 'sum' at" in report
    assert "test_refusals.py" in report and "# a line of the report" in report
    with pytest.raises(core.CoreError, match="clip runs op by op: it reads the values of 'sum'"):
        clip.plan(core.tensor([3.0, 1.0]))


def test_results_whose_shape_depends_on_values():
    found = core.compile(lambda x: core.where_async(x)) if hasattr(core, "where_async") else None
    unique = core.compile(lambda x: core.unique(x).values)
    assert unique(core.tensor([1, 2, 1])).tolist() == [1, 2]
    assert "whose result depends on values" in unique.report() and found is None


def test_draws_that_depend_on_tensors():
    draw = core.compile(lambda logits: core.multinomial(logits, 2))
    assert draw(core.tensor([0.0, 100.0])).tolist() == [1, 1]
    assert "multinomial, which draws random numbers" in draw.report()


def test_variables_that_are_made_at_the_first_call():
    class Layer:
        def __init__(self):
            self.w = None

        def __call__(self, x):
            if self.w is None:
                self.w = core.variable(2.0)
            return x * self.w

    layer = Layer()
    call = core.compile(layer)
    assert call(core.tensor([1.0])).tolist() == [2.0]
    assert call(core.tensor([3.0])).tolist() == [6.0]
    assert "a plan of 1 steps" in call.report()


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda w: w.update(lambda array: None), "updates a variable in place"),
        (lambda w: w.dispose(), "disposes a variable"),
    ],
)
def test_other_uses_of_variables(act, reason):
    w = core.variable(1.0)

    def use(x):
        act(w)
        return x

    compiled = core.compile(use)
    with pytest.raises(core.CoreError, match=reason):
        compiled.plan(core.tensor(1.0))


def test_tensors_in_objects():
    @dataclass
    class Found:
        loss: core.Tensor

    compiled = core.compile(lambda x: Found(x + 1.0))
    assert compiled(core.tensor(1.0)).loss.item() == 2.0
    assert "returns tensors in another object" in compiled.report()


def test_a_tensor_leaked_from_the_trace_has_no_values():
    left = []

    @core.compile
    def leak(x):
        left.append(x + 1.0)
        return x

    assert leak(core.tensor(2.0)).item() == 2.0
    with pytest.raises(core.CoreError, match="is from the trace of a compiled function"):
        left[0].numpy()
    with pytest.raises(core.CoreError, match="is from the trace of a compiled function"):
        left[0] * 2.0


def test_arguments_that_are_no_part_of_a_signature():
    compiled = core.compile(lambda x, y: x)
    with pytest.raises(core.CoreError, match="got {1}"):
        compiled(core.tensor(1.0), {1})
    with pytest.raises(core.CoreError, match="takes a function of tensors, got 3"):
        core.compile(3)


def test_errors_of_the_function_are_its_own():
    def fails(x):
        raise KeyError("a mistake")

    compiled = core.compile(fails)
    for _ in range(2):
        with pytest.raises(KeyError, match="a mistake"):
            compiled(core.tensor(1.0))
    with pytest.raises(core.CoreError, match="inner lengths"):
        core.compile(core.matmul)(core.ones((2, 3)), core.ones((2, 3)))
    assert core.add(1.0, 2.0).item() == 3.0


def test_debug_mode_runs_op_by_op():
    compiled = core.compile(lambda x: core.log(x) + 1.0)
    assert np.isnan(compiled(core.tensor(-1.0)).item())
    with core.debug_mode(), pytest.raises(core.NotFiniteError) as caught:
        compiled(core.tensor(-1.0))
    assert caught.value.op == "tensor" or caught.value.op == "log"


def test_a_profile_sees_every_op():
    compiled = core.compile(lambda x: core.exp(x) + 1.0)
    x = core.tensor(1.0)
    compiled(x)
    assert [k["op"] for k in core.profile(lambda: compiled(x)).kernels] == ["exp", "add"]
