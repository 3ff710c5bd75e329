"""Contexts: which one is asked for, what the device is, and failures in our words."""

import os
import subprocess
import sys
from dataclasses import replace

import moderngl
import pytest

from core.backends.shader.runtime import context as contexts
from core.backends.shader.runtime.context import ContextError, Device, adopt_context, open_context
from core.backends.shader.runtime.gl_functions import GLFunctions
from core.errors import SettingError
from tests.helpers import release_context

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="EGL is Linux's")
TOO_HIGH = "eglCreateContext failed (0x3009)"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("GLCONTEXT_") or name in ("CORE_SHADER_DEVICE", "DISPLAY"):
            monkeypatch.delenv(name)


@pytest.fixture
def asked(monkeypatch):
    """What moderngl is asked for; it fails with the texts, one by one, and then gives a context."""

    def prepare(*texts, error=Exception):
        calls, failures = [], list(texts)

        def create(**settings):
            calls.append(settings)
            if failures:
                raise error(failures.pop(0))
            return "a context"

        monkeypatch.setattr(moderngl, "create_context", create)
        return calls

    return prepare


def failure(*arguments, **options) -> str:
    with pytest.raises(ContextError) as caught:
        open_context(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("libGL.so not loaded", ["libGL) is not installed", "libgl1 libegl1", "mesa-libEGL"]),
        ("libGL.so not found in /lib, /usr/lib or LD_LIBRARY_PATH", ["libGL) is not installed"]),
        ("libEGL.so not loaded", ["libEGL) is not installed", "libgl1 libegl1"]),
        ("mine.so not loaded", ["mine.so", "GLCONTEXT_..."]),
        ("requested device index 0, but found 0 devices", ["no driver", "GPU vendor's driver"]),
        ("requested device index 9, but found 2 devices", ["no device 9", "has 2", "counted"]),
        ("eglInitialize failed (0x3001)", ["did not start", "/dev/dri", "CORE_SHADER_DEVICE"]),
        ("eglQueryDevicesEXT not found", ["too old"]),
        ("(standalone) XOpenDisplay: cannot open display", ["no X display", "libegl1"]),
        ("Cannot detect window with OpenGL support", ["no OpenGL that moderngl knows"]),
    ],
)
def test_final_failures_are_explained(asked, text, words):
    calls = asked(*[text] * 4)
    message = failure()
    assert len(calls) == 1
    assert message.startswith("no OpenGL context: ") and message.endswith(
        f"driver's message: {text})"
    )
    assert not [word for word in words if word not in message]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TOO_HIGH, "the driver has no OpenGL 3.3;"),
        ("(standalone) cannot create context", "the driver has no OpenGL 3.3;"),
        ("ozone layer failed", "not known here; install the GPU vendor's driver"),
        ("", "(the driver's message: Exception(''))"),
    ],
)
def test_failures_of_all_versions(asked, text, words):
    calls = asked(*[text] * 4)
    assert words in failure()
    assert [call["require"] for call in calls] == [460, 450, 430, 330]


def test_the_highest_version_that_opens_is_taken(asked):
    calls = asked(TOO_HIGH, "Requested OpenGL version 450, got version 440")
    assert open_context() == "a context"
    assert [call["require"] for call in calls] == [460, 450, 430]


def test_a_version_may_be_asked_for(asked):
    calls = asked(TOO_HIGH)
    assert "no OpenGL 4.3; request a lower one" in failure(430)
    assert open_context(330) == "a context"
    assert [call["require"] for call in calls] == [430, 330]
    assert failure(320) == "OpenGL 3.2 is too old: ask for 3.3 or more"
    assert len(calls) == 2


def test_the_version_of_the_environment_is_the_only_one(asked, monkeypatch):
    calls = asked(TOO_HIGH)
    monkeypatch.setenv("GLCONTEXT_GLVERSION", "470")
    assert "no OpenGL 4.7" in failure() and len(calls) == 1
    monkeypatch.setenv("GLCONTEXT_GLVERSION", "4.6")
    with pytest.raises(SettingError, match="GLCONTEXT_GLVERSION='4.6' must be an integer"):
        open_context()


