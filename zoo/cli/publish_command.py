"""``zoo publish``: a model as a folder for any web host, or as one page."""

import argparse
from typing import Any

import zoo
from weights_cache.common.sizes import count_text, size_text
from zoo.cli.image_commands import named_value
from zoo.cli.option_names import naming_options
from zoo.cli.terminal import complain, show
from zoo.publishing.publishing import Published
from zoo.publishing.recipes import publishable
from zoo.publishing.stored_weights import KINDS

#: Options of the command by the arguments that errors name.
_OPTIONS = {
    "overwrite=True": "--overwrite",
    "single_file": "--single-file",
    "quantise=": "--quantise ",
}


def declare_publish(command: Any) -> None:
    """Declare the arguments of ``zoo publish``."""
    command.set_defaults(run=_run)
    command.more_help = _models_text
    command.add_argument("model", metavar="MODEL", help="a pretrained model, of those below")
    command.add_argument(
        "out", metavar="OUT", help="the folder to write; with --single-file a .html file"
    )
    kind = command.add_mutually_exclusive_group()
    kind.add_argument(
        "--page", action="store_true", help="also write index.html: camera, files, results drawn"
    )
    kind.add_argument(
        "--single-file",
        action="store_true",
        help="write a page alone with all in it, which opens by a double click, without a server",
    )
    command.add_argument(
        "--quantise",
        choices=KINDS,
        metavar="KIND",
        help="weights of a half (float16) or a quarter (uint8) of the size",
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        type=named_value,
        metavar="NAME=VALUE",
        help="option of loading the model, such as output_stride=8; may be repeated",
    )
    command.add_argument(
        "--overwrite", action="store_true", help="replace what an earlier publication wrote"
    )


def _models_text() -> str:
    return "\n".join(["models:", *(f"  {name}" for name in publishable())])


def _run(given: argparse.Namespace) -> int:
    with naming_options(_OPTIONS):
        published = zoo.publish(
            given.model,
            given.out,
            page=given.page,
            single_file=given.single_file,
            quantise=given.quantise,
            overwrite=given.overwrite,
            **dict(given.option),
        )
    show(_summary(published))
    complain(_next_step(given, published))
    return 0


def _summary(published: Published) -> str:
    sizes = published.bytes
    total = size_text(sum(sizes.values()))
    if len(sizes) == 1:
        return f"{published.path}: {total}"
    return (
        f"{published.path}: {count_text(len(sizes), 'file')}, {total}; "
        f"beside the weights a browser loads {published.code_bytes / 1000:.0f} kB"
    )


def _next_step(given: argparse.Namespace, published: Published) -> str:
    if given.single_file:
        return f"open {published.path} in a browser"
    if given.page:
        return (
            f"to look at it: python -m http.server --directory {published.path} 8000, and open "
            "http://localhost:8000"
        )
    return 'in a page: <script type="module">import { load } from "./zoo.js"; ..'
