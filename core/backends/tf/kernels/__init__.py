"""Kernels of TensorFlow's raw ops, a file per family of ops, named as in `core.ops`."""
