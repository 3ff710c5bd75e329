"""When TensorFlow and OpenGL are refused in one process; `test_on_tensorflow` tries it for real."""

import pytest

import core
from core.backends import opengl_clash
from core.backends.opengl_clash import why_no_opengl, why_no_tensorflow
from core.backends.renderer_probe import Renderer
from core.backends.shader.runtime import starting
from core.backends.shader.runtime.context import ContextError, open_context
from tests.helpers import release_context, start_or_skip

LLVMPIPE = Renderer("llvmpipe (LLVM 15.0.6, 256 bits)", "4.5", True)
NVIDIA = Renderer("NVIDIA H100 80GB HBM3/PCIe/SSE2", "580", False)
RADEON = Renderer("AMD Radeon RX 580 (radeonsi, polaris10, LLVM 19.1.1, DRM 3.57)", "4.6", False)
IRIS = Renderer("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "4.6", False)
NONE = Renderer("", "", False, "no OpenGL")


@pytest.fixture
def process(monkeypatch):
    """A process on Linux with these files and this renderer."""

    def make(*files, renderer=None, llvm=False, is_linux=True):
        asked = []
        monkeypatch.setattr(opengl_clash, "_is_linux", lambda: is_linux)
        monkeypatch.setitem(opengl_clash.sys.modules, "tensorflow", object())
        monkeypatch.setattr(opengl_clash, "_is_llvm_visible", lambda: llvm)
        monkeypatch.setattr(opengl_clash, "_is_mapped", lambda known: any(map(known.search, files)))
        monkeypatch.setattr(opengl_clash, "probe_renderer", lambda: asked.append(1) or renderer)
        return asked

    return make


TENSORFLOW, SWRAST, GALLIUM = "libtensorflow_framework.so.2", "swrast_dri.so", "libgallium-25.0.so"


@pytest.mark.parametrize(
    ("files", "renderer", "llvm", "is_refused"),
    [
        ((), LLVMPIPE, False, False),
        ((SWRAST,), LLVMPIPE, True, True),
        ((SWRAST,), NVIDIA, True, True),  # whatever made LLVM visible: the import would crash
        ((GALLIUM,), LLVMPIPE, False, True),
        ((GALLIUM,), NVIDIA, False, False),  # Mesa was asked for its devices, and draws nothing
        ((GALLIUM,), RADEON, False, True),
        ((TENSORFLOW, SWRAST), LLVMPIPE, True, False),  # it is there already
    ],
)
def test_tensorflow(files, renderer, llvm, is_refused, process):
    process(*files, renderer=renderer, llvm=llvm)
    assert bool(why_no_tensorflow()) is is_refused


@pytest.mark.parametrize(
    ("files", "renderer", "is_refused"),
    [
        ((TENSORFLOW,), LLVMPIPE, True),
        (("_pywrap_tensorflow_internal.so",), LLVMPIPE, True),
        ((TENSORFLOW,), RADEON, True),
        ((TENSORFLOW,), NVIDIA, False),
        ((TENSORFLOW,), IRIS, False),
        ((TENSORFLOW,), NONE, False),  # the start says why
        (("libtensorflowlite_c.so",), LLVMPIPE, False),
    ],
)
def test_opengl(files, renderer, is_refused, process):
    asked = process(*files, renderer=renderer)
    assert bool(why_no_opengl()) is bool(why_no_opengl(renderer)) is is_refused
    assert len(asked) == (files[0] != "libtensorflowlite_c.so")


def test_libraries_clash_on_linux_alone(process):
    process(TENSORFLOW, renderer=LLVMPIPE, llvm=True, is_linux=False)
    assert why_no_tensorflow() == why_no_opengl() == ""


def test_this_process_has_no_tensorflow():
    assert not opengl_clash.is_tensorflow_loaded()


def test_what_the_user_is_told(process):
    process(TENSORFLOW, renderer=LLVMPIPE)
    assert why_no_opengl().startswith(
        "OpenGL by llvmpipe (LLVM 15.0.6, 256 bits) would crash this process, which TensorFlow was "
    )
    for advice in ("backend 'cpu'", "multiprocessing.get_context('spawn')", "a driver of a GPU"):
        assert advice in why_no_opengl()


def test_a_context_of_the_users_is_looked_at_itself(monkeypatch):
    start_or_skip()
    core.stop_shader()
    context = open_context()
    monkeypatch.setattr(opengl_clash, "is_tensorflow_loaded", lambda: True)
    monkeypatch.setattr(opengl_clash, "probe_renderer", lambda: NVIDIA)
    monkeypatch.setattr(starting, "is_software", lambda name: name == context.info["GL_RENDERER"])
    with pytest.raises(ContextError, match="would crash this process"):
        core.start_shader(context=context)
    release_context(context)
    core.stop_shader()
