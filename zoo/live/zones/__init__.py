"""Counting by ids: lines that are crossed, areas and the time in them, trails."""
