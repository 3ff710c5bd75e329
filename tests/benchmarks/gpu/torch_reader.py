"""A program of ours as a PyTorch module with the same weights.

Values of four axes are images, [batch, channels, height, width] there, in whichever memory format
the module is given; all others keep their order. Biases lie in PyTorch's convolutions and products.
The module is an FX graph, so that eager runs have no more than PyTorch's own calls, and
``torch.compile`` sees straight-line code.

module = read_program(plan.program)
outputs = module(torch.from_numpy(x).permute(0, 3, 1, 2))
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import fx

from core.engine.program import ABSENT, HERE, Program, Step
from core.engine.specs import Shape
from core.errors import CoreError
from tests.benchmarks.gpu.torch_ops import (
    ELEMENTWISE,
    FROM_IMAGES,
    OPS,
    TO_IMAGES,
    Function,
    takes_bias,
)


class Value(NamedTuple):
    """What an FX node gives, by our shape."""

    node: fx.Node
    shape: Shape

    @property
    def is_images(self) -> bool:
        """Whether its channels come second there."""
        return len(self.shape) == 4


class Reader:
    """Writes the FX graph of a program."""

    def __init__(self, program: Program):
        self.program, self.graph, self.root = program, fx.Graph(), torch.nn.Module()
        self._values = {name: self._input(name) for name in program.inputs}

    def module(self) -> fx.GraphModule:
        """All nodes, then the outputs as a tuple."""
        for node in self.program.steps:
            value, steps = self._biased(node)
            for step in steps:
                value = self._applied(step, value)
            self._values[node.name] = value
        self.graph.output(tuple(self.value(name).node for name in self.program.outputs))
        return fx.GraphModule(self.root, self.graph)

    def value(self, reference: str, here: Value | None = None) -> Value:
        """A result, an input or a constant."""
        if reference == HERE:
            return here
        if reference not in self._values:
            self._values[reference] = self._constant(self.program.constants[reference])
        return self._values[reference]

    def call(self, function: Function, *arguments: Any, shape: Shape, **options: Any) -> Value:
        """A call of a function."""
        nodes = [a.node if isinstance(a, Value) else a for a in arguments]
        return Value(self.graph.call_function(function, tuple(nodes), options), tuple(shape))

    def held(self, array: np.ndarray) -> fx.Node:
        """An array that belongs to the module, as it is."""
        name = f"weight{len(list(self.root.buffers()))}"
        tensor = torch.from_numpy(np.array(array, order="C"))
        self.root.register_buffer(name, tensor)
        return self.graph.get_attr(name)

    def plain(self, value: Value) -> Value:
        """The same with its axes in our order, for a function that takes them so."""
        if not value.is_images:
            return value
        return self.call(torch.permute, value, FROM_IMAGES, shape=value.shape)

    def images(self, node: fx.Node, shape: Shape) -> Value:
        """A result in our order, as the next ones take it."""
        value = Value(node, tuple(shape))
        return self.call(torch.permute, value, TO_IMAGES, shape=shape) if len(shape) == 4 else value

    def shape_of(self, node: Step) -> Shape:
        """Of the result of a node."""
        return self.program.specs[node.name].shape

    def _input(self, name: str) -> Value:
        return Value(self.graph.placeholder(f"input_{name}"), self.program.specs[name].shape)

    def _constant(self, array: np.ndarray) -> Value:
        order = TO_IMAGES if array.ndim == 4 else range(array.ndim)
        return Value(self.held(array.transpose(*order)), array.shape)

    def _biased(self, node: Step) -> tuple[Value, tuple[Step, ...]]:
        """The result of an op, with the bias that its epilogue begins with; and what is left."""
        steps = node.epilogue
        known = OPS.get(node.op.name)
        if known is None:
            return self._applied(node, None), steps
        bias = self._bias(steps, self.shape_of(node)) if takes_bias(self, node) else None
        return known(self, node, bias), steps[bias is not None :]

    def _bias(self, steps: tuple[Step, ...], shape: Shape) -> np.ndarray | None:
        """What is added first, if it is one constant for each channel."""
        if not steps or steps[0].op.name != "add":
            return None
        others = [i for i in steps[0].inputs if i != HERE]
        found = self.program.constants.get(others[0]) if len(others) == 1 else None
        fits = found is not None and found.size == shape[-1] == found.shape[-1]
        return found.reshape(-1) if fits else None

    def _applied(self, node: Step, here: Value | None) -> Value:
        """An element-wise op."""
        if node.op.name not in ELEMENTWISE:
            raise CoreError(f"the PyTorch reader does not know the op {node.op.name!r}")
        inputs = [self.value(i, here) for i in node.inputs if i != ABSENT]
        shape = np.broadcast_shapes(*(value.shape for value in inputs))
        inputs = [self._widened(value, len(shape)) for value in inputs]
        slope = {"negative_slope": node.attributes["alpha"]} if node.op.name == "leaky_relu" else {}
        return self.call(ELEMENTWISE[node.op.name], *inputs, shape=shape, **slope)

    def _widened(self, value: Value, rank: int) -> Value:
        """A value that meets images: their channels come second."""
        if rank != 4 or value.is_images or not value.shape:
            return value
        shape = (*[1] * (4 - len(value.shape)), *value.shape)
        wide = self.call(torch.reshape, value, shape, shape=shape)
        return self.images(wide.node, shape)


def read_program(program: Program) -> fx.GraphModule:
    """The module of a program: takes its inputs, gives a tuple of its outputs.

    Raises:
        CoreError: the program has an op that is not known here.
    """
    return Reader(program).module().eval()
