"""What Python's readers of archives raise for damaged ones."""

import lzma
import tarfile
import zipfile
import zlib

#: Of zip archives and their members; RuntimeError for encrypted ones.
ZIP_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, RuntimeError, NotImplementedError),
)

#: Of tar archives and their members, packed or not.
TAR_DAMAGE = (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError)
