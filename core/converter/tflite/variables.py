"""Variables and hash tables of a TFLite file, as inputs and results of a graph.

A network for streams reads a variable, computes, and assigns what the next run reads. In the graph
a variable is the value that was assigned last; the value before the first assignment of a run is
an input, which the model keeps from run to run. A hash table is a variable that is filled once.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.converter.tflite.constants import parameters_of
from core.converter.tflite.file_content import TensorInfo
from core.converter.tflite.translated_op import TranslatedOp, dtype_of
from core.errors import CoreError
from core.graph.graph_json_writer import data_type
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec

if TYPE_CHECKING:
    from core.converter.tflite.translation import Translation

#: The dtype and the quantisation in which a variable is stored, or the dtypes of a table.
_Form = tuple[str, tuple[float, ...] | str, tuple[int, ...]]


class Variables:
    """The variables of the main subgraph, or of all that initialize it.

    Args:
        forms: forms of variables that other subgraphs use.

    Attributes:
        initial: inputs for the variables that are read before they are assigned, by name.
        values: references to the values of all variables, by name.
        subgraphs: subgraphs that run once, before all others.
    """

    def __init__(self, forms: dict[str, _Form] | None = None):
        self.forms: dict[str, _Form] = {} if forms is None else forms
        self.initial: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.subgraphs: list[int] = []
        self._named: dict[int, str] = {}

    def name(self, handle: int, name: str) -> None:
        """Register the name of the variable that a tensor is a handle of."""
        self._named[handle] = name

    def read(self, op: TranslatedOp) -> str:
        """Return the reference to the value of the variable that an op reads."""
        return self._value(op, self._variable(op, op.output()))

    def _value(self, op: TranslatedOp, name: str) -> str:
        """Return the reference to the value of a variable, at first an input."""
        if name not in self.values:
            made = op.graph.unique(name)
            op.graph.nodes.append(Node(made, "Placeholder"))
            self.initial[name] = self.values[name] = made
        return self.values[name]

    def assign(self, op: TranslatedOp) -> None:
        """Give the variable of an op the value of its second input."""
        name = self._variable(op, op.info(1))
        made = op.graph.unique(f"{name}/assigned")
        op.graph.nodes.append(Node(made, "Identity", (op.input(1),)))
        self.values[name] = made

    def table(self, op: TranslatedOp) -> str:
        """Return the reference to the hash table of an op."""
        return self._value(op, self._handled(op, "HASHTABLE"))

    def fill(self, op: TranslatedOp) -> None:
        """Fill the hash table of an op with its keys and values, unless it is filled."""
        name = self._handled(op, "HASHTABLE")
        if name in self.values:
            return
        keys, values = dtype_of(op.info(1)), dtype_of(op.info(2))
        if self.forms.get(name) != (keys, values, ()):
            raise CoreError(f"keys of {keys} and values of {values} are not those of its table")
        dtypes = {"key_dtype": data_type(keys), "value_dtype": data_type(values)}
        table, made = op.graph.unique(name), op.graph.unique(f"{name}/filled")
        op.graph.nodes.append(Node(table, "HashTableV2", (), dtypes))
        inputs = (table, op.input(1), op.input(2))
        op.graph.nodes.append(Node(made, "LookupTableImportV2", inputs))
        self.values[name] = made

    def name_table(self, handle: int, name: str, dtypes: tuple[str, str]) -> None:
        """Register the name of the hash table that a tensor is a handle of, and its dtypes."""
        self._named[handle] = name
        if self.forms.setdefault(name, (*dtypes, ())) != (*dtypes, ()):
            raise CoreError(f"the {name} is used with different dtypes")

    def states(self) -> dict[str, str]:
        """Return for each input the reference to its value after a run, if that is another one."""
        found = {made: self.values[name] for name, made in self.initial.items()}
        return {made: reference for made, reference in found.items() if made != reference}

    def _variable(self, op: TranslatedOp, info: TensorInfo) -> str:
        """Return the name of the variable of an op whose value has the form of a tensor."""
        name, quantised = self._handled(op, "VAR_HANDLE"), parameters_of(info)
        scales = tuple(quantised.scales.tolist()) if quantised else ()
        zero_points = tuple(quantised.zero_points.tolist()) if quantised else ()
        form = dtype_of(info), scales, zero_points
        if self.forms.setdefault(name, form) != form:
            raise CoreError(f"the variable {name!r:.80} is used with different dtypes or scales")
        return name

    def _handled(self, op: TranslatedOp, source: str) -> str:
        """Return the name of what an op has the handle of."""
        handle = op.tensor(0)
        if handle not in self._named:
            raise CoreError(f"the handle of its variable must come from {source}")
        return self._named[handle]


def variables_of(op: TranslatedOp) -> Variables:
    """Return the variables of the subgraph of an op.

    Raises:
        CoreError: the subgraph is the body of a branch or of a loop.
    """
    if op.graph.variables is None:
        raise CoreError("variables in branches and loops are not supported")
    return op.graph.variables


def initializer(main: Variables, once: Variables, bodies: Sequence["Translation"]) -> Graph | None:
    """Return the graph that computes the first values of variables, by name, if any are needed.

    Args:
        main: variables of the main subgraph.
        once: variables of the subgraphs that run once.
        bodies: translations of these subgraphs, which have weights of their own.

    Raises:
        CoreError: a variable is read that nothing was assigned to, or the subgraphs call others.
    """
    if not main.initial:
        return None
    unset = [*once.initial, *(name for name in main.initial if name not in once.values)]
    if unset:
        raise CoreError(f"the variables {', '.join(unset):.200} are read before any assignment")
    if once.subgraphs or any(body.called for body in bodies):
        raise CoreError("subgraphs that run once and call others are not supported")
    return Graph(
        nodes=[node for body in bodies for node in body.nodes],
        weights=bodies[0].weights,
        inputs={},
        outputs={name: Endpoint(once.values[name], PartialSpec(None)) for name in main.initial},
        functions={name: loop for body in bodies for name, loop in body.loops.items()},
    )
