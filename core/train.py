"""TensorFlow.js's optimizers by its name for them: ``core.train.adam(0.001)``.

They are in `core.optimizers.tfjs`, whose documentation says what differs from Keras's.
"""

from typing import TYPE_CHECKING

from core.optimizers.tfjs import *  # noqa: F403
from core.optimizers.tfjs import CLASSES as CLASSES
from core.optimizers.tfjs import __all__ as __all__
from weights_cache.common.similar_names import missing_from

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)
