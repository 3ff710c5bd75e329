"""Source generators of the compute kernels that take most time: products of matrices and similar.

A generator is a pure function of shapes and limits. It writes the GLSL between declarations and
epilogue, which the compiler adds (see `tile_source`).
"""
