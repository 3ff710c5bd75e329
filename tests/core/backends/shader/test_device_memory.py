"""Memory of the device: recycled, moved to the host where it is short, and let go of."""

import gc
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

import core
from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout, layout_of
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.backends.shader.runtime.device_memory import DeviceMemory
from core.backends.shader.runtime.gl_thread import live_threads
from core.backends.shader.runtime.memory_blocks import Block, rounded
from core.engine.backends import load_backend
from core.engine.specs import Spec
from tests.core.conftest import check_device, things_on_device

KINDS = {"buffers": False, "textures": True}


@pytest.fixture(params=KINDS)
def in_textures(request):
    return KINDS[request.param]


@pytest.fixture
def storage(gl_thread):
    storage = DeviceMemory(gl_thread)
    yield storage
    gl_thread.call(storage.release)


def block_of(array, in_textures=False, half=False):
    array = np.asarray(array)
    layout = layout_of(Spec(array.shape, str(array.dtype)), in_textures, half)
    return Block(layout, array.size, array.reshape(-1))


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64"])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 4097, 70_001])
def test_values_come_back_as_they_were(storage, gl_thread, rng, in_textures, dtype, size):
    values = rng.integers(-1000, 1000, size).astype(dtype)
    if dtype == "complex64":
        values = values + np.complex64(1j) * rng.normal(size=size).astype(np.float32)
    block = block_of(values, in_textures)
    assert storage.read(block) is block.host  # nobody needed it on the device
    gl_thread.call(lambda: storage.of(block))
    assert block.host is None
    found = gl_thread.call(lambda: storage.read(block))
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("size", [1, 2, 3, 1025])
def test_halves_round_and_come_back(storage, gl_thread, rng, in_textures, size):
    values = rng.normal(size=size).astype(np.float32)
    block = block_of(values, in_textures, half=True)
    gl_thread.call(lambda: storage.of(block))
    found = gl_thread.call(lambda: storage.read(block))
    np.testing.assert_array_equal(found, values.astype(np.float16).astype(np.float32))


def test_values_beyond_float16_become_infinite(storage, gl_thread, in_textures):
    block = block_of(np.array([70_000, -1e30, 65_504], np.float32), in_textures, half=True)
    gl_thread.call(lambda: storage.of(block))
    assert gl_thread.call(lambda: storage.read(block)).tolist() == [np.inf, -np.inf, 65_504]


def test_freed_memory_is_reused(storage, gl_thread, in_textures):
    layout = block_of(np.ones(1000, np.float32), in_textures).layout

    def used_and_left():
        block = Block(layout, 1000)
        resource = storage.of(block)
        assert storage.of(block) is resource
        return resource

    resources = {id(gl_thread.call(used_and_left)) for _ in range(20)}
    assert len(resources) == 1
    used = storage.used_bytes
    other = block_of(np.ones(50_000, np.float32), in_textures)
    gl_thread.call(lambda: storage.of(other))
    assert storage.used_bytes >= used + 200_000 and gl_thread.call(lambda: storage.resources) == 1


def test_uploads_take_memory_that_is_idle(storage, gl_thread, in_textures):
    def uploaded():
        storage.begin()
        return storage.of(block_of(np.ones(1000, np.float32), in_textures))

    first, second = gl_thread.call(uploaded), gl_thread.call(uploaded)
    assert first is not second
    gl_thread.call(lambda: (storage.begin(), storage.wait()))
    assert [gl_thread.call(uploaded) for _ in range(2)] == [first, second]  # used longest ago first
    assert gl_thread.call(uploaded) not in (first, second)


def test_unused_memory_is_bounded(storage, gl_thread):
    storage.limit = 1_000_000

    def some(size):
        storage.of(Block(MemoryLayout("float32"), size))

    for size in range(1000, 60_000, 1000):
        gl_thread.call(lambda size=size: some(size))
        assert storage.used_bytes <= 250_000 + rounded(4 * size)