@LINUX
def test_the_device_is_an_argument_or_the_environments(asked, monkeypatch):
    calls = asked()
    open_context()
    monkeypatch.setenv("CORE_SHADER_DEVICE", " 2 ")
    open_context()
    open_context(device=1)
    monkeypatch.setenv("GLCONTEXT_DEVICE_INDEX", "1")
    open_context(device=1)
    assert [call["device_index"] for call in calls] == [0, 2, 1, 1]
    with pytest.raises(SettingError, match="CORE_SHADER_DEVICE=2 and GLCONTEXT_DEVICE_INDEX=1"):
        open_context()  # the second is read below moderngl, and would win
    with pytest.raises(SettingError, match="the argument=0 and GLCONTEXT_DEVICE_INDEX=1"):
        open_context(device=0)


@pytest.mark.parametrize("given", ["x", "-1", "1.5", "", "²"])
def test_device_must_be_a_number(monkeypatch, given):
    monkeypatch.setenv("CORE_SHADER_DEVICE", given)
    with pytest.raises(SettingError, match="^CORE_SHADER_DEVICE=.* must be an integer, at least 0"):
        open_context()


def test_a_negative_device():
    with pytest.raises(SettingError, match="^the device=-1 must be"):
        open_context(device=-1)


def test_elsewhere_no_device_can_be_chosen(asked, monkeypatch):
    calls = asked()
    monkeypatch.setattr(contexts.sys, "platform", "darwin")
    open_context()
    assert calls == [{"require": 460, "standalone": True}]
    assert "device 1 cannot be chosen: that works on Linux only" in failure(device=1)


@LINUX
def test_a_display_helps_where_egl_fails(asked, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":7")
    calls = asked("libEGL.so not loaded")
    assert open_context() == "a context"
    assert [call.get("backend") for call in calls] == ["egl", None]
    calls = asked("libEGL.so not loaded", "(standalone) XOpenDisplay: cannot open display")
    message = failure()
    assert "libEGL) is not installed" in message
    assert message.endswith("nor by the X display: (standalone) XOpenDisplay: cannot open display")
    calls = asked("requested device index 1, but found 1 devices")
    assert "no device 1" in failure(device=1) and len(calls) == 1


@pytest.mark.parametrize("package", ["moderngl", "glcontext"])
def test_a_package_is_missing(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    assert f"the package {package} is not installed; pip install moderngl" in failure()


def test_a_package_is_broken(monkeypatch):
    def broken(name):
        raise ImportError("mgl.so: undefined symbol")

    monkeypatch.setattr(contexts, "import_module", broken)
    assert "--force-reinstall moderngl glcontext (the import raised: mgl.so: undef" in failure()


CODE = "from core.backends.shader.runtime.context import open_context; open_context()"


@LINUX
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GLCONTEXT_LINUX_LIBGL", "libGL.so.99", "(libGL) is not installed; install it: apt-get"),
        ("GLCONTEXT_LINUX_LIBEGL", "libEGL.so.99", "(libEGL) is not installed; install it: apt-g"),
        ("__EGL_VENDOR_LIBRARY_DIRS", "{empty}", "libEGL is there, but no driver"),
        ("CORE_SHADER_DEVICE", "99", "there is no device 99: the driver has "),
        ("GLCONTEXT_GLVERSION", "990", "the driver has no OpenGL 9.9; "),
    ],
)
def test_failures_of_the_real_driver(opengl, tmp_path, name, value, words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("__EGL")}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**environment, name: value.format(empty=tmp_path)},
        capture_output=True,
        text=True,
    )
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("core.backends.shader.runtime.context.ContextError: no OpenGL context: ")
    assert words in last


def test_what_the_device_can_do(gl_thread):
    device = gl_thread.device
    assert device.version >= 330 and device.max_texture >= 1024
    assert device.max_targets >= 8 and device.max_units >= 16
    assert device.name in device.driver and device.vendor in device.driver
    assert device.has_compute is (device.version >= 430)
    if device.has_compute:  # what OpenGL 4.3 promises
        assert device.max_buffer_bytes >= 2**24 and device.max_buffers >= 8
        assert device.shared_bytes >= 32768 and device.max_threads >= 1024
        alignment = device.buffer_alignment
        assert 1 <= alignment <= 256 and alignment & (alignment - 1) == 0


