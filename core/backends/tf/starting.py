"""Importing TensorFlow, when the backend is first used."""

from functools import cache
from typing import Any

from core.errors import CoreError

#: The oldest version that works with NumPy 2.
OLDEST = (2, 18)


class TensorFlowError(CoreError):
    """TensorFlow is missing, too old, or cannot run in this process."""


@cache
def load_tensorflow() -> Any:
    """Return the module ``tensorflow``, set up for the backend.

    Raises:
        TensorFlowError: it cannot be used, and why.
    """
    try:
        import tensorflow as tf
    except ImportError as error:
        raise TensorFlowError(
            "the tf backend needs TensorFlow: pip install 'friendly-zoo[tf]'"
        ) from error
    return tf
