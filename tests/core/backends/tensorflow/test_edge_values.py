"""Element-wise ops and reductions on special values: tf gives what cpu gives."""

from itertools import product

import numpy as np
import pytest

import core
from core.engine.dtypes import DTYPES, KINDS
from core.engine.registry import OPS
from tests.core.ops.records.case import tolerance
from tests.core.ops.records.elementwise import BINARY, COMPARE, UNARY, kind_of, ops_of

#: Ops that reduce axes, and may keep them.
REDUCE = [op for op in ops_of("reduce", 1) if "keep_dims" in op.attributes]

INF, NAN, MOST = np.inf, np.nan, np.finfo(np.float32).max
SMALL = [0.0, -0.0, 0.3, -0.5, 0.5, 1.0, -1.0, 1.5, -2.5, 7.0]
LARGE = [1e-30, 100.0, -100.0, 2.0**31, -(2.0**31), 2.0**32 + 512, 2.0**62, -(2.0**63), MOST, -MOST]

#: Special values of each dtype.
VALUES = {
    "float32": np.array([NAN, INF, -INF, *SMALL, *LARGE], np.float32),
    "int32": np.array([-(2**31), 1 - 2**31, 2**31 - 1, 46341, 3, 2, 1, 0, -1, -7], np.int32),
    "bool": np.array([True, False]),
    "complex64": np.array([0, 1, -1j, 3 - 4j, complex(-0.5, 2), 1e-3 + 1e3j], np.complex64),
    "string": np.array([b"", b"\0", b"a", b"a\0", b"ab", b"b", b"\xc3\xa9", b"\xff"], object),
}

#: Values of attributes: of those without a default, and others that take other ways.
ATTRIBUTES = {
    "clip_by_value": [
        {"clip_value_min": low, "clip_value_max": high}
        for low, high in [(-1.5, 2.9), (-INF, 0), (2.0**31, INF), (-INF, -1e10), (5e9, 6e9)]
    ],
    "leaky_relu": [{"alpha": a} for a in (0.2, 0.0, -1.0, 2.0)],
    "step": [{"alpha": a} for a in (0.0, 2.9, -0.5, 3e9, -INF)],
}

#: Dtypes that an op for any dtype refuses.
REFUSED = {
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), {"complex64"}),
    **dict.fromkeys(("max", "min"), {"complex64", "string"}),
}


def dtypes_of(op):
    """Dtypes to give to an op."""
    kind = kind_of(op)
    taken = VALUES if kind is None else KINDS[kind]
    return [d for d in taken if d not in REFUSED.get(op.name, ())]


def on_both(name, *inputs, **attributes):
    """The results of an op on cpu and on tf."""
    arrays = []
    for backend in ("cpu", "tf"):
        with core.backend(backend), np.errstate(all="ignore"):
            result = OPS[name](*inputs, **attributes)
        arrays.append(result.numpy())
        assert arrays[-1].shape == result.shape
        assert arrays[-1].dtype == DTYPES[result.dtype]
    return arrays


def check(name, *inputs, **attributes):
    """Numbers agree; NaN, infinities, integers, bools and strings are the same."""
    expected, found = on_both(name, *inputs, **attributes)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    with core.backend("tf"):
        limit = tolerance() if expected.dtype.kind in "fc" else 0
    if expected.dtype.kind == "c":
        expected, found = (x.view(np.float32) for x in np.atleast_1d(expected, found))
    if expected.dtype == object:
        assert found.tolist() == expected.tolist()
        return
    np.testing.assert_allclose(found, expected, rtol=limit, atol=limit, err_msg=str(attributes))


def cases(ops):
    return [pytest.param(op.name, d, id=f"{op.name} {d}") for op in ops for d in dtypes_of(op)]


@pytest.mark.parametrize(("name", "dtype"), cases(UNARY))
def test_one_input(name, dtype):
    x = VALUES[dtype]
    for attributes in ATTRIBUTES.get(name, [{}]):
        check(name, x, **attributes)
        check(name, x[-1:].reshape(()), **attributes)
        check(name, np.zeros((0, 3), x.dtype), **attributes)
        check(name, np.tile(x, 9).reshape(9, -1), **attributes)  # as many as vectors take


