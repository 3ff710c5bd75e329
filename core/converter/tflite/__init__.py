"""The reader of TFLite models (`read_tflite`); it needs NumPy alone."""

from core.converter.tflite.reader import read_tflite

__all__ = ["read_tflite"]
