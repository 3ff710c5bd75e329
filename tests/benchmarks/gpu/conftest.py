"""Programs that need PyTorch when they are imported: nothing in this folder is collected."""

collect_ignore_glob = ["*.py"]
