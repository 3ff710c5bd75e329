"""A graph of a few nodes here and in ONNX Runtime."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import core
from tests.core.converter.onnx import protos
from tests.helpers import require

#: NumPy's dtypes of the engine by the kind of a dtype.
_TAKEN = {"f": np.float32, "i": np.int32, "u": np.int32, "b": np.bool_}


def run_both(
    folder: Path,
    nodes: Sequence[bytes],
    feeds: Mapping[str, np.ndarray],
    outputs: Mapping[str, str],
    tensors: Sequence[bytes] = (),
) -> list[tuple[Any, Any]]:
    """Return each output of ours, and of ONNX Runtime.

    Args:
        folder: for the file.
        nodes: as `protos.node` writes them.
        feeds: inputs by name, of the dtypes that the file declares.
        outputs: element types of the outputs by name.
        tensors: initial values, as `protos.tensor` writes them.
    """
    runtime = require("onnxruntime")
    inputs = [protos.value(name, array.shape, array.dtype.name) for name, array in feeds.items()]
    ends = [protos.value(name, None, kind) for name, kind in outputs.items()]
    data = protos.model(protos.graph(nodes, inputs, ends, tensors), opsets={"": 21})
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    theirs = session.run([*outputs], dict(feeds))
    taken = {name: array.astype(_TAKEN[array.dtype.kind]) for name, array in feeds.items()}
    ours = core.load_model(protos.write(folder, data)).predict(taken)
    return [(ours[name].numpy(), found) for name, found in zip(outputs, theirs, strict=True)]
