"""The renderer that OpenGL uses here, found by a process of its own, which a driver may crash."""

import json
import subprocess
from functools import cache

from core.backends.renderer import Renderer, running_renderer
from weights_cache.child_processes import python_command, python_environment
from weights_cache.common.errors import ZooError

__all__ = ["Renderer", "probe_renderer"]

#: Time limit of the process; a first start on a busy computer takes a few seconds.
SECONDS = 30.0

#: Prefix of the values in the process's output, where drivers may write lines, too.
_MARK = "renderer:"

_CODE = """
import json
from core.backends.shader.runtime.context import Device, open_context
from core.backends.shader.runtime.gl_functions import GLFunctions
from core.errors import CoreError
try:
    context = open_context()
    device = Device.of(context, GLFunctions(context.version_code, context.extensions))
    found = device.name, device.driver, device.is_software, ""
except CoreError as error:
    found = "", "", False, str(error)
print(flush=True)
print("renderer:" + json.dumps(found), flush=True)
"""


def probe_renderer() -> Renderer:
    """Return the renderer of the shader backend if it runs, else the one that a child process gets.

    The settings are those of the environment, such as ``CORE_SHADER_DEVICE``. The child is started
    once in a process, and no OpenGL is loaded here.

    >>> probe_renderer().is_software  # doctest: +SKIP
    True
    """
    return running_renderer() or _probed()


@cache
def _probed() -> Renderer:
    output = _child_output()
    if isinstance(output, Renderer):
        return output
    for line in output.splitlines():
        if line.startswith(_MARK):
            name, version, is_software, problem = json.loads(line.removeprefix(_MARK))
            return Renderer(name, version, is_software, problem)
    return _without("the process that asked for a context printed nothing")


def _child_output() -> str | Renderer:
    """Return what the child process printed, or the renderer if it failed."""
    try:
        done = subprocess.run(
            python_command(_CODE),
            env=python_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return _without(f"the driver did not answer in {SECONDS:g} s")
    except (OSError, ZooError) as error:
        return _without(f"no process could be started to ask for it ({error})")
    if _MARK in done.stdout:
        return done.stdout  # a driver may also crash when the process ends
    lines = done.stderr.strip().splitlines()
    said = f": {lines[-1]:.200}" if lines else ""
    return _without(f"the process that asked for a context ended with {done.returncode}{said}")


def _without(problem: str) -> Renderer:
    return Renderer("", "", False, problem)
