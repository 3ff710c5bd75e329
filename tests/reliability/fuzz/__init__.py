"""Random damage to files of every format, loaded and run under strict limits in child processes.

``python -m tests.reliability.fuzz --count 100000 --seed 1 --workers 2`` is the whole sweep;
``python -m tests.reliability.fuzz --format h5 --first 17 --count 1`` repeats one case.
"""
