"""Conversion of graphs for one image to graphs for any number of images."""

from collections.abc import Mapping

import numpy as np

from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.plan.passes.rewriting import Index, with_changes


def free_batch(graph: Graph) -> Graph:
    """Let the first axis of inputs and outputs be of any length where it is 1.

    Constant shapes ``[1, a, b]`` of Reshape nodes become ``[-1, a, b]``, and slices that end behind
    the first image end behind the last. That is right for networks that treat each image alike;
    only a test shows whether one does: a batch must give what its images give one by one.

    Raises:
        CoreError: a node's shape is ``[1, -1, a]``, which would take several images as one.

    >>> x, y = (Endpoint(name, PartialSpec((1, 4))) for name in ("x", "y"))
    >>> nodes = [Node("x", "Placeholder"), Node("s", "Const"), Node("y", "Reshape", ("x", "s"))]
    >>> free = free_batch(Graph(nodes, {"s": np.int32([1, 4])}, {"x": x}, {"y": y}))
    >>> free.inputs["x"].spec.shape, free.weights[free.nodes[-1].inputs[1]].tolist()
    ((None, 4), [-1, 4])
    """
    index = Index(graph)
    replaced: dict[str, list[Node]] = {}
    weights: dict[str, np.ndarray] = {}
    for node in graph.nodes:
        shape = index.constant(node.inputs[1]) if node.type == "Reshape" else None
        if shape is not None and shape.size and shape[0] == 1:
            if -1 in shape:
                raise CoreError(f"{node.name} reshapes to {shape.tolist()}: its batch stays 1")
            name = index.free_name(f"{node.name}/batch_shape")
            weights[name] = np.concatenate([np.full_like(shape[:1], -1), shape[1:]])
            reshape = node._replace(inputs=(node.inputs[0], name, *node.inputs[2:]))
            replaced[node.name] = [Node(name, "Const"), reshape]
        elif node.type == "StridedSlice" and _takes_the_image(node, index):
            mask = int(node.attributes.get("end_mask", 0)) | 1
            replaced[node.name] = [node._replace(attributes={**node.attributes, "end_mask": mask})]
    changed = with_changes(graph, replaced, weights)
    return changed._replace(inputs=_freed(graph.inputs), outputs=_freed(graph.outputs))


def _takes_the_image(node: Node, index: Index) -> bool:
    """Whether a slice of several axes takes the first axis from 0 to 1."""
    begin, end, strides = (index.constant(name) for name in node.inputs[1:4])
    if begin is None or end is None or strides is None or begin.size < 2:
        return False
    masks = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    as_written = not any(int(node.attributes.get(mask, 0)) & 1 for mask in masks)
    return as_written and (begin[0], end[0], strides[0]) == (0, 1, 1)


def _freed(ends: Mapping[str, Endpoint]) -> dict[str, Endpoint]:
    return {name: end._replace(spec=_any_number(end.spec)) for name, end in ends.items()}


def _any_number(spec: PartialSpec) -> PartialSpec:
    if spec.shape is None or spec.shape[:1] != (1,):
        return spec
    return spec._replace(shape=(None, *spec.shape[1:]))
