"""The thread team of generated code, a native program of its own."""
