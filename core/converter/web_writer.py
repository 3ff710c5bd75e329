"""Writer of the web format of TensorFlow.js: a graph as ``model.json`` and its shards."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.converter.output_folders import check_target
from core.converter.read_back import not_equal, read_back
from core.converter.web import read_web
from core.converter.web_nodes import lowered
from core.engine.dtypes import DTYPES, to_numpy
from core.errors import CoreError, KernelNotFound
from core.graph.graph_json_writer import (
    data_type,
    graph_document,
    initializer_signature,
    signature_document,
)
from core.graph.nodes import Graph, Node, node_of
from core.graph.unique_names import free_name, other_names
from core.graph_model.graph_model import GraphModel
from core.plan.passes.pruning import drop_unused
from weights_cache.common.errors import WeightsError
from weights_cache.quantise import StoredArray, quantise_array
from weights_cache.write import UNQUANTISED, Quantise, kinds_by_name, write_weights

_TYPES = """
Abs Acos Acosh Add AddN AddV2 All Any ArgMax ArgMin Asin Asinh Atan Atan2 Atanh AvgPool
AvgPool3D BatchMatMul BatchMatMulV2 BatchToSpaceND BiasAdd Bincount BitwiseAnd BroadcastArgs
BroadcastTo Cast Ceil ClipByValue Complex ComplexAbs Concat ConcatV2 Const Conv1D Conv2D
Conv2DBackpropInput Conv3D Cos Cosh CropAndResize Cumprod Cumsum DenseBincount DepthToSpace
DepthwiseConv2d DepthwiseConv2dNative Dilation2D Div DivNoNan Einsum Elu EmptyTensorList
EnsureShape Enter Equal Erf EuclideanNorm Exit Exp ExpandDims Expm1 FFT FakeQuantWithMinMaxVars
Fill Floor FloorDiv FloorMod FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3
FusedDepthwiseConv2dNative Gather GatherNd GatherV2 Greater GreaterEqual HashTable HashTableV2
IFFT IRFFT Identity IdentityN If Imag ImageProjectiveTransformV3 InitializeTable
InitializeTableV2 IsFinite IsInf IsNan LRN LeakyRelu Less LessEqual LinSpace ListDiff Log Log1p
LogSoftmax LogicalAnd LogicalNot LogicalOr LookupTableFind LookupTableFindV2 LookupTableImport
LookupTableImportV2 LookupTableSize LookupTableSizeV2 LoopCond LowerBound MatMul MatrixBandPart
Max MaxPool MaxPool3D MaxPoolWithArgmax Maximum Mean Merge Min Minimum MirrorPad Mod Mul
Multinomial Neg NextIteration NoOp NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4
NonMaxSuppressionV5 NotEqual OneHot Ones OnesLike Pack Pad PadV2 Placeholder
PlaceholderWithDefault Pow Prelu Print Prod RFFT RaggedGather RaggedRange RaggedTensorToTensor
RandomStandardNormal RandomUniform RandomUniformInt Range Rank Real RealDiv Reciprocal Relu
Relu6 Reshape ResizeBilinear ResizeNearestNeighbor Reverse ReverseV2 Round Rsqrt ScatterNd
Select SelectV2 Selu Shape ShapeN Sigmoid Sign SimpleMLCreateModelResource
SimpleMLInferenceOpWithHandle SimpleMLLoadModelFromPathWithHandle Sin Sinh Size Slice Snapshot
Softmax Softplus SpaceToBatchND SparseFillEmptyRows SparseReshape SparseSegmentMean
SparseSegmentSum SparseToDense Split SplitV Sqrt Square SquaredDifference Squeeze StatelessIf
StatelessWhile StaticRegexReplace StopGradient StridedSlice StringNGrams StringSplit
StringToHashBucketFast Sub Sum Switch Tan Tanh TensorArrayCloseV3 TensorArrayConcatV3
TensorArrayGatherV3 TensorArrayReadV3 TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3
TensorArrayV3 TensorArrayWriteV3 TensorListConcat TensorListConcatV2 TensorListFromTensor
TensorListGather TensorListGetItem TensorListLength TensorListPopBack TensorListPushBack
TensorListReserve TensorListResize TensorListScatter TensorListScatterV2 TensorListSetItem
TensorListSplit TensorListStack TensorScatterUpdate Tile TopKV2 Transpose TruncatedNormal Unique
UniqueV2 Unpack UpperBound Where While Zeros ZerosLike _FusedConv2D _FusedMatMul
"""

#: Node types of TensorFlow.js 4.22, as in the tables of tfjs-converter, operations/op_list.
WEB_TYPES = frozenset(_TYPES.split())

_ENGINE_DTYPES = {np.dtype(numpy_type) for numpy_type in DTYPES.values()}


def write_web(
    graph: Graph,
    folder: str | os.PathLike[str],
    *,
    quantise: Quantise = None,
    stored: Mapping[str, StoredArray] | None = None,
    metadata: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a graph so that TensorFlow.js 4.22 loads it, and return the path of ``model.json``.

    Node types that TensorFlow.js lacks are lowered to others with equal bits as the result. A
    quantised input or output has real values in the file.

    Args:
        graph: a graph of a reader.
        folder: target folder, made if missing. Files of other names are not changed.
        quantise: None, a kind for all weights (``"float16"``, ``"uint8"``, ``"uint16"``), or a
            dict from patterns of names to kinds, of which the first match is used; ``"float32"``
            means no quantisation. Single numbers are never quantised.
        stored: weights that are quantised already, which are written unchanged unless
            ``quantise`` requests another kind.
        metadata: written as ``userDefinedMetadata``.
        fields: further fields of the document.
        files: further files of the model, by name.

    Raises:
        WeightsError: TensorFlow.js lacks node types (all are listed, with the names of their
            nodes), or the format cannot hold a name, an attribute or a weight.
    """
    with _writing():
        graph = prepare_for_web(graph)
        require_web_types(graph)
    arrays = constants(graph)
    weights = stored_arrays(arrays, float_kinds(arrays, quantise), stored or {})
    return write_prepared(graph, folder, weights, metadata=metadata, fields=fields, files=files)


