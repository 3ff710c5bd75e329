"""One case: a damaged file, loaded, run, sometimes converted and inspected, and what came of it."""

import shutil
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import core
import zoo
from core.converter import convert, inspect_model
from core.engine.dtypes import DTYPES
from core.graph.nodes import PartialSpec
from tests.reliability.fuzz.bases import FORMATS, Base, bases
from tests.reliability.fuzz.mutations import mutated
from tests.reliability.fuzz.planted import planted
from tests.rules.sources import PACKAGES, ROOT
from weights_cache import ZooError, load_weights
from zoo.pipeline.loaded_model import LoadedModel
from zoo.tasks.classification.file_classifier import FileClassifier
from zoo.tasks.classification.ml5 import Ml5Classifier, Ml5Model

#: A case is too slow beyond so many seconds, both of the CPU and of the clock: a busy machine
#: makes neither of them longer at once.
SECONDS = 10.0
#: What a case may take beside what the process had at its start.
MOST_BYTES = 2**30
#: Of models that load, so many in a hundred are also converted and inspected.
CONVERTED = 12
#: Lengths for those that a model leaves open.
LENGTHS = (1, 1, 2, 5)
#: Shapes for inputs of any rank.
SHAPES: tuple[tuple[int | None, ...], ...] = ((), (2,), (2, 3), (1, 8, 8, 3))

#: Values of an input that a caller may have.
_MOST_FED = 2**24

#: Outcomes that are right.
REFUSED, LOADED, RAN = "refused", "loaded, run refused", "ran"
#: Outcomes that are faults; the parent adds that of a process that ends or hangs.
FOREIGN, SLOW, FAT = "FOREIGN", "SLOW", "FAT"
FAULTS = (FOREIGN, SLOW, FAT, "CRASH", "HUNG")


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
    kind, told = outcome(planted(case) or LOADERS.get(format, _load), path, rng)
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


def outcome(load: Callable[[Path], Any], path: Path, rng: np.random.Generator) -> tuple[str, str]:
    """What using a file comes to, under strict limits, and the error."""

    def use(step: Callable[[str], None]) -> None:
        loaded = load(path)
        if isinstance(loaded, LoadedModel):
            step(LOADED)
            if rng.integers(100) < CONVERTED:
                _convert(path)
            run(loaded, rng)

    with core.limits(core.Limits.strict()):
        return outcome_of(use)


def outcome_of(use: Callable[[Callable[[str], None]], None]) -> tuple[str, str]:
    """What a function comes to.

    Args:
        use: is given a function that it calls with what an error of ours means from then on.
    """
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


def _load(path: Path) -> Any:
    return zoo.load(str(path))


LOADERS: Mapping[str, Callable[[Path], Any]] = {
    "weights": load_weights,
    "gestures": zoo.GestureRecognizer.load,
}


def run(model: Any, rng: np.random.Generator) -> None:
    """Run a model once with zeros, ones or random values of the shapes that it declares."""
    how = ("zeros", "ones", "random")[int(rng.integers(3))]
    length = LENGTHS[int(rng.integers(len(LENGTHS)))]
    if isinstance(model, Ml5Model):
        values = [value.choices[0] if value.choices else 0.5 for value in model.meta.inputs]
        model.classify(values) if isinstance(model, Ml5Classifier) else model.predict(values)
    else:
        model.predict({n: fed(spec, how, length, rng) for n, spec in model.inputs.items()})
    if isinstance(model, FileClassifier):
        model.classify(np.zeros((9, 11, 3), np.uint8))


def fed(spec: PartialSpec, how: str, length: int, rng: np.random.Generator) -> np.ndarray:
    """An input of the declared shape; a single value where that is too large for a caller's."""
    shape = SHAPES[int(rng.integers(len(SHAPES)))] if spec.shape is None else spec.shape
    lengths = tuple(length if n is None else n for n in shape)
    count = float(np.prod([float(n) for n in lengths]))
    one = np.zeros if how == "zeros" else np.ones
    dtype = DTYPES[spec.dtype]
    if how == "random" and count < 1e6 and spec.dtype != "string":
        return (rng.normal(size=lengths) * 3).astype(dtype)
    lengths = () if count > _MOST_FED else lengths
    value = np.array(b"owl", object) if spec.dtype == "string" else one((), dtype)
    try:
        return np.broadcast_to(value, lengths)
    except ValueError:  # no array can have that shape
        return value


def _convert(path: Path) -> None:
    """The file is converted, read again, and what a conversion loses is measured."""
    target = path.parent / "converted"
    convert(path, target, optimise=True)
    zoo.load(str(target))
    inspect_model(path, measure=True)


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
