"""TensorFlow.js's optimizers by its name for them: ``core.train.adam(0.001)``.

They are in `core.optimizers.tfjs`, whose documentation says what differs from Keras's.
"""

from core.optimizers.tfjs import *  # noqa: F403
from core.optimizers.tfjs import CLASSES as CLASSES
from core.optimizers.tfjs import __all__ as __all__
