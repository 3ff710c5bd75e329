"""Ops one by one: compiled kernels, their keys, queued commands, users' kernels, times."""

import gc
from contextlib import nullcontext
from functools import partial

import moderngl
import numpy as np
import pytest

import core
from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime import device_timing
from core.backends.shader.runtime.device_memory import DeviceMemory
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.programs import ShaderError
from core.engine.backends import load_backend
from tests.helpers import release_context


@pytest.fixture
def shader(opengl):
    core.start_shader()
    with core.backend("shader"):
        yield load_backend("shader")
    core.stop_shader()


@pytest.fixture
def halves(opengl):
    core.start_shader(float16=True)
    with core.backend("shader"):
        yield load_backend("shader")
    core.stop_shader()


def scaled_op(kernel):
    """An op with an attribute of any type, and its kernel."""

    @core.op(input_dtype="float32")
    def scaled(x: core.Spec, *, by=1) -> core.Spec:
        """Values times something."""
        return x

    core.kernel("scaled", "shader")(kernel)
    return scaled


# --- compiled kernels ------------------------------------------------------------------------


def test_distinct_attributes_have_distinct_kernels(shader, scratch_ops):
    asked = []

    def kernel(call, x, by):
        asked.append(by)
        return call.each("x", x=x)

    scaled = scaled_op(kernel)
    different = [1, 1.0, True, "1", "1.0", 0.0, -0.0, None, (1,), (1.0,), (True,), (1, 0.0)]
    different += [(1, -0.0), (), ((1,), 2), float("nan")]
    for _ in range(2):
        for by in different:
            scaled([1.0], by=by)
    assert list(map(repr, asked)) == list(map(repr, different))
    for shape in ((1,), (1, 1), (2,), ()):
        scaled(core.ones(shape), by=7)
    scaled(core.reshape(core.ones((4,)), (2, 2)), by=7)
    assert len(asked) == len(different) + 5


def test_one_program_serves_shapes_that_take_turns(shader, rng):
    add, square = core.add, core.square
    values = [rng.normal(size=n).astype(np.float32) for n in (4, 5, 300, 1)]
    made = [(v, add(square(v), v)) for _ in range(3) for v in values]
    programs = len(shader.session.programs)
    made += [(v, add(square(v), v)) for v in (rng.normal(size=n).astype(np.float32) for n in (7,))]
    for v, found in made:
        np.testing.assert_allclose(found.numpy(), v * v + v, rtol=1e-6)
    assert len(shader.session.programs) == programs


def test_cached_programs_are_not_awaited(shader, monkeypatch):
    x = core.tensor([-1.0, 2.0])
    core.leaky_relu(x, alpha=0.5).numpy()

    def refuse(function):
        raise AssertionError("waits")

    with monkeypatch.context() as patch:
        patch.setattr(shader.session.gl_thread, "call", refuse)
        made = core.leaky_relu(x, alpha=0.25)
    assert made.tolist() == [-0.25, 2]


def test_an_error_is_raised_when_results_are_read(shader, monkeypatch, scratch_ops):
    def kernel(call, x, by):
        middle = call.each("x + 1.0", x=x)
        return call.each("2.0 * y", y=middle)

    scaled, x = scaled_op(kernel), core.tensor([1.0])
    assert scaled(x).tolist() == [4]
    session = shader.session
    with monkeypatch.context() as patch:
        patch.setattr(session, "_execute", lambda compiled, blocks: 1 / 0)
        failed = scaled(x)
        session.gl_thread.call(lambda: None)
    after = core.square(failed)
    for lost in (failed, after):
        with pytest.raises(ZeroDivisionError):
            lost.numpy()
    assert x.tolist() == [1] and scaled(x).tolist() == [4]


@pytest.mark.parametrize("paths", [("fragment", "compute"), ("compute", "fragment")])
@pytest.mark.parametrize("op", [core.square, lambda x: core.concat([x, x])])
def test_tensors_of_the_other_path_are_released(opengl, paths, op):
    before, after = paths
    core.start_shader(path=before)
    with core.backend("shader"):
        x = core.tensor([1.0, 2.0])
        core.start_shader(path=after)
        for _ in range(2):
            with pytest.raises(core.CoreError, match="made before the shader backend was stopped"):
                op(x)
        assert op(core.tensor([3.0])).numpy()[0] in (3, 9)
    core.stop_shader()


