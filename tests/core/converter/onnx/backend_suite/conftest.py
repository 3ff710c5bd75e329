"""Keeps the package onnx out of the suite's own process: nothing in this folder is collected."""

collect_ignore_glob = ["*.py"]
