"""Random damage to files of every form, which are used under strict limits in child processes.

``python -m tests.reliability.fuzz --count 30000 --seed 47 --workers 2`` is the whole sweep;
``python -m tests.reliability.fuzz --format h5 --first 17 --count 1`` repeats one case.
"""
