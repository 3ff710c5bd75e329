"""Worker processes on this computer."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeVar

from weights_cache.child_processes import python_command, python_environment
from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.interruptions import pass_interruption
from zoo.jobs.channels import Channel
from zoo.jobs.work import Errand, Order
from zoo.jobs.worker_process import Failed, Started

Self = TypeVar("Self", bound="LocalWorkers")

_CODE = "from zoo.jobs.worker_process import main\nmain()"

#: Environment of workers with one thread each: a process per core is faster than shared runs.
ONE_THREAD = dict.fromkeys(("CORE_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")

#: pyarrow's allocator starts a thread otherwise, and a process of several threads must not fork.
_NO_THREAD_OF_PYARROW = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}

_SECONDS_TO_END = 5.0


class Outcome(NamedTuple):
    """The end of a chunk, or of the process that had it."""

    number: int
    record: dict[str, Any] | None  # None: the process ended before the chunk was done


class Workers(Protocol):
    """Worker processes; usable in a ``with`` statement, which ends them."""

    @property
    def capacity(self) -> int:
        """The number of chunks that they accept at a time."""

    def submit(self, order: Order) -> None:
        """Give a chunk to a process."""

    def outcomes(self) -> list[Outcome]:
        """Wait until a chunk is done, or its process ended.

        Raises:
            ZooError: no process can go on.
        """


class LocalWorkers:
    """Processes on this computer; one that ends is replaced.

    Args:
        errand: what they do.
        count: number of processes.

    Raises:
        ZooError: the model or an option is wrong.
        WeightsError: weights are missing.
    """

    def __init__(self, errand: Errand, count: int):
        self._errand, self._count = errand, count
        self._first: _Process | None = None  # forks the others, where that is safe
        self._processes: list[_Process] = []
        self._idle: list[Channel] = []
        self._busy: dict[Channel, Order] = {}

    @property
    def capacity(self) -> int:
        """The number of processes."""
        return self._count

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, order: Order) -> None:
        """Give a chunk to a process that has none."""
        while True:
            channel = self._idle.pop() if self._idle else self._started()
            with suppress(OSError):  # it ended while it had no chunk
                channel.send(order)
                self._busy[channel] = order
                return
            channel.close()

    def outcomes(self) -> list[Outcome]:
        """Wait until a chunk is done, or its process ended."""
        with selectors.DefaultSelector() as selector:
            for channel in self._busy:
                selector.register(channel, selectors.EVENT_READ)
            ready = [key.fileobj for key, _ in selector.select()]
        # What was registered are channels, which the stubs of selectors do not know.
        return [self._outcome(channel) for channel in ready]  # type: ignore[arg-type]

    def _outcome(self, channel: Channel) -> Outcome:
        order = self._busy.pop(channel)
        try:
            answer = channel.receive()
        except EOFError:
            channel.close()
            return Outcome(order.chunk.number, None)
        self._idle.append(channel)
        if isinstance(answer, Failed):
            raise _error(answer)
        return Outcome(order.chunk.number, answer)

    def _started(self) -> Channel:
        """Return the channel of a new process."""
        if self._first is not None:
            ours, theirs = Channel.pair()
            try:
                socket.send_fds(self._first.channel.socket, [b"f"], [theirs.fileno()])
                return ours
            except OSError:  # it was killed: its children go on without it
                ours.close()
                self._first = None
            finally:
                theirs.close()
        process = _Process(self._errand)
        self._processes.append(process)
        if process.can_fork:
            self._first = process
            return self._started()
        return process.channel

    def close(self) -> None:
        """End the processes; busy ones are killed."""
        busy = bool(self._busy)
        for channel in (*self._idle, *self._busy):
            channel.close()
        self._idle.clear()
        self._busy.clear()
        for process in self._processes:
            process.end(at_once=busy)
        self._processes.clear()
        self._first = None


class _Process:
    """A process that has loaded the model."""

    def __init__(self, errand: Errand):
        self.channel, theirs = Channel.pair()
        try:
            self._process = _start(theirs)
        finally:
            theirs.close()
        try:
            # GPUs and other libraries have threads and contexts that no child inherits.
            may_fork = hasattr(os, "fork") and errand.job["options"].get("backend") == "cpu"
            self.channel.send((errand, may_fork))
            answer = self.channel.receive()
        except (EOFError, OSError) as error:
            self.end(at_once=True)
            pass_interruption(error)
            raise ZooError(
                "a worker process ended while it loaded the model (status "
                f"{self._process.returncode}): its message is above, or memory is short"
            ) from None
        except BaseException:
            self.end(at_once=True)
            raise
        if isinstance(answer, Failed):
            self.end(at_once=True)
            raise _error(answer)
        assert isinstance(answer, Started)
        self.can_fork = answer.can_fork

    def end(self, *, at_once: bool) -> None:
        """End the process and its children."""
        self.channel.close()
        with suppress(subprocess.TimeoutExpired):
            if not at_once:
                self._process.wait(_SECONDS_TO_END)
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()


def _start(channel: Channel) -> subprocess.Popen[bytes]:
    """Start a process with a channel, in a group of its own, which Ctrl-C does not reach."""
    environment = {**python_environment(), **ONE_THREAD, **_NO_THREAD_OF_PYARROW}
    if sys.platform == "win32":
        process = subprocess.Popen(
            python_command(_CODE, "-"), stdin=subprocess.PIPE, env=environment
        )
        data = channel.socket.share(process.pid)
        assert process.stdin is not None
        process.stdin.write(b"%d\n" % len(data) + data)
        process.stdin.close()
        return process
    number = channel.fileno()
    return subprocess.Popen(
        python_command(_CODE, str(number)),
        stdin=subprocess.DEVNULL,
        pass_fds=[number],
        env=environment,
        start_new_session=True,
    )


def _error(failed: Failed) -> ZooError:
    return WeightsError(failed.message) if failed.of_weights else ZooError(failed.message)


def cores() -> int:
    """The number of cores that this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