# --- memory -------------------------------------------------------------------------------------


def test_downloaded_arrays_are_not_copied(gl_thread):
    def work():
        storage = DeviceMemory(gl_thread)
        first = Block(MemoryLayout("float32"), 4)
        resource = storage.of(first)
        del first
        larger, same = Block(MemoryLayout("float32"), 4000), Block(MemoryLayout("int32"), 3)
        assert storage.of(same) is resource and same.memory.layout == MemoryLayout("int32")
        assert storage.of(larger) is not resource and storage.read(same).shape == (3,)
        pinned = Block(MemoryLayout("float32"), 4)
        kept = storage.pinned(pinned)
        del pinned
        again = Block(MemoryLayout("float32"), 4)
        assert storage.of(again) is kept and not again.memory.is_pinned
        filled = Block(MemoryLayout("float32"), 4, np.arange(4, dtype=np.float32))
        del again
        storage.begin()
        storage.wait()  # the host writes to no memory that may be in use
        assert storage.of(filled) is kept and storage.read(filled).tolist() == [0, 1, 2, 3]
        count, used = storage.resources, storage.used_bytes
        storage.release()
        return count, used

    count, used = gl_thread.call(work)
    assert count == 3 and used == 256 + 256 + 16384


def test_many_ops_in_a_row_need_little_memory(shader):
    x = core.tensor(np.ones(1000, np.float32))
    y = x
    for _ in range(300):
        y = core.add(y, x)
    assert y.numpy().tolist() == [301] * 1000
    gc.collect()
    assert shader.session.memory.used_bytes < 300 * 4096


def test_values_between_passes_are_not_rounded(halves, scratch_ops, rng):
    def kernel(call, x, by):
        far = call.each("x + 4096.0", x=x)
        return call.each("far - 4096.0", far=far)

    scaled = scaled_op(kernel)
    x = rng.normal(size=64).astype(np.float16).astype(np.float32)
    np.testing.assert_allclose(scaled(x).numpy(), x, atol=4e-3)  # 4 of what halves have there
    (compiled,) = (r for r in halves.session.kernels.values() if r.intermediates)
    assert [layout.half for layout, _ in compiled.intermediates] == [False]
    assert [layout.half for layout, _ in compiled.results] == [True]


def test_a_fused_convolution_is_rounded_at_its_ends_only(halves, rng):
    drawn = [rng.normal(size=s) * 3 for s in ((2, 3, 6, 4), (2, 2, 3, 4), (4,), (4,))]
    x, w, bias, slopes = (np.float16(a).astype(np.float32) for a in drawn)
    given = {"strides": 1, "pad": "same", "data_format": "NCHW", "activation": "prelu"}
    found = core.fused_conv2d(x, w, bias, slopes, **given).numpy()
    with core.backend("cpu"):
        expected = core.fused_conv2d(x, w, bias, slopes, **given).numpy()
    np.testing.assert_allclose(found, expected, rtol=2**-11, atol=1e-5)  # half a step of halves


# --- kernels of users ---------------------------------------------------------------------------


def test_numbers_of_a_users_kernel_are_known_by_name(shader, scratch_ops):
    scaled = scaled_op(lambda call, x, by: "x * by + vec2(by, 0.0).x")
    assert scaled([1.0, 3.0], by=2.0).tolist() == [4, 8]
    programs = len(shader.session.programs)
    assert scaled([1.0, 3.0], by=0.5).tolist() == [1, 2]
    assert len(shader.session.programs) == programs
    core.kernel("scaled", "shader")(lambda call, x, by: "by % 2 == 0 ? x : -x")
    assert [scaled([1.0], by=by).item() for by in (2, 3)] == [1, -1]


def test_names_that_our_own_text_has_are_free(halves, scratch_ops):
    @core.op(input_dtype="float32")
    def moved(x: core.Spec, *, i: int, p: float, v: float, y: float) -> core.Spec:
        """Values and numbers."""
        return x

    core.kernel("moved", "shader")(lambda call, x, i, p, v, y: "x + float(i) + p + vec2(v, y).y")
    assert moved([1.0, 2.0], i=1, p=0.5, v=9.0, y=0.25).tolist() == [2.75, 3.75]


