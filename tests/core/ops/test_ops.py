"""Every op, from the tables: values, shape rule, fresh results, leaks."""

import doctest

import numpy as np
import pytest

import core
from core.engine.dispatch import tensor
from core.engine.dtypes import dtype_of
from core.engine.registry import FUNCTIONS, KERNELS, OPS, load_kernels
from core.plan.integer_ops import QUANTA_BINARY, REQUANTISE
from tests.core.ops.records import CASES, OP_NAMES
from tests.core.ops.records.case import to_list, tolerance
from tests.core.ops.records.elementwise import UNARY, kind_of

#: Ops without an empty tensor among the inputs of their cases, and why.
NEVER_EMPTY = {"fill": "has no inputs", "linspace": "has no inputs", "range": "has no inputs"}
#: Attributes that no case sets to another value: there is just one, and others are refused.
ONE_VALUE = {
    "data_format": {
        "avg_pool3d",
        "conv3d",
        "conv3d_backprop_filter",
        "conv3d_backprop_input",
        "dilation2d",
        "max_pool3d",
    },
    "input_encoding": {"unicode_decode"},
    "output_encoding": {"unicode_encode"},
}


def kind(array):
    """Of a dtype: strings in Python's own type and unsigned numbers are of no kind of their own."""
    return {"U": "O", "S": "O", "u": "i"}.get(array.dtype.kind, array.dtype.kind)


def assert_close(array, expected, tolerance):
    """Floats within a tolerance; integers, bools and strings (as bytes) exactly."""
    if array.dtype.kind in "fc":
        np.testing.assert_allclose(array, expected, rtol=tolerance, atol=tolerance)
    elif array.dtype.kind == "O":
        expected = [v.encode() if isinstance(v, str) else v for v in np.ravel(expected)]
        assert array.ravel().tolist() == expected
    else:
        np.testing.assert_array_equal(array, expected)


def test_every_op_has_a_case():
    assert set(OP_NAMES) == {case.op for case in CASES}


def test_cases_have_short_names_of_their_own():
    names = [str(case) for case in CASES]
    assert len(set(names)) == len(names)
    assert not [n for n in names if len(n) > 140 or " at 0x" in n]


def _draws():
    """Every case with its inputs, those of lists one by one."""
    rng = np.random.default_rng(0)
    for case in CASES:
        inputs = case.draw(rng)
        yield case, inputs, [x for i in inputs if i is not None for x in to_list(i)]


def _takes_a_scalar(case, inputs):
    """Whether the op works with a scalar as its first input."""
    first = [x.ravel()[0] if x.size else np.zeros((), x.dtype) for x in to_list(inputs[0])]
    first = [np.asarray(x, o.dtype) for x, o in zip(first, to_list(inputs[0]), strict=True)]
    try:
        arguments = [first if isinstance(inputs[0], list) else first[0], *inputs[1:]]
        OPS[case.op](*arguments, **case.attributes)
    except core.CoreError:
        return False
    return True


def test_every_op_has_empty_and_scalar_cases():
    """A scalar at least where the op does not refuse one as its first input in all its cases."""
    draws = list(_draws())
    empty = {case.op for case, _, flat in draws if any(x.size == 0 for x in flat)}
    assert set(OP_NAMES) - empty == set(NEVER_EMPTY)
    scalar = {case.op for case, _, flat in draws if any(x.ndim == 0 for x in flat)}
    others = [(c, inputs) for c, inputs, _ in draws if c.op not in scalar and inputs]
    assert not sorted({c.op for c, inputs in others if _takes_a_scalar(c, inputs)})


def test_every_attribute_is_set_by_a_case():
    unset = {(name, a) for name in OP_NAMES for a in OPS[name].attributes}
    for case in CASES:
        defaults = OPS[case.op].defaults
        given = case.attributes.items()
        unset -= {(case.op, a) for a, v in given if a not in defaults or v != defaults[a]}
    assert unset == {(name, a) for a, names in ONE_VALUE.items() for name in names}


@pytest.mark.parametrize("name", sorted(ONE_VALUE["data_format"]))
def test_there_is_one_data_format(name, rng):
    case = next(c for c in CASES if c.op == name)
    how = {**case.attributes, "data_format": "NCDHW" if "3d" in name else "NCHW"}
    with pytest.raises(core.CoreError, match="data_format='NC"):
        OPS[name](*case.draw(rng), **how)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_spec(case, backend, rng):
    inputs = case.draw(rng)
    op = OPS[case.op]
    results = to_list(op(*inputs, **case.attributes))
    for result, expected in zip(results, case.expected(inputs), strict=True):
        array = result.numpy()
        assert (array.shape, dtype_of(array)) == (result.shape, result.dtype)
        assert array.shape == np.shape(expected)
        assert array.dtype.kind == kind(np.asarray(expected))
        assert_close(array, expected, tolerance())


@pytest.mark.parametrize("case", [c for c in CASES if not OPS[c.op].traits.view], ids=str)
def test_results_do_not_share_memory_with_inputs(case, rng):
    arguments = [
        [tensor(v) for v in i] if isinstance(i, list) else None if i is None else tensor(i)
        for i in case.draw(rng)
    ]
    sources = [t for a in arguments if a is not None for t in to_list(a)]
    for result in to_list(OPS[case.op](*arguments, **case.attributes)):
        assert not any(np.shares_memory(np.asarray(result), np.asarray(s)) for s in sources)


@pytest.mark.parametrize("name", OP_NAMES)
def test_no_leaks(name, backend, rng):
    case = next(c for c in CASES if c.op == name)
    inputs = case.draw(rng)
    before = core.memory()
    result = OPS[name](*inputs, **case.attributes)
    assert core.memory()["num_tensors"] > before["num_tensors"]
    del result
    assert core.memory() == before


@pytest.mark.parametrize("name", [op.name for op in UNARY if kind_of(op) != "bool"])
def test_special_values(name, backend):
    """NaN, infinities and signed zero go through as in IEEE arithmetic (NumPy in float64)."""
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
    case = next(c for c in CASES if c.op == name)
    with np.errstate(all="ignore"):
        expected = np.asarray(case.oracle(x.astype(np.float64), **case.attributes))
    found = OPS[name](x, **case.attributes).numpy()
    np.testing.assert_array_equal(found, expected.astype(found.dtype))


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


def test_every_kernel_belongs_to_an_op(backend):
    load_kernels(backend)
    known = {*OPS, REQUANTISE.name, QUANTA_BINARY.name}  # of plans alone
    assert not {op for op, _ in KERNELS if op not in known and not op.startswith("my_")}


@pytest.mark.parametrize("name", sorted({**OPS, **FUNCTIONS}))
def test_docstrings_and_their_examples(name):
    """Arguments and an example in each."""
    doc = getattr(core, name).__doc__
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(doctest.DocTestParser().get_doctest(doc, {"core": core}, name, None, None))
    assert runner.failures == 0
    assert "Args:" in doc
    assert runner.tries > 0
