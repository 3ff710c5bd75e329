"""How the steps of each family of ops become generated kernels; one file for each family."""
