"""Helpers of all three packages: errors, messages, similar names, sizes, dependencies."""
