"""Profiles as lines of text: a line for each kernel, or for each layer."""

from collections.abc import Iterable, Sequence
from typing import TypedDict

from core.engine.op_places import Phase
from core.engine.specs import Shape

_TEXTS = ("op", "layer", "phase", "inputs", "outputs")
_WIDEST = 48  # of a column with shapes: a concat may have a hundred


class KernelProfile(TypedDict):
    """One kernel that ran, or one variable that an optimizer changed in place."""

    op: str  # of an optimizer: the name of its step, such as "adam"
    kernel: str  # by TensorFlow.js's name; of an optimizer: its class
    layer: str  # whose op it is, as "encoder/dense"; empty outside of layers
    phase: Phase
    backend: str
    input_shapes: list[Shape]
    output_shapes: list[Shape]
    ms: float
    bytes_added: int  # of its results; 0 where they share the data of an input
    total_bytes: int  # of the process after it
    tensors_added: int
    total_tensors: int


class LayerProfile(TypedDict):
    """The kernels of one layer; of those outside of layers if its name is empty."""

    layer: str
    forward_ms: float
    backward_ms: float
    update_ms: float
    ops: int


class LayerProfiles(list[LayerProfile]):
    """A dict for each layer, in the order in which they ran; printed, a table."""

    def table(self) -> str:
        """The layers as lines of text, and their totals."""
        header = ("layer", "forward ms", "backward ms", "update ms", "ops")
        lines = [_layer_cells(row) for row in [*self, *self._totals()]]
        return "\n".join(_aligned_lines(header, lines))

    def _totals(self) -> list[LayerProfile]:
        if not self:
            return []
        return [
            {
                "layer": "total",
                "forward_ms": sum(row["forward_ms"] for row in self),
                "backward_ms": sum(row["backward_ms"] for row in self),
                "update_ms": sum(row["update_ms"] for row in self),
                "ops": sum(row["ops"] for row in self),
            }
        ]

    __repr__ = table


def grouped(kernels: Iterable[KernelProfile]) -> LayerProfiles:
    """Return the sums of each layer, in the order of their first kernels."""
    found: dict[str, LayerProfile] = {}
    for row in kernels:
        name = row["layer"]
        layer = found.setdefault(
            name,
            {"layer": name, "forward_ms": 0.0, "backward_ms": 0.0, "update_ms": 0.0, "ops": 0},
        )
        if row["phase"] == "forward":
            layer["forward_ms"] += row["ms"]
        elif row["phase"] == "backward":
            layer["backward_ms"] += row["ms"]
        else:
            layer["update_ms"] += row["ms"]
        layer["ops"] += 1
    return LayerProfiles(found.values())


def kernel_lines(kernels: Sequence[KernelProfile]) -> list[str]:
    """Return a line for each kernel, below the names of columns.

    Layers and phases have columns if there are any.
    """
    has_places = any(row["layer"] or row["phase"] != "forward" for row in kernels)
    places = ("layer", "phase") if has_places else ()
    header = ("op", *places, "ms", "inputs", "outputs", "bytes added", "total bytes")
    return _aligned_lines(header, [_kernel_cells(row, has_places) for row in kernels])


def _kernel_cells(row: KernelProfile, has_places: bool) -> tuple[str, ...]:
    return (
        row["op"],
        *((row["layer"], row["phase"]) if has_places else ()),
        f"{row['ms']:.3f}",
        _format_shapes(row["input_shapes"]),
        _format_shapes(row["output_shapes"]),
        f"{row['bytes_added']:,}",
        f"{row['total_bytes']:,}",
    )


def _layer_cells(row: LayerProfile) -> tuple[str, ...]:
    times = (row["forward_ms"], row["backward_ms"], row["update_ms"])
    return (row["layer"] or "(no layer)", *(f"{ms:.3f}" for ms in times), f"{row['ops']:,}")


def _format_shapes(shapes: list[Shape]) -> str:
    text = " ".join("x".join(map(str, shape)) or "scalar" for shape in shapes)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 4]} ..."


def _aligned_lines(header: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> list[str]:
    all_lines = [header, *lines]
    widths = [max(map(len, column)) for column in zip(*all_lines, strict=True)]
    return ["  ".join(map(_aligned, line, widths, header)).rstrip() for line in all_lines]


def _aligned(text: str, width: int, column: str) -> str:
    return text.ljust(width) if column in _TEXTS else text.rjust(width)
