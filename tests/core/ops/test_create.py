"""Tensors made from values, strings or nothing where that is special."""

import pickle

import numpy as np
import pytest

import core


@pytest.mark.parametrize(
    "value, dtype",
    [(7, "float32"), (0.5, "float32"), (True, "bool"), ("a", "string"), (b"a", "string")],
)
def test_the_dtype_of_a_filled_tensor(value, dtype):
    assert core.fill((2,), value).dtype == dtype
    (made,) = core.run_kernel("Fill", {}, {"shape": [2], "value": value})
    assert made.dtype == dtype


def test_zeros_and_ones_of_each_dtype():
    for dtype in ("float32", "int32", "bool", "complex64"):
        assert core.zeros((2,), dtype).numpy().tolist() == [0, 0]
        assert core.ones((2,), dtype).numpy().tolist() == [1, 1]
        assert core.ones((2,), dtype).dtype == dtype


@pytest.mark.parametrize(
    "value, expected",
    [
        (["a", "é"], [b"a", b"\xc3\xa9"]),
        ([b"\xff\x00", "a"], [b"\xff\x00", b"a"]),
        (np.array(["ab", "c"]), [b"ab", b"c"]),
        (np.array([b"ab", b"c"]), [b"ab", b"c"]),
        (np.array(["a", b"b"], object), [b"a", b"b"]),
    ],
)
def test_strings_are_held_as_bytes(value, expected):
    x = core.tensor(value)
    assert x.dtype == "string" and x.tolist() == expected
    assert x.numpy().dtype == object and {type(v) for v in x.numpy()} == {bytes}
    assert core.tensor(value, "string").tolist() == expected


def test_text_and_its_bytes_are_equal():
    assert core.equal(["é", "b"], ["é".encode(), b"a"]).tolist() == [True, False]
    assert core.tensor("é").item() == "é".encode()
    assert repr(core.tensor(["a"])) == "Tensor([b'a'], shape=(1,), dtype=string)"
    assert pickle.loads(pickle.dumps(core.tensor(["é"]))).tolist() == ["é".encode()]


@pytest.mark.parametrize(
    "value, message",
    [
        (["a", 1.5], "cannot make a tensor of float"),
        ([b"a", None], "cannot make a tensor of NoneType"),
        (["\ud800"], "not UTF-8"),
        ([["a"], ["b", "c"]], "different lengths"),
    ],
)
def test_values_that_are_no_strings(value, message):
    with pytest.raises(core.CoreError, match=message):
        core.tensor(value)


def test_scalars():
    assert core.scalar(3).spec == core.Spec((), "int32")
    assert core.scalar("a").item() == b"a" and core.scalar(1, "bool").item() is True
    with pytest.raises(core.CoreError, match="one value"):
        core.scalar([1])


@pytest.mark.parametrize(
    "start, stop, step, expected",
    [
        (0, 3, 1, [0, 1, 2]),
        (4, -2, 1, [4, 3, 2, 1, 0, -1]),
        (4, 11, 4, [4, 8]),
        (3, 3, 4, []),
        (3, 10, -2, []),
        (40, 3, 2, []),
        (5, 4, 0.5, []),
        (-10, -500, -205, [-10, -215, -420]),
    ],
)
def test_ranges(start, stop, step, expected):
    assert core.range(start, stop, step).tolist() == expected
    if step == int(step):
        assert core.range(start, stop, step, "int32").tolist() == expected


def test_long_ranges_do_not_drift():
    x = core.range(0, 10_000, 0.1).numpy()
    np.testing.assert_array_equal(x, (np.arange(100_000) * 0.1).astype(np.float32))
    assert core.linspace(0, 1, 12_345).numpy()[-1] == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.fill((-1,), 0), "negative length"),
        (lambda: core.fill((2,), 1.5, "int32"), "not an integer"),
        (lambda: core.fill((2,), "a", "float32"), "cannot turn"),
        (lambda: core.fill((2,), 1, "string"), "cannot make a tensor of int"),
        (lambda: core.fill((2,), [1, 2]), "expected one float32 value"),
        (lambda: core.zeros((2,), "string"), "cannot make a tensor of int"),
        (lambda: core.range(0, 3, 0), "step=0"),
        (lambda: core.range(0, 3, 1, "bool"), "dtype='bool'"),
        (lambda: core.range(0, 3, 0.5, "int32"), "not an integer"),
        (lambda: core.range(0, 2**31 + 1, 2**31, "int32"), "do not fit into int32"),
        (
            lambda: core.range(0, float("inf")),
            "range got an invalid argument: cannot conv",
        ),
        (lambda: core.linspace(0, 1, 0), "num=0 must be an integer, 1 or more"),
        (lambda: core.linspace(0, 1, 2.5), "integer"),
        (lambda: core.one_hot([0], 1), "depth=1 must be an integer, 2 or more"),
        (lambda: core.one_hot([0.5], 2), "got float32"),
        (lambda: core.one_hot([0], 2, 0.5), "not an integer"),
        (lambda: core.one_hot([0], 2, dtype="float"), "unknown dtype"),
        (lambda: core.eye(-1), "negative length"),
        (lambda: core.eye(2, dtype="string"), "dtype of numbers"),
        (lambda: core.meshgrid([1], [2], indexing="yx"), "indexing='yx'"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64"])
def test_identity_matrices(dtype):
    x = core.eye(2, 3, (4, 1), dtype)
    assert x.spec == core.Spec((4, 1, 2, 3), dtype)
    np.testing.assert_array_equal(x.numpy()[3, 0], [[1, 0, 0], [0, 1, 0]])
    assert core.eye(0).shape == (0, 0)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(), (3,), (3, 2), (3, 2, 4), (0, 2)])
def test_grids(indexing, lengths, rng):
    lines = [rng.random(n).astype(np.float32) for n in lengths]
    found = core.meshgrid(*lines, indexing=indexing)
    expected = np.meshgrid(*lines, indexing=indexing)
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)


def test_grids_keep_dtypes_and_gradients():
    x, y = core.meshgrid([[1, 2], [3, 4]], ["a"])
    assert (x.dtype, x.shape, y.tolist()) == ("int32", (1, 4), [[b"a"] * 4])
    assert core.grad(lambda t: core.sum(core.meshgrid(t, [1.0, 2.0])[0]))([5.0]).tolist() == [2]


def test_the_gradient_of_one_hot_is_zero():
    slope = core.grad(lambda x: core.sum(core.one_hot(core.cast(x, "int32"), 3, dtype="float32")))
    assert slope([0.0, 2.0]).tolist() == [0, 0]


def test_kernels_of_tensorflow_js():
    calls = [
        ("Range", {}, {"start": 1, "stop": 4, "step": 2, "dtype": "int32"}, [1, 3]),
        ("LinSpace", {}, {"start": 0, "stop": 1, "num": 2}, [0, 1]),
        ("Diag", {"x": [3]}, {}, [[3]]),
        (
            "OneHot",
            {"indices": [1, 5]},
            {"depth": 2, "onValue": 7, "offValue": -1, "dtype": "float32"},
            [[-1, 7], [-1, -1]],
        ),
    ]
    for name, inputs, attributes, expected in calls:
        (result,) = core.run_kernel(name, inputs, attributes)
        assert result.tolist() == expected, name


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.one_hot([0], (2, 3)),
        lambda: core.linspace(0, 1, (3, 4)),
        lambda: core.linspace(0, 1, True),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()
