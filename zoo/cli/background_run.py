"""The process that `next_run` starts: it runs a command once more, by kernels that it compiles."""

import json
import os
import sys
from contextlib import suppress

import numpy as np

import core
from weights_cache.common.providers import found_at
from zoo.cli.commands import make_parser

with suppress(ImportError):  # Windows
    import resource

#: Seconds of computing after which the process is ended, and its niceness.
_MOST_SECONDS, _NICENESS = 300, 10


def main() -> None:
    """Do with the pixels of standard input what a command does, but for printing and files.

    Its words are the first line, in JSON. The arguments have the function in their ``work``.
    """
    if hasattr(os, "nice"):
        resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
        os.nice(_NICENESS)
    words = json.loads(sys.stdin.buffer.readline())
    pixels = np.load(sys.stdin.buffer, allow_pickle=False)
    core.set_tier(2)
    given = make_parser(words[0]).parse_args(words)
    found_at(given.work)(given, pixels)
