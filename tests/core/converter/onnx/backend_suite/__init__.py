"""ONNX's own backend suite, in a process of its own: ``python -m`` this package."""
