"""Archives of arrays that ask for more than they hold, or hold what is no array."""

import io
import zipfile

import numpy as np
import pytest

from weights_cache.array_archives import read_array_archive
from weights_cache.reading_budgets import FREE_BYTES, BudgetError


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def read(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    with open(path, "rb") as stream:
        return read_array_archive(stream, path)


def test_arrays_are_those_that_numpy_writes(tmp_path, rng):
    arrays = {"a": rng.normal(size=(3, 4)).astype("f4"), "b.c": np.arange(5), "d": np.array(2.5)}
    for name, save in (("plain", np.savez), ("packed", np.savez_compressed)):
        save(tmp_path / f"{name}.npz", **arrays)
        with open(tmp_path / f"{name}.npz", "rb") as stream:
            found = read_array_archive(stream, name)
        assert list(found) == list(arrays)
        for key, array in arrays.items():
            np.testing.assert_array_equal(found[key], array, strict=True)


def test_arrays_that_their_file_does_not_justify(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy(np.zeros(8)))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\1\2") + 24
    data[at : at + 4] = (2 * FREE_BYTES).to_bytes(4, "little")
    path.write_bytes(data)
    with open(path, "rb") as stream, pytest.raises(BudgetError, match="would take 1,073,741,824"):
        read_array_archive(stream, path)


def test_a_header_that_declares_more_than_the_member_holds(tmp_path):
    head = npy(np.zeros(8, "f4"))
    wide = head.replace(b"(8,), }   ", b"(8000,), }")
    assert wide != head
    with pytest.raises(ValueError, match="does not fit into 160 bytes"):
        read(tmp_path / "a.npz", [("a.npy", wide)])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_without_a_limit(tmp_path, method):
    with pytest.raises(ValueError, match="its compression method is not supported"):
        read(tmp_path / "a.npz", [("a.npy", npy(np.zeros(8)))], method)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [("a.npy", "a.npy"), ("a.txt",), ("a",)])
def test_members_that_are_no_arrays_or_there_twice(tmp_path, names):
    with pytest.raises(ValueError, match="is there twice, or no array"):
        read(tmp_path / "a.npz", [(name, npy(np.zeros(8))) for name in names])


def test_pickles_are_not_read(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read(tmp_path / "a.npz", [("a.npy", npy(np.array([{}], dtype=object)))])
