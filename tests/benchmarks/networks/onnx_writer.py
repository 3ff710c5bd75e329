"""Writes an ONNX graph whose images have their channels first, from values with channels last.

A value of four axes is kept in the form in which it was made; the other form is made where a step
needs it, once. So convolutions, and what is between them, never transpose.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.engine.specs import Shape

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

OPSET, IR_VERSION = 17, 8

#: From channels last to channels first, and back.
TO_FIRST, TO_LAST = (0, 3, 1, 2), (0, 2, 3, 1)


class NotExportedError(Exception):
    """A program has a step without a counterpart in the export."""


class Form(NamedTuple):
    """A value in one of its forms.

    Attributes:
        name: of the value in the ONNX graph.
        first: whether its channels come first.
    """

    name: str
    first: bool


class OnnxWriter:
    """Nodes, constants and the forms of values.

    Args:
        shapes: shape of each value by reference, channels last.
        constants: arrays by reference.
    """

    def __init__(self, shapes: Mapping[str, Shape], constants: Mapping[str, np.ndarray]):
        self._shapes, self._constants = shapes, constants
        self._forms: dict[tuple[str, bool], str] = {}
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []

    def shape(self, reference: str) -> Shape:
        """Return the shape of a value, channels last."""
        return self._shapes[reference]

    def array(self, reference: str) -> np.ndarray:
        """Return the array of a constant.

        Raises:
            NotExportedError: the value is computed.
        """
        if reference not in self._constants:
            raise NotExportedError("weights that are computed")
        return self._constants[reference]

    def is_constant(self, reference: str) -> bool:
        """Return whether a value is a constant."""
        return reference in self._constants

    def constant(self, array: Any) -> str:
        """Return the name of a new constant."""
        from onnx import numpy_helper

        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, type: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one result and return the result's name."""
        return self.node_of_several(1, type, *inputs, **attributes)[0]

    def node_of_several(self, count: int, type: str, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node with several results and return their names."""
        from onnx import helper

        names = [f"{type}_{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(type, inputs, names, **attributes))
        return names

    def keep(self, reference: str, name: str, *, first: bool = False) -> None:
        """Note the name of a value, and whether its channels come first."""
        self._forms[reference, first] = name

    def rename(self, name: str, new: str) -> None:
        """Give the result of a node another name; all nodes are there already.

        Raises:
            NotExportedError: it is an input or a constant.
        """
        if not any(name in node.output for node in self.nodes):
            raise NotExportedError("an output that is no result")
        for node in self.nodes:
            for names in (node.input, node.output):
                names[:] = [new if n == name else n for n in names]

    def is_first(self, reference: str) -> bool:
        """Return whether a value was made with its channels first."""
        return (reference, True) in self._forms

    def made(self, reference: str) -> Form:
        """Return the form in which a value was made."""
        first = self.is_first(reference)
        return Form(self.form(reference, first=first), first)

    def form(self, reference: str, *, first: bool = False) -> str:
        """Return the name of a value in a form, which is made if need be."""
        if (reference, first) not in self._forms:
            self.keep(reference, self._new_form(reference, first), first=first)
        return self._forms[reference, first]

    def flat(self, reference: str) -> str:
        """Return the name of a value in any form with the data in the order of channels last."""
        made = self.made(reference)
        if made.first and not _is_alike(self.shape(reference)):
            return self.form(reference)
        return made.name

    def operand(self, reference: str, *, first: bool) -> str:
        """Return the name of a value that broadcasts with images of a form."""
        shape = self.shape(reference)
        if not first or not shape or len(shape) == 4:
            return self.form(reference, first=first and len(shape) == 4)
        wide = (*(1,) * (4 - len(shape)), *shape)
        turned = [wide[axis] for axis in TO_FIRST]
        if self.is_constant(reference):
            return self.constant(self.array(reference).reshape(wide).transpose(TO_FIRST))
        if not _is_alike(wide):
            raise NotExportedError(f"{shape} beside images")
        return self.reshaped(self.form(reference), turned)

    def reshaped(self, name: str, shape: Sequence[int]) -> str:
        """Add a node that reshapes a value, of which the shape is as ONNX keeps it."""
        return self.node("Reshape", name, self.constant(np.int64(shape)))

    def _new_form(self, reference: str, first: bool) -> str:
        order = TO_FIRST if first else TO_LAST
        if self.is_constant(reference):
            array = self.array(reference)
            return self.constant(array.transpose(order) if first else array)
        shape, other = self.shape(reference), self._forms[reference, not first]
        if _is_alike(shape):  # no data moves
            return self.reshaped(other, [shape[i] for i in TO_FIRST] if first else shape)
        return self.node("Transpose", other, perm=order)


def _is_alike(shape: Shape) -> bool:
    """Return whether the data of images are in one order, wherever the channels are."""
    _, height, width, channels = shape
    return height * width == 1 or channels == 1
