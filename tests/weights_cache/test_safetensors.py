"""Files of safetensors: dtypes, and all that its package refuses."""

import json

import numpy as np
import pytest

import core
from core.converter.onnx import read_onnx
from tests.wheels import wheel_file
from weights_cache import WeightsError, load_weights
from weights_cache.array_files.safetensors import LONGEST_HEADER

_NAMES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
}


@pytest.fixture
def write(tmp_path):
    """Writes a header (an object or its text) and the values behind it."""

    def made(header, values=b"", length=None, name="w.safetensors"):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        length = len(text) if length is None else length
        path = tmp_path / name
        path.write_bytes(length.to_bytes(8, "little") + text + values)
        return path

    return made


def row(array, start=0, dtype=""):
    name = dtype or _NAMES[array.dtype.name]
    return {
        "dtype": name,
        "shape": list(array.shape),
        "data_offsets": [start, start + array.nbytes],
    }


@pytest.mark.parametrize("dtype", _NAMES)
def test_dtypes(dtype, write):
    array = np.array([[0, 1, 1]], dtype)
    (found,) = load_weights(write({"x": row(array)}, array.tobytes())).values()
    kept = {"b": "bool", "c": "complex64", "f": "float32"}.get(array.dtype.kind, "int32")
    assert (found.dtype, found.shape) == (kept, (1, 3))
    assert found.tolist() == array.tolist()
    assert not found.flags.writeable


def test_bfloat16_and_nothing(write):
    bits = np.uint16([0x3F80, 0xC040])
    empty = np.zeros((0, 3), np.float32)
    header = {"b": row(bits, dtype="BF16"), "none": row(empty, 4), "__metadata__": {"format": "pt"}}
    found = load_weights(write(header, bits.tobytes()))
    assert found["b"].tolist() == [1, -3]
    assert found["none"].shape == (0, 3)


def test_tensors_may_be_listed_in_any_order(write):
    a, b = np.float32([1]), np.float32([2, 3])
    header = {"b": row(b, 4), "a": row(a)}
    padded = json.dumps(header).encode() + b"   "
    found = load_weights(write(padded, a.tobytes() + b.tobytes()))
    assert {name: array.tolist() for name, array in found.items()} == {"a": [1], "b": [2, 3]}


F32 = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


@pytest.mark.parametrize(
    ("header", "size", "text"),
    [
        (b"", 0, "its header is no JSON object"),
        (b" {}", 0, "its header is no JSON object"),
        (b"[]", 0, "its header is no JSON object"),
        (b'{"a": ', 0, "is not a readable JSON document"),
        (b'{"\xff": 1}', 0, "is not a readable JSON document"),
        (b'{"a": 1, "a": 2}', 0, "the name 'a' is given twice"),
        ({"a": 5}, 0, r"the tensor 'a' must have \['data_offsets', 'dtype', 'shape'\]"),
        ({"a": {**F32, "more": 1}}, 4, "the tensor 'a' must have"),
        ({"a": {**F32, "dtype": "F8_E4M3"}}, 4, "the dtype 'F8_E4M3', read are BOOL, U8"),
        ({"a": {**F32, "dtype": ["F32"]}}, 4, r"the dtype \['F32'\]"),
        ({"a": {**F32, "shape": [-1]}}, 4, r"the shape \[-1\]"),
        ({"a": {**F32, "shape": [True]}}, 4, r"the shape \[True\]"),
        ({"a": {**F32, "shape": [1] * 33}}, 4, "the shape"),
        ({"a": {**F32, "data_offsets": [0]}}, 4, r"the offsets \[0\]"),
        ({"a": {**F32, "data_offsets": [4, 0]}}, 4, r"has 4 bytes, but its offsets are \[4, 0\]"),
        ({"a": {**F32, "shape": [2**62, 2**62]}}, 4, "bytes, but its offsets are"),
        ({"a": {**F32, "data_offsets": [4, 8]}}, 8, "'a' begins behind a hole, at byte 4"),
        ({"a": F32, "b": F32}, 4, "the tensor 'b' overlaps another one, at byte 0"),
        ({"a": F32}, 3, "its tensors end at byte 4, its values at byte 3"),
        ({"a": F32}, 5, "its tensors end at byte 4, its values at byte 5"),
        ({"a": F32, "__metadata__": {"n": 1}}, 4, "__metadata__ of its header is no object"),
        ({"__metadata__": []}, 0, "__metadata__ of its header is no object of texts"),
    ],
)
def test_damaged_files(header, size, text, write):
    with pytest.raises(WeightsError, match=text):
        load_weights(write(header, bytes(size)))


@pytest.mark.parametrize("length", [3, LONGEST_HEADER + 1, 2**64 - 1])
def test_lengths_of_headers(length, write):
    with pytest.raises(WeightsError, match=f"its header would have {length:,} bytes"):
        load_weights(write(b"{}", length=length))


def test_files_that_are_no_such_files(tmp_path, write):
    (tmp_path / "short.safetensors").write_bytes(b"1234")
    with pytest.raises(WeightsError, match="its header would have"):
        load_weights(tmp_path / "short.safetensors")
    with pytest.raises(WeightsError, match="cannot read .*absent.safetensors: No such file"):
        load_weights(tmp_path / "absent.safetensors")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    (tmp_path / "lfs.safetensors").write_bytes(pointer)
    with pytest.raises(WeightsError, match="Git LFS"):
        load_weights(tmp_path / "lfs.safetensors")


def test_integers_that_do_not_fit(write):
    array = np.int64([1, 2**31])
    with pytest.raises(WeightsError, match="'ids' holds 2147483648, which does not fit into int32"):
        load_weights(write({"ids": row(array)}, array.tobytes()))


def test_a_real_file():
    """Silero VAD, whose ONNX files have the same windows of its Fourier transform."""
    found = load_weights(wheel_file("silero_vad_16k.safetensors"))
    shapes = {name: array.shape for name, array in found.items()}
    assert len(shapes) == 15 and shapes["lstm_cell.weight_ih"] == (512, 128)
    assert sum(array.nbytes for array in found.values()) == 1_238_532
    windows = found["stft_conv.weight"]
    others = read_onnx(wheel_file("silero_vad_16k_op15")).weights.values()
    assert any(np.array_equal(other, windows) for other in others)


def test_a_layer_model_takes_weights_by_the_names_of_its_variables(write):
    model = core.Sequential([core.layers.Dense(2, name="top", input_shape=(3,))])
    kernel, bias = np.arange(6, dtype=np.float32).reshape(3, 2), np.float32([7, 8])
    header = {"top.kernel": row(kernel), "top.bias": row(bias, kernel.nbytes)}
    model.load_weights(write(header, kernel.tobytes() + bias.tobytes()))
    assert model.predict(np.eye(3, dtype=np.float32)).tolist() == (kernel + bias).tolist()
    left = write({"top.kernel": row(kernel)}, kernel.tobytes(), name="left.safetensors")
    with pytest.raises(core.CoreError, match=r"missing are \['top.bias'\]"):
        model.load_weights(left)
