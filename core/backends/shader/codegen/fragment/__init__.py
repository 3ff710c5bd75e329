"""Generators of fragment shaders that make whole texels: four neighbouring values at once.

A fragment shader has no shared memory. What is read twice is saved by making several values in one
invocation: four along the last axis, and as many rows or pixels as there are render targets, which
share what they read of the right factor or the filter.
"""
