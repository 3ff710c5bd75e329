"""The renderer of OpenGL here: found once, and kept on disk until a device or driver changes.

The question whether it changed opens no context: the answer is in device files, in the numbers of
the devices, in the driver's libraries and in variables of the environment.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec

import core.process.code_cache as code_cache  # "from core import" would import all ops
from core.backends.renderer import Renderer, running_renderer
from core.backends.renderer_probe import probe_renderer
from core.process.locks import new_lock

#: Part of the key, to be changed with the format.
_FORMAT = "renderer 1"

#: Seconds for which a failure is remembered, which may pass by itself.
_FAILURE_SECONDS = 86_400.0

#: Prefixes of the device files of GPUs in /dev. Without any there is no GPU (on Linux).
_DEVICES = ("dri", "nvidia", "dxg", "kgsl", "mali", "nvhost", "nvmap", "pvr", "galcore")

#: Prefixes of environment variables that choose driver and device.
_VARIABLES = (
    *("CORE_SHADER_", "GLCONTEXT_", "MESA_", "LIBGL_", "EGL_", "__EGL_", "__GLX_", "__NV_"),
    *("GALLIUM_", "DRI_", "VK_", "ZINK_", "NVIDIA_", "CUDA_VISIBLE_", "DISPLAY", "LD_LIBRARY_"),
)

#: Folders and files that change with the driver.
_DRIVERS = (
    *("/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d", "/usr/lib/wsl/lib"),
    *(r"C:\Windows\System32\DriverStore\FileRepository", r"C:\Windows\System32\opengl32.dll"),
)
_LIBRARY_FOLDERS = ("/usr/lib/{0}-linux-gnu", "/usr/lib64", "/usr/lib", "/lib/{0}-linux-gnu")
_LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libEGL_mesa.so.0", "libEGL_nvidia.so.0")

_NO_DEVICE = "there is no device of a GPU in /dev"


def renderer_here() -> Renderer:
    """Return the renderer of the shader backend if it runs, else the one that it would get.

    A computer without the device of a GPU has none, which costs nothing to find. Else a child
    process opens a context, the first time that devices and drivers are as they are.
    """
    return running_renderer() or _renderer()


_asking = new_lock()


def _renderer() -> Renderer:
    with _asking:  # one child process is enough
        return _found_renderer()


@cache
def _found_renderer() -> Renderer:
    if sys.platform.startswith("linux") and not device_files():
        return Renderer("", "", False, _NO_DEVICE)
    key = f"renderer-{code_cache.key_of(_FORMAT, *machine_facts())}"
    found = _read(code_cache.load(key))
    if found is None:
        found = probe_renderer()
        code_cache.keep(key, json.dumps([*found, time.time()]).encode())
    return found


def _read(data: bytes | None) -> Renderer | None:
    """Return the renderer of a file; None for other data, or a failure of long ago."""
    try:
        name, version, is_software, problem, when = json.loads(data or b"")
        age = time.time() - when
    except (ValueError, TypeError):
        return None
    if problem and not 0 <= age < _FAILURE_SECONDS:
        return None
    return Renderer(str(name), str(version), bool(is_software), str(problem))


def machine_facts() -> list[str]:
    """Return all that decides which renderer a new context gets."""
    variables = sorted((n, v) for n, v in os.environ.items() if n.startswith(_VARIABLES))
    system = [sys.platform, *os.uname()[2:]] if hasattr(os, "uname") else [sys.platform]
    facts = (variables, system, device_files(), [*_device_numbers()], [*_driver_files()])
    return [repr(fact) for fact in facts]


def device_files() -> list[str]:
    """Return the files of GPUs in /dev, and whether this process may use each."""
    found = []
    with suppress(OSError):
        for name in sorted(os.listdir("/dev")):
            if name.startswith(_DEVICES):
                found += _with_access(f"/dev/{name}")
    return found


def _with_access(path: str) -> list[str]:
    """Return a file, or the files of a folder, that this process may read and write."""
    paths = [path]
    if os.path.isdir(path):
        with suppress(OSError):
            paths = [f"{path}/{name}" for name in sorted(os.listdir(path))]
    return [f"{each} {os.access(each, os.R_OK | os.W_OK)}" for each in paths]


def _device_numbers() -> Iterator[str]:
    """Yield the version of NVIDIA's driver, and maker and model of each device."""
    yield _text("/proc/driver/nvidia/version")
    for folder, place in (
        ("/proc/driver/nvidia/gpus", "/sys/bus/pci/devices/{}"),
        ("/sys/class/drm", "/sys/class/drm/{}/device"),
    ):
        with suppress(OSError):
            for name in sorted(os.listdir(folder)):
                device = place.format(name)
                yield f"{name} {_text(f'{device}/vendor')} {_text(f'{device}/device')}"


def _driver_files() -> Iterator[str]:
    """Yield the files and folders of OpenGL's drivers and of moderngl, with size and time."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    folders = [folder.format(machine) for folder in _LIBRARY_FOLDERS]
    paths = [*_DRIVERS, *(f"{folder}/{name}" for folder in folders for name in _LIBRARIES)]
    for module in ("moderngl", "glcontext"):
        with suppress(ValueError, ImportError):
            spec = find_spec(module)
            paths.append((spec and spec.origin) or f"no {module}")
    for path in paths:
        with suppress(OSError):
            status = os.stat(path)
            yield f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}"


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096).strip()
    except OSError:
        return ""
