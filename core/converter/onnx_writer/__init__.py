"""Graphs as ONNX files."""

from core.converter.onnx_writer.conversion import convert_to_onnx, is_onnx
from core.converter.onnx_writer.protos import ModelFacts
from core.converter.onnx_writer.writing import OnnxFile, write_onnx

__all__ = [
    "ModelFacts",
    "OnnxFile",
    "convert_to_onnx",
    "is_onnx",
    "write_onnx",
]