@pytest.mark.parametrize(("name", "dtype"), cases([*BINARY, *COMPARE]))
def test_two_inputs(name, dtype):
    x = VALUES[dtype]
    if (name, dtype) == ("div", "complex64"):
        x = x[1:]  # what comes out of a division by 0 depends on its place in the tensor
    check(name, x[:, None], x)
    check(name, np.repeat(x, len(x)), np.tile(x, len(x)))
    check(name, x, x[-1:].reshape(()))
    check(name, x[1:2].reshape(()), x[-1:].reshape(()))
    check(name, x[:0].reshape(0, 3), x[:1])
    check(name, np.resize(x, (2, 1, 3)), x[:0].reshape(0, 1))


@pytest.mark.parametrize("dtype", VALUES)
def test_select(dtype):
    x, chosen = VALUES[dtype], np.array([True, False])
    check("select", chosen[:, None], x, np.flip(x))
    check("select", chosen[0], x, x[:1])
    check("select", chosen, x[:, None], x[-1:].reshape(()))
    check("select", chosen[:0], x[:1], x[:1])


def reduced(dtype):
    """Special values in rows, from 1 to all together."""
    x = VALUES[dtype]
    rng = np.random.default_rng(5)
    return [x[:, None], *(rng.choice(x, (3, 5, 4)) for _ in range(2)), x, x[-1:].reshape(())]


@pytest.mark.parametrize("keep_dims", [False, True], ids=["reduced", "kept"])
@pytest.mark.parametrize(("name", "dtype"), cases(REDUCE))
def test_reductions(name, dtype, keep_dims):
    for x in reduced(dtype):
        for axis in [None, (), *range(-x.ndim, x.ndim), [*range(x.ndim)][::-2]]:
            check(name, x, axis=axis, keep_dims=keep_dims)
    for shape in [(0,), (0, 3), (2, 0, 3)]:
        for axis in [None, (), 0, -1, [*range(len(shape))][::-2]]:
            x = np.zeros(shape, VALUES[dtype].dtype)
            check(name, x, axis=axis, keep_dims=keep_dims)


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_indices_of_extremes(name, dtype):
    for x in reduced(dtype)[:-1]:
        for axis in range(-x.ndim, x.ndim):
            check(name, x, axis=axis)
    for values in ([NAN, NAN], [1, NAN, 2, 2, NAN], [-INF, -INF], [INF, NAN, INF], [-MOST, -INF]):
        check(name, np.array(values, np.float32))
    check(name, np.zeros((0, 3), VALUES[dtype].dtype), axis=1)


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize("exclusive", [False, True], ids=["inclusive", "exclusive"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans(name, exclusive, reverse):
    how = {"exclusive": exclusive, "reverse": reverse}
    for x in [*reduced("float32")[:-1], *reduced("int32")[:-1], *reduced("bool")[:-1]]:
        for axis in range(x.ndim):
            check(name, x, axis=axis, **how)
    check(name, np.zeros((2, 0), np.float32), axis=1, **how)


@pytest.mark.parametrize("to", ["float32", "int32", "bool", "complex64"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64"])
def test_casts(dtype, to):
    check("cast", VALUES[dtype], dtype=to)
    check("cast", VALUES[dtype][:1].reshape(()), dtype=to)
    check("cast", np.zeros((0, 2), VALUES[dtype].dtype), dtype=to)


@pytest.mark.parametrize("name", ["relu_grad", "elu_grad"])
def test_gradients_of_activations(name):
    x = VALUES["float32"]
    check(name, *(np.array([*product(x, x)], np.float32).T))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(name, axis):
    x = VALUES["float32"]
    rng = np.random.default_rng(6)
    for values in (rng.choice(x, (9, 6)), rng.choice(x[3:13], (9, 6)), np.zeros((0, 3))):
        check(name, values.astype(np.float32), axis=axis)
    long = rng.uniform(-3, 3, (5000, 2) if axis == 0 else (2, 5000)).astype(np.float32)
    check(name, long, axis=axis)  # the sum is computed in float64 here


def test_quantised_values():
    x = VALUES["float32"]
    for nudge, scale in product([False, True], [0.1, 0.5, 3.0]):
        how = {"scale": scale, "zero_point": 3, "low": -128, "high": 127, "nudge": nudge}
        check("quantise_round", np.concatenate([x, np.arange(-60, 60) * np.float32(0.05)]), **how)


def test_every_op_is_compared():
    """A new element-wise op is run with the values of each dtype that it takes."""
    assert all(dtypes_of(op) for op in [*UNARY, *BINARY, *COMPARE, *REDUCE])
    required = {op.name for op in UNARY if op.attributes}
    assert required == set(ATTRIBUTES)
