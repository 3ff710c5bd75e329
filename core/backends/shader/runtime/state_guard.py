"""Drawing in a context that is shared with the user.

The state is not queried, as that is slow: all state that affects results is set, and only the
user's framebuffer is bound again. moderngl stores viewport, scissor and masks with the framebuffer,
so the user's next settings apply to the user's framebuffer.
"""

from typing import TYPE_CHECKING, Any

from core.backends.shader.runtime.device_errors import drop_errors

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

_PACK_BUFFER, _UNPACK_BUFFER = 0x88EB, 0x88EC

#: Logical operations on colours and clip planes; moderngl's `enable_only` has the others.
_SWITCHES = (0x0BF2, *range(0x3000, 0x3008))

#: Layout of pixels on the host, except for the alignment, which moderngl sets.
_PIXELS = (*range(0x0CF0, 0x0CF5), 0x806D, 0x806E, *range(0x0D00, 0x0D05), 0x806B, 0x806C)


class StateGuard:
    """Setting and restoring of GL state around drawing, in the thread of the context.

    Args:
        gl_thread: thread of the context.
    """

    def __init__(self, gl_thread: "GLThread"):
        self._gl_thread = gl_thread
        self._frame: Any = None

    def begin(self) -> None:
        """Disable all conversions between shaders, textures and the host."""
        context, gl = self._gl_thread.context, self._gl_thread.gl
        # Drivers may reuse the name of a framebuffer that the user released.
        is_released = context.fbo is not None and not hasattr(context.fbo.mglo, "use")
        self._frame = self._gl_thread.rest if is_released else context.mglo.fbo
        # moderngl binds the last framebuffer again, and the user's may be released.
        self._gl_thread.rest.use()
        context.enable_only(context.NOTHING)
        context.wireframe = False
        context.clear_samplers()
        for switch in _SWITCHES:
            context.disable_direct(switch)
        for name in _PIXELS:
            gl.pixel_store(name, 0)
        gl.bind_buffer(_PACK_BUFFER, 0)
        gl.bind_buffer(_UNPACK_BUFFER, 0)

    def end(self) -> None:
        """Bind the user's framebuffer again."""
        self._gl_thread.rest.use()
        self._frame.use()
        self._frame = None
        drop_errors(self._gl_thread.gl)  # if the user's framebuffer was deleted; none is bound then
