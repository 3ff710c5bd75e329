"""Archives of arrays that ask for more than they hold, or hold what is no array."""

import io
import zipfile

import numpy as np
import pytest

from weights_cache.array_files.npz import read_array_archive
from weights_cache.reading_budgets import FREE_BYTES, BudgetError

HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def array(header: str = HEADER, values: bytes = bytes(8), version: int = 1) -> bytes:
    """An array with a header of any text."""
    text = header.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2, "little") + text + values


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
    with open(path, "rb") as stream, pytest.raises(BudgetError, match="would take 2,147,483,648"):
        read_array_archive(stream, path)


def test_a_header_that_declares_more_than_the_member_holds(tmp_path):
    head = npy(np.zeros(8, "f4"))
    wide = head.replace(b"(8,), }   ", b"(8000,), }")
    assert wide != head
    with pytest.raises(ValueError, match="does not fit into 32 bytes"):
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
    with pytest.raises(ValueError, match="is of object: save numbers"):
        read(tmp_path / "a.npz", [("a.npy", npy(np.array([{}], dtype=object)))])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no known version"),
        (array()[:9], "damaged header"),
        (array(version=9), "no known version"),
        (array(HEADER[:20]), "damaged header"),
        (array(HEADER + "}"), "damaged header"),
        (array("(" * 5000), "damaged header"),
        (array("[1]"), "no dict"),
        (array("{}"), "KeyError"),
        (array(HEADER.replace("<f4", "|O")), "is of object"),
        (array(HEADER.replace("<f4", "V8")), "save numbers, booleans or texts"),
        (array(HEADER.replace("<f4", "<f9")), "damaged header"),
        (array(HEADER.replace("'<f4'", "(1, 2, 3)")), "damaged header"),
        (array(HEADER.replace("<f4", "<U0").replace("2,", "2**3,")), "damaged header"),
        (array(HEADER.replace("(2,)", "(1099511627776,)")), "does not fit into 8 bytes"),
        (array(HEADER.replace("(2,)", "(-2,)")), r"its shape is \(-2,\)"),
        (array(HEADER.replace("(2,)", "(2.0,)")), r"its shape is \(2.0,\)"),
        (array(HEADER.replace("(2,)", str((1,) * 99 + (2,)))), r"its shape is \(1, 1"),
        (array(values=bytes(9)), "does not fit into 9 bytes"),
    ],
)
def test_damaged_headers_are_refused(tmp_path, data, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(tmp_path / "a.npz", [("one.npy", array()), ("other.npy", data)])
    assert "'other'" in str(caught.value) and len(str(caught.value)) < 500


def test_arrays_of_all_dtypes_and_orders(tmp_path, rng):
    arrays = {
        "columns": np.asfortranarray(rng.normal(size=(2, 3))),
        "big": np.arange(3, dtype=">i4"),
        "none": np.zeros((0, 4), np.uint8),
        "one": np.array(True),
        "texts": np.array(["ab", "ü"]),
        "wide": np.zeros(1, np.complex64),
    }
    found = read(tmp_path / "a.npz", [(f"{name}.npy", npy(a)) for name, a in arrays.items()])
    for name, expected in arrays.items():
        np.testing.assert_array_equal(found[name], expected, strict=True)
        assert found[name].flags.writeable


def test_archives_that_cannot_be_unpacked(tmp_path):
    path = tmp_path / "a.npz"
    read(path, [("one.npy", npy(np.arange(1000)))])
    whole = path.read_bytes()
    at = whole.index(b"one.npy") + 7
    for data in (b"", whole[: len(whole) // 2], whole[:at] + b"\xff" * 8 + whole[at + 8 :]):
        path.write_bytes(data)
        with open(path, "rb") as stream, pytest.raises(ValueError, match="zip|decompress"):
            read_array_archive(stream, path)
