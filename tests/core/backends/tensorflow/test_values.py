"""Values of the tf backend: what goes in and comes out, whose memory it is, when it is freed."""

import asyncio
import copy
import gc
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.engine.backends import load_backend
from core.engine.registry import KERNEL_NAMES, KERNELS, OPS, READY
from tests.helpers import ROOT

SHAPES = ((), (0, 3), (2, 3), (5,))


@pytest.fixture(autouse=True)
def _on_tf():
    with core.backend("tf"):
        yield


def some_values(dtype, shape):
    rng = np.random.default_rng(3)
    if dtype == "string":
        return np.array(rng.integers(0, 99, shape).astype("S"), object)
    if dtype == "complex64":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
    kinds = {"float32": np.float32, "int32": np.int32, "bool": bool}
    return np.asarray(rng.normal(size=shape) * 9).astype(kinds[dtype])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64", "string"])
def test_values_come_back(dtype, shape):
    given = some_values(dtype, shape)
    x = core.tensor(given)
    assert (x.backend, x.dtype, x.shape) == ("tf", dtype, shape)
    for found in (x.numpy(), np.asarray(x), asyncio.run(x.data())):
        assert found.dtype == given.dtype and found.shape == shape
        np.testing.assert_array_equal(found, given)
    assert x.tolist() == given.tolist()
    assert x.numpy().flags.writeable and not np.asarray(x).flags.writeable
    assert core.identity(x).tolist() == given.tolist()
    assert pickle.loads(pickle.dumps(x)).tolist() == given.tolist()
    assert copy.deepcopy(x) is x


def test_a_tensor_does_not_change_with_the_array_it_was_made_of():
    for count in (4, 1 << 16):
        given = np.ones(count, np.float32)
        x = core.tensor(given)
        given[:] = 2
        x.numpy()[:] = 3
        assert x.numpy().sum() == count


def test_reading_shows_the_memory_of_tensorflow():
    x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
    shown = np.asarray(x)
    assert np.shares_memory(shown, np.asarray(x.reshape(4)))
    with pytest.raises(ValueError, match="WRITEABLE"):
        shown.flags.writeable = True
    del x
    core.ones((4,))
    assert shown.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_other_libraries_get_copies():
    x = core.tensor([1.0, 2.0])
    taken = np.from_dlpack(x)
    assert taken.tolist() == [1.0, 2.0] and not np.shares_memory(taken, np.asarray(x))
    with pytest.raises(BufferError, match="read back"):
        np.from_dlpack(x, copy=False)


