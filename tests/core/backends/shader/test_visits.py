"""Drawing in a user's context: his state does not change results, and his framebuffer is back."""

import ctypes

import moderngl
import numpy as np
import pytest

import core
from core.backends.shader.runtime.context import open_context
from core.backends.shader.runtime.current_context import current_context
from core.backends.shader.runtime.gl_functions import address
from tests.helpers import release_context

LOGIC_OP, CLEAR, CLIP_DISTANCE, SCISSOR, STENCIL = 0x0BF2, 0x1500, 0x3000, 0x0C11, 0x0B90
UNPACK_ROW_LENGTH, PACK_SKIP_PIXELS = 0x0CF2, 0x0D04
UNPACK_BUFFER, PACK_BUFFER = 0x88EC, 0x88EB


@pytest.fixture(params=["fragment", "compute"])
def context(request, opengl):
    """A user's, in which the backend runs."""
    context = open_context()
    core.start_shader(context=context, path=request.param)
    yield context
    core.stop_shader()
    assert context.error == "GL_NO_ERROR"
    release_context(context)


def gl(name, *numbers):
    """Call a function of OpenGL by its own name."""
    ctypes.CFUNCTYPE(None, *[ctypes.c_int] * len(numbers))(address(name))(*numbers)


def logic(context):
    gl("glEnable", LOGIC_OP)
    gl("glLogicOp", CLEAR)


def stencil(context):
    gl("glEnable", STENCIL)
    gl("glStencilFunc", 0x0200, 0, 0)  # never


def blending(context):
    context.enable(context.BLEND)
    context.blend_func = context.ZERO, context.ZERO


def culling(context):
    context.enable(context.CULL_FACE)
    context.cull_face = "front_and_back"


def lines(context):
    context.wireframe = True


def sampler(context):
    for unit in range(4):
        context.sampler(filter=(context.LINEAR_MIPMAP_LINEAR, context.LINEAR)).use(unit)


def unpack_buffer(context):
    gl("glBindBuffer", UNPACK_BUFFER, context.buffer(reserve=4).glo)


def pack_buffer(context):
    gl("glBindBuffer", PACK_BUFFER, context.buffer(reserve=4).glo)


def scissor(context):
    gl("glEnable", SCISSOR)
    gl("glScissor", 0, 0, 1, 1)


STATES = {
    "blending": blending,
    "clip": lambda context: [gl("glEnable", CLIP_DISTANCE + i) for i in range(8)],
    "culling": culling,
    "depth": lambda context: context.enable(context.DEPTH_TEST),
    "discard": lambda context: context.enable(context.RASTERIZER_DISCARD),
    "error": lambda context: gl("glEnable", 0x1234),
    "lines": lines,
    "logic": logic,
    "mask": lambda context: gl("glColorMask", 0, 0, 0, 0),
    "pack buffer": pack_buffer,
    "pack": lambda context: gl("glPixelStorei", PACK_SKIP_PIXELS, 1),
    "sampler": sampler,
    "scissor": scissor,
    "moderngl's scissor": lambda context: setattr(context, "scissor", (0, 0, 1, 1)),
    "stencil": stencil,
    "unpack buffer": unpack_buffer,
    "unpack": lambda context: gl("glPixelStorei", UNPACK_ROW_LENGTH, 9),
    "viewport": lambda context: setattr(context, "viewport", (0, 0, 1, 1)),
}


@pytest.mark.parametrize("state", STATES)
def test_a_users_state_changes_no_result(context, state):
    x = np.arange(1, 25, dtype=np.float32).reshape(6, 4)
    whole = x.astype(np.int32)
    with core.backend("shader"):
        stale = core.add(core.tensor(x), 100.0)
        assert stale.numpy()[-1, -1] == 124
        del stale
        STATES[state](context)
        for _ in range(3):  # textures are used again
            np.testing.assert_array_equal(core.add(core.tensor(x), 1.0).numpy(), x + 1)
            np.testing.assert_array_equal(core.add(core.tensor(whole), 1).numpy(), whole + 1)


def test_the_users_framebuffer_is_bound_afterwards(context):
    frame = context.simple_framebuffer((8, 6))
    frame.use()
    frame.viewport, frame.color_mask = (1, 2, 3, 4), (True, False, True, True)
    with core.backend("shader"):
        kept = core.add(core.tensor(np.ones((5, 4), np.float32)), 1.0)
    assert context.fbo is frame and context.viewport == (1, 2, 3, 4)
    context.viewport = (0, 0, 8, 6)
    context.clear(0.2, 0.4, 0.6, 1.0)
    assert frame.read(components=4)[:4] == bytes([51, 0, 153, 255])  # green is masked
    assert kept.tolist() == [[2.0] * 4] * 5


def test_a_framebuffer_that_the_user_released_is_not_replaced_by_ours(context):
    frame = context.simple_framebuffer((8, 6))
    frame.use()
    frame.release()
    with core.backend("shader"):
        kept = core.add(core.tensor(np.ones((5, 4), np.float32)), 1.0)
        gl("glClearColor", 0, 0, 0, 0)
        gl("glClear", 0x4000)
        assert kept.tolist() == [[2.0] * 4] * 5
    while context.error != "GL_NO_ERROR":  # the user's own: there is nothing to clear
        pass


def test_opengl_errors_of_the_user_are_not_attributed(context):
    with core.backend("shader"):
        for size in (1000, 2000, 3000):  # buffers are made, after which errors are asked for
            gl("glEnable", 0x1234)
            assert core.sum(core.fill([size], 1.0)).item() == size


def test_a_context_that_the_user_released(opengl):
    context = open_context()
    core.start_shader(context=context)
    with core.backend("shader"):
        kept = core.square(3.0)
        context.release()
        assert isinstance(context.mglo, moderngl.InvalidObject)
        for use in (kept.numpy, lambda: core.square(2.0).numpy()):
            with pytest.raises(core.CoreError, match=r"was given is released: .*stop_shader\(\)"):
                use()
        core.stop_shader()
        assert core.square(2.0).item() == 4
    core.stop_shader()
    current_context().leave()  # a released context stays current until then
