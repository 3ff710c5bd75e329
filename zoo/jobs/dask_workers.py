"""Workers of a Dask cluster: a task for each chunk, a model in each process."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import core
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.progress import say_line
from zoo.jobs.local_workers import ONE_THREAD, Outcome
from zoo.jobs.results_folder import GO_ON, ResultsFolder
from zoo.jobs.work import Errand, Order, Work

Self = TypeVar("Self", bound="DaskWorkers")

#: The scheduler's address that stands for a cluster of processes on this computer.
LOCAL = "local"

_CONNECT_SECONDS = 15.0
_LOOK_EVERY = 1.0  # seconds between looks at a cluster that answers nothing
_SAY_AFTER = 20.0  # seconds without any worker

#: Chunks for each thread of a worker: one that runs, one that waits.
_AHEAD = 2

#: Statuses of futures whose results are to come: what a dead worker held, the scheduler computes
#: again without being asked.
_TO_COME = ("pending", "lost")


def _load_dask() -> Any:
    """Import Dask with its clients and clusters.

    Raises:
        ZooError: a package is missing.
    """
    with needed_for("scheduler= (--scheduler)"):
        import distributed
    return distributed


class DaskWorkers:
    """The workers of a cluster.

    Args:
        errand: what they do, in a folder that all of them see.
        count: number of processes of a cluster on this computer.
        scheduler: address, or ``"local"`` for such a cluster.

    Raises:
        ZooError: Dask is missing, or the scheduler cannot be reached.
    """

    def __init__(self, errand: Errand, count: int, scheduler: str):
        self._errand, self._count, self._scheduler = errand, count, scheduler
        self._stack = ExitStack()
        self._client: Any = None
        self._numbers: dict[Any, int] = {}  # of the chunks, by their futures

    def __enter__(self: Self) -> Self:
        distributed = _load_dask()
        try:
            address: Any = self._scheduler
            if address == LOCAL:
                address = self._stack.enter_context(_local_cluster(self._count))
            with _quiet():
                self._client = distributed.Client(
                    address, timeout=_CONNECT_SECONDS, set_as_default=False
                )
            self._stack.callback(self._close_client)
        except (OSError, ValueError, RuntimeError) as error:
            self._stack.close()
            pass_interruption(error)
            raise ZooError(
                f"the Dask scheduler {self._scheduler!r:.200} cannot be reached ({error}): start "
                "it with `dask scheduler`, and give the address that it prints"
            ) from error
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with _quiet():
            self._stack.close()

    def _close_client(self) -> None:
        for future in self._numbers:
            future.cancel()
        self._client.close(timeout=_CONNECT_SECONDS)

    @property
    def capacity(self) -> int:
        """Twice the threads of all workers, of which more may come."""
        return _AHEAD * max(1, self._threads())

    def _threads(self) -> int:
        with self._connected():
            return sum(self._client.nthreads().values())

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Turn an error of the connection, whose class depends on its kind, into a ZooError."""
        if self._client.status != "running":
            raise self._lost(None)
        try:
            with _quiet(), self._client.as_current():
                yield
        except ZooError:
            raise
        except Exception as error:
            raise self._lost(error) from error

    def submit(self, order: Order) -> None:
        """Give a chunk to the scheduler."""
        key = f"zoo-{order.chunk.number}-{os.urandom(4).hex()}"
        with self._connected():
            future = self._client.submit(run_order, self._errand, order, key=key, pure=False)
        self._numbers[future] = order.chunk.number

    def outcomes(self) -> list[Outcome]:
        """Wait until a chunk is done, or its process ended."""
        wait = _load_dask().wait
        since, said = monotonic(), False
        while True:
            with self._connected(), suppress(TimeoutError):
                wait([*self._numbers], timeout=_LOOK_EVERY, return_when="FIRST_COMPLETED")
            ready = [future for future in self._numbers if future.status not in _TO_COME]
            if ready:
                return [self._outcome(future) for future in ready]
            if self._threads():
                since = monotonic()
            elif monotonic() - since > _SAY_AFTER and not said:
                said = True
                say_line("the cluster has no worker: waiting for one, as of `dask worker ADDRESS`")

    def _outcome(self, future: Any) -> Outcome:
        number = self._numbers.pop(future)
        with self._connected():
            if future.status == "finished":
                return Outcome(number, future.result())
            error = future.exception() if future.status == "error" else None
        if error is None:  # cancelled or lost with the scheduler
            raise self._lost(None)
        if isinstance(error, _load_dask().KilledWorker):
            return Outcome(number, None)
        if isinstance(error, ZooError):
            raise error
        raise ZooError(
            f"a worker of the cluster failed ({type(error).__name__}: {error}): install the same "
            "versions of zoo and Dask on all computers"
        ) from error

    def _lost(self, error: Exception | None) -> ZooError:
        # Dask lists all futures, line by line, behind the first one.
        reason = f" ({type(error).__name__}: {error}".partition("\n")[0] + ")" if error else ""
        return ZooError(
            f"the connection to the Dask scheduler {self._scheduler!r:.200} is lost{reason}: "
            f"{GO_ON}"
        )


@contextmanager
def _local_cluster(count: int) -> Iterator[Any]:
    """Yield a cluster of processes on this computer.

    Raises:
        ZooError: the processes do not start.
    """
    distributed = _load_dask()
    import dask

    _check_main()
    settings = {
        "distributed.scheduler.allowed-failures": 0,  # `Retries` does chunks again
        "distributed.nanny.pre-spawn-environ": ONE_THREAD,
        "distributed.admin.low-level-log-length": 0,
        "distributed.admin.tick.interval": "1s",
        "distributed.worker.profile.enabled": False,  # looks at all threads each 10 ms
    }
    with dask.config.set(settings), _quiet():
        try:
            cluster = distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                memory_limit=None,
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:
            raise ZooError(
                f"the processes of the cluster do not start ({error}): in a script, put the call "
                'below `if __name__ == "__main__":`, as each process imports the script'
            ) from error
        with cluster:
            yield cluster


def _check_main() -> None:
    """Raise in a process of a cluster that imports the script which starts the cluster."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ZooError(
            'put the call of zoo.batch below `if __name__ == "__main__":`, as each process of the '
            "cluster imports the script"
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's logs of lost connections and its warnings: errors report them."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


_works: dict[str, Work] = {}
_loading = Lock()


def run_order(errand: Errand, order: Order) -> dict[str, Any]:
    """Do a chunk in a process of a cluster; its first one loads the model.

    The process stays when the run is killed, but it ends the chunk at the next image.

    Raises:
        ZooError: the process does not see the folder, or cannot write to it.
        WeightsError: it lacks the weights.
    """
    name = json.dumps(errand)
    with _loading:
        if name not in _works:
            core.set_threads(1)
            _works.clear()  # one model at a time
            _works[name] = _new_work(errand)
        work = _works[name]
    return work.run(order)


def _new_work(errand: Errand) -> Work:
    folder = ResultsFolder(errand.folder, errand.run)
    if not folder.run.exists:
        raise ZooError(
            f"the worker on {socket.gethostname()!r} does not see the folder {errand.folder!r} of "
            "this run: give out= on a disk that all computers share, by one path"
        )
    work = Work(errand)
    work.is_wanted = _is_wanted
    return work


def _is_wanted() -> bool:
    """Whether a client still waits for the task of this thread.

    Dask cannot end a task that runs: it marks it, also where the client was killed.
    """
    worker = _load_dask().get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state != "cancelled"
