"""Every op, from the tables: values, shape rule, fresh results, gradients, leaks."""

import doctest
import re

import numpy as np
import pytest

import core
from core.dtypes import dtype_of
from core.engine import tensor
from core.kernels import KERNELS, OPS, backend_names
from core.ops.unary import BOOL, UNARY
from tests.core.records import CASES, OP_NAMES
from tests.core.records.case import Case
from tests.core.records.elementwise import oracle_of

FORWARD_TOLERANCE = {"cpu": 1e-5}
GRADIENT_TOLERANCE = {"cpu": 1e-3}


@pytest.fixture(params=backend_names())
def backend(request):
    with core.backend(request.param):
        yield request.param


def to_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def widened(inputs):
    """The inputs with float64 in place of float32, for oracles."""

    def widen(x):
        if isinstance(x, list):
            return [widen(v) for v in x]
        return x.astype(np.float64) if x is not None and x.dtype == np.float32 else x

    return [widen(i) for i in inputs]


def expected_of(case: Case, inputs):
    with np.errstate(all="ignore"):
        expected = case.oracle(*[i for i in widened(inputs) if i is not None], **case.attributes)
    return to_list(expected)


def test_every_op_has_a_case():
    assert set(OP_NAMES) == {case.op for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_spec(case, backend, rng):
    inputs = case.draw(rng)
    op = OPS[case.op]
    results = to_list(op(*inputs, **case.attributes))
    for result, expected in zip(results, expected_of(case, inputs), strict=True):
        array = result.numpy()
        assert (array.shape, dtype_of(array)) == (result.shape, result.dtype)
        assert array.shape == np.shape(expected)
        tolerance = FORWARD_TOLERANCE[backend]
        np.testing.assert_allclose(array, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", [c for c in CASES if not OPS[c.op].alias], ids=str)
def test_results_do_not_share_memory_with_inputs(case, rng):
    arguments = [
        [tensor(v) for v in i] if isinstance(i, list) else None if i is None else tensor(i)
        for i in case.draw(rng)
    ]
    sources = [t for a in arguments if a is not None for t in to_list(a)]
    for result in to_list(OPS[case.op](*arguments, **case.attributes)):
        assert not any(np.shares_memory(np.asarray(result), np.asarray(s)) for s in sources)


def _differentiable(case: Case) -> bool:
    drawn = [to_list(i) for i in case.draw(np.random.default_rng(0))]
    return (
        case.gradient
        and bool(OPS[case.op].gradients)
        and not any(0 in np.shape(x) for g in drawn for x in g)
    )


@pytest.mark.parametrize("case", [c for c in CASES if _differentiable(c)], ids=str)
def test_gradient_along_a_random_direction(case, backend, rng):
    """The tape's gradient against the difference quotient of the oracle in float64."""
    op, inputs = OPS[case.op], case.draw(rng)
    names = [n for n, i in zip(op.inputs, inputs, strict=False) if n in op.gradients]
    for name in names:
        place = op.inputs.index(name)
        if to_list(inputs[place])[0] is None or to_list(inputs[place])[0].dtype != np.float32:
            continue
        _check_gradient(case, inputs, place, GRADIENT_TOLERANCE[backend], rng)


def _check_gradient(case, inputs, place, tolerance, rng):
    op, several = OPS[case.op], isinstance(inputs[place], list)
    moved = to_list(inputs[place])
    directions = [rng.uniform(-1, 1, x.shape) for x in moved]
    weights = [rng.uniform(0.5, 1, np.shape(y)) for y in expected_of(case, inputs)]

    def loss(*xs):
        arguments = [*inputs[:place], list(xs) if several else xs[0], *inputs[place + 1 :]]
        results = to_list(op(*arguments, **case.attributes))
        parts = [core.sum(y * w) for y, w in zip(results, weights, strict=True)]
        return sum(parts[1:], parts[0])

    def oracle_loss(step):
        xs = [x.astype(np.float64) + step * d for x, d in zip(moved, directions, strict=True)]
        arguments = [
            *widened(inputs[:place]),
            xs if several else xs[0],
            *widened(inputs[place + 1 :]),
        ]
        results = case.oracle(*[a for a in arguments if a is not None], **case.attributes)
        results = to_list(results)
        return sum(np.sum(y * w) for y, w in zip(results, weights, strict=True))

    gradients = core.grads(loss)(*moved)
    assert [g.shape for g in gradients] == [x.shape for x in moved]
    slope = sum(np.sum(g.numpy() * d) for g, d in zip(gradients, directions, strict=True))
    step = 1e-5
    quotient = (oracle_loss(step) - oracle_loss(-step)) / (2 * step)
    scale = sum(np.sum(abs(g.numpy() * d)) for g, d in zip(gradients, directions, strict=True))
    assert slope == pytest.approx(quotient, rel=tolerance, abs=tolerance * scale)


@pytest.mark.parametrize("name", OP_NAMES)
def test_no_leaks(name, backend, rng):
    case = next(c for c in CASES if c.op == name)
    inputs = case.draw(rng)
    before = core.memory()
    result = OPS[name](*inputs, **case.attributes)
    assert core.memory()["num_tensors"] > before["num_tensors"]
    del result
    assert core.memory() == before


@pytest.mark.parametrize("row", [r for r in UNARY if r.dtype != BOOL], ids=lambda r: r.name)
def test_special_values(row, backend):
    """NaN, infinities and signed zero go through as in IEEE arithmetic (NumPy in float64)."""
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
    with np.errstate(all="ignore"):
        expected = oracle_of(row.name)(x.astype(np.float64))
    if row.name in ("relu", "relu6", "step", "elu"):  # the oracles' products make NaN of inf * 0
        expected = {
            "relu": [np.nan, np.inf, 0, 0, 0],
            "relu6": [np.nan, 6, 0, 0, 0],
            "step": [np.nan, 1, 0, 0, 0],
            "elu": [np.nan, np.inf, -1, 0, 0],
        }[row.name]
    np.testing.assert_array_equal(OPS[row.name](x).numpy(), np.asarray(expected, np.float32))


@pytest.mark.parametrize("name", ["neg", "abs", "sign", "square", "relu", "relu6", "floor", "step"])
def test_whole_numbers_stay_whole(name, backend):
    x = np.array([-7, -1, 0, 3, 9], np.int32)
    result = OPS[name](x)
    assert result.dtype == "int32"
    np.testing.assert_array_equal(result.numpy(), oracle_of(name)(x))


def test_halves_round_to_even_and_the_first_of_equals_wins(backend):
    np.testing.assert_array_equal(
        core.round([0.5, 1.5, 2.5, -0.5, -1.5, 2.4]).numpy(), [0, 2, 2, 0, -2, 2]
    )
    assert core.argmax([1.0, 3.0, 3.0]).item() == 1
    assert core.argmin([3, 1, 1]).item() == 1


def test_arithmetic_of_bools_counts(backend):
    a, b = [True, True, False], [True, False, False]
    for name, expected in [
        ("add", [2, 1, 0]),
        ("sub", [0, 1, 0]),
        ("squared_difference", [0, 1, 0]),
    ]:
        result = OPS[name](a, b)
        assert result.dtype == "int32"
        np.testing.assert_array_equal(result.numpy(), expected)
    assert core.relu(a).dtype == core.square(a).dtype == core.neg(a).dtype == "int32"
    assert core.ones_like(a).dtype == "bool"


def test_whole_numbers_wrap_around(backend):
    np.testing.assert_array_equal(core.pow([2, 0, 46341], [33, -1, 2]).numpy(), [0, 0, -2147479015])


def test_an_infinite_gradient_stays_where_it_belongs(backend):
    dy = np.ones((1, 4, 4, 1), np.float32)
    dy[0, 0, 0] = np.inf
    image = np.ones((1, 2, 2, 1), np.float32)
    for name in ("resize_nearest_neighbor_grad", "resize_bilinear_grad"):
        found = OPS[name](dy, image, size=(4, 4)).numpy().ravel()
        assert np.isposinf(found[0]) and np.isfinite(found[1:]).all()


@pytest.mark.parametrize("name", ["conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize("strides", [1, 2])
def test_an_empty_batch(name, strides, backend):
    result = OPS[name](core.ones((0, 4, 4, 2)), core.ones((2, 2, 2, 1)), strides=strides)
    assert result.numpy().shape == result.shape and result.shape[0] == 0


def test_division_of_whole_numbers_rounds_down(backend):
    a, b = np.array([7, -7, 7, -7], np.int32), np.array([2, 2, -2, -2], np.int32)
    np.testing.assert_array_equal(core.div(a, b).numpy(), [3, -4, -4, 3])
    np.testing.assert_array_equal(core.mod(a, b).numpy(), [1, 1, -1, -1])
    np.testing.assert_array_equal(core.pow(a, [2, 2, 2, -1]).numpy(), [49, 49, 49, 0])


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_with_nan(name, backend):
    rows = np.array([[1, np.nan, 3], [np.nan, 2, 5]], np.float32)
    expected = {
        "max": [np.nan, np.nan],
        "min": [np.nan, np.nan],
        "argmax": [2, 0],
        "argmin": [0, 0],
    }
    np.testing.assert_array_equal(OPS[name](rows, axis=1).numpy(), expected[name])


def test_reductions_of_nothing(backend):
    nothing = np.zeros((2, 0), np.float32)
    np.testing.assert_array_equal(core.sum(nothing, axis=1).numpy(), [0, 0])
    np.testing.assert_array_equal(core.mean(nothing, axis=1).numpy(), [np.nan, np.nan])
    np.testing.assert_array_equal(core.max(nothing, axis=1).numpy(), [-np.inf, -np.inf])
    with pytest.raises(core.CoreError, match="it is empty"):
        core.argmax(nothing, axis=1)


def test_casts_follow_typed_arrays(backend):
    x = [1.9, -1.9, np.nan, np.inf, 2.0**32 + 5]
    np.testing.assert_array_equal(core.cast(x, dtype="int32").numpy(), [1, -1, 0, 0, 0])
    np.testing.assert_array_equal(
        core.cast([0.0, 0.5, np.nan], dtype="bool").numpy(), [False, True, True]
    )


def test_every_kernel_belongs_to_an_op():
    declared = {(op, backend) for op, backend in KERNELS if op in OPS}
    assert declared == {key for key in KERNELS if not key[0].startswith("my_")}


def test_kernel_names_are_those_of_tensorflow_js(shared):
    listed = (shared / "reference" / "TFJS_KERNELS.md").read_text()
    names = set(re.findall(r"^\| (\w+) \|", listed, re.MULTILINE))
    assert {op.kernel_name for op in OPS.values()} <= names


def test_docstrings_and_their_examples():
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    parser = doctest.DocTestParser()
    for name, op in OPS.items():
        assert op.__doc__, name
        runner.run(parser.get_doctest(op.__doc__, {"core": core}, name, None, None))
    assert runner.failures == 0
    assert runner.tries > 20
