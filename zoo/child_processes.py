"""Child processes of Python: see `weights_cache.child_processes`."""

from weights_cache.child_processes import import_folders, python_command, python_environment

__all__ = ["import_folders", "python_command", "python_environment"]
