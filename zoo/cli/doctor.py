"""``zoo doctor``: checks of this computer. A check that could crash runs in its own process."""

import argparse
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import zoo
from core.backends import automatic
from core.engine.backends import backend_names
from core.process import code_cache
from weights_cache import cache_folder, cached_bytes, installed_kits, status
from weights_cache.addresses import is_url
from weights_cache.child_processes import python_command, python_environment
from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import count_text, size_text
from weights_cache.locations import is_offline
from weights_cache.shown_urls import shown_url
from zoo.catalog.entries import all_entries
from zoo.cli.blas_kernels import KERNELS, VARIABLE, WIDE_KERNELS, is_misjudged
from zoo.cli.terminal import show
from zoo.cli.weights_commands import old_versions_text

PROBE_SECONDS = 60

_PACKAGES = (
    "numpy",
    "pillow",
    "opencv-python",
    "requests",
    "moderngl",
    "filelock",
    "platformdirs",
    "tqdm",
)

#: Packages that are listed only if they are there: TensorFlow has a name for each kind of build.
_OPTIONAL_PACKAGES = ("tensorflow", "tensorflow-cpu")

_PROBE_OPENCV = "import cv2; print('works')"

# A context without a window, in the way of the shader backend.
_PROBE_OPENGL = """
from core.backends.shader.runtime.context import Device, open_context
from core.backends.shader.runtime.gl_functions import GLFunctions
from core import CoreError
try:
    context = open_context()
    print(Device.of(context, GLFunctions(context.version_code, context.extensions)))
except CoreError as error:
    print(f"unavailable: {error}")
"""

_PROBE_OPENBLAS = "from zoo.cli.blas_kernels import kernels_in_use; print(kernels_in_use())"

_PROBE_KERNELS = """
from core.backends.cpu.tiers import find_fault
fault = find_fault()
if fault is not None:
    raise SystemExit(fault)
from core.backends.cpu.codegen.ir.instruction_set import host_instruction_set
from core.backends.cpu.codegen.team.loading import load_team
print(f"generated for {host_instruction_set().name}, {load_team().threads} threads")
"""

_PROBE_BACKEND = """
import sys, core
try:
    with core.backend(sys.argv[1]):
        assert core.add(1.0, 2.0).item() == 3
    if sys.argv[1] == "shader":
        from core.backends.shader.runtime.self_check import report
        from core.backends.shader.runtime.starting import describe
        from core.engine.backends import load_backend
        backend = load_backend("shader")
        print("works:", describe(backend.session) + ";", report(backend))
    elif sys.argv[1] == "tf":
        from core.backends.tf.starting import describe, load_tensorflow
        print("works:", describe(load_tensorflow()))
    else:
        print("works")
except core.CoreError as error:
    print("unavailable:", *str(error).splitlines()[:1])  # below may be the source of a shader
"""


_NO_TENSORFLOW = (
    "not installed; pip install 'friendly-zoo[tf]' if you want it, no other backend needs it"
)


def declare_doctor(command: Any) -> None:
    """Declare ``zoo doctor``, which has no arguments."""
    command.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> int:
    for name, finding in examine():
        show(f"{name:<12} {finding}", flush=True)
    return 0


def examine() -> Iterator[tuple[str, str]]:
    """Yield pairs of a check's name and its finding."""
    yield "friendly-zoo", zoo.__version__
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    yield "packages", ", ".join(_packages())
    yield "OpenBLAS", _openblas()
    yield "kernels", _kernels()
    yield "OpenCV", _probe(_PROBE_OPENCV)
    yield "OpenGL", _probe(_PROBE_OPENGL)
    yield from _backends()
    yield "backend auto", automatic.describe()
    yield "code cache", code_cache.describe()
    yield from _weights()


def _packages() -> Iterator[str]:
    yield from map(_version, _PACKAGES)
    for package in _OPTIONAL_PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            yield f"{package} {metadata.version(package)}"


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} is missing"


def _probe(code: str, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """The last line that a process printed, or why it failed."""
    try:
        done = subprocess.run(
            python_command(code, *arguments),
            env=python_environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=PROBE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"unavailable: no answer in {PROBE_SECONDS} s"
    except (OSError, ZooError) as error:
        return f"unavailable: {error}"
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    last = lines[-1] if lines else f"the process ended with status {done.returncode}"
    return last if done.returncode == 0 else f"unavailable: {last}"


def _kernels() -> str:
    """Return the instructions that kernels are generated for, or how to get such kernels."""
    return f"{_version('llvmlite')}; {_probe(_PROBE_KERNELS)}"


def _openblas() -> str:
    """The kernels of matrix products; on CPUs that OpenBLAS may not know also what it picks."""
    used = _probe(_PROBE_OPENBLAS)
    if VARIABLE in os.environ:
        used += f" by {VARIABLE}"
    if not is_misjudged():
        return used
    unset = {name: value for name, value in os.environ.items() if name != VARIABLE}
    picked = _probe(_PROBE_OPENBLAS, environment=unset)
    if any(name in picked for name in WIDE_KERNELS):
        return used
    return (
        f"{used}; without it {picked}, though this CPU has AVX-512: the zoo command sets "
        f"{VARIABLE}={KERNELS}, set it for programs of your own, before they import NumPy"
    )


def _backends() -> Iterator[tuple[str, str]]:
    for name in backend_names():
        is_missing = name == "tf" and find_spec("tensorflow") is None
        yield f"backend {name}", _NO_TENSORFLOW if is_missing else _probe(_PROBE_BACKEND, name)


def _weights() -> Iterator[tuple[str, str]]:
    yield "cache", _cache()
    yield "kits", _kits()
    yield "mirror", _mirror(os.environ.get("ZOO_WEIGHTS_MIRROR"))
    yield "network", "not used (ZOO_OFFLINE)" if is_offline() else "used for missing weights"


def _cache() -> str:
    """Return the folder of the cache and its models, as `zoo models` counts them."""
    folder = cache_folder()
    count = count_text(len(_models_in("cached")), "model")
    writable = os.access(_existing(str(folder)), os.W_OK)
    access = "" if writable else ", not writable (set ZOO_WEIGHTS_CACHE to another folder)"
    old = old_versions_text()
    also = f", {old}" if old else ""
    return f"{folder}: {count}, {size_text(cached_bytes())}{also}{access}"


def _kits() -> str:
    kits = [f"{kit.name} in {kit.folder}" for kit in installed_kits()]
    count = count_text(len(_models_in("kit")), "model")
    return f"{count}: {', '.join(kits)}" if kits else "none ('zoo weights kit --wheel' makes one)"


def _models_in(location: str) -> list[str]:
    entries = all_entries().values()
    return [entry.name for entry in entries if status(entry.weights, only=entry.files) == location]


def _mirror(location: str | None) -> str:
    if not location:
        return "none (ZOO_WEIGHTS_MIRROR)"
    known = is_url(location) or os.path.isdir(location)
    shown = shown_url(location)
    return shown if known else f"{shown}: there is no such folder (ZOO_WEIGHTS_MIRROR)"


def _existing(path: str) -> str:
    """The path, or the nearest folder above it that exists."""
    while path and not os.path.exists(path):
        path = os.path.dirname(path)
    return path
