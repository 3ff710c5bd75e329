"""Tensors of ONNX files: types of elements, raw, listed and sparse values, and other files."""

import numpy as np
import pytest

from core.converter.onnx.external_files import ExternalFiles
from core.converter.onnx.small_types import decoded
from core.converter.onnx.tensors import TensorReader
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget
from core.errors import CoreError
from core.graph.node_types.onnx.type_table import ELEMENT_TYPES
from tests.core.converter.fuzz.protobuf import field
from tests.core.converter.onnx import protos
from tests.helpers import require
from weights_cache.common.errors import WeightsError
from weights_cache.reading_budgets import reading_budget, spend


@pytest.fixture
def read(tmp_path):
    """Reads a TensorProto."""
    reader = TensorReader(ExternalFiles(tmp_path), Budget(1000))
    return lambda data: reader.read(Message(data))


@pytest.mark.parametrize(
    ("kind", "given", "dtype"),
    [
        ("float32", np.float32([1.5, -2]), "float32"),
        ("float16", np.float16([1.5, -2]), "float32"),
        ("float64", np.float64([1.5, -2]), "float32"),
        ("uint8", np.uint8([1, 255]), "int32"),
        ("int8", np.int8([1, -128]), "int32"),
        ("uint16", np.uint16([1, 65535]), "int32"),
        ("int16", np.int16([1, -32768]), "int32"),
        ("int32", np.int32([1, -(2**31)]), "int32"),
        ("int64", np.int64([1, -(2**31)]), "int32"),
        ("uint32", np.uint32([1, 2**31 - 1]), "int32"),
        ("uint64", np.uint64([1, 2**31 - 1]), "int32"),
        ("complex64", np.complex64([1 + 2j, -1]), "complex64"),
        ("complex128", np.complex128([1 + 2j, -1]), "complex64"),
    ],
)
def test_raw_and_listed_values(kind, given, dtype, read):
    for data in (protos.tensor(given), listed(given, kind)):
        found = read(data)
        assert (found.array.dtype, found.type) == (dtype, kind)
        assert found.array.tolist() == given.tolist()


def listed(array, kind):
    """A TensorProto that lists its values in the field of their type."""
    number, head = ELEMENT_TYPES[protos.NUMBERS[kind]].field, protos.head_of(array.shape, kind)
    if number in (4, 10):
        parts = array.view(np.float32 if number == 4 else np.float64)
        return head + field(number, parts.tobytes())
    bits = array.view(np.uint16) if kind == "float16" else array
    return head + b"".join(field(number, int(each)) for each in bits)


def test_truth_values_and_strings(read):
    head = protos.head_of((2,), "bool")
    assert read(head + field(9, b"\1\0")).array.tolist() == [True, False]
    assert read(head + field(5, 1) + field(5, 0)).array.tolist() == [True, False]
    texts = protos.head_of((2,), "string") + field(6, "a") + field(6, b"\xff")
    assert read(texts).array.tolist() == [b"a", b"\xff"]
    with pytest.raises(CoreError, match=r"its shape is \(3,\), but it has 2 strings"):
        read(protos.head_of((3,), "string") + field(6, "a") + field(6, "b"))


@pytest.mark.parametrize(
    ("kind", "bits", "values"),
    [
        ("bfloat16", np.uint16([0x3F80, 0xC040, 0x7F80]), [1, -3, np.inf]),
        ("float8e4m3fn", np.uint8([0x38, 0xFE, 0x01]), [1, -448, 2**-9]),
        ("float8e4m3fnuz", np.uint8([0x40, 0xFF, 0x01]), [1, -240, 2**-10]),
        ("float8e5m2", np.uint8([0x3C, 0xFC, 0x01]), [1, -np.inf, 2**-16]),
        ("float8e5m2fnuz", np.uint8([0x40, 0xFF, 0x01]), [1, -57344, 2**-17]),
        ("float8e8m0", np.uint8([127, 129, 0]), [1, 4, 2**-127]),
        ("uint4", np.uint8([0xF1, 0x07]), [1, 15, 7]),
        ("int4", np.uint8([0xF1, 0x08]), [1, -1, -8]),
        ("uint2", np.uint8([0b00110001]), [1, 0, 3]),
        ("int2", np.uint8([0b00110010]), [-2, 0, -1]),
        ("float4e2m1", np.uint8([0xF1, 0x02]), [0.5, -6, 1]),
    ],
)
def test_types_that_numpy_lacks(kind, bits, values, read):
    """Values from the standard's tables of codes; an odd last one shares its byte with nothing."""
    found = read(protos.head_of((3,), kind) + field(9, bits.tobytes()))
    assert (found.array.tolist(), found.type) == (values, kind)


def test_small_floats_equal_those_of_ml_dtypes():
    types = require("ml_dtypes")
    for name, theirs in {
        "float8e4m3fn": types.float8_e4m3fn,
        "float8e4m3fnuz": types.float8_e4m3fnuz,
        "float8e5m2": types.float8_e5m2,
        "float8e5m2fnuz": types.float8_e5m2fnuz,
        "float8e8m0": types.float8_e8m0fnu,
    }.items():
        codes = np.arange(256, dtype=np.uint8)
        np.testing.assert_array_equal(
            decoded(codes, name), codes.view(theirs).astype(np.float32), err_msg=name
        )


