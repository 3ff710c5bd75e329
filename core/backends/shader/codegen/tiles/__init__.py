"""Source generators of the compute kernels that take the time: products of matrices and their kin.

A generator is a pure function of shapes and limits. It writes GLSL between declarations and
epilogue, which are the compiler's (see `source`).
"""
