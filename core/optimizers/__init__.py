"""Optimizers with Keras 3's names, arguments and formulas: ``core.optimizers.Adam(0.001)``.

>>> import core
>>> w, b = core.variable(0.0), core.variable(0.0)
>>> x = core.tensor([0.0, 1.0, 2.0])
>>> optimizer = core.optimizers.SGD(0.1, momentum=0.5)
>>> for _ in range(100):
...     optimizer.minimize(lambda: core.mean(core.square(w * x + b - (2.0 * x + 1.0))))
>>> print(f"{w:.3f} {b:.3f}")
2.000 1.000

All take the arguments of `KerasOptions`: decay of weights, clipped gradients, moving averages,
accumulated gradients. `core.optimizers.schedules` has learning rates that change with the steps.
`core.train` has TensorFlow.js's optimizers, and says where these differ.
"""

from typing import TYPE_CHECKING

from core.optimizers import schedules
from core.optimizers.adafactor import Adafactor
from core.optimizers.adam import Adam, Adamax, AdamW, Nadam
from core.optimizers.adaptive import Adadelta, Adagrad, RMSprop
from core.optimizers.base import Optimizer
from core.optimizers.ftrl import Ftrl
from core.optimizers.identifiers import OptimizerLike, get
from core.optimizers.keras_optimizer import KerasOptimizer
from core.optimizers.momentum import SGD, Lion
from core.optimizers.options import KerasOptions
from core.optimizers.state_lists import layout_of
from weights_cache.common.similar_names import missing_from

__all__ = [
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "KerasOptimizer",
    "KerasOptions",
    "Lion",
    "Nadam",
    "Optimizer",
    "OptimizerLike",
    "RMSprop",
    "get",
    "layout_of",
    "schedules",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)
