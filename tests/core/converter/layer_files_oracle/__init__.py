"""Keras and our files of its models.

``python -m tests.core.converter.layer_files_oracle FOLDER``
"""
