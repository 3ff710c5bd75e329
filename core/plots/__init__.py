"""Plots of numbers and of training, drawn by Matplotlib: curves, bars, matrices, tables.

Each function returns a `Plot`: a ``figure``, and the numbers that it shows as ``data``. Functions
that return numbers need no Matplotlib (``pip install 'friendly-zoo[plots]'``).

>>> import core
>>> plot = core.plots.line_chart({"loss": [2.3, 0.9, 0.4], "val_loss": [2.4, 1.1, 0.7]})
>>> plot
Plot(1440 x 840 pixels; 6 rows of series, x, y)
"""

from typing import TYPE_CHECKING

from core.plots.cells import confusion_matrix, heat_map
from core.plots.charts import bar_chart, histogram, line_chart, scatter_plot
from core.plots.distributions import layer, value_distribution
from core.plots.live import LiveHistory, fit_callbacks
from core.plots.plot import Plot
from core.plots.scores import (
    ClassAccuracies,
    accuracy,
    confusion_matrix_values,
    per_class_accuracy_values,
)
from core.plots.tables import model_summary, table
from core.plots.training import history, per_class_accuracy
from weights_cache.common.similar_names import missing_from

__all__ = [
    "ClassAccuracies",
    "LiveHistory",
    "Plot",
    "accuracy",
    "bar_chart",
    "confusion_matrix",
    "confusion_matrix_values",
    "fit_callbacks",
    "heat_map",
    "histogram",
    "history",
    "layer",
    "line_chart",
    "model_summary",
    "per_class_accuracy",
    "per_class_accuracy_values",
    "scatter_plot",
    "table",
    "value_distribution",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)
