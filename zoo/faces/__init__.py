"""Faces: where they are, their points, expressions, age and gender."""
