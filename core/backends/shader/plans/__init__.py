"""Runs programs: every step is recorded once, and replayed with its objects at hand."""
