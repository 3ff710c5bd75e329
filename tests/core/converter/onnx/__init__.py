"""Tests of the reader of ONNX files."""
