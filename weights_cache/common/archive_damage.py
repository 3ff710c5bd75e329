"""Exceptions of Python's readers of archives for damaged ones."""

import lzma
import tarfile
import zipfile
import zlib

#: Of zip archives and their members; a RuntimeError is of encrypted or unknown ones.
ZIP_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError)

#: Of tar archives and their members, packed or not.
TAR_DAMAGE = (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError)
