"""Arrays of ``.npz`` files, read without pickle and within a budget."""

import os
import zipfile
from io import BufferedReader

import numpy as np

from weights_cache.reading_budgets import reading_budget
from weights_cache.zip_members import unreadable_reason

_ENDING = ".npy"


def read_array_archive(stream: BufferedReader, path: object) -> dict[str, np.ndarray]:
    """Return the arrays of an ``.npz`` file by name.

    `numpy.load` would unpack whatever a member holds, also where it is no array.

    Args:
        stream: the file at its start.
        path: of the file, for errors.

    Raises:
        BudgetError: the arrays would take too much memory.
        ValueError, OSError, zipfile.BadZipFile, zlib.error, and others: the file is damaged.
    """
    with reading_budget(path) as budget, zipfile.ZipFile(stream) as archive:
        budget.add_file(os.fstat(stream.fileno()))
        found = {}
        for member in archive.infolist():
            name = member.filename.removesuffix(_ENDING)
            if name in found or name == member.filename:
                raise ValueError(f"the member {name!r:.100} is there twice, or no array")
            if reason := unreadable_reason(member):
                raise ValueError(f"the array {name!r:.100} cannot be read: {reason}")
            budget.spend(member.file_size, f"the array {name!r:.100}")
            found[name] = _array(archive, member)
        return found


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """Return an array, for which NumPy allocates what its header declares."""
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        else:
            shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
        if int(np.prod(shape, dtype=object)) * dtype.itemsize > member.file_size:
            raise ValueError(
                f"an array of shape {shape} does not fit into {member.file_size} bytes"
            )
    with archive.open(member) as stream:
        found: np.ndarray = np.lib.format.read_array(stream, allow_pickle=False)
        return found
