"""OpenGL objects: the context and its thread, memory, programs, and readback of results."""
