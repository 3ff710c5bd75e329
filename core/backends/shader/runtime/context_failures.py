"""Explanations of failures to make an OpenGL context, with the next step."""

import re

_GPU_DRIVER = "install the GPU vendor's driver with its OpenGL part"

_INSTALL_LINUX = (
    "install it: apt-get install libgl1 libegl1 (Debian, Ubuntu), "
    "dnf install mesa-libGL mesa-libEGL (Fedora)"
)

#: Pattern of the text of a failure, its meaning, and a next step. No other version of OpenGL would
#: help.
_FINAL = (
    (
        r"libGL\S* not loaded|libGL\S* not found|opengl32\S* not loaded",
        "the OpenGL library (libGL) is not installed",
        _INSTALL_LINUX,
    ),
    (
        r"libEGL\S* not loaded",
        "the library for OpenGL without a window (libEGL) is not installed",
        _INSTALL_LINUX,
    ),
    (
        r"(?P<library>\S+) not loaded",
        "the library {library}, which an environment variable GLCONTEXT_... names, is not there",
        f"unset the variable, or {_INSTALL_LINUX}",
    ),
    (
        r"found 0 devices",
        "libEGL is there, but no driver for it that has a device",
        f"{_GPU_DRIVER} (in a container of an NVIDIA GPU set NVIDIA_DRIVER_CAPABILITIES=all), or "
        "for software rendering apt-get install libegl-mesa0 (Debian, Ubuntu), "
        "dnf install mesa-libEGL mesa-dri-drivers (Fedora)",
    ),
    (
        r"requested device index (?P<given>-?\d+), but found (?P<count>\d+) devices",
        "there is no device {given}: the driver has {count}, counted from 0",
        "set CORE_SHADER_DEVICE, GLCONTEXT_DEVICE_INDEX or the argument to a smaller number",
    ),
    (
        r"eglInitialize failed|eglGetPlatformDisplayEXT failed",
        "the driver of the device did not start",
        "look whether you may open /dev/dri/renderD* (groups render and video), or choose another "
        "device by its number in CORE_SHADER_DEVICE",
    ),
    (
        r"eglQueryDevices",
        "this libEGL is too old to make a context without a window",
        f"{_GPU_DRIVER}, or update Mesa",
    ),
    (
        r"XOpenDisplay|libX11\S* not loaded",
        "there is no X display to make a context on",
        f"{_INSTALL_LINUX}; with libEGL no display is needed",
    ),
    (
        r"Cannot (detect window|find suitable default backend)",
        "this system has no OpenGL that moderngl knows",
        _GPU_DRIVER,
    ),
)

#: The driver refuses this version, and may have a lower one.
_TOO_HIGH = (
    r"eglCreateContext failed|cannot create context|Requested OpenGL version|CreateContextAttribs"
)


def is_final(error: Exception) -> bool:
    """Whether asking for a lower version of OpenGL would fail in the same way."""
    return any(re.search(pattern, str(error)) for pattern, _, _ in _FINAL)


def explanation(error: Exception, version: int) -> str:
    """Return the meaning of a failure, the next step, and the driver's message."""
    text = str(error)
    meaning, advice = _meaning(text, version)
    return f"no OpenGL context: {meaning}; {advice} (the driver's message: {text or repr(error)})"


def _meaning(text: str, version: int) -> tuple[str, str]:
    for pattern, meaning, advice in _FINAL:
        found = re.search(pattern, text)
        if found:
            return meaning.format(**found.groupdict()), advice
    if re.search(_TOO_HIGH, text):
        lower = "" if version <= 330 else "request a lower one (GLCONTEXT_GLVERSION?); "
        return f"the driver has no OpenGL {dotted(version)}", f"{lower}3.3 is needed: {_GPU_DRIVER}"
    return "the driver failed in a way that is not known here", _GPU_DRIVER


def dotted(version: int) -> str:
    """Return a version code in the usual notation.

    >>> dotted(450)
    '4.5'
    """
    return f"{version // 100}.{version // 10 % 10}"


def missing_moderngl(error: ImportError) -> str:
    """Return the error for a missing package moderngl."""
    if isinstance(error, ModuleNotFoundError) and error.name in ("moderngl", "glcontext"):
        return f"no OpenGL context: the package {error.name} is not installed; pip install moderngl"
    return (
        "no OpenGL context: the package moderngl cannot be imported; "
        f"pip install --force-reinstall moderngl glcontext (the import raised: {error})"
    )
