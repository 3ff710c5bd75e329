"""What all readers of model files share: bytes of a bounded size, and errors that name the file."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import CoreError, KernelNotFound
from weights_cache.errors import WeightsError, ZooError

#: The largest model file that is read, 4 GiB.
LARGEST_MODEL = 2**32

#: What parsing damaged bytes raises.
_DAMAGE = (CoreError, ValueError, LookupError, TypeError, OverflowError, struct.error)


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Turn whatever a damaged or hostile file leads to into a WeightsError that names it.

    Errors that name their file already, and node types without a kernel, pass.

    >>> with reading("model.tflite"):
    ...     raise ValueError("the header is too short")
    Traceback (most recent call last):
    zoo.WeightsError: cannot read model.tflite: the header is too short
    """
    try:
        yield
    except KernelNotFound:
        raise
    except (*_DAMAGE, MemoryError, RecursionError) as error:
        raise WeightsError(f"cannot read {path}: {error or type(error).__name__}") from error
    except OSError as error:
        raise WeightsError(f"cannot read {path}: {error.strerror or error}") from error
    except ZooError:
        raise


def read_bytes(path: Path, largest: int = LARGEST_MODEL) -> bytes:
    """The content of a file, which must not be larger than a limit."""
    with reading(path), open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        # One byte more shows that it grew; a larger number would take that much memory at once.
        data = stream.read(min(size, largest) + 1)
    if len(data) > largest:
        raise WeightsError(f"{path} is larger than {largest} bytes, too large a model")
    return data
