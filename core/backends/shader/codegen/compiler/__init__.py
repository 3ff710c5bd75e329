"""Compilation of dispatches to GLSL: coordinates become indices into buffers or textures."""
