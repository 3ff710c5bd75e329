"""How the cpu backend runs plans: every node becomes calls of NumPy that are bound to buffers."""
