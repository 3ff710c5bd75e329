"""tidy, keep and dispose: what goes, what stays, and what is said of it."""

import asyncio
import copy
import gc
import pickle
from collections import namedtuple
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest

import core
from core.engine.observers import active_observers
from core.engine.tensors import tensors_in

Pair = namedtuple("Pair", "first second")


@pytest.fixture(autouse=True)
def _nothing_is_left():
    """Every test leaves the counts and the watchers as they were."""
    gc.collect()
    before = core.memory()
    yield
    if core.memory() != before:
        gc.collect()
    assert core.memory() == before
    assert active_observers() == ()


def count() -> int:
    return core.memory()["num_tensors"]


def test_what_is_made_inside_goes_though_it_is_still_referred_to():
    before, seen = core.memory(), []
    with core.tidy():
        x = core.tensor([1.0, 2.0])
        seen += [x, x * 2.0, core.topk(x, 2), core.split(x, 2), x[0], 1.0 + x]
        assert count() > before["num_tensors"]
    assert core.memory() == before
    assert x.is_disposed and seen[2].indices.is_disposed and seen[3][1].is_disposed


def test_the_returned_tensors_stay():
    results = core.tidy(
        lambda: {
            "a": core.scalar(1.0),
            "list": [core.scalar(2.0), ("text", [core.scalar(3.0)])],
            "pair": Pair(core.scalar(4.0), None),
            "topk": core.topk(core.ones((3,)), 1),
        }
    )
    before = count()
    assert results["a"].item() == 1 and results["list"][0].item() == 2
    assert results["list"][1][1][0].item() == 3 and results["pair"].first.item() == 4
    assert results["topk"].values.item() == 1
    del results
    assert count() == before - 6


@dataclass(frozen=True)
class Found:
    """A result of a user's."""

    kind = core  # no field
    loss: object
    extra: list = field(default_factory=list)


@dataclass(slots=True)
class Slots:
    several: dict
    late: object = field(init=False)


def test_tensors_in_fields_of_dataclasses_stay():
    def work():
        return Found(core.scalar(1.0), [Slots({"a": (core.scalar(2.0),)})])

    found = core.tidy(work)
    assert found.loss.item() == 1 and found.extra[0].several["a"][0].item() == 2
    with core.tidy():
        kept = core.keep(Found(core.scalar(3.0)))
    assert kept.loss.item() == 3
    profile = core.tidy(lambda: core.profile(lambda: core.exp(core.scalar(0.0))))
    assert profile.result.item() == 1
    core.dispose([found, kept, profile])
    assert found.extra[0].several["a"][0].is_disposed and profile.result.is_disposed
    assert core.tidy(lambda: Found) is Found


def test_collections_that_hold_themselves():
    def work():
        several, named = [core.scalar(1.0)], {}
        several.append(named)
        named |= {"list": several, "own": named, "found": Found(several), "x": core.scalar(2.0)}
        return several

    several = core.tidy(work)
    assert several[0].item() == 1 and several[1]["x"].item() == 2
    core.dispose(core.keep(several))
    assert several[0].is_disposed and several[1]["x"].is_disposed
    several.clear()


def test_what_stands_twice_in_a_collection():
    x = core.scalar(1.0)
    pair = (x, x)
    assert [t is x for t in tensors_in([pair, [x], frozenset([x])])] == [True] * 4
    assert len(list(tensors_in([pair, pair]))) == 2  # looked into once


@pytest.mark.parametrize("value", [5, "hello", None, [], {"a": 1}])
def test_other_values_are_returned_as_they_are(value):
    assert core.tidy(lambda: value) is value


def test_returned_tensors_belong_to_the_scope_around():
    a, b = core.tensor([1.0]), core.tensor([0.0])
    before = count()

    def nested():
        c = core.tidy(lambda: core.tidy(lambda: a + b) + a)
        assert count() == before + 1
        core.tidy(lambda: [c + a, None][1])
        assert count() == before + 1
        return c + b

    with core.tidy():
        result = core.tidy(nested)
        assert count() == before + 1 and result.item() == 2
    assert result.is_disposed
    assert count() == before


def test_what_was_made_outside_stays():
    x = core.scalar(1.0)
    core.tidy(lambda: core.tidy(lambda: x))
    with core.tidy():
        core.tidy(lambda: x)
    assert not x.is_disposed


