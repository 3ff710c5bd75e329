"""Variables: reading and assigning, operators, copies, scopes. Updates have a file of their own."""

import copy
import gc
import pickle

import numpy as np
import pytest

import core


def add_one(array):
    array += 1


# Values


def test_a_variable_is_made_of_values_or_of_a_tensor_that_it_does_not_change():
    given = np.ones(2, np.float32)
    t = core.tensor(given)
    w = core.variable(t)
    w.update(add_one)
    assert w.tolist() == [2, 2] and t.tolist() == [1, 1]
    given[0] = 9
    assert core.variable(w).tolist() == [2, 2]


def test_names_dtypes_and_flags():
    w = core.variable([1, 2], trainable=False, name="steps", dtype="float32")
    assert (w.name, w.trainable, w.dtype, w.shape, w.ndim) == ("steps", False, "float32", (2,), 1)
    a, b = core.variable(1.0), core.variable(1.0)
    assert a.trainable and a.name != b.name and a.name.startswith("variable_")
    assert repr(w) == "Variable('steps', Tensor([1., 2.], shape=(2,), dtype=float32))"
    assert isinstance(w, core.Tensor) and w.backend == "cpu" and len(w) == 2


@pytest.mark.parametrize(
    "value, dtype", [(3, "int32"), (True, "bool"), (1j, "complex64"), ("a", "string")]
)
def test_variables_of_every_dtype(value, dtype):
    w = core.variable([value])
    assert w.dtype == dtype
    w.assign(w)
    assert core.concat([w, w]).tolist() == w.tolist() * 2


def test_what_was_computed_or_read_before_stays():
    w = core.variable([1.0, 2.0])
    read, doubled, array, part = w.read(), w * 2.0, np.asarray(w), w[1:]
    w.assign([5.0, 6.0])
    w.update(add_one)
    assert w.tolist() == [6, 7]
    assert read.tolist() == array.tolist() == [1, 2]
    assert doubled.tolist() == [2, 4] and part.tolist() == [2]


