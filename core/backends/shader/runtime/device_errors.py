"""Checks after commands: errors of OpenGL, and resets of the GPU."""

from core.backends.shader.runtime.context import ContextError
from core.backends.shader.runtime.gl_functions import GLFunctions
from core.errors import CoreError

_OUT_OF_MEMORY, _CONTEXT_LOST = 0x0505, 0x0507
_MOST_ERRORS = 16  # a lost context may report errors without end

_ERRORS = {
    0x0500: "GL_INVALID_ENUM: a name that this driver does not know",
    0x0501: "GL_INVALID_VALUE: a number beyond a limit of the driver",
    0x0502: "GL_INVALID_OPERATION: a command that does not fit the state",
    0x0503: "GL_STACK_OVERFLOW",
    0x0504: "GL_STACK_UNDERFLOW",
    0x0506: "GL_INVALID_FRAMEBUFFER_OPERATION: a texture that cannot be drawn to",
}

_RESETS = {
    0x8253: "the driver reset the GPU because of what this program ran",
    0x8254: "the driver reset the GPU because of another program",
    0x8255: "the driver reset the GPU for an unknown reason",
}

_AFTER_LOSS = (
    "its tensors are lost; make a new context with core.stop_shader() and load the models again "
    "(a kernel that runs for seconds may be the cause: use smaller inputs)"
)


class DeviceMemoryError(CoreError):
    """The GPU has no memory left."""


def check_errors(gl: GLFunctions, what: str) -> None:
    """Raise if a command since the last check failed.

    Args:
        gl: GL functions of the current context.
        what: description of the commands, for the message.
    """
    codes = _errors(gl)
    if _CONTEXT_LOST in codes:
        raise lost_context("the driver reset the GPU")
    if _OUT_OF_MEMORY in codes:
        raise DeviceMemoryError(
            f"{what}: the GPU has no memory left (GL_OUT_OF_MEMORY): use smaller batches or "
            "inputs, let go of tensors (core.tidy, core.dispose), or close other programs on it"
        )
    if codes:
        found = "; ".join(_ERRORS.get(code, f"error 0x{code:04X}") for code in codes)
        raise CoreError(
            f"{what}: OpenGL refused a command ({found}); this is a fault of the shader backend or "
            "of its driver: please report it with the output of `zoo doctor`"
        )


def drop_errors(gl: GLFunctions) -> None:
    """Discard pending errors, which are of commands of the user."""
    _errors(gl)


def _errors(gl: GLFunctions) -> list[int]:
    codes: list[int] = []
    while len(codes) < _MOST_ERRORS:
        code = gl.get_error()
        if not code:
            break
        codes.append(code)
    return codes


def check_reset(gl: GLFunctions) -> None:
    """Raise if the driver reports a reset of the GPU."""
    status = gl.get_reset_status() if gl.get_reset_status else 0
    if status:
        raise lost_context(_RESETS.get(status, "the driver reset the GPU"))


def lost_context(reason: str) -> ContextError:
    """Return the error for a lost context."""
    return ContextError(f"the OpenGL context is lost: {reason}; {_AFTER_LOSS}")