def test_kept_tensors_outlive_every_scope():
    with core.tidy():
        a = core.scalar(1.0)
        with core.tidy():
            b = core.scalar(2.0)
            assert core.keep(a) is a
            kept = core.keep({"b": [b], "pair": Pair(b * 2.0, 3)})
    assert (a.item(), b.item(), kept["pair"].first.item()) == (1, 2, 4)
    assert core.keep(5) == 5


def test_variables_stay():
    with core.tidy():
        w = core.variable([1.0, 2.0])
        v = core.variable(core.tensor([1.0]) * 2.0)
        w.assign(w * 3.0)
        v.assign(core.ones((1,)) + v)
    assert w.numpy().tolist() == [3, 6] and v.item() == 3
    assert core.tidy(lambda: [w])[0] is w


@pytest.mark.parametrize("form", ["with", "function"])
def test_no_tensor_survives_an_exception(form):
    before, seen = core.memory(), []

    def fails():
        x = core.tensor([1.0])
        seen.extend([x, x + 1.0])
        core.matmul(core.ones((2, 3)), core.ones((2, 3)))

    def in_a_with_statement():
        with core.tidy():
            fails()

    with pytest.raises(core.CoreError, match="inner lengths") as caught:
        in_a_with_statement() if form == "with" else core.tidy(fails)
    assert core.memory() == before
    assert all(t.is_disposed for t in seen) and caught.tb is not None


def test_no_tensor_survives_an_exception_inside_of_a_gradient():
    """Nor those that the gradient would have needed."""
    seen = []

    @core.custom_grad
    def fails(x):
        seen.extend([x * 2.0, core.exp(x)])
        raise ZeroDivisionError

    def inner(x):
        seen.append(core.exp(x))
        return fails(seen[0] * seen[0])

    with pytest.raises(ZeroDivisionError) as caught:
        core.grad(lambda x: core.tidy(lambda: inner(x)))([1.0])
    assert [t.is_disposed for t in seen] == [True] * 3 and caught.tb is not None


def test_a_scope_inside_of_a_gradient_leaves_what_the_gradient_needs():
    x = core.tensor([0.5, 2.0])
    before, counts = count(), []

    def loss(x):
        def inner():
            y = core.exp(x) * x
            core.sin(y) + core.cos(y)  # beside the path
            return core.sum(core.square(y))

        value = core.tidy(inner)
        counts.append(count() - before)
        return value

    gradient = core.grad(loss)(x)
    expected = 2 * 0.5 * np.exp(1.0) * (1 + 0.5)  # (x e^x)² has the slope 2 x e^2x (1 + x)
    assert gradient.numpy()[0] == pytest.approx(expected, rel=1e-5)
    plain = core.grad(lambda x: core.sum(core.square(core.exp(x) * x)))(x)
    np.testing.assert_array_equal(gradient, plain)
    assert counts[0] < 12  # sin, cos and their sum are gone
    del gradient, plain
    assert count() == before


def test_a_gradient_inside_of_a_scope():
    x, w = core.tensor([3.0]), core.variable([2.0], name="w")
    before = core.memory()
    with core.tidy():
        second = core.grad(core.grad(lambda x: core.sum(x * x * x)))(x)
        assert second.item() == 18
        found = core.variable_grads(lambda: core.sum(w * x))
        assert found.grads["w"].item() == 3
    assert core.memory() == before
    value, grads = core.tidy(lambda: core.variable_grads(lambda: core.sum(w * w)))
    assert value.item() == 4 and grads["w"].item() == 4


def test_scopes_between_nested_gradients():
    def cube(x):
        return core.tidy(lambda: x * x * core.tidy(lambda: x * 1.0))

    def slope(x):
        return core.tidy(lambda: core.sum(core.grad(cube)(x)))

    assert core.grad(slope)([2.0]).item() == 12
    assert core.tidy(lambda: core.grad(slope)([2.0])).item() == 12