def test_integers_that_do_not_fit_are_refused_by_name(read):
    with pytest.raises(CoreError, match="the tensor 'ids': 5000000000 does not fit into int32"):
        read(protos.tensor(np.int64([5_000_000_000]), "ids"))
    no_limit = read(protos.tensor(np.int64([2**63 - 1, -(2**63)]))).array
    assert no_limit.tolist() == [2**31 - 1, -(2**31)]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (field(2, 99), "the element type 99, which ONNX does not define"),
        (protos.head_of((2,), "float32", "w"), r"'w': its shape is \(2,\), but it has 0 values"),
        (protos.head_of((3,), "float32") + field(9, b"\0" * 8), "it has 2 values"),
        (protos.head_of((-1,), "float32"), r"its shape is \(-1,\)"),
        (protos.head_of((2**50,), "float32"), r"its shape is"),
        (protos.head_of((2**30, 8), "float32"), "its constants take more than"),
        (protos.head_of((3,), "int4") + field(9, b"\0"), "it has 1 values"),
    ],
)
def test_damaged_tensors(data, text, read):
    with pytest.raises(CoreError, match=text):
        read(data)


def test_sparse_tensors(tmp_path):
    reader = TensorReader(ExternalFiles(tmp_path), Budget(1000))
    values = field(1, protos.tensor(np.float32([5, 7]), "w"))
    shape = field(3, 2) + field(3, 3)
    for indices in ([[0, 1], [1, 2]], [1, 5]):
        proto = values + field(2, protos.tensor(np.int64(indices))) + shape
        assert reader.sparse(Message(proto)).array.tolist() == [[0, 5, 0], [0, 0, 7]]
    large = values + field(2, protos.tensor(np.int64([1, 5]))) + field(3, 2**30)
    with pytest.raises(CoreError, match="its constants take more than"):
        reader.sparse(Message(large))


# Files beside the model


def test_values_in_another_file(tmp_path, read):
    (tmp_path / "weights.bin").write_bytes(b"head" + np.float32([1, 2, 3]).tobytes())
    facts = {"location": "./weights.bin", "offset": 4, "length": 12}
    assert read(protos.external((3,), "float32", **facts)).array.tolist() == [1, 2, 3]
    short = protos.external((2,), "float32", location="weights.bin", offset=8)
    assert read(short).array.tolist() == [2, 3]


@pytest.mark.parametrize("location", ["", "../w", "/etc/passwd", "a/../../w", "C:/w", "a\\b"])
def test_names_that_lead_out_of_the_folder(location, read):
    with pytest.raises(WeightsError, match="only relative names inside the folder"):
        read(protos.external((1,), "float32", location=location))


def test_links_that_lead_out_of_the_folder(tmp_path):
    (tmp_path / "secret").write_bytes(b"0" * 8)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "w").symlink_to("../secret")
    (tmp_path / "model" / "up").symlink_to("..")
    reader = TensorReader(ExternalFiles(tmp_path / "model"), Budget(1000))
    for location in ("w", "up/secret"):
        with pytest.raises(WeightsError, match="is a link to .*, outside"):
            reader.read(Message(protos.external((2,), "float32", location=location)))


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"location": "absent"}, "'absent', which is not beside the model: put it into"),
        ({"location": "w", "offset": 4}, "end at byte 12 of the file 'w', which has 8"),
        ({"location": "w", "length": 4}, "'w' holds 4 bytes of a tensor that has 8"),
        ({"location": "w", "offset": -4}, "the offset of weights in another file is '-4'"),
        ({"location": "w", "offset": "x"}, "the offset of weights in another file is 'x'"),
    ],
)
def test_files_that_do_not_hold_the_values(facts, text, tmp_path, read):
    (tmp_path / "w").write_bytes(b"0" * 8)
    with pytest.raises(CoreError, match=text):
        read(protos.external((2,), "float32", **facts))


def test_a_claim_of_three_gigabytes_is_refused_before_memory_is_taken(tmp_path):
    (tmp_path / "w").write_bytes(b"0" * 8)
    count = 3 * 2**28
    claim = protos.external((count,), "float32", "w", location="w", length=4 * count)
    reader = TensorReader(ExternalFiles(tmp_path), Budget(2**40))
    with reading_budget("model.onnx", free_bytes=1000):
        with pytest.raises(CoreError, match="end at byte 3221225472 of the file 'w', which has 8"):
            reader.read(Message(claim))
        spend(1000, "all of the budget, of which nothing was taken")


def test_tensors_that_share_bytes_of_a_file_have_a_budget(tmp_path):
    (tmp_path / "w").write_bytes(bytes(2**22))
    claim = protos.external((2**20,), "float32", location="w")
    reader = TensorReader(ExternalFiles(tmp_path), Budget(1000))
    with reading_budget("model.onnx", free_bytes=1000):
        for _ in range(4):  # four times the size of a file is allowed
            reader.read(Message(claim))
        with pytest.raises(WeightsError, match="its constants would take 4,194,304 bytes"):
            reader.read(Message(claim))
