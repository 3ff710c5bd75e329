"""Archives of arrays: as NumPy writes them, and damaged ones, of which no head is believed."""

import io
import zipfile

import numpy as np
import pytest

from weights_cache.array_archives import read_array_archive
from weights_cache.reading_budgets import BudgetError, reading_budget

HEAD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"


def packed(**members: bytes) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    stream.seek(0)
    return stream


def array(head: str = HEAD, values: bytes = bytes(8), version: int = 1) -> bytes:
    text = head.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2, "little") + text + values


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_numpy_are_read_as_numpy_reads_them(save, rng):
    arrays = {
        "floats": rng.normal(size=(2, 3)).astype(np.float32),
        "columns": np.asfortranarray(rng.normal(size=(2, 3))),
        "big": np.arange(3, dtype=">i4"),
        "none": np.zeros((0, 4), np.uint8),
        "one": np.array(True),
        "texts": np.array(["ab", "ü"]),
        "wide": np.zeros(1, np.complex64),
    }
    stream = io.BytesIO()
    save(stream, **arrays)
    found = read_array_archive(stream)
    assert found.keys() == arrays.keys()
    for name, expected in arrays.items():
        assert found[name].dtype == expected.dtype and found[name].flags.writeable
        assert np.array_equal(found[name], expected), name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no known version"),
        (array()[:9], "damaged head"),
        (array(version=9), "no known version"),
        (array(HEAD[:20]), "damaged head"),
        (array(HEAD + "}"), "damaged head"),
        (array("(" * 5000), "damaged head"),
        (array("[1]"), "no dict"),
        (array("{}"), "KeyError"),
        (array(HEAD.replace("<f4", "|O")), "of object"),
        (array(HEAD.replace("<f4", "V8")), "numbers and texts alone"),
        (array(HEAD.replace("<f4", "<f9")), "damaged head"),
        (array(HEAD.replace("'<f4'", "(1, 2, 3)")), "damaged head"),
        (array(HEAD.replace("<f4", "<U0").replace("2,", "2**3,")), "damaged head"),
        (array(HEAD.replace("(2,)", "(1099511627776,)")), "8 bytes, which are not"),
        (array(HEAD.replace("(2,)", "(-2,)")), "8 bytes, which are not"),
        (array(HEAD.replace("(2,)", "(2.0,)")), "8 bytes, which are not"),
        (array(HEAD.replace("(2,)", str((1,) * 99 + (2,)))), "100 axes"),
        (array(values=bytes(9)), "9 bytes, which are not"),
    ],
)
def test_damaged_arrays_are_refused(data, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_array_archive(packed(one=array(), other=data))
    assert "'other.npy'" in str(caught.value) and len(str(caught.value)) < 500


def test_damaged_archives_are_refused():
    whole = packed(one=array(values=bytes(4000), head=HEAD.replace("2,", "1000,"))).getvalue()
    at = whole.index(b"one.npy") + 20
    broken = whole[:at] + bytes(20) + whole[at + 20 :]
    for data in (b"", whole[: len(whole) // 2], broken):
        with pytest.raises(ValueError, match=r"zip|decompress|CRC"):
            read_array_archive(io.BytesIO(data))
    with zipfile.ZipFile(other := io.BytesIO(), "w") as archive:
        archive.writestr("note.txt", "hello")
    with pytest.raises(ValueError, match=r"'note\.txt' in it is no array"):
        read_array_archive(other)


def test_arrays_that_unpack_to_too_much_are_refused_before_they_do():
    bomb = packed(zeros=array(HEAD.replace("2,", "500000,"), bytes(2_000_000)))
    with reading_budget("a.npz", free_bytes=100_000), pytest.raises(BudgetError, match="zeros"):
        read_array_archive(bomb)
