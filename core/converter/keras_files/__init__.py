"""Reader of Keras files: `read_keras`."""

from core.converter.keras_files.models import read_keras

__all__ = ["read_keras"]
