"""What all readers of model files share: bytes of a bounded size, and errors that name the file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.bounds import LimitError, effective_limits
from core.errors import CoreError, KernelNotFound
from weights_cache.errors import WeightsError, ZooError
from weights_cache.interruptions import is_interruption
from weights_cache.reading_budgets import BudgetError, add_file, reading_budget
from weights_cache.regular_files import open_regular

#: The largest model file that is read, 4 GiB.
LARGEST_MODEL = 2**32


class FileLimitError(LimitError, WeightsError):
    """Reading a model file would cost more than a limit allows, such as ``file_bytes``.

    Args:
        message: names the file, and says what costs how much.
        name: of the limit.
        most: its value.
    """


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Read a model file within a budget; whatever it leads to becomes a WeightsError.

    The limits ``file_bytes`` and ``file_seconds`` of `core.limits` are the budget of everything
    that is read inside of the outermost `reading`; see `weights_cache.reading_budgets`.

    A damaged or hostile file may lead to any exception of ours, Python's or NumPy's: each becomes
    a WeightsError that names the file. What passes unchanged:

    - errors that name their file already, and node types without a kernel;
    - what says nothing about the file: KeyboardInterrupt, and the time-outs that signal handlers
      and other threads raise; `weights_cache.interruptions.is_interruption` says which these are.

    Raises:
        FileLimitError: a limit is exceeded; it is a WeightsError and a `core.LimitError`.
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
        of_others = isinstance(error, ZooError) and not isinstance(error, CoreError)
        if of_others or is_interruption(error):
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        reason = reason or str(error) or type(error).__name__
        raise WeightsError(f"cannot read {path}: {reason}") from error


def _named_limit(path: object, error: LimitError) -> FileLimitError:
    """The same with the file; the error's text has the advice already."""
    named = FileLimitError(f"cannot read {path}: {error}")
    named.name, named.most = error.name, error.most
    return named


def read_bytes(path: Path, largest: int = LARGEST_MODEL) -> bytes:
    """The content of a regular file, which must not be larger than a limit."""
    with reading(path), open_regular(path) as stream:
        status = os.fstat(stream.fileno())
        add_file(status)
        # One byte more shows that it grew; a larger number would take that much memory at once.
        data = stream.read(min(status.st_size, largest) + 1)
    if len(data) > largest:
        raise WeightsError(f"{path} is larger than {largest} bytes, too large a model")
    return data
