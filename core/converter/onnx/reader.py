"""Reader of ONNX files as graphs."""

import os
from collections.abc import Sequence
from pathlib import Path

from core.converter.onnx.content import OnnxGraph, OnnxModel, ValueInfo, read_model
from core.converter.onnx.external_files import ExternalFiles
from core.converter.onnx.tensors import TensorReader
from core.converter.onnx.translation import FileNodes, Scope
from core.converter.origin import origin_of
from core.converter.protobuf import Message
from core.converter.reading import read_bytes, reading
from core.converter.tensor_protos import Budget
from core.converter.ultralytics import metadata_of
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec

#: The oldest opset whose ops are known.
OLDEST_OPSET = 6

#: Dtypes of the engine by NumPy's kind of an element type.
_DTYPES = {"string": "string", "bool": "bool", "complex64": "complex64", "complex128": "complex64"}


def read_onnx(path: str | os.PathLike[str]) -> Graph:
    """Read an ONNX model of opset 7 or later, with neither ``onnx`` nor ONNX Runtime.

    Nodes keep their names of values. Values of float16, bfloat16, float64 and shorter floats are
    float32, those of other integers than int32 are int32. Weights in other files are read if these
    are in the model's folder.

    Args:
        path: of the file, which is read once; no code in it is executed.

    Returns:
        The graph. Its inputs are those of the file that have no initial value.

    Raises:
        WeightsError: the file is not an ONNX model, damaged, or larger than 4 GiB.
    """
    path = Path(path)
    with reading(path):
        data = read_bytes(path)
        tensors = TensorReader(ExternalFiles(path.parent), Budget(len(data)))
        return translated(read_model(Message(data), tensors))


def translated(model: OnnxModel) -> Graph:
    """Return the graph of a model.

    Raises:
        CoreError: its nodes are invalid.
    """
    if model.opsets.get("", OLDEST_OPSET) < OLDEST_OPSET:
        raise CoreError(
            f"its opset is {model.opsets['']}, but {OLDEST_OPSET} is the oldest that is read: "
            "convert it with onnx.version_converter.convert_version, or export it again"
        )
    shared, graph = FileNodes(model), model.graph
    main = Scope(shared, model.opsets)
    given = [name for name in graph.inputs if name not in graph.initializers]
    for name in given:
        main.nodes.append(Node(main.add_input(name, graph.values[name].type), "Placeholder"))
    main.add_graph(graph)
    made = Graph(
        nodes=main.nodes,
        weights=shared.weights,
        inputs=_endpoints(given, graph, main),
        outputs=_endpoints(graph.outputs, graph, main),
        functions=shared.functions,
        aliases={name: at for name, at in main.references.items() if name != at},
        origin=origin_of(model.metadata, model.producer, _format(model)),
    )
    return made._replace(metadata=metadata_of(model.metadata, made))


def _format(model: OnnxModel) -> str:
    """Return the format with the versions of the operators, ONNX's own first."""
    others = [f"{name:.80} {n}" for name, n in sorted(model.opsets.items()) if name]
    return ", ".join([f"ONNX opset {model.opsets.get('', OLDEST_OPSET)}", *others])


def _endpoints(names: Sequence[str], graph: OnnxGraph, scope: Scope) -> dict[str, Endpoint]:
    values = {name: graph.values.get(name, ValueInfo()) for name in names}
    return {
        name: Endpoint(scope.reference(name), spec_of(value), form=value.kind)
        for name, value in values.items()
    }


def spec_of(value: ValueInfo) -> PartialSpec:
    """Return the spec of a value: lengths with a name are open, and so is a list of tensors."""
    shape = value.shape if value.kind == "tensor" else None
    lengths = None if shape is None else tuple(n if isinstance(n, int) else None for n in shape)
    return PartialSpec(lengths, dtype_of(value.type))


def dtype_of(kind: str) -> str:
    """Return the engine's dtype for an element type.

    >>> dtype_of("float16"), dtype_of("uint8"), dtype_of("bool")
    ('float32', 'int32', 'bool')
    """
    if kind in _DTYPES:
        return _DTYPES[kind]
    return "int32" if kind.startswith(("int", "uint")) else "float32"
