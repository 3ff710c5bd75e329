"""Starting and stopping the shader backend, with settings and with a context of the user's."""

import gc
import os
import subprocess
import sys
from dataclasses import replace
from threading import Thread

import moderngl
import numpy as np
import pytest

import core
from core.backends.shader.runtime import starting
from core.backends.shader.runtime.context import ContextError, Device, open_context
from core.backends.shader.runtime.gl_thread import live_threads
from core.engine.backends import BACKENDS, load_backend
from core.errors import SettingError
from tests.helpers import release_context

VARIABLES = ("DEVICE", "PATH", "FLOAT16", "MEMORY_MB")


@pytest.fixture(autouse=True)
def _fresh(opengl, monkeypatch):
    """Started by nobody; stopped at the end."""
    for name in VARIABLES:
        monkeypatch.delenv(f"CORE_SHADER_{name}", raising=False)
    core.stop_shader()
    yield
    core.stop_shader()
    assert not live_threads()


def session():
    return load_backend("shader").session


def squares():
    with core.backend("shader"):
        return core.square(core.tensor([1.0, 2.0, 3.0]))


def test_by_default_the_first_use_starts_it():
    assert squares().tolist() == [1, 4, 9]
    assert session().path == "compute" and not session().storing.half
    assert core.get_backend() == "cpu"


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_settings(by, monkeypatch):
    settings = {"path": "fragment", "float16": 1, "memory_mb": 12.5, "device": 0}
    if by == "argument":
        for name in ("PATH", "MEMORY_MB"):
            monkeypatch.setenv(f"CORE_SHADER_{name}", "nonsense")  # the argument comes first
        core.start_shader(**settings)
    else:
        for name, value in settings.items():
            monkeypatch.setenv(f"CORE_SHADER_{name.upper()}", str(value))
    assert squares().tolist() == [1, 4, 9]
    assert session().path == "fragment" and session().storing == (True, True)
    assert session().memory.limit == 12_500_000
    assert load_backend("shader").epsilon == 1e-4
    told = "fragment shaders, float16 storage, up to 12 MB before tensors move to the host"
    assert starting.describe(session()) == told


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"path": "vertex"}, "path='vertex' must be 'compute' or 'fragment'"),
        ({"path": 3}, "path=3 must be 'compute'"),
        ({"float16": 3}, r"float16=3 must be True or False"),
        ({"float16": 0.5}, "float16=0.5 must be"),
        ({"float16": "perhaps"}, "float16='perhaps' must be"),
        ({"memory_mb": 0}, "memory_mb=0 must be a number of megabytes above 0"),
        ({"memory_mb": float("nan")}, "memory_mb=nan must be"),
        ({"memory_mb": "5"}, "memory_mb='5' must be"),
        ({"memory_mb": [1]}, r"memory_mb=\[1\] must be"),
        ({"context": object(), "device": 1}, "device=1 has no meaning beside a context"),
        ({"CORE_SHADER_PATH": "x"}, "CORE_SHADER_PATH='x' must be 'compute' or 'fragment'"),
        ({"CORE_SHADER_FLOAT16": "2"}, "CORE_SHADER_FLOAT16='2' must be True or False"),
        ({"CORE_SHADER_MEMORY_MB": "-3"}, "CORE_SHADER_MEMORY_MB='-3' must be"),
    ],
)
def test_invalid_settings_change_nothing(settings, words, monkeypatch):
    kept = squares()
    for name in [n for n in settings if n.isupper()]:
        monkeypatch.setenv(name, settings.pop(name))
    with pytest.raises(SettingError, match=f"^{words}"):
        core.start_shader(**settings)
    assert kept.tolist() == [1, 4, 9]


def test_a_start_that_fails_is_forgotten():
    with pytest.raises(ContextError, match="there is no device 99: the driver has 1"):
        core.start_shader(device=99)
    with pytest.raises(ContextError, match="takes a context of moderngl, not int"):
        core.start_shader(context=3)
    assert squares().tolist() == [1, 4, 9]


def test_unsupported_settings_leave_no_context(monkeypatch):
    asked = Device.of
    monkeypatch.setattr(Device, "of", lambda *given: replace(asked(*given), has_compute=False))
    with pytest.raises(
        core.CoreError, match=r"has OpenGL \d+, compute shaders need 430: use path="
    ):
        core.start_shader(path="compute")
    assert not live_threads()


def test_starting_again():
    core.start_shader(path="compute")
    first, kept = session(), squares()
    core.start_shader(path="compute")
    assert session() is first and kept.tolist() == [1, 4, 9]
    core.start_shader(path="fragment")
    assert session() is not first and session().path == "fragment"
    with pytest.raises(core.CoreError, match="the values are gone"):
        kept.numpy()
    assert squares().tolist() == [1, 4, 9]
    core.stop_shader()
    core.stop_shader()
    squares()
    assert session().path == "compute"  # as the environment says


