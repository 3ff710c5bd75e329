"""Exceptions of Python's readers of archives for damaged ones."""

import lzma
import tarfile
import zipfile
import zlib

ZIP_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError)
"""Exceptions for zip archives and their members; a RuntimeError means that one is encrypted."""

TAR_DAMAGE = (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError)
"""Exceptions for tar archives and their members, compressed or not."""
