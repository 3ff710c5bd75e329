"""Whether every kernel is compared, and every gradient."""

import importlib
import pkgutil

from core.engine.registry import KERNEL_NAMES
from tests.core.ops.tf_oracle import families
from tests.core.ops.tf_oracle.comparison import Comparison

_WHOLE = "a result of whole numbers or bools has no slope"

#: Those after PyTorch's functions, which are compared with them in tests of their own.
_OF_PYTORCH = [k for k, op in KERNEL_NAMES.items() if op.rule.__module__ == "core.ops.sampling"]

#: Kernels that TensorFlow has nothing like; families name theirs the same way.
NOT_COMPARED = {
    **dict.fromkeys([*_OF_PYTORCH, "InstanceNorm"], "PyTorch has it, and it is compared with that"),
    **dict.fromkeys(
        ["LogSoftmaxGrad", "ReluGrad", "SumGrad"],
        "the gradient of another kernel, whose gradient is compared",
    ),
    "QuantiseRound": "LiteRT does it inside of its kernels, and those are compared with ours",
    "CheckNumerics": "values pass as they are, or an error is raised",
    "NumpyFunction": "it calls a function of arrays",
    "Draw": "it draws on a browser's canvas",
    "FromPixels": "it reads a browser's picture, canvas or video",
}

#: Kernels that have a gradient here which is compared with nothing, and why.
GRADIENTS_NOT_COMPARED = {
    **dict.fromkeys(["ArgMax", "ArgMin", "FloorDiv", "GreaterEqual"], _WHOLE),
    **dict.fromkeys(["IsFinite", "IsInf", "IsNan"], _WHOLE),
    "OneHot": "indices are whole numbers",
    **dict.fromkeys(
        [
            "Dilation2DBackpropFilter",
            "Dilation2DBackpropInput",
            "LRNGrad",
            "ResizeBilinearGrad",
            "ResizeNearestNeighborGrad",
        ],
        "TensorFlow has no gradient of it",
    ),
}


def collected() -> tuple[list[Comparison], dict[str, str]]:
    """All comparisons, and the kernels that have none with the reason."""
    comparisons: list[Comparison] = []
    not_compared = dict(NOT_COMPARED)
    for found in pkgutil.iter_modules(families.__path__):
        module = importlib.import_module(f"{families.__name__}.{found.name}")
        comparisons += module.COMPARISONS
        not_compared |= getattr(module, "NOT_COMPARED", {})
    return sorted(comparisons, key=lambda c: (c.kernel.lower(), c.label)), not_compared


def gaps(comparisons: list[Comparison], not_compared: dict[str, str]) -> list[str]:
    """Kernels and gradients that nobody compares, and comparisons of nothing."""
    compared = {c.kernel for c in comparisons}
    listed = compared | set(not_compared)
    kernels = set(KERNEL_NAMES)
    sloped = {k for k in kernels & compared if KERNEL_NAMES[k].gradients}
    slopes = {c.kernel for c in comparisons if c.gradient} | set(GRADIENTS_NOT_COMPARED)
    return [
        *(f"{k} has neither a comparison nor a reason for none" for k in sorted(kernels - listed)),
        *(f"{k} is compared, but is no kernel here" for k in sorted(compared - kernels)),
        *(f"{k} is compared and said not to be" for k in sorted(compared & set(not_compared))),
        *(f"the gradient of {k} is not compared" for k in sorted(sloped - slopes)),
        *(f"two comparisons of {name}" for name in _twice(comparisons)),
    ]


def _twice(comparisons: list[Comparison]) -> list[str]:
    names = [f"{c.kernel} ({c.label})" for c in comparisons]
    return sorted({n for n in names if names.count(n) > 1})
