"""Generated kernels for the steps of each family of ops; one file for each family."""
