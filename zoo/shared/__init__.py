"""Decoding of outputs that two or more tasks share, with NumPy alone."""
