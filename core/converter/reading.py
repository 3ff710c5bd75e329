"""Common parts of all readers of model files: bounded sizes, and errors that name the file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.engine.limits import LimitError, effective_limits
from core.errors import CoreError, KernelNotFound
from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.interruptions import is_interruption
from weights_cache.lfs_pointers import refuse_pointer
from weights_cache.reading_budgets import BudgetError, add_file, reading_budget
from weights_cache.regular_files import open_regular

#: The largest model file that is read, 4 GiB.
LARGEST_MODEL = 2**32


class FileLimitError(LimitError, WeightsError):
    """Reading a model file would exceed a limit such as ``file_bytes``.

    Args:
        message: text with the file and the cost.
        name: name of the limit.
        most: value of the limit.
    """


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Read a model file in the block within a budget; exceptions become a WeightsError.

    The limits ``file_bytes`` and ``file_seconds`` of `core.limits` are the budget of everything
    that is read inside of the outermost `reading`; see `weights_cache.reading_budgets`.

    A damaged or hostile file may cause any exception of this project, Python or NumPy: each becomes
    a WeightsError that names the file. Exceptions that pass unchanged:

    - errors that name their file already, and node types without a kernel;
    - errors that are not about the file: KeyboardInterrupt, and time limits that signal handlers
      and other threads raise; see `weights_cache.interruptions.is_interruption`.

    Raises:
        FileLimitError: a limit is exceeded; the error is a WeightsError and a `core.LimitError`.
        WeightsError: the file is damaged.

    >>> with reading("model.tflite"):
    ...     raise ValueError("the header is too short")
    Traceback (most recent call last):
    zoo.WeightsError: cannot read model.tflite: the header is too short
    """
    limits = effective_limits()
    assert limits.file_bytes is not None and limits.file_seconds is not None
    try:
        with reading_budget(path, limits.file_bytes, limits.file_seconds):
            yield
    except BudgetError as error:
        raise FileLimitError(str(error), error.name, error.most) from None
    except (KernelNotFound, WeightsError):
        raise
    except LimitError as error:
        raise _named_limit(path, error) from error
    except Exception as error:
        is_foreign = isinstance(error, ZooError) and not isinstance(error, CoreError)
        if is_foreign or is_interruption(error):
            raise
        reason = _os_reason(path, error) if isinstance(error, OSError) else None
        reason = reason or str(error) or type(error).__name__
        raise WeightsError(f"cannot read {path}: {reason}") from error


def _os_reason(path: object, error: OSError) -> str | None:
    """Return the reason of the system, with the file if that is not the path itself."""
    is_other = isinstance(error.filename, str) and error.filename != str(path)
    return f"{error.strerror}: {error.filename}" if is_other else error.strerror


def _named_limit(path: object, error: LimitError) -> FileLimitError:
    """Return a limit error that names the file; its text has the next step already."""
    named = FileLimitError(f"cannot read {path}: {error}")
    named.name, named.most = error.name, error.most
    return named


def read_bytes(path: Path, largest: int = LARGEST_MODEL) -> bytes:
    """Return the content of a regular file; raise WeightsError if it is larger than a limit."""
    with reading(path), open_regular(path) as stream:
        status = os.fstat(stream.fileno())
        add_file(status)
        # One more byte detects growth; read() allocates the requested size at once.
        data = stream.read(min(status.st_size, largest) + 1)
    if len(data) > largest:
        raise WeightsError(f"{path} is larger than {largest} bytes, the limit for a model")
    refuse_pointer(data, path)
    return data
