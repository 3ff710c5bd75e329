"""Networks of PyTorch and their exports."""
