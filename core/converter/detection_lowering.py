"""Lowering of TFLite's detection post-processing to node types of TensorFlow.js."""

from functools import partial
from typing import Any

import numpy as np

from core.converter.lowered_nodes import LoweredNodes
from core.graph.node_types import find_node_type
from core.graph.node_types.tflite import Detection
from core.graph.nodes import DataType, Node


def lower_detection(body: LoweredNodes, node: Node) -> None:
    """Lower to boxes from anchors, suppression by the best score per box, and classes of the rest.

    Suppression per class (``use_regular_nms``) would be hundreds of nodes: the node is kept, and
    reported as not supported.
    """
    kind = find_node_type(node.type)
    assert kind is not None, node.type
    options = Detection(**kind.attributes(node.attributes))
    if options.use_regular_nms:
        body.nodes.append(node)
        return
    add, number = partial(body.add, node.name), partial(body.constant, node.name)
    integer = partial(body.constant, node.name, dtype=np.int32)
    codes, scores, anchors = node.inputs[:3]
    width = min(options.max_classes_per_detection, options.num_classes)
    count, rows = options.max_detections, options.max_detections * width

    masks = {"begin_mask": 1, "end_mask": 3}
    by_class = add("Squeeze", scores, squeeze_dims=[0])
    last = (integer([0, -options.num_classes]), integer([0, 0]), integer([1, 1]))
    by_class = add("StridedSlice", by_class, *last, **masks)
    boxes = _boxes(
        body, node.name, add("Squeeze", codes, squeeze_dims=[0]), anchors, options.scales
    )
    top = add("TopKV2", by_class, integer(width), sorted=True)
    best = add("Max", by_class, integer([1]), keep_dims=False)
    kept = add(
        "NonMaxSuppressionV4",
        *(boxes, best, integer(count)),
        number(min(np.nextafter(np.float32(options.iou_threshold), np.float32(2)), 1.0)),
        number(np.nextafter(np.float32(options.score_threshold), np.float32(-np.inf))),
        pad_to_max_output_size=True,
    )
    valid = add("Less", add("Range", integer(0), integer(count), integer(1)), f"{kept}:1")
    mask = add("Cast", valid, SrcT=DataType("DT_BOOL"), DstT=DataType("DT_FLOAT"))
    column = add("Reshape", mask, integer([count, 1]))

    def filled(values: str, shape: Any) -> str:
        """Add nodes that gather values of the kept boxes, filled up with zeros."""
        chosen = add("Mul", add("GatherV2", values, kept, integer(0)), column)
        return add("Reshape", chosen, integer(shape))

    classes = add("Cast", f"{top}:1", SrcT=DataType("DT_INT32"), DstT=DataType("DT_FLOAT"))
    repeated = add("Tile", boxes, integer([1, width]))
    found = add("Cast", f"{kept}:1", SrcT=DataType("DT_INT32"), DstT=DataType("DT_FLOAT"))
    results = (
        filled(repeated, [1, rows, 4]),
        filled(classes, [1, rows]),
        filled(top, [1, rows]),
        add("Reshape", found, integer([1])),
    )
    body.end(node.name, "IdentityN", *results)


def _boxes(
    body: LoweredNodes, base: str, codes: str, anchors: str, scales: tuple[float, ...]
) -> str:
    """Add nodes from centres and sizes relative to anchors to corners [n, 4] (y1, x1, y2, x2)."""
    add, number = partial(body.add, base), partial(body.constant, base)
    integer = partial(body.constant, base, dtype=np.int32)
    first = add("Slice", codes, integer([0, 0]), integer([-1, 4]))
    parts = add("Unpack", first, axis=1, num=4)
    sides = add("Unpack", anchors, axis=1, num=4)
    ends = []
    for axis in (0, 1):
        centre, size = (f"{parts}:{axis}", f"{parts}:{axis + 2}")
        side = f"{sides}:{axis + 2}"
        centre = add("Mul", add("RealDiv", centre, number(scales[axis])), side)
        centre = add("AddV2", centre, f"{sides}:{axis}")
        size = add("Exp", add("RealDiv", size, number(scales[axis + 2])))
        half = add("Mul", add("Mul", size, side), number(0.5))
        ends.append((add("Sub", centre, half), add("AddV2", centre, half)))
    (top, bottom), (left, right) = ends
    return add("Pack", top, left, bottom, right, axis=1, N=4)
