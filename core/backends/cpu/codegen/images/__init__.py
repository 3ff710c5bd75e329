"""Kernels around the networks of images: resampling before them, masks and fields after them.

They are part of the engine because they are generated, cached and run as all other kernels are.
"""
