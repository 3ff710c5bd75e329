"""Functions compiled to plans: `core.compile`."""
