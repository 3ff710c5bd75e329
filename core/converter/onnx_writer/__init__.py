"""Graphs as ONNX files."""

from core.converter.onnx_writer.conversion import (
    convert_to_onnx,
    is_onnx,
    labelled_facts,
    names_literal,
)
from core.converter.onnx_writer.protos import ModelFacts
from core.converter.onnx_writer.writing import ENDING, OnnxFile, write_onnx

__all__ = [
    "ENDING",
    "ModelFacts",
    "OnnxFile",
    "convert_to_onnx",
    "is_onnx",
    "labelled_facts",
    "names_literal",
    "write_onnx",
]
