"""Generation of GLSL: the language of kernels, its compiler, and generators of programs."""