def test_tensors_of_tensorflow_come_in():
    tf = pytest.importorskip("tensorflow")
    assert core.tensor(tf.constant([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    assert core.sum(tf.constant([1, 2])).item() == 3


def test_tensors_move_between_backends():
    x = core.tensor([1.0, 2.0])
    with core.backend("cpu"):
        there = x + 1.0
        assert there.backend == "cpu"
    assert (there * x).tolist() == [2.0, 6.0]


def test_memory_counts_tensors_and_bytes():
    before = core.memory()
    x = core.tensor(np.ones((4, 8), np.float32))
    y = core.relu(x)
    shown = x.reshape(32)
    now = core.memory()
    assert now["num_bytes"] - before["num_bytes"] == 2 * 128
    assert now["num_tensors"] - before["num_tensors"] == 3
    assert now["num_data_containers"] - before["num_data_containers"] == 2
    for tensor in (x, y, shown):
        tensor.dispose()
    assert core.memory() == before


def test_tensorflow_frees_what_is_disposed_of():
    x = core.relu(core.ones((64, 64)))
    held = weakref.ref(x.handle)
    y = core.add(x, 1.0)
    x.dispose()
    gc.collect()
    assert held() is None and y.numpy().sum() == 2 * 64 * 64


def test_threads_compute_at_once(rng):
    arrays = [rng.normal(size=(64, 64)).astype(np.float32) for _ in range(32)]

    def compute(array):
        with core.backend("tf"):
            return core.relu(core.matmul(core.tensor(array), core.tensor(array.T))).numpy()

    with ThreadPoolExecutor(4) as pool:
        for array, found in zip(arrays, pool.map(compute, arrays), strict=True):
            np.testing.assert_allclose(found, np.maximum(array @ array.T, 0), atol=1e-4)


def test_errors_are_the_engines():
    with pytest.raises(core.CoreError, match="matmul"):
        core.matmul(core.ones((2, 3)), core.ones((2, 3)))
    with pytest.raises(core.CoreError) as error:
        core.check_numerics(core.tensor([np.nan]), message="the loss")
    assert "node" not in str(error.value)


# --- kernels of users -----------------------------------------------------------------------


@pytest.fixture
def scratch_op():
    """An op of the test, which is forgotten after it."""

    @core.op(input_dtype="float32")
    def scratch_on_tf(x: core.Spec) -> core.Spec:
        """An op with kernels of the test."""
        return x

    yield scratch_on_tf
    del OPS["scratch_on_tf"], KERNEL_NAMES[scratch_on_tf.kernel_name]
    for backend in ("cpu", "tf"):
        KERNELS.pop(("scratch_on_tf", backend), None)
        READY.pop(("scratch_on_tf", backend), None)


def wrong_dtype(x):
    return np.asarray(x).astype(np.float64)


def wrong_shape(x):
    return np.asarray(x)[:1]


@pytest.mark.parametrize("kernel", [wrong_dtype, wrong_shape])
def test_a_users_kernel_is_checked_as_on_cpu(kernel, scratch_op):
    messages = []
    for backend in ("cpu", "tf"):
        core.kernel("scratch_on_tf", backend)(kernel)
        with core.backend(backend), pytest.raises(core.CoreError) as error:
            scratch_op([1.0, 2.0])
        messages.append(str(error.value))
    assert messages[0] == messages[1] and "is this dtype supported?" in messages[0]


def test_a_users_kernel_may_return_arrays_and_tensors(scratch_op):
    tf = pytest.importorskip("tensorflow")
    calls = []

    def noted(x):
        calls.append(x)
        return np.asarray(x) + np.float32(1) if len(calls) % 2 else tf.raw_ops.Neg(x=x)

    core.kernel("scratch_on_tf", "tf")(noted)
    core.kernel("scratch_on_tf", "cpu")(np.negative)  # which traces look for
    assert scratch_op([1.0, 2.0]).tolist() == [2.0, 3.0]
    assert scratch_op([1.0, 2.0]).tolist() == [-1.0, -2.0]
    compiled = core.compile(lambda x: scratch_op(x * 2.0) * 3.0)
    found = [compiled(core.tensor([1.0])).tolist() for _ in range(2)]  # called at each run
    assert found == [[9.0], [-6.0]] and len(calls) == 4


# --- forks ----------------------------------------------------------------------------------

FORKING = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, core
with core.backend("tf"):
    x = core.ones((64, 64))
    compiled = core.compile(lambda x: core.matmul(x, x))
    compiled(x)
    child = os.fork()
    if not child:
        said = [f"{np.asarray(x).sum():.0f}"]
        for run in (lambda: core.matmul(x, x), lambda: compiled(x)):
            try:
                run()
            except core.CoreError as error:
                said.append(str(error))
        print("|".join(said), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print(core.matmul(x, x).numpy()[0, 0])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_forked_child_reads_values_and_is_refused_what_would_hang():
    command = [sys.executable, "-c", FORKING]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    child, parent = done.stdout.split("\n")[:2]
    shown, op, plan = child.split("|")
    assert shown == "4096" and parent == "64.0"
    assert "'spawn'" in op and "'spawn'" in plan


def test_the_queue_of_ops_is_waited_for():
    asyncio.run(load_backend("tf").finished())
