"""Regular expressions and hashes for the kernels of strings."""
