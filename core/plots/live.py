"""Curves that are drawn anew while a model is trained."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import nan
from time import monotonic
from typing import Any

from core.errors import CoreError
from core.plots.library import check_matplotlib
from core.plots.plot import Plot
from core.plots.training import history
from weights_cache.common.messages import is_notebook

_PAUSE = 1.0  # seconds between two drawings of batches

Logs = Mapping[str, float]
Hook = Callable[..., None]


class LiveHistory(Mapping[str, Hook]):
    """Callback of ``model.fit`` that draws the curves so far. Made by `fit_callbacks`.

    A mapping of functions by the names of methods of `core.callbacks.Callback`, which ``fit``
    takes like an object of that class.

    Attributes:
        plot: the latest drawing; None before the first.
    """

    def __init__(
        self,
        metrics: Sequence[str] | None,
        path: str | os.PathLike[str] | None,
        per_batch: bool,
        options: Mapping[str, Any],
    ):
        self.plot: Plot | None = None
        self._metrics, self._path, self._options = metrics, path, options
        self._rows: list[Logs] = []
        self._shown: Any = None  # of the notebook
        self._drawn_at = -_PAUSE
        self._hooks: dict[str, Hook] = {"on_train_begin": self._begin}
        if per_batch:
            self._hooks |= {"on_train_batch_end": self._end_batch, "on_train_end": self._end}
        else:
            self._hooks["on_epoch_end"] = self._end_epoch

    def __getitem__(self, name: str) -> Hook:
        return self._hooks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._hooks)

    def __len__(self) -> int:
        return len(self._hooks)

    def _begin(self, logs: Logs | None = None) -> None:
        self._rows, self._shown = [], None

    def _end_epoch(self, epoch: int, logs: Logs | None = None) -> None:
        self._rows.append({**(logs or {})})
        self._draw()

    def _end_batch(self, batch: int, logs: Logs | None = None) -> None:
        self._rows.append({**(logs or {})})
        if monotonic() - self._drawn_at >= _PAUSE:
            self._draw()

    def _end(self, logs: Logs | None = None) -> None:
        self._draw()

    def _draw(self) -> None:
        names = dict.fromkeys(name for row in self._rows for name in row)
        curves = {name: [row.get(name, nan) for row in self._rows] for name in names}
        self.plot = history(curves, self._metrics, **self._options)
        self._drawn_at = monotonic()
        if self._path is not None:
            self.plot.save(self._path)
        elif self._shown is None:
            from IPython.display import display

            self._shown = display(self.plot, display_id=True)
        else:
            self._shown.update(self.plot)


def fit_callbacks(
    metrics: Sequence[str] | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    per_batch: bool = False,
    title: str | None = None,
    width: int = 960,
    height: int = 380,
    scale: float = 2.0,
) -> LiveHistory:
    """Return a callback that draws the curves of a training while it runs.

    Args:
        metrics: names to show, as for `history`; by default all.
        path: file to which each drawing is written, whole; None shows it in the notebook, where
            each drawing replaces the one before.
        per_batch: whether curves have a value for each batch instead of each epoch. They are then
            drawn at most once a second.
        title: written above.
        width: of the image, 120..10000.
        height: of a row of panels, of which a row has two.
        scale: pixels for a unit of width and height, 0.5..8.

    Raises:
        CoreError: there is no path outside of a notebook, or Matplotlib is not installed.

    >>> import core, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "curves.png")
    >>> live = core.plots.fit_callbacks(path=path, scale=1)
    >>> live["on_epoch_end"](0, {"loss": 0.5, "val_loss": 0.6})  # model.fit does it
    >>> live.plot.data["loss"], path.exists()
    ([0.5], True)
    """
    check_matplotlib()
    if path is None and not is_notebook():
        raise CoreError("fit_callbacks needs a file outside of notebooks: give path='curves.png'")
    options = {"title": title, "width": width, "height": height, "scale": scale}
    options["x_label"] = "batch" if per_batch else "epoch"
    return LiveHistory(metrics, path, per_batch, options)
