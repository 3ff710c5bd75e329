"""The built-in layers: a file for each family, a class for each layer."""