def trained(start):
    """What a variable is after a step that leads to 0, and a tensor made of it."""
    w = core.variable(np.full(3, start, np.float32))
    core.train.sgd(0.25).minimize(lambda: core.sum(core.square(w) * 2.0), variables=[w])
    assert w.tolist() == [0, 0, 0]
    return core.square(w.read() + float(start))


def test_stopped_and_used_again_many_times():
    gc.collect()  # what other tests left
    before = core.memory()
    for turn in range(5):
        with core.backend("shader"):
            kept = trained(turn)
            assert kept.tolist() == [turn * turn] * 3
        core.stop_shader()
        assert not live_threads()
        with pytest.raises(core.CoreError, match=r"before core.stop_shader\(\)"):
            kept.numpy()
        with core.backend("shader"), pytest.raises(core.CoreError, match="the values are gone"):
            (kept + 1.0).numpy()
    del kept
    gc.collect()
    assert core.memory() == before


def test_a_stop_does_not_start_it():
    BACKENDS.pop("shader", None)
    core.stop_shader()
    assert "shader" not in BACKENDS


# --- a context of the user's --------------------------------------------------------------------


@pytest.fixture
def context(opengl):
    context = open_context()
    yield context
    core.stop_shader()
    release_context(context)


def raised_in_thread(function):
    found = []

    def work():
        try:
            function()
        except Exception as error:
            found.append(error)

    thread = Thread(target=work, name="a worker")
    thread.start()
    thread.join()
    return found


def test_a_context_of_the_users_works_in_its_thread_only(context):
    buffer = context.buffer(b"12345678")
    core.start_shader(context=context)
    kept = squares()
    assert kept.tolist() == [1, 4, 9]
    for use in (squares, kept.numpy, core.stop_shader):
        (error,) = raised_in_thread(use)
        assert isinstance(error, ContextError)
        assert "in thread 'a worker', where that does not work" in str(error)
    assert kept.tolist() == [1, 4, 9]  # the other thread stopped nothing
    core.stop_shader()
    assert buffer.read() == b"12345678"
    assert not isinstance(context.mglo, moderngl.InvalidObject)
    assert squares().tolist() == [1, 4, 9]  # in a context of the backend's own
    assert session().gl_thread.context is not context


def test_tensors_of_a_users_context_may_go_in_other_threads(context):
    core.start_shader(context=context)
    held = [squares() for _ in range(8)]
    assert not raised_in_thread(held.clear)
    assert squares().tolist() == [1, 4, 9]
    assert session().memory.resources <= 1


# --- other processes ----------------------------------------------------------------------------

FORKED = """
import os, core
core.set_backend("shader")
kept = core.square(core.tensor([3.0])); kept.numpy()
child = os.fork()
if child == 0:
    try:
        try:
            core.square(core.tensor([2.0])).numpy()
            os._exit(1)
        except core.CoreError as error:
            assert "made before the fork" in str(error), error
        try:
            core.start_shader()
            os._exit(2)
        except core.CoreError as error:
            assert "made before the fork" in str(error), error
        core.stop_shader()
        try:
            core.square(2.0).numpy()
            os._exit(4)
        except core.CoreError as error:
            assert "get_context('spawn')" in str(error), error
        try:
            kept.numpy()
            os._exit(5)
        except core.CoreError as error:
            assert "the values are gone" in str(error), error
        core.set_backend("cpu")
        assert core.square(2.0).item() == 4
        os._exit(0)
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert core.square(kept).item() == 81
"""


def in_process(code, **environment):
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on POSIX only")
def test_a_forked_child_raises_and_works_on_cpu():
    assert in_process(FORKED) == (0, "", "")


WITHOUT = """
import core
for use in (lambda: core.set_backend("shader"), core.backend("shader").__enter__,
            core.start_shader):
    try:
        use()
        print("started")
    except core.CoreError as error:
        print(str(error)[:66])
print(core.get_backend(), core.add(1.0, 2.0).item())
core.stop_shader()
"""


def test_without_opengl_choosing_the_backend_raises():
    told = "no OpenGL context: the OpenGL library (libGL) is not installed; "[:66]
    status, out, _ = in_process(WITHOUT, GLCONTEXT_LINUX_LIBGL="libGL.so.99")
    assert (status, [line.strip() for line in out.splitlines()]) == (
        0,
        [f"{told}in"[:66].strip()] * 3 + ["cpu 3.0"],
    )
