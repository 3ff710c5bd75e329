"""Honest scores of what was learnt, as numbers, text and sheets."""
