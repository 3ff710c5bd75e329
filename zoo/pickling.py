"""Loaded models in pickles: what `zoo.load` was given, so a pickle holds no weights."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple


class Recipe(NamedTuple):
    """The arguments of `zoo.load` that give a model; its backend is added when it is pickled.

    Paths are absolute, as another process may work in another folder.
    """

    source: str
    arguments: Mapping[str, Any]

    @classmethod
    def of_path(cls, path: str, kernels: Mapping[str, Any] | None) -> "Recipe":
        """Of a model from a file, folder or URL."""
        return cls(absolute(path), {"kernels": dict(kernels)} if kernels else {})


def absolute(path: str | os.PathLike[str]) -> str:
    """A path from the root on; what is none, such as a URL, as it is."""
    return os.path.abspath(path) if os.path.exists(path) else os.fspath(path)


def load_again(source: str, arguments: Mapping[str, Any]) -> Any:
    """What unpickling calls: `zoo.load`, and nothing else.

    >>> load_again("posenet.tiny", {"output_stride": 8}).options["output_stride"]
    8
    """
    from zoo.loading import load

    return load(source, **arguments)