def save_graph(graph: Graph, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a graph that comes from no file; see `write_web` and `check_target`."""
    return write_web(graph, check_target(folder, None, "graph", overwrite=overwrite))


def write_prepared(
    graph: Graph,
    folder: str | os.PathLike[str],
    weights: Mapping[str, np.ndarray | StoredArray],
    *,
    metadata: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a graph of `prepare_for_web` with weights of `stored_arrays`; see `write_web`."""
    topology, documents = web_documents(graph)
    return write_weights(
        folder,
        weights,
        topology=topology,
        metadata=metadata,
        fields={**(fields or {}), **documents},
        files=files,
        check=partial(check_web, graph),
    )


def check_web(graph: Graph, path: Path) -> None:
    """Raise a CoreError unless a new web model can be loaded, and has the inputs and outputs."""
    found = read_back(_loaded, path)
    ends = [(sorted(g.inputs), sorted(g.outputs)) for g in (graph, found)]
    if ends[0] != ends[1]:
        raise not_equal(f"it has the inputs and outputs {ends[1]!r:.300}, not {ends[0]!r:.300}")


def _loaded(path: Path) -> Graph:
    """Return the graph of a web model, after its references and functions were checked."""
    graph = read_web(path)
    with suppress(KernelNotFound):  # other programs have more kernels
        GraphModel(graph, "cpu", plans=False)
    return graph


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except CoreError as error:
        raise WeightsError(f"the graph cannot be written: {error}") from error


def web_documents(graph: Graph) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the topology of a prepared graph, and the other fields of the document.

    Raises:
        WeightsError: the format cannot hold a name or an attribute.
    """
    with _writing():
        topology, fields = graph_document(graph), {"signature": signature_document(graph)}
        if graph.initializer is not None:
            initializer = graph.initializer._replace(weights=graph.weights)
            fields["modelInitializer"] = graph_document(initializer)
            signature = initializer_signature(graph)
            fields |= {"initializerSignature": signature} if signature else {}
        return topology, fields


def prepare_for_web(graph: Graph) -> Graph:
    """Return the part of a graph that outputs need, lowered to node types of TensorFlow.js.

    Raises:
        CoreError: an attribute of a node to lower is missing or invalid, or the graph keeps values
            from run to run.
    """
    if graph.states:
        names = ", ".join(graph.states)
        raise CoreError(f"it keeps {names:.200} from run to run, which TensorFlow.js cannot")
    if graph.initializer is not None:
        graph = graph._replace(weights={**graph.initializer.weights, **graph.weights})
    return _with_output_nodes(lowered(drop_unused(graph)))


def unknown_types(graph: Graph) -> dict[str, list[str]]:
    """Return the node types that TensorFlow.js lacks, with the names of their nodes."""
    found: dict[str, list[str]] = {}
    for node in _all_nodes(graph):
        if node.type not in WEB_TYPES:
            found.setdefault(node.type, []).append(node.name)
    return found


def _all_nodes(graph: Graph) -> Iterator[Node]:
    """Yield the nodes of the graph and of its initializer, with those of their functions."""
    yield from graph.nodes
    for function in graph.functions.values():
        yield from function.nodes
    if graph.initializer is not None:
        yield from _all_nodes(graph.initializer)


def require_web_types(graph: Graph) -> None:
    """Raise an error that lists the node types of a graph that TensorFlow.js lacks, if any."""
    unknown = unknown_types(graph)
    if any(kind.startswith("ONNX:") for kind in unknown):
        listed = ", ".join(sorted(kind.removeprefix("ONNX:") for kind in unknown))
        raise WeightsError(
            f"the web format of TensorFlow.js has none of ONNX's nodes ({listed}): keep the .onnx "
            f"file, which zoo.load and core.load_model run, or convert the model that it was made "
            f"of"
        )
    if unknown:
        listed = "; ".join(f"{kind} ({', '.join(names)})" for kind, names in unknown.items())
        raise WeightsError(
            f"TensorFlow.js lacks these node types, and they cannot be lowered to others: "
            f"{listed}; name outputs= before them"
        )


def float_kinds(
    weights: Mapping[str, np.ndarray], quantise: Quantise, also: Collection[str] = ()
) -> dict[str, str]:
    """Return the requested kind of each float weight, by `weights_cache.write.kinds_by_name`."""
    floats = [name for name, array in weights.items() if array.dtype == np.float32]
    return kinds_by_name(floats, quantise, also)


def stored_arrays(
    weights: Mapping[str, np.ndarray], kinds: Mapping[str, str], stored: Mapping[str, StoredArray]
) -> dict[str, np.ndarray | StoredArray]:
    """Return arrays in the form in which they are written, by name.

    Args:
        weights: arrays in the dtypes of `constants`.
        kinds: kinds by name; weights without a kind are not quantised.
        stored: weights that are quantised already, used unless another kind is requested.

    Raises:
        WeightsError: a kind cannot hold a value.
    """
    found: dict[str, np.ndarray | StoredArray] = {}
    for name, array in weights.items():
        kind = kinds.get(name, UNQUANTISED)
        kept = stored.get(name)
        if kept is not None and kind in (UNQUANTISED, kept.values.dtype.name):
            found[name] = kept
        elif kind == UNQUANTISED or array.size <= 1:
            found[name] = array
        else:
            try:
                found[name] = StoredArray(*quantise_array(array, kind))
            except WeightsError as error:
                raise WeightsError(f"weight {name!r}: {error}") from error
    return found


def constants(graph: Graph) -> dict[str, np.ndarray]:
    """Return the values of Const nodes, in the order of the graph's weights, in engine dtypes."""
    names = {node.name for node in _all_nodes(graph) if node.type == "Const"}
    return engine_arrays({name: array for name, array in graph.weights.items() if name in names})


def engine_arrays(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return arrays in dtypes of the engine, as when the graph runs."""
    with _writing():
        arrays = {name: np.asarray(array) for name, array in weights.items()}
        return {n: a if a.dtype in _ENGINE_DTYPES else to_numpy(a) for n, a in arrays.items()}


def _with_output_nodes(graph: Graph) -> Graph:
    """Give every output a node of its own, as TensorFlow.js's signatures require."""
    types = {node.name: node.type for node in graph.nodes}
    names = other_names(graph).union(types)
    taken = {node_of(endpoint.node) for endpoint in graph.inputs.values()}
    nodes, outputs = list(graph.nodes), {}
    for name, endpoint in graph.outputs.items():
        reference = endpoint.node.removesuffix(":0")
        if ":" in reference or reference in taken or types.get(reference) == "Const":
            added = free_name(name.replace(":", "_").lstrip("^") or "output", names)
            attributes = {"T": data_type(endpoint.spec.dtype)}
            nodes.append(Node(added, "Identity", (reference,), attributes))
            names.add(added)
            reference = added
        taken.add(reference)
        outputs[name] = endpoint._replace(node=reference)
    return graph._replace(nodes=nodes, outputs=outputs)
