"""Reader of TFLite files as graphs."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from core.converter.reading import read_bytes, reading
from core.converter.tflite.constants import ConstantReader
from core.converter.tflite.file_content import Document, read_document
from core.converter.tflite.translated_op import dtype_of, quantization_of
from core.converter.tflite.translation import Rule, Translation
from core.converter.tflite.variables import Variables, initializer
from core.errors import CoreError
from core.graph.nodes import Endpoint, Function, Graph, PartialSpec
from core.graph.unique_names import UniqueNames

#: Modules of ``families``.
FAMILIES = (
    "arrangement",
    "control",
    "convolution",
    "elementwise",
    "landmarks",
    "quantization",
    "recurrent",
    "reduction",
    "signal",
    "tables",
)


def read_tflite(path: str | Path, *, metadata: bool = False) -> Graph:
    """Read a TFLite model as a graph of TensorFlow's node types.

    Weights get TensorFlow's layout, and constants that are float16, quantised or sparse become
    float32; all arrays are read-only. Quantised tensors of the file are real values in the graph.
    The result of an op is rounded to the nearest quantised value, halves away from 0, and clamped
    to the range of the dtype and of the op's activation; an op that only moves values of the same
    quantisation does not round them. LiteRT computes with the quantised values, and its results
    may be neighbouring ones.

    What variables hold is kept from run to run (``states`` of the graph); the states of recurrent
    ops are not, as each run is one sequence. Custom ops that hold an op of TensorFlow ("Flex..")
    become its node, if the engine has that node type.

    A length is open if the file declares it so, such as a dynamic batch; others are fixed, even if
    LiteRT could resize them. Ops without a translation become nodes of a type without a kernel; a
    `GraphModel` lists them, and accepts kernels for custom ops by their names.

    Args:
        path: path of the file, which is read once; no code in it is executed.
        metadata: also read labels and range of pixels of an image classifier, see
            `core.converter.tflite.metadata.metadata_of`.

    Returns:
        The graph of the first subgraph. Inputs and outputs have the names of its tensors, without
        a last ``:0`` unless that name is another tensor's; ``aliases`` has all tensors.

    Raises:
        WeightsError: the file is not a TFLite model, damaged, or larger than 4 GiB.
    """
    with reading(path):
        document = read_document(read_bytes(Path(path)))
        graph = translated(document)
        if not metadata:
            return graph
        from core.converter.tflite.metadata import metadata_of

        return graph._replace(metadata=metadata_of(document, graph, Path(path)))


def translated(document: Document) -> Graph:
    """Return the graph of a file's first subgraph, with called subgraphs as functions.

    Raises:
        CoreError: the ops are invalid.
    """
    weights: dict[str, np.ndarray] = {}
    constants, names, rules = ConstantReader(document), UniqueNames(), all_rules()
    variables = Variables()
    main = Translation(document, 0, constants, weights, names, rules, variables)
    main.run()
    inputs, outputs = (
        _endpoints(main, tensors) for tensors in (main.subgraph.inputs, main.subgraph.outputs)
    )
    functions: dict[str, Function] = dict(main.loops)
    waiting, custom_types = dict(main.called), set(main.custom_types)
    while waiting:
        number, name = waiting.popitem()
        body = Translation(document, number, constants, weights, names, rules)
        body.run()
        functions |= {name: _function(name, body), **body.loops}
        waiting |= {n: f for n, f in body.called.items() if f not in functions}
        custom_types |= body.custom_types
    once, first_weights = Variables(variables.forms), dict[str, np.ndarray]()
    bodies = []
    for number in dict.fromkeys(variables.subgraphs if variables.initial else ()):
        body = Translation(document, number, constants, first_weights, names, rules, once)
        body.run()
        bodies.append(body)
    return Graph(
        nodes=main.nodes,
        weights=weights,
        inputs=inputs,
        outputs=outputs,
        functions=functions,
        aliases=main.aliases(),
        custom_types=frozenset(custom_types),
        initializer=initializer(variables, once, bodies),
        resources={made: name for name, made in variables.initial.items()},
        states=variables.states(),
        quantizations=main.quantizations(),
        integers=main.integers,
    )


def all_rules() -> dict[str, Rule]:
    """Return the translation rules of all ops, by name."""
    modules = [import_module(f"core.converter.tflite.families.{name}") for name in FAMILIES]
    return {name: rule for module in modules for name, rule in module.RULES.items()}


def _endpoints(translation: Translation, tensors: Sequence[int]) -> dict[str, Endpoint]:
    """Return the endpoints of tensors by name; duplicate names get a number."""
    found: dict[str, Endpoint] = {}
    names = UniqueNames()
    written = {tensor.name for tensor in translation.subgraph.tensors}
    for tensor in tensors:
        info, reference = translation.subgraph.tensors[tensor], translation.reference(tensor)
        short = info.name.removesuffix(":0")
        name = names.unique((info.name if short in written else short) or reference, as_is=True)
        spec = PartialSpec(info.signature, dtype_of(info))
        found[name] = Endpoint(reference, spec, quantization_of(info))
    return found


def _function(name: str, body: Translation) -> Function:
    inputs, outputs = (
        tuple(body.reference(tensor) for tensor in tensors)
        for tensors in (body.subgraph.inputs, body.subgraph.outputs)
    )
    if len(set(inputs)) != len(inputs):
        raise CoreError(f"{name} has an input twice")
    return Function(name, [n for n in body.nodes if n.type != "Placeholder"], inputs, outputs)