def test_description_of_the_device(gl_thread):
    device = replace(gl_thread.device, name="A", vendor="B", version=460, max_buffer_bytes=2**31)
    device = replace(device, has_compute=True, is_software=False, memory_bytes=8 * 10**9)
    assert str(device) == (
        "A (B), OpenGL 4.6, compute shaders, buffers up to 2147 MB, memory 8.0 GB"
    )
    slow = replace(device, version=330, has_compute=False, is_software=True, memory_bytes=None)
    assert "no compute shaders (they need 4.3)" in str(slow)
    assert str(slow).endswith("software rendering: works, but slow; install the GPU's driver")


@pytest.mark.parametrize(
    ("name", "is_software"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("softpipe", True),
        ("Mesa DRI swrast", True),
        ("SWR (LLVM 11.0.0)", True),
        ("Software Rasterizer", True),
        ("Apple Software Renderer", True),
        ("Microsoft Basic Render Driver", True),
        ("GDI Generic", True),
        ("NVIDIA H100 80GB HBM3/PCIe/SSE2", False),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", False),
        ("AMD Radeon RX 6800 (navi21, LLVM 15.0.7, DRM 3.49)", False),
        ("D3D12 (NVIDIA GeForce RTX 3060)", False),
        ("Apple M2", False),
    ],
)
def test_software_is_recognised(gl_thread, monkeypatch, name, is_software):
    info = {**gl_thread.call(lambda: gl_thread.context.info), "GL_RENDERER": name}
    monkeypatch.setattr(type(gl_thread.context), "info", info)
    assert (
        gl_thread.call(lambda: Device.of(gl_thread.context, gl_thread.gl)).is_software
        is is_software
    )


def test_memory_as_the_driver_reports_it(gl_thread, monkeypatch):
    def memory(extension):
        monkeypatch.setattr(type(gl_thread.context), "extensions", {extension})
        monkeypatch.setattr(gl_thread.gl, "integer", lambda code: kilobytes.get(code, 1))
        return gl_thread.call(lambda: Device.of(gl_thread.context, gl_thread.gl)).memory_bytes

    kilobytes = {0x9047: 1000, 0x87FC: 500}
    assert memory("GL_NVX_gpu_memory_info") == 1_024_000
    assert memory("GL_ATI_meminfo") == 512_000
    assert memory("GL_ARB_sync") is None
    kilobytes = {0x9047: 0}
    assert memory("GL_NVX_gpu_memory_info") is None


def test_limits_without_compute_shaders(gl_thread, monkeypatch):
    monkeypatch.setattr(gl_thread.context, "version_code", 330)
    device = gl_thread.call(lambda: Device.of(gl_thread.context, gl_thread.gl))
    assert not device.has_compute
    assert (device.max_buffer_bytes, device.shared_bytes, device.max_threads) == (0, 0, 0)


def test_missing_driver_functions_are_none(gl_thread):
    old = gl_thread.call(lambda: GLFunctions(330, {"GL_ARB_get_program_binary"}))
    assert old.program_binary and old.fence_sync and old.finish
    assert old.create_buffers is old.memory_barrier is old.get_reset_status is None


def test_moderngls_default_context_stays_the_users(gl_thread):
    assert gl_thread.context is not moderngl._store.default_context


def test_a_users_context_is_checked(gl_thread):
    with pytest.raises(ContextError, match="takes a context of moderngl, not str: make one with"):
        adopt_context("a context")

    def adopt():
        context = open_context()
        try:
            assert adopt_context(context) is context
            context.version_code = 310
            with pytest.raises(ContextError, match=r"OpenGL 3\.1: 3\.3 is needed; .*require=330"):
                adopt_context(context)
        finally:
            release_context(context)
        with pytest.raises(ContextError, match="is released: give one that is in use"):
            adopt_context(context)

    # In a thread that ends, so that no other test meets what it leaves current.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        pool.submit(adopt).result()
