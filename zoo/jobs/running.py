"""`batch`: a function of images on many, by several processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.progress import say_line
from zoo.jobs.dask_workers import DaskWorkers
from zoo.jobs.job import Job
from zoo.jobs.local_workers import LocalWorkers, Workers, cores
from zoo.jobs.manifest import BatchSummary, finish
from zoo.jobs.progress import Show, showing
from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.retries import Retries
from zoo.jobs.sources import Listing
from zoo.jobs.work import Errand, Order

#: Largest accepted numbers of processes and of skipped frames: more is a typing mistake.
_MOST = 100_000


def batch(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    task: str = "pose",
    *,
    out: str | os.PathLike[str],
    format: str = "parquet",
    workers: int | None = None,
    scheduler: str | None = None,
    column: str | None = None,
    every: int = 1,
    recursive: bool = False,
    retry: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> BatchSummary:
    """Run a function on many images, on all cores or on a cluster, and write what it finds.

    A run that ends before its time, whatever the reason, goes on where it was when it is called
    again with the same arguments: no image is lost, and none is there twice. An image that cannot
    be read, or that ends the process that looks at it, is listed with its reason in
    ``errors.jsonl``, and stops nothing. Results do not depend on the number of processes.

    Args:
        sources: a path or URL, or several: of images, folders, patterns (``"images/*.jpg"``), CSV
            and Parquet tables with a column of paths or URLs, tar and zip archives, videos. URLs
            such as ``s3://`` are read by the package fsspec. The list is made once, when the run
            begins.
        task: ``"pose"``, ``"hands"``, ``"gestures"``, ``"faces"``, ``"detect"``, ``"classify"``,
            ``"segment"``, or the name of any function of images, such as ``"segment_person"``.
        out: folder of the results, new or empty, or of an earlier run of these arguments. All
            computers of a cluster must see it by this path.
        format: ``"parquet"`` (needs pyarrow), ``"jsonl"``, or ``"csv"``, which has a line for each
            keypoint, label or region, and no masks.
        workers: number of processes on this computer, by default one for each core.
        scheduler: address of a Dask scheduler, such as ``"tcp://10.0.0.1:8786"``, or ``"local"``
            for a cluster of ``workers`` processes on this computer. Needs the extra ``batch``.
        column: of tables, by default the only one, or one that is called path, file, filename,
            image, url or source.
        every: of videos each so-many-th frame.
        recursive: of folders also the folders in them.
        retry: look again at the images that had errors in an earlier run.
        progress: show the rate and the time left; by default on a terminal.
        options: of the function (``model``, ``backend``, ``max_poses``, ..).

    Returns:
        The summary: see `zoo.BatchSummary`. `zoo.read_results` reads the results.

    Raises:
        ZooError: an argument is wrong, a source cannot be listed, the folder belongs to another
            run or cannot be written to, or processes end one after another.
        WeightsError: the weights of the model are missing.

    >>> import tempfile, zoo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = zoo.batch("gallery/one_line_pose/*.jpg", out=folder, format="jsonl")
    ...     rows = list(zoo.read_results(folder))
    >>> summary["images"], summary["found"], len(rows[0]["result"][0]["keypoints"])
    (1, 1, 17)
    """
    count = cores() if workers is None else checked_count("workers", workers)
    listing = checked_listing(column, every, recursive)
    job = Job.of_arguments(sources, task, format, listing, options)
    folder = ResultsFolder(out)
    folder.check_empty()
    job.check()  # what is wrong or missing is said before anything is listed
    folder.create()
    with folder.locked():
        document = opened_job(folder, job)
        orders = [*_orders(folder, document, retry=retry)]
        images = sum(order.images for order in orders)
        begun = perf_counter()
        with showing(progress, document["images"], document["images"] - images) as show:
            if orders:
                with _pool(job, folder, document, min(count, len(orders)), scheduler) as pool:
                    carry_out(pool, orders, folder, show)
        return finish(folder, images, perf_counter() - begun)


def checked_listing(column: str | None, every: int, recursive: bool) -> dict[str, Any]:
    """Return the options of a `Listing`.

    Raises:
        ZooError: one is wrong.
    """
    if column is not None and not isinstance(column, str):
        raise ZooError(f"column={column!r:.80} must be the name of a column")
    every = checked_count("every", every)
    return {"column": column, "every": every, "recursive": bool(recursive)}


def checked_count(name: str, value: Any) -> int:
    """Return a number of processes, of frames or of images.

    Raises:
        ZooError: it is no integer, or below 1.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
        raise ZooError(f"{name}={value!r:.80} must be an integer of 1 to {_MOST:,}")
    return value


def opened_job(folder: ResultsFolder, job: Job) -> dict[str, Any]:
    """Begin the job in a new folder, or find it there, and return its document.

    Raises:
        ZooError: the folder has another job, or a source cannot be listed.
    """
    if folder.exists:
        document = folder.job_document()
        difference = job.difference(document)
        if difference:
            raise ZooError(
                f"out={str(folder.path)!r} has results of {difference}: give another folder, or "
                "the arguments of the earlier run"
            )
        return document
    listing = Listing(**job.listing, report=say_line)
    folder.begin(job.document(), listing.items(job.sources))
    return folder.job_document()


def _orders(folder: ResultsFolder, document: Mapping[str, Any], *, retry: bool) -> Iterator[Order]:
    """Yield orders for the chunks that are not done.

    Raises:
        ZooError: a record is damaged, or of another job.
    """
    done = folder.done()
    for chunk in folder.chunks():
        if chunk.number not in done:
            yield Order(chunk)
            continue
        errors = folder.record(chunk.number, document.get("identity"))["errors"]
        if retry and errors:
            yield Order(chunk, only=[error["index"] for error in errors])


def _pool(
    job: Job,
    folder: ResultsFolder,
    document: Mapping[str, Any],
    count: int,
    scheduler: str | None,
) -> Any:
    """Return the processes, which a ``with`` statement starts and ends."""
    errand = Errand(job.document(), os.fspath(folder.path), folder.run_of(document))
    if scheduler is None:
        return LocalWorkers(errand, count)
    return DaskWorkers(errand, count, scheduler)


def carry_out(workers: Workers, orders: Iterable[Order], folder: ResultsFolder, show: Show) -> None:
    """Process all chunks, and retry those whose worker died.

    Raises:
        ZooError: no process can go on.
    """
    waiting, busy = iter(orders), dict[int, Order]()
    retries = Retries(folder)
    while True:
        while len(busy) < workers.capacity and (order := next(waiting, None)) is not None:
            workers.submit(order)
            busy[order.chunk.number] = order
        if not busy:
            return
        for outcome in workers.outcomes():
            order = busy.pop(outcome.number)
            if outcome.record is None:
                busy[outcome.number] = retries.again(order)
                workers.submit(busy[outcome.number])
            else:
                retries.passed()
                show(order.images, outcome.record)
