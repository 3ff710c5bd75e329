"""Translation of a subgraph's ops to nodes: names, constants, and rounding to quantised values."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.converter.graph_protos import NODE_BYTES
from core.converter.tflite.constants import ConstantReader, parameters_of
from core.converter.tflite.file_content import Document, Operator, QuantizationParameters, Subgraph
from core.converter.tflite.flexbuffer import read_options
from core.converter.tflite.tensorflow_ops import has_kernel, tensorflow_node
from core.converter.tflite.translated_op import TranslatedOp, single_quantization
from core.engine.limits import LimitError
from core.engine.program import StoredIntegers
from core.errors import CoreError
from core.graph.nodes import Function, FunctionName, Node, Quantization, node_of
from core.graph.unique_names import UniqueNames
from weights_cache.reading_budgets import check_time, spend

if TYPE_CHECKING:
    from core.converter.tflite.variables import Variables
    from core.layers.builder import Builder

#: Prefix of the names of custom ops in tables of rules.
CUSTOM = "custom "

#: The longest name of a node; longer names of tensors are cut.
LONGEST_NAME = 1000

#: Prefix of the node type of an op without a translation, which a model lists as unknown.
UNKNOWN = "TFLite:"


class Rule(NamedTuple):
    """The translation of an op.

    ``translate`` adds nodes and returns a reference per output of the op, or one reference. If the
    op ``moves`` values without changing them, they are not rounded again to a quantisation that
    the inputs share.
    """

    translate: Callable[[TranslatedOp], "str | Sequence[str]"]
    moves: bool = False


def plain(
    kind: str,
    *positions: int,
    numbers: Sequence[int] = (),
    moves: bool = False,
    several: bool = False,
    **attributes: Any,
) -> Rule:
    """Return a rule for one node, whose attributes are the options of the op.

    Args:
        kind: type of the node.
        positions: positions of the inputs; by default all inputs that are present.
        numbers: positions of further inputs, which are single numbers.
        moves: as for `Rule`.
        several: whether the node has as many outputs as the op.
        attributes: further attributes of the node.
    """

    def translate(op: TranslatedOp) -> str | Sequence[str]:
        inputs = [op.input(i) for i in positions] if positions else op.inputs()
        inputs += [op.number(i) for i in numbers]
        made = op.node(kind, *inputs, **op.options, **attributes)
        return op.outputs_of(made) if several else made

    return Rule(translate, moves)


class Translation:
    """The translation of a subgraph to nodes.

    Args:
        document: the file.
        number: index of the subgraph.
        constants: reader of the file's constants.
        weights: dict to which the arrays of Const nodes are added.
        names: names of all nodes of the file.
        rules: rules by name of op.
        variables: variables that ops may use; none in bodies of branches and loops.
    """

    def __init__(
        self,
        document: Document,
        number: int,
        constants: ConstantReader,
        weights: dict[str, np.ndarray],
        names: UniqueNames,
        rules: dict[str, Rule],
        variables: "Variables | None" = None,
    ):
        self.document, self.constants = document, constants
        self.subgraph: Subgraph = document.subgraphs[number]
        self.weights, self.names, self._rules = weights, names, rules
        self.variables = variables
        self.nodes: list[Node] = []
        #: Integers of quantised constants, by name of node.
        self.integers: dict[str, StoredIntegers] = {}
        #: Subgraphs that nodes call, by number.
        self.called: dict[int, str] = {}
        #: Bodies of loops that are no subgraphs, by name.
        self.loops: dict[str, Function] = {}
        self.custom_types: set[str] = set()
        self._references: dict[int, str] = {}
        self._same: dict[int, int] = {}
        self._layouts: dict[tuple[int, str], str] = {}
        self.named = self._names_of_tensors()
        self._made = self._outputs_of_ops()
        for tensor in self.subgraph.inputs:
            self.nodes.append(Node(self.named[tensor], "Placeholder"))
            self._references.setdefault(tensor, self.named[tensor])

    def run(self) -> None:
        """Translate all ops.

        Raises:
            CoreError: an op reads a tensor that is not yet computed, or lacks inputs or options.
        """
        for operator in self.subgraph.operators:
            check_time()
            try:
                self._translate(operator)
            except LimitError:
                raise
            except (CoreError, LookupError, TypeError, ValueError, ZeroDivisionError) as error:
                first = [self._name(tensor)[:80] for tensor in operator.outputs[:1]]
                raise CoreError(f"{operator.name:.80} of {first}: {error}") from error

    def reference(self, tensor: int) -> str:
        """Return the reference to a tensor; a constant becomes a node at its first use."""
        if tensor not in self._references:
            self._references[tensor] = self.weight(tensor, "")
        return self._references[tensor]

    def is_constant(self, tensor: int) -> bool:
        """Whether the file has the values of a tensor."""
        if tensor in self._same or tensor in self._made:
            return tensor in self._same
        info = self.subgraph.tensors[tensor]
        return info.is_variable or self.constants.stored(info) or 0 in info.shape

    def constant(self, tensor: int, parameters: QuantizationParameters | None = None) -> np.ndarray:
        """Return the values of a constant."""
        if not self.is_constant(tensor):
            raise CoreError(
                f"{self._name(tensor)!r:.80} must be a constant, or come from an earlier op"
            )
        info = self.subgraph.tensors[self._same.get(tensor, tensor)]
        return self.constants.real(info, parameters)

    def weight(
        self,
        tensor: int,
        layout: str,
        change: Callable[[np.ndarray], np.ndarray] = lambda values: values,
        parameters: QuantizationParameters | None = None,
    ) -> str:
        """Add a constant in some layout, once, and return its reference."""
        if (tensor, layout) not in self._layouts:
            values = change(self.constant(tensor, parameters))
            name = self.named[tensor]
            name = self.unique(f"{name}/{layout}") if layout else name
            self._layouts[tensor, layout] = name = self.const(name, values)
            self._keep_integers(tensor, name, change, parameters)
        return self._layouts[tensor, layout]

    def _keep_integers(
        self,
        tensor: int,
        name: str,
        change: Callable[[np.ndarray], np.ndarray],
        parameters: QuantizationParameters | None,
    ) -> None:
        """Keep what a constant stands for, for plans that compute with integers."""
        info = self.subgraph.tensors[self._same.get(tensor, tensor)]
        how, values = parameters or parameters_of(info), self.constants.integers(info)
        if how is None or values is None or (len(how.scales) > 1 and how.zero_points.any()):
            return
        zero_point = int(how.zero_points[0])
        self.integers[name] = StoredIntegers(
            change(values), how.scales, zero_point, self.weights[name]
        )

    def unique(self, name: str) -> str:
        """Return a name for a node, at most with a number if it is taken."""
        name = name[:LONGEST_NAME].replace(":", "_").lstrip("^") or "unnamed"
        return self.names.unique(name, as_is=True)

    def const(self, name: str, values: np.ndarray) -> str:
        """Add a Const node, and return its name."""
        self.nodes.append(Node(name, "Const"))
        self.weights[name] = self.constants.kept(values)
        return name

    def extend(self, builder: "Builder") -> None:
        """Add the nodes, constants and loops of a builder that takes its names from here."""
        spend(NODE_BYTES * len(builder.nodes), "its nodes")
        self.nodes += builder.nodes
        self.weights.update((n, self.constants.kept(a)) for n, a in builder.weights.items())
        self.loops.update(builder.functions)

    def aliases(self) -> dict[str, str]:
        """Return the references to tensors by their names in the file, the first of a name."""
        found: dict[str, str] = {}
        for tensor, reference in self._references.items():
            found.setdefault(self.subgraph.tensors[tensor].name, reference)
        return found

    def quantizations(self) -> dict[str, Quantization]:
        """Return the quantisation of tensors with one scale, by reference, in any layout."""
        infos = {r: self.subgraph.tensors[t] for t, r in self._references.items()}
        infos |= {r: self.subgraph.tensors[t] for (t, _), r in self._layouts.items()}
        found = {reference: single_quantization(info) for reference, info in infos.items()}
        return {r: quantization for r, quantization in found.items() if quantization is not None}

    def same(self, tensor: int, source: int) -> None:
        """Register a tensor that equals the constant of another tensor."""
        self._same[tensor] = self._same.get(source, source)

    def function(self, number: int) -> FunctionName:
        """Return the name of the function for another subgraph."""
        self.check_called(number)
        return FunctionName(self.called.setdefault(number, f"subgraph_{number}"))

    def check_called(self, number: int) -> None:
        """Raise a CoreError unless the file has such a subgraph beside the main one."""
        if not 0 < number < len(self.document.subgraphs):
            raise CoreError(f"it calls subgraph {number} of {len(self.document.subgraphs)}")

    def _names_of_tensors(self) -> list[str]:
        """Return a node name for each tensor, without a last ``:0`` if that name is free."""
        written = {tensor.name for tensor in self.subgraph.tensors}
        names = []
        for number, tensor in enumerate(self.subgraph.tensors):
            short = tensor.name.removesuffix(":0")
            name = tensor.name if short in written else short
            names.append(self.unique(name or f"tensor_{number}"))
        return names

    def _outputs_of_ops(self) -> set[int]:
        made: set[int] = set(self.subgraph.inputs)
        for tensor in [t for o in self.subgraph.operators for t in o.outputs]:
            if tensor in made:
                raise CoreError(f"the tensor {self._name(tensor)!r:.80} is computed twice")
            made.add(tensor)
        return made

    def _name(self, tensor: int) -> str:
        return self.subgraph.tensors[tensor].name

    def _translate(self, operator: Operator) -> None:
        rule = self._rules.get(f"{CUSTOM}{operator.name}" if operator.custom else operator.name)
        if rule is None and operator.custom:
            rule = _of_tensorflow(operator)
        if rule is None and operator.custom:
            self.custom_types.add(operator.name)
        op = TranslatedOp(self, operator)
        found = (rule.translate if rule else _unknown)(op)
        references = [found] if isinstance(found, str) else list(found)
        if not references:
            return
        if len(references) < len(operator.outputs):
            raise CoreError(f"it has {len(operator.outputs)} outputs, not {len(references)}")
        references = references[: len(operator.outputs)]
        if rule is not None:
            references = [
                op.rounded(reference, i, rule.moves) for i, reference in enumerate(references)
            ]
        self._finish(op, references)

    def _finish(self, op: TranslatedOp, references: Sequence[str]) -> None:
        """Name the nodes of an op by the tensors that they compute."""
        renamed: dict[str, str] = {}
        made = {node.name for node in op.nodes}
        for tensor, reference in zip(op.operator.outputs, references, strict=True):
            source, _, output = reference.partition(":")
            if source not in made or (source in renamed and not output):
                source, output = op.node("Identity", reference), ""
                made.add(source)
            renamed.setdefault(source, self.named[tensor])
            name = renamed[source]
            self._references[tensor] = f"{name}:{output}" if output else name
        for node in op.nodes:
            inputs = tuple(_renamed(reference, renamed) for reference in node.inputs)
            name = renamed.get(node.name) or self.unique(node.name.rpartition("#")[0])
            renamed[node.name] = name
            self.nodes.append(node._replace(name=name, inputs=inputs))


def _of_tensorflow(operator: Operator) -> Rule | None:
    """Return the rule of an op of TensorFlow that the engine has as a node, or None."""
    node = tensorflow_node(operator)
    if node is None or not has_kernel(node):
        return None
    kind, attributes = node.type, node.attributes
    return Rule(lambda op: op.outputs_of(op.node(kind, *op.inputs(), **attributes)))


def _unknown(op: TranslatedOp) -> Sequence[str]:
    """Add a node without a kernel; a custom op keeps its name for a user-defined kernel."""
    operator = op.operator
    if operator.custom:
        name = op.node(operator.name, *op.inputs(), **_custom_attributes(operator))
    else:
        present = [i for i in range(len(operator.inputs)) if op.has(i)]
        computed = [op.input(i) for i in present if not op.is_constant(i)]
        name = op.node(f"{UNKNOWN}{operator.name}", *computed)
    return op.outputs_of(name)


def _custom_attributes(operator: Operator) -> dict[str, Any]:
    """Return the options of a custom op by name, or as bytes if they are not a FlexBuffer."""
    node = tensorflow_node(operator)
    if node is not None:
        return dict(node.attributes)
    try:
        return read_options(operator.custom_options)
    except CoreError:
        return {"custom_options": operator.custom_options}


def _renamed(reference: str, names: dict[str, str]) -> str:
    name = node_of(reference)
    return names.get(name, name) + reference[len(name) :]
