"""Loads spoiled files of one format; prints what came of it as a line of JSON."""

import argparse
import gc
import json
import math
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from core.converter import load_model
from core.graph.model import GraphModel
from tests.core.converter.fuzz import documents
from tests.core.converter.fuzz.damage import spoil
from tests.core.converter.fuzz.files import FORMATS, write_model
from weights_cache.errors import ZooError

#: What loading may take: this, and so many times the bytes of the files; what running may take.
ROOM, ROOM_PER_BYTE, ROOM_TO_RUN = 64 * 2**20, 20, 2**30
#: How long one case may take.
SECONDS = 20
#: Pages of this process.
STATM = Path("/proc/self/statm")


#: What the whole files give for a picture of 0.5: Keras's, TensorFlow's and LiteRT's results.
LAYERS_SCORES, GRAPH_SCORES = (0.00196, 0.34863, 0.64941), (0.09964, 0.26060, 0.63976)
SCORES = {
    **dict.fromkeys(("layers", "teachable", "h5", "keras"), LAYERS_SCORES),
    **dict.fromkeys(("graph", "frozen", "saved"), GRAPH_SCORES),
    "tflite": (-4.19700, 0.98235, 1.60462),
}


class TooSlowError(BaseException):
    """A case took too long; nothing catches it on the way."""


class TooMuchError(Exception):
    """A case took more memory than its files justify."""


def main(kind: str, seed: int, first: int, cases: int) -> dict[str, Any]:
    """Spoil and load, case by case; stop at nothing but a crash of the process."""
    signal.signal(signal.SIGALRM, _too_slow)
    counts: Counter[str] = Counter()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        whole = check_whole(kind, Path(folder) / "whole")
        gc.collect()
        gc.freeze()  # else each case would search all modules for its garbage
        for case in range(first, first + cases):
            print(f"case {case}", file=sys.stderr, flush=True)
            try:
                copy = shutil.copytree(Path(folder) / "whole", Path(folder) / str(case))
                path = copy / whole.relative_to(Path(folder) / "whole")
                counts[try_case(path, np.random.default_rng([seed, case]))] += 1
            except (Exception, TooSlowError) as error:
                problems.append({"case": case, "error": _told(error)})
            finally:
                signal.alarm(0)
                shutil.rmtree(Path(folder) / str(case), ignore_errors=True)
    return {"kind": kind, "counts": counts, "problems": problems}


def check_whole(kind: str, folder: Path) -> Path:
    """The file as it was loads, and gives what the format's own runtime gives."""
    folder.mkdir()
    path = write_model(kind, folder)
    scores = predicted(load_model(path))
    # The weights of the web graph are quantised, which the other two are not.
    tolerance = 0.02 if kind == "graph" else 1e-4
    np.testing.assert_allclose(scores, [SCORES[kind]], rtol=0, atol=tolerance)
    return path


def predicted(model: GraphModel) -> np.ndarray:
    """The output for a grey picture, or for less where the file says so."""
    given = {
        name: np.full([n or 1 for n in spec.shape or (1, documents.SIDE, documents.SIDE, 3)], 0.5)
        for name, spec in model.inputs.items()
        if math.prod(n or 1 for n in spec.shape or ()) < 1e6
    }
    found = [value.numpy() for value in model.predict(given).values()]
    return found[-1] if found else np.empty(0)


def try_case(path: Path, rng: np.random.Generator) -> str:
    """Spoil a model, load it, run it if that went well; what came of it."""
    spoil(path, documents.weights(np.random.default_rng(20261121)), rng)
    files = path.rglob("*") if path.is_dir() else path.parent.iterdir()
    held = sum(f.stat().st_size for f in files if f.is_file())
    gc.collect()
    signal.alarm(SECONDS)
    try:
        with room(ROOM + ROOM_PER_BYTE * held):
            model = load_model(path)
    except ZooError as error:
        if any(isinstance(e, MemoryError) for e in _chain(error)):
            raise TooMuchError(f"more than {ROOM} + {ROOM_PER_BYTE} * {held} bytes") from error
        assert 0 < len(str(error)) < 5000, len(str(error))
        return "refused"
    try:
        with room(ROOM_TO_RUN):
            predicted(model)
    except ZooError:
        return "loaded, refused to run"
    return "ran"


@contextmanager
def room(size: int) -> Iterator[None]:
    """Let the process take so many bytes more; what asks for more gets a MemoryError."""
    if not STATM.exists():  # not Linux
        yield
        return
    pages = int(STATM.read_text().split()[0])
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS, (pages * resource.getpagesize() + size, resource.RLIM_INFINITY)
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _too_slow(*_: object) -> None:
    raise TooSlowError(f"more than {SECONDS} s")


def _told(error: BaseException) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error!s:.300} ({place.filename}:{place.lineno})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=FORMATS)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=200)
    print(json.dumps(main(**vars(parser.parse_args()))))
