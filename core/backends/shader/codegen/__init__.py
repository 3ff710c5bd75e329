"""Writes GLSL: the language of kernels, their compiler, and generators of tiles and drawings."""