@pytest.mark.parametrize("holder", ["closure", "default", "partial", "object", "nested"])
def test_what_a_gradient_of_its_own_needs_stays(holder):
    """However the user's function holds it: its input, what it made, and what was there before."""

    class Gradient:
        def __init__(self, *saved):
            self.saved = saved

        def __call__(self, dy):
            return weigh(*self.saved, dy)

    def weigh(x, s, t, dy):
        return dy * s * t / x

    def loss(x):
        t = x + 1.0

        @core.custom_grad
        def tripled(x):
            s = x * 3.0
            inner = lambda: (x, s, t)  # noqa: E731
            return x * x, {
                "closure": lambda dy: dy * s * t / x,
                "default": lambda dy, x=x, s=s, t=t: dy * s * t / x,
                "partial": partial(weigh, x, s, t),
                "object": Gradient(x, s, t),
                "nested": lambda dy: weigh(*inner(), dy),
            }[holder]

        seen.append(core.sum(tripled(x * 1.0)))
        seen.append(seen[0] * 2.0)
        return seen[0]

    seen = []
    gradient = core.grad(lambda x: core.tidy(lambda: loss(x)))
    assert gradient([1.0, 2.0]).numpy().tolist() == [6, 9]
    assert seen[1].is_disposed
    seen.clear()
    assert core.tidy(lambda: gradient([1.0, 2.0])).numpy().tolist() == [6, 9]


def test_a_scope_inside_of_a_gradient_rule_of_ones_own():
    @core.custom_grad
    def square(x):
        return x * x, lambda dy: core.tidy(lambda: dy * 2.0 * x)

    assert core.grad(square)(3.0).item() == 6
    assert core.grad(core.grad(square))(3.0).item() == 2


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t + 1.0,
        lambda t: 1.0 - t,
        lambda t: t == t,
        lambda t: core.relu(t),
        lambda t: core.fused_matmul(core.ones((1, 2)), core.ones((2, 2)), t),
        lambda t: core.concat([core.ones((2,)), t]),
        lambda t: core.stack([t, t]),
        lambda t: core.run_kernel("Add", {"a": t, "b": [1.0]}),
        lambda t: core.run_kernel("Concat", {"inputs": [t]}, {"axis": 0}),
        lambda t: core.reshape(core.ones((2,)), t),
        lambda t: core.reshape(core.ones((2,)), shape=t),
        lambda t: t.reshape(2, 1),
        lambda t: core.identity(t),
        lambda t: t.cast("float32"),
        lambda t: t.cast("int32"),
        lambda t: t[0],
        lambda t: core.ones((3,))[t],
        lambda t: t.numpy(),
        lambda t: t.tolist(),
        lambda t: t[:1].item(),
        lambda t: list(t),
        lambda t: np.asarray(t),
        lambda t: np.sum(t),
        lambda t: pickle.dumps(t),
        lambda t: asyncio.run(t.data()),
        lambda t: core.grad(core.square)(t),
        lambda t: core.bincount(t, [], 3),
    ],
)
def test_a_disposed_tensor_is_refused_everywhere(use):
    t = core.tensor([1, 2])
    t.dispose()
    with pytest.raises(core.CoreError, match=r"was disposed.*core\.keep"):
        use(t)


def test_a_disposed_number_is_refused():
    t = core.tensor(1)
    t.dispose()
    for use in (float, int, bool, lambda t: t.item(), lambda t: f"{t:.2f}", [1, 2].__getitem__):
        with pytest.raises(core.CoreError, match="was disposed"):
            use(t)


def test_what_a_disposed_tensor_still_tells():
    t = core.ones((2, 3))
    t.dispose()
    assert repr(t) == f"{t}" == "Tensor(disposed, shape=(2, 3), dtype=float32)"
    assert (t.shape, t.dtype, t.ndim, t.size, len(t)) == ((2, 3), "float32", 2, 6, 2)
    assert t.is_disposed and copy.deepcopy(t) is t and {t: 1}[t] == 1


def test_disposing_twice_and_of_shared_data():
    before = core.memory()
    x = core.tensor([1.0, 2.0])
    row = x.reshape(1, 2)
    x.dispose()
    x.dispose()
    core.dispose({"x": [x, (x,)], "n": 5})
    held = core.memory()
    assert held["num_tensors"] - before["num_tensors"] == 1
    assert held["num_bytes"] - before["num_bytes"] == 8
    assert row.numpy().tolist() == [[1, 2]]
    del x
    assert core.memory() == held
    core.dispose(row)
    assert core.memory() == before


