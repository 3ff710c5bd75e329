"""Variables of a TFLite file, as inputs and results of a graph.

A network for streams reads a variable, computes, and assigns what the next run reads. In the graph
a variable is the value that was assigned last; the value before the first assignment of a run is
an input, which the model keeps from run to run.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.converter.tflite.constants import parameters_of
from core.converter.tflite.file_content import TensorInfo
from core.converter.tflite.translated_op import TranslatedOp, dtype_of
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec

if TYPE_CHECKING:
    from core.converter.tflite.translation import Translation

#: The dtype and the quantisation in which a variable is stored.
_Form = tuple[str, tuple[float, ...], tuple[int, ...]]


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
        name = self._variable(op, op.output())
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

    def states(self) -> dict[str, str]:
        """Return for each input the reference to its value after a run, if that is another one."""
        found = {made: self.values[name] for name, made in self.initial.items()}
        return {made: reference for made, reference in found.items() if made != reference}

    def _variable(self, op: TranslatedOp, info: TensorInfo) -> str:
        """Return the name of the variable of an op whose value has the form of a tensor."""
        handle = op.tensor(0)
        if handle not in self._named:
            raise CoreError("the handle of its variable must come from VAR_HANDLE")
        name, quantised = self._named[handle], parameters_of(info)
        scales = tuple(quantised.scales.tolist()) if quantised else ()
        zero_points = tuple(quantised.zero_points.tolist()) if quantised else ()
        form = dtype_of(info), scales, zero_points
        if self.forms.setdefault(name, form) != form:
            raise CoreError(f"the variable {name!r:.80} is used with different dtypes or scales")
        return name


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
