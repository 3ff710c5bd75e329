"""Loads and runs one file in a child process, and measures that."""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.reliability.fuzz.cases import MOST_BYTES, RAN, SECONDS, outcome_of
from tests.reliability.fuzz.uses import fed
from tests.reliability.hostile.table import File

MODES = ("plan", "eager", "shader")

#: Beyond so much memory the kernel refuses, and after so long a child is ended: nets for faults,
#: the second one long, as others may keep the machine busy.
ADDRESS_SPACE = 8 * 2**30
SECONDS_TO_HANG = 180.0


class Trial(NamedTuple):
    """What came of one file.

    Attributes:
        group: of the file.
        name: of the file.
        kind: as of `tests.reliability.fuzz.cases.Outcome`, or "LEFT" for files it left or changed.
        told: the error.
        cpu: seconds of the CPU beyond those that a harmless model takes.
        grown: bytes beyond those that a harmless model takes.
    """

    group: str
    name: str
    kind: str
    told: str
    cpu: float
    grown: int


class Cost(NamedTuple):
    """What a child took."""

    cpu: float = 0.0
    most: int = 0


def trials(mode: str, files: Iterable[tuple[str, str, File]]) -> Iterator[Trial]:
    """Each file in turn. This process must have no thread: its children are forks.

    Args:
        mode: how models run: by plans, op by op, or on the shader backend.
        files: (group, name, file).
    """
    with tempfile.TemporaryDirectory(prefix="zoo-hostile-") as top:
        kind, told, harmless = _tried(mode, File(_harmless), Path(top) / "harmless", Cost())
        if kind != RAN:
            raise RuntimeError(f"a harmless model: {kind}: {told}")
        for number, (group, name, file) in enumerate(files):
            kind, told, cost = _tried(mode, file, Path(top) / str(number), harmless)
            cpu, grown = cost.cpu - harmless.cpu, cost.most - harmless.most
            yield Trial(group, name, kind, told, round(max(cpu, 0), 2), max(grown, 0))


def _harmless(folder: Path) -> Path:
    from tests.core.converter.fuzz.files import write_model

    return write_model("layers", folder)


def _tried(mode: str, file: File, top: Path, harmless: Cost) -> tuple[str, str, Cost]:
    folder, temporary = top / "model", top / "temporary"
    folder.mkdir(parents=True)
    temporary.mkdir()
    try:
        _, status = _forked(lambda: str(file.write(folder).relative_to(folder)), top / "path")
        if status:
            raise RuntimeError(f"the file could not be written: status {status}")
        path = folder / json.loads((top / "path").read_text())
        before = _listed(top)
        cost, status = _forked(lambda: _used(mode, path, file, temporary), top / "told")
        kind, told = _judged(top / "told", status)
        if kind != "HUNG" and _listed(top) - {"told"} != before:
            return "LEFT", f"{sorted(_listed(top) ^ before)}; {kind}: {told}", cost
        if kind.islower() and cost.cpu - harmless.cpu > SECONDS:
            return "SLOW", f"{kind}: {told}", cost
        if kind.islower() and harmless.most and cost.most - harmless.most > MOST_BYTES:
            return "FAT", f"{kind}: {told}", cost
        return kind, told, cost
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _listed(top: Path) -> set[str]:
    return {
        os.path.relpath(os.path.join(place, name), top)
        for place, folders, names in os.walk(top)
        for name in folders + names
    }


def _used(mode: str, path: Path, file: File, temporary: Path) -> tuple[str, str]:
    """In the child: load it and run it twice."""
    import resource  # not on Windows

    import core
    import zoo

    os.chdir(path if path.is_dir() else path.parent)
    tempfile.tempdir = str(temporary)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")

    def use(step: Callable[[str], None]) -> None:
        model = zoo.load(str(path), backend="shader" if mode == "shader" else "cpu")
        step("loaded, run refused")
        rng = np.random.default_rng(1)
        feeds = file.feeds
        if feeds is None:
            feeds = {n: fed(spec, "zeros", 1, rng) for n, spec in model.inputs.items()}
        for _ in range(2):
            with _watched(mode):
                results = model.predict(dict(feeds))
            for value in results.values():
                value.numpy()

    with core.limits(core.Limits.strict()):
        return outcome_of(use)


@contextmanager
def _watched(mode: str) -> Iterator[None]:
    """While something looks on, models run op by op."""
    from core.engine.observers import Observer, observing

    if mode != "eager":
        yield
        return
    with observing(Observer()):
        yield


def _forked(work: Callable[[], Any], answer: Path) -> tuple[Cost, int]:
    """Run a function in a child, which writes what it returns into a file; its cost and status."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setsid()
            answer.write_text(json.dumps(work()))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    ends = time.monotonic() + SECONDS_TO_HANG
    while True:
        found, status, used = os.wait4(child, os.WNOHANG)
        if found:
            break
        if time.monotonic() > ends:
            os.kill(child, signal.SIGKILL)
            _, status, used = os.wait4(child, 0)
            break
        time.sleep(0.003)
    cost = Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
    return cost, os.waitstatus_to_exitcode(status)


def _judged(answer: Path, status: int) -> tuple[str, str]:
    if status == 0:
        kind, told = json.loads(answer.read_text())
        return kind, told
    if status == -signal.SIGKILL:
        return "HUNG", f"ended after {SECONDS_TO_HANG:.0f} s, or out of memory"
    return "CRASH", f"status {status}"
