"""Graphs as ONNX files."""

from core.converter.onnx_writer.protos import ModelFacts
from core.converter.onnx_writer.writing import ENDING, OnnxFile, write_onnx

__all__ = ["ENDING", "ModelFacts", "OnnxFile", "write_onnx"]
