"""Arguments of the commands that run models on images."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from zoo.catalog.choices import Choices
from zoo.catalog.entries import choices
from zoo.cli.task_commands import Flag, Task

#: Descriptions of the flags that choose the form in which results are printed.
_FORMS = {
    "json": "exact JSON, all on one line (default unless on a terminal)",
    "jsonl": "exact JSON, a line for each image",
    "csv": "CSV, a line for each {row}",
    "text": "short JSON for people to read (default on a terminal)",
}


def declare_task(task: Task, command: Any) -> None:
    """Declare the arguments of the command of a task."""
    command.more_help = partial(_models_of, task)
    # By name, as no help needs NumPy, which comes with the module.
    place = "zoo.cli.image_loop"
    work = {"run": f"{place}:run_task", "work": f"{place}:look_at"}
    command.set_defaults(**work, task=task, imports_while_working=True)
    _add_sources(command)
    if task.verbs:
        switches = command.add_mutually_exclusive_group()
        for name, (_, meaning) in task.verbs.items():
            switches.add_argument(f"--{name}", action="store_true", help=meaning)
    for flag in task.flags():
        _add_flag(command, flag, task.help_of(flag))
    add_model_flags(
        command,
        model="a model of 'zoo models', fast or best, or a file such as yolo.onnx; see below",
        option=f"another option of zoo.{task.verb} or its model, as 'zoo describe' lists them; may "
        "be repeated",
    )
    command.add_argument(
        "--draw", metavar="OUT.png", help="draw the result; for several images give a folder"
    )
    form = command.add_mutually_exclusive_group()
    for name, meaning in _FORMS.items():
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
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE, such as input_size=385")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name, value
