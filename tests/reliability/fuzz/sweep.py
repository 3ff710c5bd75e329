"""The parent: shares cases out among child processes, and ends those that hang."""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.helpers import ROOT

#: Cases that a process takes at once.
CHUNK = 1000
#: A process without an answer for so long is ended: long, as others may keep the machine busy.
SECONDS_TO_HANG = 180.0
SECONDS_TO_START = 300.0
#: How much of a fault's traceback and of a process's stderr a report keeps.
_KEPT = 3000


@dataclass
class Report:
    """What came of all cases of one format."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, Any]] = field(default_factory=list)
    cpu: float = 0.0
    slowest: float = 0.0
    largest: int = 0

    def add(self, format: str, case: int, kind: str, told: str, *measured: Any) -> None:
        """One case."""
        self.counts[kind] += 1
        base, cpu, grown = measured or ("", 0.0, 0)
        self.cpu += cpu
        self.slowest, self.largest = max(self.slowest, cpu), max(self.largest, grown)
        if kind.isupper():
            self.faults.append(
                {
                    "format": format,
                    "case": case,
                    "kind": kind,
                    "base": base,
                    "cpu": round(cpu, 2),
                    "grown": grown,
                    "told": told,
                }
            )


Chunk = tuple[str, int, int, int]  # format, seed, first case, how many


def seconds_to_hang(case: int | None) -> float:
    """How long a process may take from one answer to the next, in the middle of a case or not."""
    return SECONDS_TO_HANG


def sweep(
    formats: Sequence[str],
    count: int,
    seed: int,
    *,
    first: int = 0,
    workers: int = 1,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Report]:
    """Run cases of some formats; the same whatever the number of processes.

    Args:
        formats: keys of `FORMATS`.
        count: cases of all formats together, in equal shares.
        seed: of all random numbers.
        first: number of the first case.
        workers: processes at the same time.
        tell: is given a line now and then.
    """
    share = -(-count // len(formats))
    chunks = deque(
        (format, seed, start, min(CHUNK, first + share - start))
        for format in formats
        for start in range(first, first + share, CHUNK)
    )
    reports = {format: Report() for format in formats}
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            _work_off(chunks, reports, lock, tell)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return reports


def _work_off(
    chunks: deque[Chunk], reports: dict[str, Report], lock: threading.Lock, tell: Any
) -> None:
    while True:
        with lock:
            if not chunks:
                return
            chunk = chunks.popleft()
        format, seed, start, count = chunk
        found = list(_chunk(chunk))
        with lock:
            for case, kind, *more in found:
                reports[format].add(format, case, kind, *more)
            counts = dict(reports[format].counts)
            tell(f"{format} {start + count}: {counts}; {len(chunks)} chunks are left")


def _chunk(chunk: Chunk) -> Iterable[list[Any]]:
    """The outcome of each case; a process that ends in the middle is replaced."""
    format, seed, start, count = chunk
    end = start + count
    while start < end:
        child = Child()
        try:
            child.ask(format, seed, start, end - start)
            for answer in child.answers():
                start = answer[0] + 1
                yield answer
        finally:
            child.close()


class Child:
    """A process of `tests.reliability.fuzz.worker`."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="zoo-fuzz-")
        environment = {"CORE_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment |= os.environ | {"TMPDIR": self._folder, "ZOO_OFFLINE": "1"}
        environment |= {"ZOO_CODE_CACHE": "0", "ZOO_WEIGHTS_CACHE": f"{self._folder}/cache"}
        self._errors = open(Path(self._folder) / "stderr", "w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.fuzz.worker"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def ask(self, *chunk: Any) -> None:
        """Let it begin."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(chunk) + "\n")
        self._process.stdin.flush()

    def answers(self) -> Iterable[list[Any]]:
        """The case and what came of it, of each one; up to one that ended the process."""
        case, seconds = None, SECONDS_TO_START
        while True:
            try:
                line = self._lines.get(timeout=seconds)
            except queue.Empty:
                self._process.kill()
                yield [case, "HUNG", self._told()]
                return
            if not line:
                yield from self._ended(case)
                return
            what, *rest = json.loads(line)
            if what == "done":
                return
            case = rest[0] if what == "begin" else None
            seconds = seconds_to_hang(case)
            if what == "end":
                yield rest

    def _ended(self, case: int | None) -> Iterable[list[Any]]:
        status = self._process.wait()
        if case is None and status == 0:
            return  # after one that took too much memory
        if case is None:
            raise RuntimeError(f"a process ended with {status}: {self._told()}")
        yield [case, "CRASH", f"status {status}: {self._told()}"]

    def _told(self) -> str:
        self._errors.flush()
        return Path(self._errors.name).read_text(errors="replace")[-_KEPT:]

    def close(self) -> None:
        """End it, and remove what it left."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()
        shutil.rmtree(self._folder, ignore_errors=True)
