"""ONNX files as graphs."""

from core.converter.onnx.reader import read_onnx

__all__ = ["read_onnx"]
