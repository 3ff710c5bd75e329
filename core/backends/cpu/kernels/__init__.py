"""Kernels in NumPy, a file per family of ops, named as in `core.ops`."""
