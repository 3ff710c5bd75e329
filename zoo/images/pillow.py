"""Late import of Pillow, safe with `os.fork`, and without its warnings.

A child of `os.fork` would deadlock on an import that another thread of its parent had begun.
"""

from __future__ import annotations

import logging  # noqa: F401 - Pillow imports it: see `_importing`
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, BinaryIO

from weights_cache.common.dependencies import needed_for

if TYPE_CHECKING:
    from types import ModuleType

    from PIL import Image

#: Lock of imports, never held while an image is read; `os.fork` waits for the lock. The imported
#: modules must not register functions to be called before a fork, as logging does: Python would
#: call their counterparts only.
_importing = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire,
        after_in_parent=_importing.release,
        after_in_child=_importing.release,
    )

#: First bytes of frequent formats, and their plugins. `PIL.Image.open` would import the plugins of
#: other formats first, and check the size against its own limit.
_FREQUENT = (
    (rb"\xff\xd8\xff", "Jpeg"),
    (rb"\x89PNG\r\n\x1a\n", "Png"),
    (rb"(?s)RIFF.{4}WEBP", "WebP"),
    (rb"GIF8", "Gif"),
    (rb"BM", "Bmp"),
    (rb"II\*\0|MM\0\*", "Tiff"),
)

_is_quiet = ContextVar("quiet", default=False)


class _Warnings:
    """A replacement of ``warnings`` in Pillow's modules, which drops warnings in `quiet`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(warnings, name)

    def warn(
        self, message: Any, category: Any = None, stacklevel: int = 1, *rest: Any, **options: Any
    ) -> None:
        if not _is_quiet.get():
            warnings.warn(message, category, stacklevel + 1, *rest, **options)


_WARNINGS = _Warnings()


@contextmanager
def quiet(image: Image.Image | None = None) -> Iterator[None]:
    """Suppress warnings of Pillow in the block, in this thread or task only.

    Pillow warns about sizes, which have a separate limit here, and about unused metadata.
    `warnings.catch_warnings` would change the filters of all threads, which needs a lock around
    reading; and with ``-W error`` Pillow's warnings would make reading of good images fail.

    Args:
        image: image to read, if the caller opened it.
    """
    if image is not None:
        plugin = sys.modules.get(type(image).__module__)
        if getattr(plugin, "warnings", None) is warnings:
            _mute()
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def import_pillow(purpose: str = "reading images") -> ModuleType:
    """Import and return the module ``PIL.Image``.

    Args:
        purpose: what needs it, for the error.

    Raises:
        ZooError: the package is missing.
    """
    imported: ModuleType | None = getattr(sys.modules.get("PIL"), "Image", None)
    if imported and imported.warnings is _WARNINGS:  # which it gets once it is imported whole
        return imported
    with _importing, needed_for(purpose):
        from PIL import Image

        if Image.warnings is warnings:
            _mute()
        return Image


def open_frequent(file: BinaryIO, head: bytes) -> Image.Image | None:
    """Open an image of a frequent format without decoding; None for other formats.

    Args:
        file: the file, at any position.
        head: first bytes of the file.
    """
    for pattern, name in _FREQUENT:
        if re.match(pattern, head):
            plugin = _imported_plugin(name)
            file.seek(0)
            try:
                image: Image.Image = getattr(plugin, f"{name}ImageFile")(file)
            except SyntaxError:  # raised by plugins for a file of another format
                return None
            return image
    return None


def open_any(file: BinaryIO) -> Image.Image:
    """Open an image of any format of Pillow without decoding."""
    pillow = import_pillow()
    with _importing:
        pillow.init()
        _mute()
    image: Image.Image = pillow.open(file)
    return image


def add_heif() -> None:
    """Let Pillow read HEIC images.

    Raises:
        ImportError: the package pillow-heif is missing.
    """
    with _importing:
        from pillow_heif import register_heif_opener

        register_heif_opener()
        _mute()


def _imported_plugin(name: str) -> ModuleType:
    """Import and return the module of a format of Pillow."""
    with _importing:
        plugin = import_module(f"PIL.{name}ImagePlugin")
        if getattr(plugin, "warnings", None) is warnings:
            _mute()
        return plugin


def _mute() -> None:
    for name, module in sys.modules.copy().items():
        is_of_pillow = name.startswith(("PIL.", "pillow_heif"))
        if is_of_pillow and getattr(module, "warnings", None) is warnings:
            module.warnings = _WARNINGS  # type: ignore[attr-defined]
