"""``zoo describe``: the card of a pretrained model, or of one from a file."""

import argparse
from typing import Any

from zoo.cli.terminal import show
from zoo.pipeline.model_cards import describe


def declare_describe(command: Any) -> None:
    """Declare the arguments of ``zoo describe``."""
    command.add_argument("name", metavar="NAME", help="see 'zoo models'; or the path of a model")
    command.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    show(describe(given.name))
    return 0
