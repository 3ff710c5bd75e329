"""The loop of the commands that run models on images: read, look, draw, print, hint."""

import argparse
import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

import zoo
from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from weights_cache.shown_urls import shown_url
from zoo.cli import import_phase
from zoo.cli.drawing_output import drawing_paths, save_drawing
from zoo.cli.hints import Hints
from zoo.cli.image_sources import find_images, is_several, read_source
from zoo.cli.next_run import NextRun, next_run
from zoo.cli.result_output import Output, make_output
from zoo.cli.task_commands import Task
from zoo.cli.terminal import complain
from zoo.images.pixels import ImageError

#: Function of the pixels of an image: -> (result, drawable result).
Look = Callable[[Any], tuple[Any, Any]]


def run_task(given: argparse.Namespace) -> int:
    """Do what can be done of every image; what is done is printed, also after Ctrl-C."""
    task: Task = given.task
    _check_flags(task, given)
    several = is_several(given.images)
    images, failed = find_images(given.images, recursive=given.recursive)
    if not images:
        return 2
    drawings = drawing_paths(images, given.draw, task.command, several=several)
    look = _look(task, given)
    done, stopped = 0, False
    hints = Hints(task, _switch(task, given), given.model)
    out = make_output(given.form, several=several)
    with next_run(given, len(images)) as later, closing(hints), closing(out) as output:
        try:
            for image, drawing in with_bar(list(zip(images, drawings, strict=True)), "image"):
                done += _do_image(look, image, drawing, given, output, hints, later, first=not done)
                import_phase.end()
        except KeyboardInterrupt:
            complain(f"stopped after {done} of {len(images)} images")
            stopped = True
    if stopped:
        return 130
    later.compile()
    failed += len(images) - done
    if not failed:
        return 0
    return 1 if done else 2


def look_at(given: argparse.Namespace, pixels: Any) -> None:
    """Do with the pixels of an image what the command does, but for results and files."""
    result, drawn = _look(given.task, given)(pixels)
    if given.draw:
        zoo.draw(pixels, drawn)
    Hints(given.task, _switch(given.task, given), given.model).add("", pixels, result, drawn)


def _switch(task: Task, given: argparse.Namespace) -> str:
    """The switch that is given, or ""."""
    return next((name for name in task.verbs if getattr(given, name)), "")


def _check_flags(task: Task, given: argparse.Namespace) -> None:
    """Refuse flags of another switch, and options that have a flag."""
    switch = _switch(task, given)
    for flag in task.flags():
        if getattr(given, flag.option.name) is None or switch in flag.switches:
            continue
        if "" in flag.switches:
            raise ZooError(f"{flag.name} does not go with --{switch}")
        raise ZooError(f"{flag.name} needs {' or '.join(f'--{name}' for name in flag.switches)}")
    flags = {name: f"--{name}" for name in ("model", "backend", "mirror")}
    flags |= {flag.keyword: flag.name for flag in task.flags() if not flag.then}
    for name, value in given.option:
        if name in flags:
            raise ZooError(f"--option {name}={value!r} has a flag of its own: {flags[name]}")


def _look(task: Task, given: argparse.Namespace) -> Look:
    """Return the command's function for each image, which loads the model at the first image."""
    switch = _switch(task, given)
    verb = task.verbs[switch][0] if switch else task.verb
    options = _options(task, given) | dict(given.option)
    common = {"mirror": given.mirror, "backend": given.backend}
    model = {} if given.model is None else {"model": given.model}
    if not task.then:
        find = partial(getattr(zoo, verb), **common, **model, **options)
        return lambda pixels: (found := find(pixels), found)
    find = partial(getattr(zoo, verb), **common, **options)
    then = partial(getattr(zoo, task.then), **common, **model, **_options(task, given, then=True))

    def look(pixels: Any) -> tuple[Any, Any]:
        found = find(pixels)
        result = then(found)
        return result, [*found, *result]

    return look


def _options(task: Task, given: argparse.Namespace, *, then: bool = False) -> dict[str, Any]:
    """The options of the task's first or second function that were given."""
    values = {f.keyword: getattr(given, f.option.name) for f in task.flags() if f.then == then}
    return {name: value for name, value in values.items() if value is not None}


def _do_image(
    look: Look,
    image: str,
    drawing: str | None,
    given: argparse.Namespace,
    output: Output,
    hints: Hints,
    later: NextRun,
    *,
    first: bool,
) -> bool:
    """Read one image, run the model, draw and print the result; return whether all succeeded."""
    try:
        pixels, frames = read_source(image)
        result, drawn = look(pixels)
        if drawing:
            save_drawing(zoo.draw(pixels, drawn), drawing)
        output.add(shown_url(image), result)
        hints.add(image, pixels, result, drawn)
        later.note(pixels)
    except ZooError as error:
        if first and not isinstance(error, ImageError):
            # The model or an option is wrong, and would be for every image.
            raise ZooError(_as_flags(str(error), given)) from error
        complain(error)
        return False
    if frames > 1:
        complain(f"{shown_url(image)} has {frames} frames: the first was taken")
    return True


def _as_flags(message: str, given: argparse.Namespace) -> str:
    """Arguments of functions as the flags that stand for them.

    >>> _as_flags("top_k=0 must be an integer", argparse.Namespace(top_k=0))
    '--top-k 0 must be an integer'
    """

    def flag(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')} " if found[1] in vars(given) else found[0]

    return re.sub(r"\b([a-z_]+)=", flag, message)
