"""Sums, means and extremes along axes."""

from core.graph.node_types.rows import NodeType, copied

_keep_dims, _scan = copied("keep_dims"), copied("exclusive", "reverse")
_AXIS = {"axis": 1}

_REDUCTIONS = ("Max", "Mean", "Min", "Sum", "All", "Any", "Prod")

NODE_TYPES = {
    **{name: NodeType(name.lower(), (0,), _AXIS, _keep_dims) for name in _REDUCTIONS},
    "ArgMax": NodeType("argmax", (0,), _AXIS),
    "ArgMin": NodeType("argmin", (0,), _AXIS),
    "Bincount": NodeType("bincount", (0, 2), {"size": 1}),
    "DenseBincount": NodeType("dense_bincount", (0, 2), {"size": 1}, copied("binary_output")),
    "Cumprod": NodeType("cumprod", (0,), _AXIS, _scan),
    "Cumsum": NodeType("cumsum", (0,), _AXIS, _scan),
}
