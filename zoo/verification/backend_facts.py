"""Start of a backend in a separate process, and the device that it runs on."""

from importlib import metadata

import numpy as np

import core
from core.backends.renderer_probe import probe_renderer


def start_backend(backend: str, tier: int | None, path: str | None) -> str:
    """Start a backend and make it the active one; return what it runs on.

    Args:
        backend: name of the backend.
        tier: tier of the cpu backend.
        path: path of the shader backend; None: the default.

    Raises:
        CoreError: it cannot start.

    >>> start_backend("cpu", 1, None).split()[0]
    'NumPy'
    >>> core.set_tier(None)
    """
    if tier is not None:
        core.set_tier(tier)
    if backend == "shader":
        core.start_shader(path=path)
    core.set_backend(backend)
    core.tensor(1.0).item()
    if backend == "shader":
        return f"{probe_renderer()}, {path or 'default'} path"
    if backend == "tf":
        return f"TensorFlow {_version('tensorflow', 'tensorflow-cpu')}"
    return f"NumPy {np.__version__}" if tier == 1 else f"llvmlite {_version('llvmlite')}"


def _version(*packages: str) -> str:
    """Return the version of the first package that is installed."""
    for package in packages:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return "of unknown version"
