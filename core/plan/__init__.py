"""The compiler of inference plans: a graph for known shapes, made small, ordered and placed."""
