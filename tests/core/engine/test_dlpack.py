"""Arrays and tensors of other libraries, in and out."""

import numpy as np
import pytest

import core
from core.engine.dlpack import CPU_DEVICE
from tests.helpers import require, start_or_skip


class Foreign:
    """An array that gives itself by DLPack alone, as some libraries' do."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldConsumer:
    """A library that knows DLPack before 1.0, or says nothing of copies."""

    def __init__(self, x, **asked):
        self.capsule, self.device = x.__dlpack__(**asked), x.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def shared(x, **asked):
    """What a consumer gets that asks so."""
    return np.from_dlpack(OldConsumer(x, **asked))


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_numpy_takes_a_tensor(dtype, shape):
    x = core.ones(shape, dtype)
    taken = np.from_dlpack(x)
    assert taken.dtype == x.numpy().dtype and taken.shape == shape
    np.testing.assert_array_equal(taken, x.numpy())


def test_numpy_shares_the_data_read_only():
    x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
    taken = np.from_dlpack(x)
    assert np.shares_memory(taken, np.asarray(x))
    with pytest.raises(ValueError, match="read-only"):
        taken[0, 0] = 5
    assert np.shares_memory(np.from_dlpack(x.reshape(4)), taken)


def test_the_data_outlive_the_tensor():
    taken = np.from_dlpack(core.tensor(np.arange(1000.0)))
    core.zeros((1000,))
    assert taken.sum() == 499500


def test_who_knows_no_read_only_mark_gets_a_copy():
    x = core.tensor([1.0, 2.0])
    for asked in ({}, {"max_version": (0, 8)}, {"copy": None}, {"max_version": (1, 0)}):
        assert not np.shares_memory(shared(x, **asked), np.asarray(x))


def test_copies_on_demand():
    x = core.tensor([1.0, 2.0])
    ours = np.asarray(x)
    assert np.shares_memory(shared(x, max_version=(1, 0), copy=False), ours)
    assert np.shares_memory(shared(x, max_version=(1, 0), copy=None), ours)
    copied = shared(x, max_version=(1, 0), copy=True)
    assert not np.shares_memory(copied, ours) and copied.flags.writeable


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"copy": False}, "never changes.*DLPack 1.0"),
        ({"dl_device": (2, 0)}, r"main memory.*dl_device=\(2, 0\)"),
        ({"stream": 1}, "stream=1"),
    ],
)
def test_what_cannot_be_had_is_said_in_both_families(asked, said):
    x = core.tensor([1.0])
    with pytest.raises(BufferError, match=said) as error:
        x.__dlpack__(**asked)
    assert isinstance(error.value, core.CoreError)


def test_strings_and_disposed_tensors_are_not_handed_out():
    with pytest.raises(core.CoreError, match="no strings"):
        np.from_dlpack(core.tensor(["a"]))
    x = core.tensor([1.0])
    x.dispose()
    with pytest.raises(core.CoreError, match="disposed"):
        np.from_dlpack(x)


def test_a_variable_in_use_elsewhere_is_not_changed_in_place():
    w = core.variable([1.0, 2.0])
    taken = np.from_dlpack(w)
    core.train.sgd(0.5).minimize(lambda: core.sum(w * w))
    assert w.numpy().tolist() == [0.0, 0.0]
    assert taken.tolist() == [1.0, 2.0]


def test_an_array_by_dlpack_alone_becomes_a_tensor():
    source = np.array([[1.0, 2.0]], np.float32)
    x = core.tensor(Foreign(source))
    source[0, 0] = 9
    assert x.tolist() == [[1.0, 2.0]]
    assert core.sum(Foreign(np.array([1, 2], np.int64))).item() == 3
    assert core.tensor(core.tensor([1.0])).tolist() == [1.0]


def test_what_a_foreign_array_refuses_is_told():
    class Elsewhere(Foreign):
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **_):
            raise BufferError("the data are on a GPU")

    with pytest.raises(core.CoreError, match="Elsewhere: .*GPU|Elsewhere: .*device"):
        core.tensor(Elsewhere(np.ones(2)))


def test_tensors_of_the_shader_backend_are_read_back():
    start_or_skip()
    with core.backend("shader"):
        x = core.tensor([1.0, 2.0]) * 2.0
        assert x.__dlpack_device__() == CPU_DEVICE
        assert np.from_dlpack(x).tolist() == [2.0, 4.0]
        with pytest.raises(BufferError, match="read back"):
            np.from_dlpack(x, copy=False)


def test_pytorch_takes_a_tensor_and_cannot_change_it():
    torch = require("torch")
    x = core.tensor([[1.0, 2.0]])
    taken = torch.from_dlpack(x)
    assert taken.dtype == torch.float32 and taken.tolist() == [[1.0, 2.0]]
    taken.add_(1)
    assert x.tolist() == [[1.0, 2.0]]
    assert torch.from_dlpack(core.tensor([True])).dtype == torch.bool
    assert torch.from_dlpack(core.tensor([1j])).dtype == torch.complex64


def test_tensors_of_pytorch_come_in():
    torch = require("torch")
    assert core.tensor(torch.ones(2, dtype=torch.float64)).dtype == "float32"
    assert core.sum(torch.ones((2, 2))).item() == 4.0
    with pytest.raises(core.CoreError, match=r"torch\.Tensor: .*detach"):
        core.tensor(torch.ones(2, requires_grad=True))
