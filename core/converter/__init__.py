"""Readers of model files, and the writer of the web format: paths in, graphs out."""
