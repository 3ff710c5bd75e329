"""The 214 hand-made hostile files of the trial: a function writes each into an empty folder.

``python -m tests.reliability.hostile --mode plan`` loads and runs all of them, each in a process of
its own; modes are plan, eager and shader.
"""