def test_compile_errors_name_the_op(shader, scratch_ops):
    scaled = scaled_op(lambda call, x, by: "x * bye")
    with pytest.raises(ShaderError, match="^scaled: the driver does not compile .*bye") as raised:
        scaled([1.0])
    assert "x * bye" in raised.value.source


def test_a_user_may_change_what_drawing_depends_on(opengl):
    context = moderngl.create_context(standalone=True, backend="egl")
    core.start_shader(path="fragment", context=context)
    try:
        with core.backend("shader"):
            x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
            y = core.tensor([[0.5, 0.0], [0.0, 0.5]])
            for flags in (context.BLEND | context.DEPTH_TEST, context.RASTERIZER_DISCARD):
                context.enable_only(flags)
                context.blend_func = context.ONE, context.ONE
                context.wireframe = True
                found = core.add(x, core.square(y))
                assert found.tolist() == [[1.25, 2], [3, 4.25]]
        core.stop_shader()
    finally:
        release_context(context)


# --- times --------------------------------------------------------------------------------------


def counted_clock(monkeypatch):
    """A clock of the device by which each op takes two milliseconds; keeps what it is given."""
    given = []

    def seconds(timer, commands):
        given.append([command.args[1] for command in commands])
        inputs = [block.resource is not None for (blocks,) in given[-1:] for block in blocks[:1]]
        assert inputs == [True]  # they are there before the clock begins
        for command in commands:
            command()
        return 0.002

    monkeypatch.setattr(device_timing.DeviceTimer, "seconds", seconds)
    return given


def test_a_profile_has_device_times(shader, monkeypatch):
    x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
    given = counted_clock(monkeypatch)
    found = core.profile(lambda: core.sum(core.reshape(core.square(x), (4,))))
    assert [(row["op"], row["ms"]) for row in found.kernels] == [
        ("square", 2),
        ("reshape", 0),
        ("sum", 2),
    ]
    assert found.result.item() == 30
    assert core.time(lambda: core.square(x))["kernel_ms"] == 2
    assert len(given) == 3


def test_ops_on_the_host_are_timed_as_well(shader, monkeypatch):
    given = counted_clock(monkeypatch)
    found = core.profile(lambda: core.string_split(["a b"], " "))
    assert [row["ms"] > 0 for row in found.kernels] == [True]
    assert not given


def test_tapes_do_not_wait(shader, monkeypatch):
    given = counted_clock(monkeypatch)
    slope = core.grad(lambda x: core.sum(core.square(x)))(core.tensor([1.0, 2.0]))
    assert slope.tolist() == [2, 4] and not given


def test_both_clocks_run_what_they_measure(shader):
    session, ran = shader.session, []
    timer = session.timer
    for clock in (timer._wall_seconds, timer._query_seconds, timer.seconds):
        seconds = session.gl_thread.call(lambda clock=clock: clock([lambda: ran.append(clock)]))
        assert seconds >= 0
    assert ran == [timer._wall_seconds, timer._query_seconds, timer.seconds]


@pytest.mark.parametrize("told, runs", [([7000], 1), ([0, 7000], 2), ([0, 0, 0], 4)])
def test_a_zero_reading_of_the_clock_is_repeated(shader, monkeypatch, told, runs):
    class Query(nullcontext):
        elapsed = property(lambda self: told.pop(0))

    session, ran = shader.session, []
    monkeypatch.setitem(session.timer.__dict__, "_query", Query())
    measure = partial(session.timer._query_seconds, [lambda: ran.append(1)])
    seconds = session.gl_thread.call(measure)
    assert len(ran) == runs and (runs == 4 or seconds == pytest.approx(7e-6))


def test_an_error_of_a_timed_op_is_raised_by_its_results(shader, monkeypatch):
    x = core.tensor([1.0])
    core.square(x).numpy()
    with monkeypatch.context() as patch:
        patch.setattr(shader.session, "_execute", lambda compiled, blocks: 1 / 0)
        found = core.profile(lambda: core.square(x))
    with pytest.raises(ZeroDivisionError):
        found.result.numpy()
