"""TensorFlow.js optimizers by their names there: ``core.train.adam(0.001)``."""

from core.optimizers.tfjs import *  # noqa: F403
