"""Reader of TFLite models (`read_tflite`), which needs only NumPy."""

from core.converter.tflite.reader import read_tflite

__all__ = ["read_tflite"]
