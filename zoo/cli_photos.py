"""What the commands that look at photos share: their arguments, their loop, what they print."""

import argparse
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from weights_cache.errors import ZooError
from zoo.cli_drawings import drawing_paths, save_drawing
from zoo.cli_tasks import Flag, Task
from zoo.terminal import complain

#: From the pixels of a photo to the result, and to what is drawn.
Look = Callable[[Any], tuple[Any, Any]]


def add_task(commands: Any, task: Task) -> None:
    """Declare the command of a task and its arguments."""
    command = commands.add_parser(task.command, help=task.help)
    command.add_argument("photos", nargs="+", metavar="PHOTO", help="a file or URL")
    if task.verbs:
        switches = command.add_mutually_exclusive_group()
        for name, (_, meaning) in task.verbs.items():
            switches.add_argument(f"--{name}", action="store_true", help=meaning)
    for flag in (*task.flags, *task.then_flags):
        _add_flag(command, flag)
    command.add_argument("--model", metavar="NAME", help=task.models)
    command.add_argument(
        "--option",
        action="append",
        default=[],
        type=_named_value,
        metavar="NAME=VALUE",
        help=f"another option of zoo.{task.verb} or its model, such as one that 'zoo describe' "
        "tells; may be repeated",
    )
    command.add_argument(
        "--draw", metavar="OUT.png", help="draw the result; a folder for several photos"
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="exact JSON, all on one line")
    form.add_argument("--csv", action="store_true", help=f"CSV, a line for each {task.row}")
    command.add_argument("--mirror", action="store_true", help="the photos are mirror images")
    command.add_argument("--backend", metavar="B", help="where to run; see 'zoo doctor'")
    command.set_defaults(run=partial(_run, task))


def _add_flag(command: Any, flag: Flag) -> None:
    if flag.type is None:
        command.add_argument(flag.name, action="store_const", const=True, help=flag.help)
    else:
        command.add_argument(flag.name, type=flag.type, metavar=flag.metavar, help=flag.help)


def _named_value(text: str) -> tuple[str, Any]:
    """An option and its value: a number, another literal of Python, or else text.

    >>> _named_value("input_size=(257, 353)"), _named_value("detector=palm.full")
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
    """Do what can be done of every photo; what is done is printed, also after Ctrl-C."""
    _check_flags(task, given)
    photos = list(dict.fromkeys(given.photos))
    drawings = drawing_paths(photos, given.draw, task.command)
    look = _look(task, given)
    results: dict[str, Any] = {}
    failed, stopped = 0, False
    try:
        for photo, drawing in _with_progress(list(zip(photos, drawings, strict=True))):
            failed += not _do_photo(look, photo, drawing, given, results)
    except KeyboardInterrupt:
        complain(f"stopped after {len(results)} of {len(photos)} photos")
        stopped = True
    if results and (given.json or given.csv):
        _print_document(results, given)
    if stopped:
        return 130
    if not failed:
        return 0
    return 1 if results else 2


def _switch(task: Task, given: argparse.Namespace) -> str:
    """The switch that is given, or ""."""
    return next((name for name in task.verbs if getattr(given, name)), "")


def _check_flags(task: Task, given: argparse.Namespace) -> None:
    """Refuse flags of another switch, and options that have a flag."""
    switch = _switch(task, given)
    for flag in task.flags:
        if getattr(given, flag.field) is None or switch in (flag.switches or (switch,)):
            continue
        if "" in flag.switches:
            raise ZooError(f"{flag.name} does not go with --{switch}")
        raise ZooError(f"{flag.name} needs {' or '.join(f'--{name}' for name in flag.switches)}")
    flags = {option: flag.name for flag in task.flags for option in flag.options or (flag.field,)}
    flags |= {name: f"--{name}" for name in ("model", "backend", "mirror") if name not in flags}
    for name, value in given.option:
        if name in flags:
            raise ZooError(f"--option {name}={value!r} has a flag of its own: {flags[name]}")


def _look(task: Task, given: argparse.Namespace) -> Look:
    """What the command does with each photo; a model is loaded when the first one is there."""
    switch = _switch(task, given)
    verb = task.verbs[switch][0] if switch else task.verb
    options = _options(task.flags, given) | dict(given.option)
    common = {"mirror": given.mirror, "backend": given.backend}
    model = {} if given.model is None else {"model": given.model}
    import zoo

    if not task.then:
        find = partial(getattr(zoo, verb), **common, **model, **options)
        return lambda pixels: (found := find(pixels), found)
    find = partial(getattr(zoo, verb), **common, **options)
    then = partial(getattr(zoo, task.then), **common, **model, **_options(task.then_flags, given))

    def look(pixels: Any) -> tuple[Any, Any]:
        found = find(pixels)
        result = then(found)
        return result, [*found, *result]

    return look


def _options(flags: tuple[Flag, ...], given: argparse.Namespace) -> dict[str, Any]:
    """The options of a function that were given."""
    values = [(flag, getattr(given, flag.field)) for flag in flags]
    return {
        option: value
        for flag, value in values
        if value is not None
        for option in flag.options or (flag.field,)
    }


def _with_progress(photos: list[Any]) -> Iterable[Any]:
    if len(photos) < 2 or not sys.stderr.isatty():
        return photos
    from tqdm import tqdm

    return tqdm(photos, unit="photo", leave=False)


def _do_photo(
    look: Look, photo: str, drawing: str | None, given: argparse.Namespace, results: dict[str, Any]
) -> bool:
    """Read, look at, draw and print one photo; whether that went well."""
    from zoo.images import ImageError, read_image

    try:
        pixels = read_image(photo)
        result, drawn = look(pixels)
        if drawing:
            from zoo.drawing import draw

            save_drawing(draw(pixels, drawn), drawing)
    except ZooError as error:
        if not (results or isinstance(error, ImageError)):
            # The model or an option is wrong, and would be for every photo.
            raise ZooError(_as_flags(str(error), given)) from error
        complain(error)
        return False
    results[photo] = result
    if not (given.json or given.csv):
        _print_readable(photo, result, len(given.photos) > 1)
    return True


def _as_flags(message: str, given: argparse.Namespace) -> str:
    """Arguments of functions as the flags that stand for them.

    >>> _as_flags("top_k=0 must be a whole number", argparse.Namespace(top_k=0))
    '--top-k 0 must be a whole number'
    """
    import re

    def flag(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')} " if found[1] in vars(given) else found[0]

    return re.sub(r"\b([a-z_]+)=", flag, message)


def _print_readable(photo: str, result: Any, named: bool) -> None:
    from zoo.readable import readable

    text = readable(result)
    print(f"{photo}:\n{text}" if named else text, flush=True)


def _print_document(results: dict[str, Any], given: argparse.Namespace) -> None:
    """All results at once: of one photo its own, of several a dict by photo."""
    result = next(iter(results.values())) if len(given.photos) == 1 else results
    if given.csv:
        from zoo.tables import to_csv

        print(to_csv(result), end="")
    else:
        from zoo.documents import to_json

        print(to_json(result))
