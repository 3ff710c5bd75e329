"""Runs programs: each step is recorded once, and replayed with bound objects."""
