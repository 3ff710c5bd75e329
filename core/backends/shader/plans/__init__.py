"""Plans on the shader backend: each step is recorded once, and replayed with bound objects."""
