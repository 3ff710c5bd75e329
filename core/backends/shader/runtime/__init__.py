"""OpenGL's objects: the context and its thread, memory, programs, and reading results back."""