def test_assigned_values_are_copied():
    w, given = core.variable([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
    t = core.tensor(given)
    w.assign(given)
    given[0] = 9
    assert w.tolist() == [3, 4]
    w.assign(t)
    w.update(add_one)
    assert w.tolist() == [4, 5] and t.tolist() == [3, 4]


def test_whole_numbers_become_what_the_variable_holds():
    w = core.variable(1.0)
    w.assign(3)
    assert (w.item(), w.dtype) == (3, "float32")
    n = core.variable(1)
    n.assign(True)
    assert (n.item(), n.dtype) == (1, "int32")


@pytest.mark.parametrize(
    "value, message",
    [
        ([1.0, 2.0, 3.0], r"variable 'w' is float32 \(2,\), the new value is float32 \(3,\)"),
        (1.0, r"the new value is float32 \(\)"),
        ([1j, 2j], r"the new value is complex64 \(2,\)"),
        (["a", "b"], r"the new value is string \(2,\)"),
    ],
)
def test_values_that_do_not_fit(value, message):
    w = core.variable([1.0, 2.0], name="w")
    with pytest.raises(core.CoreError, match=message):
        w.assign(value)
    assert w.tolist() == [1, 2]


def test_floats_do_not_fit_into_whole_numbers():
    with pytest.raises(core.CoreError, match="is int32.*is float32"):
        core.variable(1).assign(1.5)


def test_values_that_make_no_variable():
    with pytest.raises(core.CoreError):
        core.variable(None)


# As a tensor


def test_operators_on_both_sides():
    w = core.variable([1.0, 2.0])
    ones = np.ones(2, np.float32)
    for result, expected in [
        (1.0 - w, [0, -1]),
        (w - 1, [0, 1]),
        (2 / w, [2, 1]),
        (w**2, [1, 4]),
        (2.0**w, [2, 4]),
        (-w, [-1, -2]),
        (ones + w, [2, 3]),
        (ones * core.variable(3), [3, 3]),
        (w % 2.0, [1, 0]),
        (w > 1.0, [False, True]),
        (w == w, [True, True]),
        (core.variable([[1.0, 2.0]]) @ core.variable([[3.0], [4.0]]), [[11]]),
        (~core.variable([True]), [False]),
    ]:
        assert type(result) is core.Tensor and result.tolist() == expected


def test_methods_indexing_and_what_python_expects():
    w = core.variable([[-1.0, 2.0], [3.0, 4.0]])
    assert w.relu().tolist() == [[0, 2], [3, 4]]
    assert w.sum(axis=0).tolist() == [2, 6] and w.T.shape == w.transpose().shape == (2, 2)
    assert w[0].tolist() == [-1, 2] and w[..., ::-1].tolist()[0] == [2, -1]
    assert [row.tolist() for row in w] == [[-1, 2], [3, 4]]
    assert w.reshape(4).tolist() == w.flatten().tolist() == [-1, 2, 3, 4]
    assert w.cast("int32").dtype == "int32" and w.concat(w).shape == (4, 2)
    assert np.sum(w) == 8 and np.concatenate([w, w]).shape == (4, 2)
    one = core.variable(2)
    assert bool(one) and float(one) == 2 and int(one) == 2 and list(range(one)) == [0, 1]
    assert f"{core.variable(1.5):.2f}" == "1.50" and (one == None) is False  # noqa: E711
    assert {w: 1}[w] == 1 and w.read() not in {w: 1}


def test_an_array_of_a_variable_can_not_be_written_to():
    w = core.variable([1.0])
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(w)[0] = 2
    w.numpy()[0] = 2
    assert w.item() == 1


def test_as_any_input_and_as_an_attribute():
    w, bias = core.variable([[1.0, 2.0]]), core.variable([3.0])
    assert core.concat([w, w], 0).shape == (2, 2)
    assert core.fused_matmul(w, [[1.0], [1.0]], bias).tolist() == [[6]]
    assert core.reshape(w, core.variable([2, 1])).shape == (2, 1)
    assert core.sum(w, axis=core.variable(1)).tolist() == [3]
    assert core.gather(w, core.variable([0])).tolist() == [[1, 2]]
    (same,) = core.run_kernel("Add", {"a": w, "b": bias})
    assert same.tolist() == [[4, 5]]
    with pytest.raises(core.CoreError, match=r"core\.stack"):
        core.tensor([bias, bias])


@pytest.mark.parametrize(
    "change, expected",
    [
        ("w += 2", 10),
        ("w -= 2", 6),
        ("w *= 2", 16),
        ("w /= 2", 4),
        ("w //= 3", 2),
        ("w %= 3", 2),
        ("w **= 2", 64),
        ("w -= 0.5 * w", 4),
    ],
)
def test_operators_that_assign(change, expected):
    w = core.variable([8.0])
    scope = {"w": w, "core": core}
    exec(change, scope)
    assert scope["w"] is w and w.tolist() == [expected]


def test_operators_that_assign_to_other_dtypes():
    n, mask, matrix = core.variable(5), core.variable([True, False]), core.variable([[1.0, 2.0]])
    same = n, mask, matrix
    n -= 2
    mask &= [True, True]
    mask |= core.tensor([False, True])
    mask ^= [True, False]
    matrix @= [[0.0, 1.0], [1.0, 0.0]]
    assert (n is same[0]) and (mask is same[1]) and (matrix is same[2])
    assert (n.tolist(), mask.tolist(), matrix.tolist()) == (3, [False, True], [[2, 1]])
    with pytest.raises(core.CoreError, match="is int32"):
        n *= 0.5
    with pytest.raises(core.CoreError, match=r"the new value is float32 \(1, 1\)"):
        matrix @= [[1.0], [1.0]]
    with pytest.raises(TypeError):
        n += None
    assert (n.tolist(), matrix.tolist()) == (3, [[2, 1]])


# Copies


@pytest.mark.parametrize("of", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))])
@pytest.mark.parametrize("value", [[1.0, 2.0], [3, 4], [True, False], [1j, 2.0], ["a", "b"]])
def test_copies_are_variables_of_their_own(of, value):
    w = core.variable(value, trainable=False, name="w")
    before = w.tolist()
    twin = of(w)
    assert type(twin) is core.Variable and (twin.name, twin.trainable) == ("w", False)
    assert (twin.tolist(), twin.dtype) == (before, w.dtype)
    twin.assign(core.reverse(twin))
    assert w.tolist() == before
    w.dispose()
    assert twin.tolist() == before[::-1]


