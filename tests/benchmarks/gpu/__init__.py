"""Our shader backend beside PyTorch on one GPU: ``python -m tests.benchmarks.gpu --help``."""
