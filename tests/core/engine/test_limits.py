"""Limits of runs and files: how those of a context, a model and the defaults combine."""

import copy
import math
import pickle

import pytest

import core
from core.engine.limits import LIMIT_NAMES, default_limits, effective_limits
from core.engine.run_guard import Guard, RunCancelledError, active_guard, check_value, guarded
from core.engine.specs import Spec


def test_every_limit_has_a_default_and_a_strict_value():
    for name in LIMIT_NAMES:
        assert getattr(default_limits(), name) >= getattr(core.Limits.strict(), name) > 0


def test_the_inner_context_replaces_what_it_names():
    with core.limits(core.Limits.strict(), seconds=1):
        with core.limits(seconds=5, value_bytes=math.inf):
            found = effective_limits()
        assert (found.seconds, found.value_bytes) == (5, math.inf)
        assert found.loop_steps == core.Limits.strict().loop_steps
        assert effective_limits().seconds == 1
    assert effective_limits() == default_limits()


def test_of_context_and_model_the_stricter_limit_holds():
    of_model = core.Limits(seconds=2, calls=10)
    with core.limits(seconds=1, calls=100):
        found = effective_limits(of_model)
    assert (found.seconds, found.calls) == (1, 10)
    assert effective_limits(of_model).nodes == default_limits().nodes


@pytest.mark.parametrize("value", [0, -1, math.nan, "9", True])
def test_a_limit_is_a_positive_number(value):
    with pytest.raises(core.CoreError, match="run_bytes=.* must be a number above 0"):
        core.Limits(run_bytes=value)


def test_limits_are_values():
    given = core.Limits(seconds=2, calls=10)
    assert given == core.Limits(calls=10, seconds=2.0) != core.Limits(seconds=2)
    assert hash(given) == hash(core.Limits(calls=10, seconds=2.0)) and given != (2, 10)
    assert pickle.loads(pickle.dumps(given)) == copy.deepcopy(given) == given
    assert eval(repr(given), {"Limits": core.Limits}) == given
    with pytest.raises(AttributeError, match="seconds cannot be changed"):
        given.seconds = 3
    with pytest.raises(AttributeError, match="seconds cannot be deleted"):
        del given.seconds
    with pytest.raises(TypeError):
        core.Limits(2)


def test_unknown_limits_are_refused():
    with pytest.raises(core.CoreError, match="no limit 'bytes'.*'value_bytes'"):
        core.limits(bytes=1).__enter__()
    with pytest.raises(core.CoreError, match=r"takes a core\.Limits"):
        core.limits(3).__enter__()


def test_the_error_says_how_to_raise_the_limit_and_survives_pickling():
    with pytest.raises(core.LimitError) as caught:
        check_value(Spec((1000, 1000)), 1e6, "node 'x' (Fill)")
    text = str(caught.value)
    assert "4,000,000 bytes, the limit value_bytes is 1,000,000" in text
    assert "core.limits(value_bytes=...)" in text and "core.Limits(value_bytes=...)" in text
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.name, again.most) == (text, "value_bytes", 1e6)


def test_a_guard_ends_a_late_run_and_the_runs_inside_of_it():
    late = Guard(core.Limits(seconds=1e-9))
    inner = Guard(core.Limits(), late)
    assert late.may_end and inner.may_end and not Guard(core.Limits()).may_end
    for guard in (late, inner):
        with pytest.raises(core.LimitError, match="limit seconds is 1e-09"):
            guard.check()


def test_a_guard_can_be_cancelled():
    guard = Guard(core.Limits(), may_be_cancelled=True)
    assert active_guard() is None
    with guarded(guard):
        assert active_guard() is guard
        guard.check()
        guard.cancel()
        with pytest.raises(RunCancelledError):
            guard.check()
