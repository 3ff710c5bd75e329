"""Translations of ops, a file per family; each holds a table ``RULES``, by name of op."""
