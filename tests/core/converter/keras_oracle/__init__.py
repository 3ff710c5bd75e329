"""Keras beside our reading of its files. ``python -m tests.core.converter.keras_oracle FOLDER``."""
