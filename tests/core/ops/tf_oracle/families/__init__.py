"""Comparisons by family of kernels. These modules import TensorFlow, so only the oracle loads them.

Each has ``COMPARISONS``, and ``NOT_COMPARED`` (kernel → reason) for what cannot be compared.
"""
