"""``zoo warmup``: kernels compiled beforehand, so that the first run of a command is a fast one."""

import argparse
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

import core
import zoo
from core.backends.cpu.tiers import find_fault
from core.process import code_cache
from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import count_text
from zoo.catalog.entries import find_entry, is_entry, is_path, verbs_of
from zoo.catalog.weight_files import missing_files
from zoo.cli.task_commands import TASKS
from zoo.cli.terminal import complain, show
from zoo.cli.weight_selection import runnable
from zoo.samples import sample_images

#: Verbs that take an image; others take what these found.
_OF_IMAGES = {verb for task in TASKS for verb in (task.verb, *(v for v, _ in task.verbs.values()))}


def declare_warmup(command: Any) -> None:
    """Declare the arguments of ``zoo warmup``."""
    command.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="models, tasks, globs, or paths of models; none means the default models of all "
        "tasks whose weights are here",
    )
    command.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    """Compile what models need that does not yet lie in the cache; print what each took."""
    fault = find_fault()
    if fault is not None:
        raise ZooError(f"there are no kernels to compile: {fault}")
    if not code_cache.is_usable():
        raise ZooError(
            f"compiled kernels cannot be kept: the code cache is {code_cache.describe()}"
        )
    core.set_tier(2)
    failed = 0
    names = list(_models(given.names))
    for name in names:
        begun = perf_counter()
        try:
            _warm(name)
        except ZooError as error:
            complain(error)
            failed += 1
        else:
            show(f"{name}  {perf_counter() - begun:.1f} s", flush=True)
    _report_evicted()
    return 0 if not failed else 1 if failed < len(names) else 2


def _report_evicted() -> None:
    """Say so if not all that was compiled has room in the cache."""
    gone = code_cache.count_of_evicted()
    if gone:
        complain(
            f"the code cache holds {code_cache.MOST_BYTES / 1e6:.0f} MB: "
            f"{count_text(gone, 'file')} made room for later ones, so that some of these models "
            "are compiled again when they run; warm up those that you use"
        )


def _models(names: list[str]) -> Iterator[str]:
    """Yield the names of models that names on the command line stand for, and paths."""
    yield from filter(is_path, names)
    named = [name for name in names if not is_path(name)]
    if named or not names:
        for wanted in runnable(named):
            if is_entry(wanted.name) and (named or not missing_files(wanted)):
                yield wanted.name


def _warm(name: str) -> None:
    """Compile the kernels of a model and of what its verbs do around it."""
    entry = find_entry(name) if is_entry(name) else None
    with zoo.load(name) as model:
        model.warmup(*(entry.parts if entry else ()))
        if entry and entry.batch:  # the network runs on all hands or faces of an image together
            model.run_on_images(_images()[:2])
    if entry is None:
        return
    for verb in filter(_OF_IMAGES.__contains__, verbs_of(entry)):
        for pixels in _images():
            zoo.draw(pixels, getattr(zoo, verb)(pixels, model=name))


def _images() -> list[np.ndarray]:
    """Return images of a person, a cat and a rocket."""
    return sample_images()[:3]
