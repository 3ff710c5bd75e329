"""Printing of results: as JSON, CSV, or text for people."""

import json
import sys
from typing import Protocol

from weights_cache.common.messages import visible
from weights_cache.common.providers import found_at
from zoo.export.json_text import encodable, to_json
from zoo.export.pretty import readable
from zoo.results.vocabulary import Result


class Output(Protocol):
    """Takes the results one by one."""

    def add(self, image: str, result: Result) -> None:
        """Print the result of an image, or keep it until the end."""

    def close(self) -> None:
        """Print what comes after the last result."""


def make_output(form: str | None, *, several: bool) -> Output:
    """The output of a form.

    Args:
        form: json, jsonl, csv or text; None: text on a terminal, else JSON.
        several: whether there may be several images, whose results are then named.
    """
    if form is None:
        form = "text" if sys.stdout.isatty() else "json"
    if form == "csv":
        table: Output = found_at("zoo.cli.table_output:Table")()
        return table
    if form == "jsonl":
        return _Lines()
    return _Document(several) if form == "json" else _Text(several)


class _Document:
    """One JSON document: the result of one image, or a dict of those of several by image.

    A result is printed when it is there, so masks of a long folder are not kept.
    """

    def __init__(self, several: bool):
        self._several, self._opened = several, False

    def add(self, image: str, result: Result) -> None:
        text = to_json(result)
        if not self._several:
            print(text, flush=True)
            return
        before = ", " if self._opened else "{"
        self._opened = True
        print(f"{before}{json.dumps(encodable(image))}: {text}", end="", flush=True)

    def close(self) -> None:
        if self._opened:
            print("}")


class _Lines:
    """A JSON document on each line, with the image's name."""

    def add(self, image: str, result: Result) -> None:
        name = json.dumps(encodable(image))
        print(f'{{"image": {name}, "result": {to_json(result)}}}', flush=True)

    def close(self) -> None:
        pass


class _Text:
    """Short numbers, and of several images the name above each result."""

    def __init__(self, several: bool):
        self._several = several

    def add(self, image: str, result: Result) -> None:
        text = readable(result)
        name = visible(encodable(image), lines=False)
        print(f"{name}:\n{text}" if self._several else text, flush=True)

    def close(self) -> None:
        pass
