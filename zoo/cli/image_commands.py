"""Arguments and loop of the commands that run models on images."""

import argparse
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.common.messages import is_read_by_people
from weights_cache.shown_urls import shown_url
from zoo.cli.drawing_output import drawing_paths, save_drawing
from zoo.cli.hints import Hints
from zoo.cli.image_sources import find_images, is_several, read_source
from zoo.cli.result_output import FORMS, Output, make_output
from zoo.cli.task_commands import Flag, Task
from zoo.cli.terminal import complain

#: Function of the pixels of an image: -> (result, drawable result).
Look = Callable[[Any], tuple[Any, Any]]


def declare_task(task: Task, command: Any) -> None:
    """Declare the arguments of the command of a task."""
    command.more_help = partial(_models_of, task)
    command.set_defaults(run=partial(_run, task))
    _add_sources(command)
    if task.verbs:
        switches = command.add_mutually_exclusive_group()
        for name, (_, meaning) in task.verbs.items():
            switches.add_argument(f"--{name}", action="store_true", help=meaning)
    for flag in task.flags():
        _add_flag(command, flag, task.help_of(flag))
    add_model_flags(
        command,
        model="a model of 'zoo models', or fast or best; see below",
        option=f"another option of zoo.{task.verb} or its model, as 'zoo describe' lists them; may "
        "be repeated",
    )
    command.add_argument(
        "--draw", metavar="OUT.png", help="draw the result; for several images give a folder"
    )
    form = command.add_mutually_exclusive_group()
    for name, meaning in FORMS.items():
        form.add_argument(
            f"--{name}",
            dest="form",
            action="store_const",
            const=name,
            help=meaning.format(row=task.row),
        )
    command.add_argument("--mirror", action="store_true", help="the images are mirror images")


def _add_sources(command: Any) -> None:
    command.add_argument(
        "images",
        nargs="+",
        metavar="IMAGE",
        help="a file, a folder, a URL, a pattern in quotes such as 'images/*.jpg', or - for "
        "standard input",
    )
    command.add_argument(
        "--recursive", action="store_true", help="also read the images in subfolders"
    )


def _models_of(task: Task) -> str:
    """The models behind each of the task's functions, for the help."""
    from zoo.catalog.choices import Choices
    from zoo.catalog.entries import choices

    switches = {"": task.then or task.verb}
    switches |= {f"--{name}": verb for name, (verb, _) in task.verbs.items()}
    rows = [("", *Choices._fields), *((name, *choices()[verb]) for name, verb in switches.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(["models:", *(f"  {line}" for line in lines)])


def _add_flag(command: Any, flag: Flag, meaning: str) -> None:
    if flag.option.type == "flag":
        command.add_argument(flag.name, action="store_const", const=True, help=meaning)
        return
    parse, metavar = _VALUES.get(flag.option.type, (str, "NAME"))
    command.add_argument(flag.name, type=parse, metavar=metavar, help=meaning)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


#: Type of an option -> what reads its value, and its name in the help; others are names.
_VALUES: dict[str, tuple[Callable[[str], Any], str]] = {
    "number": (float, "X"),
    "integer": (int, "N"),
    "names": (_names, "NAMES"),
}


def add_model_flags(command: Any, *, model: str, option: str) -> None:
    """Declare ``--model``, ``--backend`` and ``--option``, with the help of two of them."""
    command.add_argument("--model", metavar="NAME", help=model)
    command.add_argument("--backend", metavar="B", help="backend to run on; see 'zoo doctor'")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        type=named_value,
        metavar="NAME=VALUE",
        help=option,
    )


def named_value(text: str) -> tuple[str, Any]:
    """An option and its value: a number, another literal of Python, or else text.

    >>> named_value("input_size=(257, 353)"), named_value("detector=palm.full")
    (('input_size', (257, 353)), ('detector', 'palm.full'))
    """
    import ast

    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE, such as input_size=385")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name, value


def _run(task: Task, given: argparse.Namespace) -> int:
    """Do what can be done of every image; what is done is printed, also after Ctrl-C."""
    _check_flags(task, given)
    several = is_several(given.images)
    images, failed = find_images(given.images, recursive=given.recursive)
    if not images:
        return 2
    if len(images) == 1:
        from core.backends.cpu.codegen.background import forbid  # with it comes NumPy

        forbid()  # the command ends before kernels that are compiled meanwhile could be of use
    drawings = drawing_paths(images, given.draw, task.command, several=several)
    look = _look(task, given)
    done, stopped = 0, False
    hints = Hints(task, _switch(task, given), given.model)
    with closing(hints), closing(make_output(given.form, several=several)) as output:
        try:
            for image, drawing in _with_progress(list(zip(images, drawings, strict=True))):
                done += _do_image(look, image, drawing, given, output, hints, first=not done)
        except KeyboardInterrupt:
            complain(f"stopped after {done} of {len(images)} images")
            stopped = True
    if stopped:
        return 130
    failed += len(images) - done
    if not failed:
        return 0
    return 1 if done else 2


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
    import zoo

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


def _with_progress(images: list[Any]) -> Iterable[Any]:
    if len(images) < 2 or not is_read_by_people():
        return images
    from tqdm import tqdm

    return tqdm(images, unit="image", leave=False)


def _do_image(
    look: Look,
    image: str,
    drawing: str | None,
    given: argparse.Namespace,
    output: Output,
    hints: Hints,
    *,
    first: bool,
) -> bool:
    """Read one image, run the model, draw and print the result; return whether all succeeded."""
    from zoo.images.pixels import ImageError

    try:
        pixels, frames = read_source(image)
        result, drawn = look(pixels)
        if drawing:
            from zoo.drawing import draw

            save_drawing(draw(pixels, drawn), drawing)
        output.add(shown_url(image), result)
        hints.add(image, pixels, result, drawn)
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
    import re

    def flag(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')} " if found[1] in vars(given) else found[0]

    return re.sub(r"\b([a-z_]+)=", flag, message)
