"""Packages that are imported at first use, with an error that names the command to install one."""

from collections.abc import Iterator
from contextlib import contextmanager

from weights_cache.common.errors import ZooError


@contextmanager
def needed_for(purpose: str) -> Iterator[None]:
    """Turn an ImportError inside the block into a ZooError that names the package."""
    try:
        yield
    except ImportError as error:
        name = (error.name or "?").partition(".")[0]
        raise ZooError(
            f"{purpose} needs the package {name!r}, which cannot be imported ({error}); "
            f"run `pip install {name}`"
        ) from error
