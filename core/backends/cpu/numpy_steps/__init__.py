"""Plans on the cpu backend: each step becomes NumPy calls that are bound to buffers."""
