"""Random damage to model files of every kind, loaded in a process of its own.

``python -m tests.core.converter.fuzz FORMAT --first 17 --cases 1`` repeats one case.
"""
