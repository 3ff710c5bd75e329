"""Signatures of verbs for editors and type checkers, and the decorators of verbs.

A verb is written once, for one image. Checkers see it overloaded: one image gives one result, a
sequence a list, an iterator an iterator. When it runs, an unknown option raises an error that lists
the valid ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, Union, overload

import numpy as np

from zoo.pipeline.options import checked_for, refuse_unknown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from PIL import Image

    from zoo.pipeline.loaded_model import LoadedModel


class BinaryReader(Protocol):
    """A binary file object, such as ``open(path, "rb")`` and `io.BytesIO`."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


class SupportsArray(Protocol):
    """An array, or a tensor of any library, as NumPy converts it."""

    def __array__(self) -> np.ndarray:
        """Return an array of NumPy."""


#: Types of one image: a path or URL, an encoded image as bytes or a binary file object, a PIL
#: image, an array or a tensor. An array [n, height, width, 3] is n images: for type checkers pass
#: it as a list, ``list(array)``.
ImageSource = Union[  # noqa: UP007 - PIL is imported by checkers only
    str,
    "os.PathLike[str]",
    bytes,
    bytearray,
    memoryview,
    BinaryReader,
    np.ndarray,
    SupportsArray,
    "Image.Image",
]

#: Ready-made input of a network: an array or tensor, or several by the names of inputs.
NetworkInput = Union["ArrayLike", Mapping[str, "ArrayLike"]]  # noqa: UP007

#: Types of ``model`` beside a name: a path, or what `zoo.load` returned.
OwnModel = Union["LoadedModel", "os.PathLike[str]"]  # noqa: UP007

Source = TypeVar("Source", contravariant=True)
Result = TypeVar("Result")
Model = TypeVar("Model")
Options = ParamSpec("Options")


class Verb(Protocol[Source, Options, Result]):
    """A function of images: one in, one result out; a list in, a list out; likewise iterators."""

    @overload
    def __call__(self, image: Source, *args: Options.args, **options: Options.kwargs) -> Result: ...
    @overload
    def __call__(
        self, image: Sequence[Source], *args: Options.args, **options: Options.kwargs
    ) -> list[Result]: ...
    @overload
    def __call__(
        self, image: Iterator[Source], *args: Options.args, **options: Options.kwargs
    ) -> Iterator[Result]: ...


class MethodVerb(Protocol[Source, Options, Result]):
    """A `Verb` as a method of a model."""

    @overload
    def __get__(self, model: None, owner: type, /) -> Callable[..., Any]: ...
    @overload
    def __get__(
        self, model: object, owner: type | None = None, /
    ) -> Verb[Source, Options, Result]: ...


def public_verb(
    function: Callable[Concatenate[Source, Options], Result],
) -> Verb[Source, Options, Result]:
    """A function of `zoo`: it has the options of all its models, each of which takes some."""
    known: Any = function.__kwdefaults__

    def call(image: Any, **options: Any) -> Any:
        refuse_unknown(function.__name__, options, known)
        return function(image, **options)  # type: ignore[call-arg]

    return _called_as(function, call)


def model_verb(
    method: Callable[Concatenate[Model, Source, Options], Result],
) -> MethodVerb[Source, Options, Result]:
    """A method of a model that stands behind a function of `zoo`.

    Its options are checked here, against ``OPTIONS`` of the task: the method gets plain valid
    values, with the defaults of the model in place of None.
    """

    def call(self: Any, image: Any, **options: Any) -> Any:
        return method(self, image, **checked_for(self, method, options))  # type: ignore[call-arg]

    return _called_as(method, call)


def _called_as(function: Any, call: Any) -> Any:
    """The caller of a function, with its name, docstring, signature and options."""
    wraps(function)(call)
    call.__kwdefaults__ = function.__kwdefaults__  # where options are looked up
    return call