@pytest.mark.parametrize("slot", ["container", "handle"])
@pytest.mark.parametrize(
    "use",
    [
        lambda t: core.fused_matmul(core.ones((1, 2)), core.ones((2, 2)), t),
        lambda t: core.exp(t),
        lambda t: core.neg(t),
        lambda t: t * 2.0,
        lambda t: core.concat([t, t]),
        lambda t: t[1:],
        lambda t: t.reshape(2, 1),
        lambda t: t.numpy(),
        lambda t: core.variable(t),
        lambda t: asyncio.run(t.data()),
    ],
)
def test_another_thread_disposes_between_two_looks_of_the_engine(slot, use, monkeypatch):
    """Who has found one part of a tensor finds the other, or is refused; None is no input."""
    expected = np.array(use(core.tensor([1.0, 2.0])))
    x, member, looks = core.tensor([1.0, 2.0]), vars(core.Tensor)[slot], []

    class Interrupted:
        def __get__(self, tensor, kind):
            found = member.__get__(tensor, kind)
            if tensor is x and not looks:
                looks.append(found)
                x.dispose()
            return found

        def __set__(self, tensor, value):
            member.__set__(tensor, value)

    monkeypatch.setattr(core.Tensor, slot, Interrupted())
    try:
        found = use(x)
    except core.CoreError as error:
        assert "was disposed" in str(error)
    else:
        np.testing.assert_array_equal(found, expected)
    monkeypatch.undo()
    assert looks and x.is_disposed


def test_disposing_in_a_scope_and_before_its_end():
    with core.tidy():
        x = core.tensor([1.0])
        y = x.reshape(1, 1)
        x.dispose()
        core.keep(y)
    assert x.is_disposed and y.item() == 1


def test_disposed_variables():
    w = core.variable([1.0])
    core.dispose([w])
    assert w.is_disposed
    with pytest.raises(core.CoreError, match="was disposed"):
        w + 1.0


@pytest.mark.parametrize("wrong", ["asdf", 4, core.ones, [lambda: 1]])
def test_wrong_arguments(wrong):
    if callable(wrong):
        with pytest.raises(core.CoreError):
            core.tidy(lambda: wrong("a", "b", "c", "d"))
        return
    with pytest.raises(core.CoreError, match="tidy takes a function without arguments, got "):
        core.tidy(wrong)


def test_what_runs_later_is_refused():
    async def coroutine():
        return core.scalar(1.0)

    def generator():
        yield core.scalar(1.0)

    async def asynchronous():
        yield core.scalar(1.0)

    for function in (coroutine, generator, asynchronous):
        with pytest.raises(core.CoreError, match=r"tidy cannot wait for .* `with core.tidy\(\):`"):
            core.tidy(function)


def test_a_scope_is_opened_once_at_a_time():
    scope = core.tidy()
    for _ in range(2):
        with scope:
            x = core.scalar(1.0)
        assert x.is_disposed
    with scope, pytest.raises(core.CoreError, match="open already"), scope:
        pass


def test_generators_that_take_turns_leave_nothing_behind():
    """Whichever ends first; a scope that is open across a yield sees what the caller does, too."""

    def numbers():
        with core.tidy():
            yield core.scalar(1.0)
            yield core.scalar(2.0)

    first, second = numbers(), numbers()
    one, other = next(first), next(second)
    assert [t.item() for t in first] == [2]
    assert one.is_disposed and len(active_observers()) == 1
    assert [t.item() for t in second] == [2]
    assert other.is_disposed and active_observers() == ()
    third = numbers()
    x = next(third)
    third.close()
    assert x.is_disposed


def test_a_scope_that_ends_in_another_context():
    async def numbers():
        with core.tidy():
            yield core.scalar(1.0)

    async def main():
        opened = numbers()
        x = await opened.__anext__()
        await asyncio.create_task(opened.aclose())
        assert x.is_disposed
        y = core.scalar(2.0)  # the scope that ended is still in sight here
        return core.tidy(lambda: y + 1.0), y

    later, y = asyncio.run(main())
    assert (later.item(), y.item()) == (3, 2)


def test_a_hundred_thousand_ops_in_one_scope():
    """The scope forgets what is gone: it does not grow."""
    with core.tidy() as scope:
        x, before = core.tensor(1.0), core.memory()
        for _ in range(100_000):
            core.neg(x)
        assert core.memory() == before
        assert len(scope._made) < 2002


def test_of_two_open_scopes_the_one_that_ends_is_told_no_more():
    first, second = core.tidy(), core.tidy()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    x = core.ones((2,))
    assert active_observers() == (second,)
    second.__exit__(None, None, None)
    assert x.is_disposed and active_observers() == ()
