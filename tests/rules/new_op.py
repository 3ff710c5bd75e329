"""What follows from the row of an element-wise op beside its values and gradients.

``python -m tests.rules.new_op NAME`` checks it for an op that has no attributes.
"""

import doctest
import sys
from typing import Any

import numpy as np

import core
from core.backends.shader.runtime.context import ContextError
from core.converter.tflite.families.elementwise import RULES
from core.graph.node_types import find_node_type
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.layers.functions.elementwise import FUNCTIONS
from core.plan.passes.folding import fold_constants
from tests.helpers import tested_backends
from tests.rules import op_table

X = np.float32([[1, 3]])


def graph_of(*nodes: Node, **weights: np.ndarray) -> Graph:
    """A graph from x to y."""
    ends = {name: Endpoint(name, PartialSpec((None, 2))) for name in "xy"}
    every = [Node("x", "Placeholder"), *(Node(name, "Const") for name in weights), *nodes]
    return Graph(every, weights, {"x": ends["x"]}, {"y": ends["y"]})


def check_method(op: Any) -> None:
    found = getattr(core.tensor(X), op.name)().numpy()
    np.testing.assert_array_equal(found, op(X).numpy())


def check_documents(op: Any) -> None:
    (example,) = doctest.DocTestFinder().find(op, op.name, globs={"core": core})
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.summarize(verbose=False) == (0, 1)
    assert any(f"`{op.name}`" in row for row in op_table.op_rows())


def check_formats(op: Any, spelling: str) -> None:
    row = find_node_type(spelling)
    assert row and row.run == op.name
    found = GraphModel(graph_of(Node("y", spelling, ("x",)))).predict({"x": X})
    np.testing.assert_array_equal(found["y"].numpy(), op(X).numpy())
    assert op.spellings.tflite in RULES
    assert all(name in FUNCTIONS for name in op.spellings.keras)


def check_folding(spelling: str) -> None:
    graph = graph_of(Node("c", spelling, ("w",)), Node("y", "AddV2", ("x", "c")), w=X)
    assert [node.type for node in fold_constants(graph).nodes if node.inputs] == ["AddV2"]


def check_fusion(op: Any, spelling: str) -> None:
    """In a plan, on each backend, the op is fused into the product that it takes."""
    w = np.eye(2, dtype=np.float32)
    nodes = Node("p", "MatMul", ("x", "w")), Node("y", spelling, ("p",))
    for backend in tested_backends():
        try:
            core.engine.backends.load_backend(backend)
        except ContextError:
            continue  # without OpenGL tests of the shader backend are skipped, too
        (step,) = GraphModel(graph_of(*nodes, w=w), backend).plan(X).steps
        assert op.name in step.fused, backend


if __name__ == "__main__":
    added = core.engine.registry.OPS[sys.argv[1]]
    (name,) = added.spellings.tensorflow
    check_method(added)
    check_documents(added)
    check_formats(added, name)
    check_folding(name)
    check_fusion(added, name)