def test_least_recently_used_blocks_move_to_the_host(storage, gl_thread, in_textures):
    storage.limit = 10 * 16_384
    blocks = [block_of(np.full(4000, i, np.float32), in_textures) for i in range(30)]
    for block in blocks:
        gl_thread.call(storage.begin)
        gl_thread.call(lambda block=block: storage.of(block))
        gl_thread.call(lambda: storage.of(blocks[0]))  # used all the time
        assert storage.used_bytes <= storage.limit
    assert storage.moved_out == 20
    assert blocks[0].resource is not None and blocks[1].resource is None
    assert [b.resource is not None for b in blocks[-9:]] == [True] * 9
    for i, block in enumerate(blocks):
        assert set(gl_thread.call(lambda block=block: storage.read(block))) == {i}
    assert storage.moved_out == 20  # what is read lies on the host already
    gl_thread.call(storage.begin)
    gl_thread.call(lambda: storage.of(blocks[1]))
    assert set(gl_thread.call(lambda: storage.read(blocks[1]))) == {1} and storage.moved_out == 21


def test_used_and_pinned_blocks_stay(storage, gl_thread):
    storage.limit = 5 * 4096
    pinned = [block_of(np.ones(1024, np.float32))]
    resource = gl_thread.call(lambda: storage.pinned(pinned[0]))
    blocks = [block_of(np.full(1024, i, np.float32)) for i in range(12)]
    gl_thread.call(storage.begin)
    resources = gl_thread.call(lambda: [storage.of(block) for block in blocks])
    assert storage.moved_out == 0 and storage.used_bytes == 13 * 4096  # above the limit
    gl_thread.call(storage.begin)
    last = block_of(np.zeros(1024, np.float32))
    gl_thread.call(lambda: storage.of(last))
    assert storage.used_bytes == storage.limit and storage.moved_out == 9
    assert [b.resource for b in blocks[9:]] == resources[9:]
    assert gl_thread.call(lambda: storage.of(pinned[0])) is resource
    pinned.clear()
    assert gl_thread.call(lambda: storage.resources) == 4


def ring_of(block):
    """The block, kept by nobody but itself."""
    ring = [block]
    ring.append(ring)
    return block


def test_garbage_is_collected_before_values_move(storage, gl_thread):
    storage.limit = 100_000
    gl_thread.call(storage.begin)
    gc.disable()
    try:
        gl_thread.call(lambda: storage.of(ring_of(block_of(np.zeros(20_000, np.float32)))))
        block = block_of(np.zeros(20_000, np.float32))
        gl_thread.call(storage.begin)
        gl_thread.call(lambda: storage.of(block))
    finally:
        gc.enable()
    assert storage.moved_out == 0 and storage.used_bytes == 81_920


def test_a_device_that_is_full(storage, gl_thread, monkeypatch):
    """First what is unused goes, then what others have; then the words are ours."""
    room = 3
    made = []

    def new_thing(key, new=storage._new_resource):
        if sum(resource.extra is None for resource in made) >= room:
            raise MemoryError
        made.append(SimpleNamespace(extra=None, real=new(key)))
        made[-1].write = made[-1].real.write
        made[-1].read_into = made[-1].real.read_into
        made[-1].release = lambda resource=made[-1]: (
            made.remove(resource),
            resource.real.release(),
        )
        return made[-1]

    monkeypatch.setattr(storage, "_new_resource", new_thing)
    blocks = [block_of(np.full(1000, i, np.float32)) for i in range(5)]
    for block in blocks:
        gl_thread.call(storage.begin)
        gl_thread.call(lambda block=block: storage.of(block))
    assert storage.moved_out == 3
    assert [set(gl_thread.call(lambda b=b: storage.read(b))) for b in blocks] == [
        {i} for i in range(5)
    ]
    gl_thread.call(storage.begin)
    with pytest.raises(DeviceMemoryError, match=r"no memory for 4,096 bytes beside the 12,288 in"):
        gl_thread.call(lambda: [storage.of(block) for block in blocks])
    gl_thread.call(storage.begin)
    assert set(gl_thread.call(lambda: (storage.of(blocks[4]), storage.read(blocks[4]))[1])) == {4}


def test_a_refused_allocation_leaves_nothing(storage, gl_thread, monkeypatch):
    refusals = []

    def check(what):
        if what.startswith("a buffer"):
            raise refusals[-1]

    monkeypatch.setattr(gl_thread, "check_errors", check)
    for refusal, found in ((DeviceMemoryError("full"), "no memory"), (core.CoreError("no"), "no")):
        refusals.append(refusal)
        block = Block(MemoryLayout("float32"), 8)
        with pytest.raises(core.CoreError, match=found):
            gl_thread.call(lambda block=block: storage.of(block))
        assert storage.used_bytes == 0 and block.resource is None


