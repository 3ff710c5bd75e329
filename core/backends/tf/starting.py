"""Importing TensorFlow when the backend is first used, and its settings."""

import os
import re
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module, metadata
from typing import Any

from core.backends.opengl_clash import why_no_tensorflow
from core.errors import CoreError, SettingError

#: The oldest version that works with NumPy 2.
OLDEST = (2, 18)

#: The device: ``cpu``, ``gpu`` or ``gpu:1``; without it TensorFlow chooses.
DEVICE = "CORE_TF_DEVICE"

_INSTALL = "pip install 'friendly-zoo[tf]'"
_LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"

#: Whether TensorFlow takes oneDNN's kernels, by default on newer CPUs: they are faster, but give
#: batches of no images wrong shapes, lose NaN in softmax, and keep memory for each new shape.
_ONEDNN = "TF_ENABLE_ONEDNN_OPTS"


class TensorFlowError(CoreError):
    """TensorFlow is missing, too old, or cannot run in this process."""


@cache
def load_tensorflow() -> Any:
    """Return the module ``tensorflow``, set up for the backend.

    Floats of 32 bits are multiplied as such (TensorFlow's own default is 19 bits on some GPUs),
    memory of GPUs is taken as it is needed, and TensorFlow writes no notes to stderr unless
    ``TF_CPP_MIN_LOG_LEVEL`` asks for them, and takes no kernels of oneDNN unless
    ``TF_ENABLE_ONEDNN_OPTS`` does. The settings are those of the process: in one that used
    TensorFlow before, its kernels, its devices and their memory stay as they were.

    Raises:
        TensorFlowError: TensorFlow is missing, too old or broken, or would crash this process.
        SettingError: ``CORE_TF_DEVICE`` names no device, or TensorFlow uses others already.
    """
    problem = why_no_tensorflow()
    if problem:
        raise TensorFlowError(problem)
    tf = _imported()
    _check_version(tf)
    tf.config.experimental.enable_tensor_float_32_execution(False)
    choose_device(tf, os.environ.get(DEVICE, ""))
    return tf


# --- the import -----------------------------------------------------------------------------------


def _imported() -> Any:
    # 3 leaves fatal errors only: builds for GPUs report each library of CUDA that they load twice
    # as an error. All others come as exceptions.
    os.environ.setdefault(_LOG_LEVEL, "3")
    os.environ.setdefault(_ONEDNN, "0")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what packages below TensorFlow say of each other
            return import_module("tensorflow")
    except Exception as error:  # of a shared library, of protobuf, of NumPy's binary interface
        raise TensorFlowError(_failure(error)) from error


def _failure(error: Exception) -> str:
    """Return the error for a failed import, with the next step."""
    package, version = _installed()
    if version and _numbers(version) < OLDEST:
        return _too_old(version)
    if isinstance(error, ModuleNotFoundError) and error.name == "tensorflow":
        return f"the tf backend needs TensorFlow, which is not installed: {_INSTALL}"
    reason = " ".join(str(error).split()) or type(error).__name__
    return (
        f"{package} {version or 'of an unknown version'} is installed, but importing it failed "
        f"({reason:.300}): install it anew with pip install --force-reinstall {package}"
    )


def _check_version(tf: Any) -> None:
    version = getattr(tf, "__version__", None)
    if version is None:
        folder = next(iter(getattr(tf, "__path__", [])), "an unknown folder")
        raise TensorFlowError(
            f"the module tensorflow in {folder} is not TensorFlow: rename it, then {_INSTALL}"
        )
    if _numbers(version) < OLDEST:
        raise TensorFlowError(_too_old(version))


def _too_old(version: str) -> str:
    package, _ = _installed()
    return (
        f"TensorFlow {version} is too old: the tf backend needs {'.'.join(map(str, OLDEST))} or "
        f"later; pip install --upgrade {package}"
    )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version.

    >>> _numbers("2.22.0rc0")
    (2, 22)
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _installed() -> tuple[str, str | None]:
    """Return the package of TensorFlow and its version, if the package's metadata have one."""
    for package in ("tensorflow", "tensorflow-cpu"):
        try:
            return package, metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return "tensorflow", None


# --- devices --------------------------------------------------------------------------------------


def choose_device(tf: Any, name: str) -> None:
    """Let the process see the device of that name, and let GPUs take memory as it is needed.

    Args:
        tf: the module ``tensorflow``.
        name: ``"cpu"``, ``"gpu"``, ``"gpu:0"``, ``"gpu:1"`` and so on; empty for TensorFlow's own
            choice, the first GPU if there is one.

    Raises:
        SettingError: there is no such device, or TensorFlow was used with other ones before.
    """
    visible = tf.config.get_visible_devices("GPU")
    chosen = visible
    if name.strip():
        chosen = _chosen(name.strip().lower(), tf.config.list_physical_devices("GPU"))
    try:
        if chosen != visible:
            tf.config.set_visible_devices(chosen, "GPU")
    except RuntimeError as error:
        raise SettingError(
            f"{DEVICE}={name!r:.80} comes too late, as TensorFlow was used in this process before: "
            "call tf.config.set_visible_devices at its start, or leave the variable out"
        ) from error
    for gpu in chosen:
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except (RuntimeError, ValueError):  # used before, or with a fixed amount
            return


def _chosen(name: str, gpus: Sequence[Any]) -> list[Any]:
    """Return the GPUs that a name leaves visible."""
    if name == "cpu":
        return []
    names = ["cpu", *[f"gpu:{i}" for i in range(len(gpus))]]
    wanted = "gpu:0" if name == "gpu" else name
    if wanted not in names:
        hint = "" if gpus else f"; {_LOG_LEVEL}=0 shows what TensorFlow finds of GPUs"
        raise SettingError(
            f"{DEVICE}={name!r:.80} is not among the devices of TensorFlow, {names}{hint}"
        )
    return [gpus[names.index(wanted) - 1]]


def describe(tf: Any) -> str:
    """Return the version of TensorFlow and the devices that it uses."""
    gpus = tf.config.get_visible_devices("GPU")
    names = [
        tf.config.experimental.get_device_details(gpu).get("device_name", "GPU") for gpu in gpus
    ]
    return f"TensorFlow {tf.__version__}, {', '.join(names) or 'cpu'}"
