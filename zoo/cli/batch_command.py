"""``zoo batch``: a task on many images, on all cores or on a cluster."""

from __future__ import annotations

import argparse
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from weights_cache.common.errors import ZooError
from weights_cache.common.messages import say
from weights_cache.common.sizes import count_text
from weights_cache.shown_urls import shown_url
from zoo.cli.drawing_output import save_drawing
from zoo.cli.image_commands import add_model_flags
from zoo.cli.terminal import complain, show
from zoo.cli.watch_command import tasks_text
from zoo.jobs.dry_run import found_text, planned, sample_results, sampled, sheet_of
from zoo.jobs.job import Job
from zoo.jobs.running import batch, checked_count, checked_listing
from zoo.tasks.task_verbs import result_type

if TYPE_CHECKING:
    from zoo.jobs.job import Job
    from zoo.jobs.manifest import BatchSummary

_MOST_SAMPLES = 400  # that a sheet has room for


def declare_batch(command: Any) -> None:
    """Declare the arguments of ``zoo batch``."""
    command.more_help = tasks_text
    command.set_defaults(run=_run)
    command.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a folder, a pattern in quotes, a CSV or Parquet table of paths, a tar or zip "
        "archive, a video, an image, or a URL of such (s3://, gs://, .. by fsspec)",
    )
    command.add_argument("--task", metavar="TASK", default="pose", help="see below; default: pose")
    command.add_argument(
        "--out",
        metavar="FOLDER",
        help="folder of the results; run the same command again to go on after a stop",
    )
    command.add_argument(
        "--format",
        metavar="FORMAT",
        default="parquet",
        help="parquet (default, needs pyarrow), jsonl, or csv",
    )
    command.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one for each core)"
    )
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler, tcp://HOST:8786, whose workers do the work; or local",
    )
    add_model_flags(
        command,
        model="a model of 'zoo models', fast or best, or a file such as yolo.onnx",
        option="an option of the task's function, such as max_hands=1; may be repeated",
    )
    _add_listing(command)
    _add_looks(command)


def _add_listing(command: Any) -> None:
    command.add_argument("--column", metavar="NAME", help="column of tables with the paths")
    command.add_argument(
        "--every", type=int, metavar="N", default=1, help="of videos each N-th frame"
    )
    command.add_argument(
        "--recursive", action="store_true", help="also read the images in subfolders"
    )
    command.add_argument("--mirror", action="store_true", help="the images are mirror images")


def _add_looks(command: Any) -> None:
    command.add_argument(
        "--retry", action="store_true", help="look again at images that had errors"
    )
    command.add_argument(
        "--dry-run", action="store_true", help="list the images and check the model; run nothing"
    )
    command.add_argument(
        "--sample", type=int, metavar="N", help="look at N images, chosen at random; needs --sheet"
    )
    command.add_argument(
        "--sheet", metavar="OUT.png", help="draw what is found in the sample on one sheet"
    )


def _run(given: argparse.Namespace) -> int:
    options = {name: getattr(given, name) for name in ("model", "backend")}
    options = {k: v for k, v in options.items() if v is not None} | dict(given.option)
    if given.mirror:
        options["mirror"] = True
    if given.dry_run or given.sample is not None or given.sheet:
        return _look(given, options)
    if given.out is None:
        raise ZooError(
            "--out FOLDER is missing: give the folder for the results, a new one or an empty one"
        )
    names = ("task", "out", "format", "workers", "scheduler", "column", "every", "recursive")
    arguments = {name: getattr(given, name) for name in names}
    try:
        summary = batch(given.sources, **arguments, retry=given.retry, **options)
    except KeyboardInterrupt:
        complain(f"stopped; the same command goes on where this run was: {given.out}")
        return 130
    show(summary_text(summary))
    return 1 if summary["errors"] else 0


def _look(given: argparse.Namespace, options: dict[str, Any]) -> int:
    """Show the plan, or a sample."""
    if not given.dry_run and (given.sample is None or given.sheet is None):
        raise ZooError("--sample N and --sheet OUT.png go together: give both")
    if given.sample is not None and checked_count("sample", given.sample) > _MOST_SAMPLES:
        raise ZooError(f"--sample {given.sample}: a sheet has room for {_MOST_SAMPLES}")
    listing = checked_listing(given.column, given.every, given.recursive)
    job = Job.of_arguments(given.sources, given.task, given.format, listing, options)
    if given.dry_run:
        job.check()
        return _show_plan(job)
    job.bound()  # what is wrong or missing is said before anything is listed
    return _show_sample(job, given.sample, given.sheet)


def _show_plan(job: Job) -> int:
    plan = planned(job, complain)
    images = f"{plan.images:,} images" if plan.images != 1 else "1 image"
    show(
        f"{images} in {count_text(plan.chunks, 'chunk')} for {job.verb}, as {job.format}\n"
        f"first  {plan.first}\nlast   {plan.last}"
    )
    return 0


def _show_sample(job: Job, count: int, path: str) -> int:
    items = sampled(job, count, complain)
    looked = []
    for each in sample_results(job, items):
        looked.append(each)
        found = f"error: {each.error}" if each.error else found_text(each.result)
        say(f"{shown_url(each.item.name)}: {found}")
    save_drawing(sheet_of(job, looked), path)
    return 0


def summary_text(summary: BatchSummary) -> str:
    """Return a summary in a few lines."""
    kind = result_type(summary["function"])[0].__name__.lower()
    found = f"{summary['found']:,} {kind}{'s' * (summary['found'] != 1)}"
    rows = [
        ("images", f"{summary['images']:,}, with {found}"),
        ("errors", f"{summary['errors']:,}{', see errors.jsonl' if summary['errors'] else ''}"),
    ]
    if summary["images_per_second"]:
        time = timedelta(seconds=round(summary["seconds"]))
        rows.append(("time", f"{time}, {summary['images_per_second']:.1f} images per second"))
    stages = ", ".join(f"{name} {value:.1f}" for name, value in summary["milliseconds"].items())
    rows += [("per image", f"{stages} ms of a process"), ("results", summary["out"])]
    return "\n".join(f"{name:<9}  {text}" for name, text in rows)