def test_values_that_could_not_be_made(storage, gl_thread):
    block = Block(MemoryLayout("float32"), 8)
    gl_thread.call(lambda: storage.of(block))
    block.error = ValueError("why")
    for function in (storage.of, storage.read):
        with pytest.raises(ValueError, match="why"):
            gl_thread.call(lambda function=function: function(block))


def test_blocks_of_a_context_that_is_gone(gl_thread):
    """What was on the device is lost; what never left the host, or moved there, is not."""
    first, second = DeviceMemory(gl_thread), DeviceMemory(gl_thread)
    first.limit = 4096
    blocks = [block_of(np.full(1000, i, np.float32)) for i in range(3)]
    for block in blocks[:2]:
        gl_thread.call(first.begin)
        gl_thread.call(lambda block=block: first.of(block))
    # As after a fork, where nothing could be let go of.
    with pytest.raises(core.CoreError, match="were made before the shader backend was stopped"):
        gl_thread.call(lambda: second.of(blocks[1]))
    gl_thread.call(first.release)
    assert first.used_bytes == 0
    for function in (second.of, second.read):
        with pytest.raises(core.CoreError, match=r"keep what is needed with numpy\(\) before"):
            gl_thread.call(lambda function=function: function(blocks[1]))
    for i in (0, 2):
        gl_thread.call(lambda i=i: second.of(blocks[i]))
        assert set(gl_thread.call(lambda i=i: second.read(blocks[i]))) == {i}
    del block, blocks[:]
    assert gl_thread.call(lambda: second.resources) == 0
    gl_thread.call(second.release)


