"""One case: a damaged file, loaded, run, sometimes converted and inspected, and what came of it."""

import shutil
import time
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import core
from tests.reliability.fuzz.bases import FORMATS, Base, bases
from tests.reliability.fuzz.mutations import mutated
from tests.reliability.fuzz.planted import planted
from tests.reliability.fuzz.uses import Use
from tests.rules.sources import PACKAGES, ROOT
from weights_cache import ZooError

#: A case is too slow beyond so many seconds, both of the CPU and of the clock: a busy machine
#: makes neither of them longer at once.
SECONDS = 10.0
#: What a case may take beside what the process had at its start.
MOST_BYTES = 2**30

#: Outcomes that are right.
REFUSED, LOADED, RAN = "refused", "loaded, run refused", "ran"
#: Outcomes that are faults; the parent adds that of a process that ends or hangs.
FOREIGN, SLOW, FAT = "FOREIGN", "SLOW", "FAT"
FAULTS = (FOREIGN, SLOW, FAT, "CRASH", "HUNG")

#: Warnings that are not meant for who loads a file: NumPy's and Python's own, of code in the file.
FOREIGN_WARNINGS = (RuntimeWarning, DeprecationWarning, FutureWarning, SyntaxWarning)


class Outcome(NamedTuple):
    """What came of one case.

    Attributes:
        kind: one of those above.
        told: the error, with its traceback where it is a fault.
        base: name of the file before it was damaged.
        cpu: seconds of the CPU.
        grown: bytes by which the process's largest memory rose.
    """

    kind: str
    told: str
    base: str
    cpu: float
    grown: int


def run_case(format: str, seed: int, case: int, folder: Path, start: int) -> Outcome:
    """Damage, load, run.

    Args:
        format: a key of `FORMATS`.
        seed: of the sweep.
        case: its number in the sweep.
        folder: an empty one for it.
        start: bytes that the process took when it started.
    """
    base, rng = _damaged_base(format, seed, case)
    path = base.write(folder)
    clock, cpu, before = time.monotonic(), time.process_time(), largest_memory()
    kind, told = outcome(planted(case) or FORMATS[format].use, path, rng)
    shutil.rmtree(folder, ignore_errors=True)
    cpu, clock = time.process_time() - cpu, time.monotonic() - clock
    grown = largest_memory() - before
    if kind != FOREIGN:
        if min(cpu, clock) > SECONDS:
            kind, told = SLOW, f"{cpu:.1f} s of the CPU; {kind}: {told}"
        elif kind != FAT and is_fat(start):
            kind, told = FAT, f"{grown / 2**20:.0f} MiB more; {kind}: {told}"
    return Outcome(kind, told, base.name, cpu, grown)


def damaged_base(format: str, seed: int, case: int) -> Base:
    """The damaged files of a case."""
    return _damaged_base(format, seed, case)[0]


def _damaged_base(format: str, seed: int, case: int) -> tuple[Base, np.random.Generator]:
    rng = np.random.default_rng([seed, list(FORMATS).index(format), case])
    every = bases(format)
    base, other = (every[int(rng.integers(len(every)))] for _ in "ab")
    return mutated(base, [other], rng), rng


def is_fat(start: int) -> bool:
    """Whether the process took more memory than is allowed since it started."""
    return largest_memory() - start > MOST_BYTES


def largest_memory() -> int:
    """The most bytes that this process took so far."""
    with open("/proc/self/status") as lines:  # that of ``resource`` begins with the parent's
        peak = next(line for line in lines if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * 1024


def outcome(use: Use, path: Path, rng: np.random.Generator) -> tuple[str, str]:
    """What using a file comes to, under strict limits, and the error."""
    with core.limits(core.Limits.strict()):
        return outcome_of(lambda step: use(path, partial(step, LOADED), rng))


def outcome_of(use: Callable[[Callable[[str], None]], None]) -> tuple[str, str]:
    """What a function comes to.

    Args:
        use: is given a function that it calls with what an error of ours means from then on.
    """
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = _error_of(use)
    for each in warned:
        if issubclass(each.category, FOREIGN_WARNINGS):
            place = f"{each.filename}:{each.lineno}"
            return FOREIGN, f"{each.category.__name__} at {place}: {each.message}"
    return found


def _error_of(use: Callable[[Callable[[str], None]], None]) -> tuple[str, str]:
    kind = [REFUSED]
    try:
        use(kind.append)
        return RAN, ""
    except ZooError as error:
        if _was_out_of_memory(error):
            return FAT, f"MemoryError: {_traced(error)}"
        if not 0 < len(str(error)) < 5000:
            return FOREIGN, f"a message of {len(str(error))} characters: {_traced(error)}"
        return kind[-1], f"{type(error).__name__}: {str(error)[:300]}"
    except Exception as error:
        return FOREIGN, _traced(error)


def _was_out_of_memory(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _traced(error: BaseException) -> str:
    """The kind of error and its place in the packages, in the first line; then the traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(tuple(f"{ROOT / p}" for p in PACKAGES))]
    place = f"{Path(ours[-1].filename).relative_to(ROOT)}:{ours[-1].lineno}" if ours else "tests"
    trace = "".join(traceback.format_exception(error))[-3000:]
    return f"{type(error).__name__} at {place}\n{trace}"
