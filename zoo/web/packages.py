"""The error of a server whose packages, the extra ``web``, are missing."""

from weights_cache.common.errors import ZooError


def not_installed(what: str, error: ImportError) -> ZooError:
    """Return the error of a package that is missing."""
    return ZooError(
        f"{what} the packages fastapi, uvicorn and websockets ({error}): "
        "pip install 'friendly-zoo[web]'"
    )
