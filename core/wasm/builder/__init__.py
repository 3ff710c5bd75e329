"""Modules, built by Python: types on the stack are checked while instructions are added."""