def test_a_copy_is_not_changed_in_place_by_the_original():
    w = core.variable([1.0])
    twin = copy.copy(w)
    w.update(add_one)
    twin.update(lambda array: np.multiply(array, 5, out=array))
    assert (w.item(), twin.item()) == (2, 5)


def test_a_variable_that_stands_twice_in_a_list_is_copied_once():
    w = core.variable(1.0)
    first, second = copy.deepcopy([w, w])
    assert first is second is not w
    first, second = pickle.loads(pickle.dumps([w, w]))
    assert first is second


# Scopes and disposing


def test_tidy_scopes_dispose_readings_but_no_variables():
    before = core.memory()
    with core.tidy():
        w = core.variable(core.tensor([1.0]) * 2.0)
        read = w.read()
        w.assign(w + 1.0)
    assert w.tolist() == [3] and read.is_disposed
    assert core.tidy(lambda: core.variable(1.0)).item() == 1
    assert core.tidy(w.read).tolist() == [3]
    del w
    assert core.memory()["num_data_containers"] == before["num_data_containers"]


def test_a_gradient_inside_of_a_scope_and_a_scope_inside_of_a_gradient():
    w = core.variable([2.0, 3.0], name="w")

    def loss():
        return core.tidy(lambda: core.sum(core.square(w) * w))

    with core.tidy():
        kept = core.keep(core.variable_grads(loss).grads["w"])
    assert kept.tolist() == [12, 27] and w.tolist() == [2, 3]


def test_disposing_a_variable_leaves_what_was_read():
    w = core.variable([1.0], name="w")
    read = w.read()
    read.dispose()
    assert w.tolist() == [1]
    read = w.read()
    core.dispose({"weights": [w]})
    assert w.is_disposed and read.tolist() == [1] and "disposed" in repr(w)
    for use in (lambda: w + 1.0, w.numpy, lambda: w.update(add_one)):
        with pytest.raises(core.CoreError, match="was disposed"):
            use()
    with pytest.raises(core.CoreError, match="variable 'w' was disposed: make another"):
        w.assign([1.0])


def test_a_disposed_tensor_makes_no_variable_and_no_new_value():
    gone, w = core.tensor([1.0]), core.variable([2.0])
    gone.dispose()
    for use in (core.variable, w.assign):
        with pytest.raises(core.CoreError, match=r"this tensor was disposed.*core\.keep"):
            use(gone)
    assert w.tolist() == [2]
    v = core.variable([3.0])
    v.dispose()
    for use in (core.variable, w.assign, copy.copy, core.Variable.read):
        with pytest.raises(core.CoreError, match="was disposed"):
            use(v)


def test_memory_of_a_variable():
    gc.collect()
    before = core.memory()
    w = core.variable(np.zeros(100, np.float32))
    one = core.memory()
    assert one["num_bytes"] - before["num_bytes"] == 400
    assert one["num_tensors"] - before["num_tensors"] == 1
    for _ in range(3):
        w.assign(w + 1.0)
        w.update(add_one)
        w.read()
    assert core.memory() == one
    del w
    assert core.memory() == before
