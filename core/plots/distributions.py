"""Plots of how values are distributed: any values, and the weights of a layer."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.plots.drawings import draw_histogram
from core.plots.figures import Look, add_panels, write_empty, write_labels, write_notes
from core.plots.plot import Plot
from core.plots.scales import ScaleKind, check_scale
from core.plots.texts import plain_text, short_number
from core.plots.values import Numbers, are_finite, array_of


class HasWeights(Protocol):
    """A layer, by what a plot needs of it."""

    name: str

    @property
    def weights(self) -> Sequence[Tensor]:
        """The variables of the layer, which have names."""


def value_distribution(
    values: Numbers,
    *,
    title: str | None = None,
    y_scale: ScaleKind = "linear",
    width: int = 720,
    height: int = 360,
    scale: float = 2.0,
) -> Plot:
    """Draw a histogram of values, with their number, least, largest and mean value above.

    Args:
        values: numbers of any shape.
        title: written above.
        y_scale: of the counts, ``"linear"`` or ``"log"``.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with one row and the columns ``count``, ``min``, ``max``, ``mean``, ``std``,
        ``zeros``, ``nans`` and ``infinities``.

    Raises:
        CoreError: an argument is out of range, or the values are not numbers.

    >>> import core
    >>> plot = core.plots.value_distribution([0.0, 1.0, 5.0, float("nan")], scale=1)
    >>> {name: values[0] for name, values in plot.data.items() if name != "std"}
    {'count': 4, 'min': 0.0, 'max': 5.0, 'mean': 2.0, 'zeros': 1, 'nans': 1, 'infinities': 0}
    """
    check_scale("y_scale", y_scale)
    numbers = array_of(values, "values").ravel()
    facts = _facts(numbers)
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    _, notes = draw_histogram(axes, numbers, None, y_scale)
    axes.set_title(_format_facts(facts), loc="left", fontsize="small")
    write_labels(axes, None, "count")
    write_notes(figure, notes)
    return Plot(figure, {n: [v] for n, v in facts.items()}, notes, scale)


def layer(
    layer: HasWeights,
    *,
    title: str | None = None,
    y_scale: ScaleKind = "linear",
    width: int = 720,
    height: int = 280,
    scale: float = 2.0,
) -> Plot:
    """Draw how the values of each weight of a layer are distributed.

    Args:
        layer: has a ``name``, and variables as its ``weights``.
        title: written above; by default the name of the layer.
        y_scale: of the counts, ``"linear"`` or ``"log"``.
        width: of the image, 120..10000.
        height: of the panel of a weight.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with a row for each weight: ``weight``, ``shape``, and the columns of
        `value_distribution`.

    Raises:
        CoreError: it is not a layer.

    >>> import core
    >>> from types import SimpleNamespace
    >>> kernel = core.variable([[0.5, -0.5]], name="kernel")
    >>> plot = core.plots.layer(SimpleNamespace(name="dense", weights=[kernel]), scale=1)
    >>> plot.data["weight"], plot.data["shape"], plot.data["min"]
    (['kernel'], ['1 x 2'], [-0.5])
    """
    check_scale("y_scale", y_scale)
    weights = getattr(layer, "weights", None)
    if not isinstance(weights, (list, tuple)):
        raise CoreError(f"{type(layer).__name__} has no weights: give a layer of a model")
    head = title if title is not None else str(getattr(layer, "name", ""))
    figure = Look(head, width, max(len(weights), 1) * height, scale).figure()
    if not weights:
        write_empty(figure.subplots(), "no weights")
    columns: list[Mapping[str, object]] = []
    notes: list[str] = []
    for i, axes in enumerate(add_panels(figure, len(weights)) if weights else []):
        weight = weights[i]
        name, numbers = _weight(weight, i)
        facts = _facts(numbers)
        shape = " x ".join(map(str, weight.shape)) or "scalar"
        columns.append({"weight": name, "shape": shape, **facts})
        _, found = draw_histogram(axes, numbers, None, y_scale)
        heading = f"{plain_text(name)}, {shape}\n{_format_facts(facts)}"
        axes.set_title(heading, loc="left", fontsize="small")
        write_labels(axes, None, "count")
        notes += [f"{name}: {note}" for note in found]
    names = ["weight", "shape", *_facts(np.zeros(0))]
    data = {n: [column[n] for column in columns] for n in names}
    write_notes(figure, notes)
    return Plot(figure, data, tuple(notes), scale)


def _weight(weight: Tensor, index: int) -> tuple[str, np.ndarray]:
    name = str(getattr(weight, "name", f"weight {index}"))
    return name, array_of(weight, f"weight {name!r}").ravel()


def _facts(numbers: np.ndarray) -> dict[str, float | int]:
    """Statistics of values; those of numbers that are finite, NaN without any."""
    finite = numbers[are_finite(numbers)]
    known = finite if len(finite) else np.array([np.nan])
    nans = int(np.isnan(numbers).sum())
    return {
        "count": len(numbers),
        "min": float(known.min()),
        "max": float(known.max()),
        "mean": float(known.mean()),
        "std": float(known.std()),
        "zeros": int((numbers == 0).sum()),
        "nans": nans,
        "infinities": len(numbers) - len(finite) - nans,
    }


def _format_facts(facts: Mapping[str, float | int]) -> str:
    return ", ".join(
        f"{name} {f'{value:,}' if isinstance(value, int) else short_number(value)}"
        for name, value in facts.items()
    )
