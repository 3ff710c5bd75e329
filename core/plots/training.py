"""Plots of training: curves of losses and metrics, accuracy of each class."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from core.errors import CoreError
from core.plots.drawings import Ranges, draw_bars, draw_series
from core.plots.figures import Look, add_panels, write_empty, write_labels, write_notes
from core.plots.plot import Plot
from core.plots.scales import ScaleKind, check_scale
from core.plots.scores import Classes, class_count, pairs_of, per_class_accuracy_values
from core.plots.texts import plain_text
from core.plots.values import Points, array_of, names_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VALIDATION = "val_"
Curves = Mapping[str, Sequence[float]]


class HasHistory(Protocol):
    """Result of ``fit``: values of each epoch by their names."""

    @property
    def history(self) -> Curves:
        """The loss and the metrics of each epoch."""


def history(
    history: Curves | HasHistory,
    metrics: Sequence[str] | None = None,
    *,
    title: str | None = None,
    x_label: str = "epoch",
    y_scale: ScaleKind = "linear",
    width: int = 960,
    height: int = 380,
    scale: float = 2.0,
) -> Plot:
    """Draw the curves of a training: a panel for the loss and for each metric.

    Args:
        history: values of each epoch by the names of the loss and the metrics, or what ``fit``
            returns, which has them as its ``history``. ``val_loss`` shares a panel with ``loss``,
            and is dashed.
        metrics: names to show, each with its validation curve; by default all.
        title: written above.
        x_label: written below each panel.
        y_scale: ``"linear"`` or ``"log"``.
        width: of the image, 120..10000.
        height: of a row of panels, of which a row has two.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the column ``epoch``, from 1 on, and one for each curve.

    Raises:
        CoreError: there is no such metric, which lists the names; or a curve is not of numbers.

    >>> import core
    >>> curves = {"loss": [1.0, 0.5], "val_loss": [1.1, 0.8], "accuracy": [0.6, 0.8]}
    >>> plot = core.plots.history(curves, scale=1)
    >>> plot.size, [*plot.data], plot.data["epoch"]
    ((960, 380), ['epoch', 'loss', 'val_loss', 'accuracy'], [1, 2])
    """
    check_scale("y_scale", y_scale)
    curves = _curves(history)
    panels = _panels(curves, metrics)
    kept = {name: curves[name] for names in panels.values() for name in names}
    rows = max(1, -(-len(panels) // 2))
    figure = Look(title, width, rows * height, scale).figure()
    if not panels:
        write_empty(figure.subplots())
    notes: list[str] = []
    for (name, names), axes in zip(panels.items(), add_panels(figure, len(panels), 2), strict=True):
        notes += _draw_panel(axes, name, {n: kept[n] for n in names}, y_scale)
        write_labels(axes, x_label, None)
    write_notes(figure, notes)
    return Plot(figure, _columns(kept), tuple(notes), scale)


def _curves(history: Curves | HasHistory) -> dict[str, np.ndarray]:
    found = history if isinstance(history, Mapping) else getattr(history, "history", None)
    if not isinstance(found, Mapping):
        raise CoreError(
            f"{type(history).__name__} is no history: give what model.fit returns, or a dict of "
            "values by the names of metrics"
        )
    return {str(n): array_of(values, f"history[{n!r}]", 1) for n, values in found.items()}


def _panels(curves: Mapping[str, np.ndarray], wanted: Sequence[str] | None) -> dict[str, list[str]]:
    """The names of the curves in each panel, by the name of the metric."""
    found: dict[str, list[str]] = {}
    for name in curves:
        found.setdefault(name.removeprefix(_VALIDATION), []).append(name)
    panels = {name: sorted(names, key=len) for name, names in found.items()}
    if wanted is None:
        return panels
    names = dict.fromkeys(name.removeprefix(_VALIDATION) for name in wanted)
    for name in names:
        if name not in panels:
            raise CoreError(f"the history has no {name!r}; its metrics are {', '.join(panels)}")
    return {name: panels[name] for name in names}


def _draw_panel(
    axes: "Axes", name: str, curves: Mapping[str, np.ndarray], y_scale: ScaleKind
) -> tuple[str, ...]:
    dashed = [curve.startswith(_VALIDATION) for curve in curves]
    points = [
        Points("validation" if is_validation else "training", 1.0 + np.arange(len(values)), values)
        for is_validation, values in zip(dashed, curves.values(), strict=True)
    ]
    axes.set_title(plain_text(name), loc="left")
    notes = draw_series(axes, points, Ranges(y_scale=y_scale), dashed=dashed)
    return tuple(f"{name}: {note}" for note in notes)


def _columns(curves: Mapping[str, np.ndarray]) -> dict[str, list[object]]:
    """All curves with one length; NaN where a curve ends early."""
    count = max(map(len, curves.values()), default=0)
    padded = {n: np.append(v, np.full(count - len(v), np.nan)) for n, v in curves.items()}
    return {"epoch": [*range(1, count + 1)], **{n: v.tolist() for n, v in padded.items()}}


def per_class_accuracy(
    labels: Classes,
    predictions: Classes,
    class_names: Sequence[str] | None = None,
    *,
    title: str | None = "Accuracy of each class",
    width: int = 720,
    height: int = 420,
    scale: float = 2.0,
) -> Plot:
    """Draw the share of right predictions among the examples of each class, as bars.

    Args:
        labels: the class of each example, integers [n].
        predictions: the predicted class of each, integers [n].
        class_names: of all classes; by default their indices, up to the largest class.
        title: written above.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the columns ``class``, ``accuracy`` and ``count``.

    Raises:
        CoreError: labels and predictions differ in length, or a class is out of range.

    >>> import core
    >>> plot = core.plots.per_class_accuracy([0, 1, 1, 1, 1], [0, 1, 0, 1, 1], ["ant", "bee"])
    >>> plot.data["accuracy"], plot.data["count"]
    ([1.0, 0.75], [1, 4])
    """
    given = None if class_names is None else len(class_names)
    count = class_count(*pairs_of(labels, predictions), given)
    names = names_for(class_names, count, "class_names")
    found = per_class_accuracy_values(labels, predictions, count or 1)
    shares, counts = found.accuracy[:count], found.counts[:count]
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    missing = ("class has no examples", "classes have no examples")
    notes = draw_bars(axes, names, shares, (0.0, 1.0), missing)
    write_notes(figure, notes)
    data = {"class": names, "accuracy": shares.tolist(), "count": counts.tolist()}
    return Plot(figure, data, notes, scale)