def test_blocks_go_in_any_thread_while_others_move(storage, gl_thread):
    """What a thread drops at the moment in which it would move out is used again once."""
    storage.limit = 20 * 4096
    wrong = []

    def work(number):
        for i in range(150):
            block = block_of(np.full(1000, 1000 * number + i, np.float32))
            kept = block_of(np.full(1000, -number, np.float32))
            gl_thread.call(lambda b=block, k=kept: (storage.begin(), storage.of(b), storage.of(k)))
            found = gl_thread.call(lambda b=block: storage.read(b))
            if set(found) != {1000 * number + i}:
                wrong.append(found)

    threads = [Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert gl_thread.call(lambda: storage.resources) == 0
    assert storage.used_bytes <= storage.limit


# --- the whole backend --------------------------------------------------------------------------


def test_more_tensors_than_the_device_holds(new_path, rng):
    core.start_shader(path=new_path, memory_mb=2)
    storage = load_backend("shader").session.memory
    arrays = [rng.normal(size=(100, 250)).astype(np.float32) for _ in range(60)]  # 6 MB
    tensors = [core.square(core.tensor(array)) for array in arrays]
    total = core.tensor(np.zeros((100, 250), np.float32))
    for tensor in tensors:
        total = total + tensor
    expected = np.sum([array * array for array in arrays], axis=0)
    np.testing.assert_allclose(total.numpy(), expected, rtol=1e-5)
    for array, tensor in zip(arrays, tensors, strict=True):
        np.testing.assert_array_equal(tensor.numpy(), array * array)
    assert storage.moved_out >= 40
    assert storage.used_bytes <= storage.limit


def test_memory_that_was_drawn_to_last_may_go(new_path):
    core.start_shader(path=new_path, memory_mb=2)
    for size in range(5000, 150_000, 5000):
        assert (core.fill([size], 1.0) + 1.0).numpy().sum() == 2 * size


def test_values_that_no_shader_sees_as_a_whole(new_path):
    session = load_backend("shader").session
    most = session.device.max_buffer_bytes // 16 * 4  # they are stored in fours
    if new_path == "fragment":
        most = min(session.device.max_texture, 4096) * session.device.max_texture * 4
    session.check_size(Spec((most,), "float32"))
    for spec in (Spec((most + 1,), "int32"), Spec((most // 2 + 1,), "complex64")):
        with pytest.raises(core.CoreError, match=f"{spec.dtype} tensor .* sees .* at most: work"):
            session.check_size(spec)
    with pytest.raises(core.CoreError, match="at most: work on smaller parts"):
        core.fill([most + 1], 1.0)


def refuse_a_command(session):
    session.gl_thread.put(lambda: session.gl_thread.gl.use_program(99_999))


def test_a_refused_command_raises_on_the_next_read(new_path):
    session, kept = load_backend("shader").session, core.square(3.0)
    refuse_a_command(session)
    with pytest.raises(core.CoreError, match="^what ran before these values were read: OpenGL re"):
        kept.numpy()
    assert kept.item() == 9


def test_a_refused_command_fails_no_later_op(new_path):
    refuse_a_command(load_backend("shader").session)
    made = core.fill([54_321], 2.0)  # which needs new memory
    with pytest.raises(core.CoreError, match="OpenGL refused a command"):
        made.numpy()
    assert (made + made).numpy().sum() == 4 * 54_321


def test_debug_mode_raises_at_once(new_path):
    refuse_a_command(load_backend("shader").session)
    with core.flags(debug=True), pytest.raises(core.CoreError, match="OpenGL refused a command"):
        core.square(3.0)


def test_a_lost_context_raises_until_it_is_stopped(new_path, monkeypatch):
    backend, kept = load_backend("shader"), core.square(3.0)
    thread, told = backend.session.gl_thread._thread, iter([0x8253])
    kept.numpy()
    monkeypatch.setattr(backend.session.gl_thread.gl, "get_reset_status", lambda: next(told, 0))
    for use in (kept.numpy, kept.numpy, lambda: core.square(2.0).numpy(), lambda: kept + kept):
        with pytest.raises(core.CoreError, match="context is lost: the driver reset the GPU"):
            use()
    core.start_shader(path=new_path)
    assert core.square(2.0).item() == 4 and not thread.is_alive()
    with pytest.raises(core.CoreError, match="the values are gone"):
        kept.numpy()


def test_it_stops_whatever_went_wrong_before(new_path):
    gl_thread = load_backend("shader").session.gl_thread
    gl_thread.put(lambda: 1 / 0)
    core.stop_shader()
    assert not gl_thread._thread.is_alive()


def test_values_that_are_gone_need_no_new_context(new_path):
    kept, given = core.square(3.0), core.tensor([5.0])
    core.stop_shader()
    with pytest.raises(core.CoreError, match="the values are gone"):
        kept.numpy()
    assert given.tolist() == [5] and not live_threads()


def test_memory_is_flat_and_counted(new_path):
    storage = load_backend("shader").session.memory
    before, used = core.memory(), set()
    x = core.tensor(np.full((64, 64), 0.5, np.float32))
    # As many blocks as a step needs at most: all of them, when commands run as soon as queued.
    most = [core.square(x) for _ in range(3)]
    load_backend("shader").session.gl_thread.call(lambda: None)
    del most
    y = x
    for step in range(2000):
        y = core.square(y) + x
        if step % 500 == 499:
            assert y.numpy().shape == (64, 64)
            assert core.memory()["num_bytes"] - before["num_bytes"] == 2 * 64 * 64 * 4
            assert core.memory()["num_data_containers"] - before["num_data_containers"] == 2
            used.add(storage.used_bytes)
    assert len(used) == 1
    view = core.reshape(y, (4096,))
    assert core.memory()["num_tensors"] - before["num_tensors"] == 3
    del x, y, view
    assert core.memory() == before
    assert load_backend("shader").session.gl_thread.call(lambda: storage.resources) == 0


def test_tests_find_what_is_refused_or_left(new_path):
    before = things_on_device()
    check_device(before)
    session = load_backend("shader").session
    refuse_a_command(session)
    with pytest.raises(core.CoreError, match="a test: OpenGL refused a command"):
        check_device(before)
    left = [block_of(np.zeros(4, np.float32), new_path == "fragment")]
    session.gl_thread.call(lambda: session.memory.of(left[0]))
    with pytest.raises(AssertionError, match="1 buffers or textures that no tensor owns"):
        check_device(before)
    left.clear()
    check_device(before)
