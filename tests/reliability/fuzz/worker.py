"""The child process: takes chunks of cases from stdin, one line each, and answers in lines.

Each line that it writes is a JSON list: ``["ready"]`` first, ``["begin", case]`` before a case,
``["end", case, outcome...]`` after it, and ``["done"]`` after a chunk.
"""

import faulthandler
import gc
import json
import logging
import os
import resource
import sys
import tempfile
import warnings
from pathlib import Path

from tests.reliability.fuzz.bases import bases
from tests.reliability.fuzz.cases import is_fat, largest_memory, run_case

#: Beyond so much memory the kernel refuses: a net for faults, far above what is allowed.
ADDRESS_SPACE = 6 * 2**30
#: After so long the stack of a case that hangs is written to stderr.
SECONDS_TO_DUMP = 150


def main() -> None:
    """Work until stdin ends, or after a case that took too much memory."""
    warnings.simplefilter("ignore")
    logging.disable()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = Path(tempfile.mkdtemp(prefix="zoo-fuzz-"))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a case prints is no answer
    start = 0
    for line in sys.stdin:
        format, seed, first, count = json.loads(line)
        if not start:
            bases(format)
            gc.collect()
            gc.freeze()  # else each case would search all modules for its garbage
            start = largest_memory()
        _say(answers, "ready")
        for case in range(first, first + count):
            _say(answers, "begin", case)
            faulthandler.dump_traceback_later(SECONDS_TO_DUMP)
            found = run_case(format, seed, case, folder / str(case), start)
            faulthandler.cancel_dump_traceback_later()
            _say(answers, "end", case, *found)
            if is_fat(start):
                return  # its largest memory would count for the next ones
        _say(answers, "done")


def _say(answers: "os.PathLike[str] | object", *items: object) -> None:
    print(json.dumps(items), file=answers, flush=True)  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
