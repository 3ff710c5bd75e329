"""The profiler of ops and its tables."""
