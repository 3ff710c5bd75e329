"""Generators of fragment shaders that make whole texels: four neighbouring values at once.

A fragment shader has no shared memory. To read values fewer times, one invocation makes several
values: four along the last axis, and as many rows or pixels as there are render targets, which
share the values read of the right factor or the filter.
"""
