"""The Python side of the pipes: reads kernel calls, runs them, writes the results."""

import json
import struct
from math import prod
from typing import Any, BinaryIO

import numpy as np

import core
from core.engine.dtypes import DTYPES

Header = dict[str, Any]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer kernel calls until the other side closes its pipe."""
    while size := requests.read(4):
        call = json.loads(requests.read(struct.unpack("I", size)[0]), object_hook=_decoded)
        arrays = {name: _received(value, requests) for name, value in call["inputs"].items()}
        try:
            header, buffers = _answer(call["kernel"], arrays, call["attributes"])
        except core.CoreError as error:
            header, buffers = {"error": str(error)}, []
        except Exception as error:  # a fault of ours fails one spec; it does not end the run
            header, buffers = {"error": f"{type(error).__name__}: {error}"}, []
        text = json.dumps(header).encode()
        answers.write(b"".join([struct.pack("I", len(text)), text, *buffers]))
        answers.flush()


def _decoded(value: Header) -> Any:
    """The numbers that JSON lacks."""
    return float(value["number"].replace("Infinity", "inf")) if "number" in value else value


def _received(value: Any, requests: BinaryIO) -> Any:
    """The array that comes over the pipe, or a list of them."""
    if isinstance(value, list):
        return [_received(v, requests) for v in value]
    shape, dtype = tuple(value["shape"]), DTYPES[value["dtype"]]
    if "lengths" in value:
        array = np.empty(len(value["lengths"]), dtype)
        array[:] = [requests.read(n) for n in value["lengths"]]
    else:
        array = np.frombuffer(requests.read(prod(shape) * np.dtype(dtype).itemsize), dtype)
    return array.reshape(shape)


def _answer(kernel: str, arrays: Header, attributes: Header) -> tuple[Header, list[bytes]]:
    """What to send: the outputs' headers, and the data of those that do not share an input's."""
    inputs = {
        name: [core.tensor(a) for a in value] if isinstance(value, list) else core.tensor(value)
        for name, value in arrays.items()
    }
    given = [
        t for value in inputs.values() for t in (value if isinstance(value, list) else [value])
    ]
    before = [_bytes(t.numpy()) for t in given]
    outputs = core.run_kernel(kernel, inputs, attributes)
    if [_bytes(t.numpy()) for t in given] != before:
        raise core.CoreError(f"kernel {kernel} wrote to its input")
    containers = [t.container for t in given]
    headers, buffers = [], []
    for output in outputs:
        headers.append({"shape": output.shape, "dtype": output.dtype})
        if output.container in containers:
            headers[-1]["same"] = containers.index(output.container)
            continue
        array = output.numpy()
        if output.dtype == "string":
            headers[-1]["lengths"] = [len(s) for s in array.flat]
        buffers.append(_bytes(array))
        headers[-1]["bytes"] = len(buffers[-1])
    return {"outputs": headers}, buffers


def _bytes(array: np.ndarray) -> bytes:
    return b"".join(array.flat) if array.dtype == object else array.tobytes()
