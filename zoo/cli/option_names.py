"""Errors of functions in the words of the command line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from weights_cache.common.errors import ZooError


def as_options(message: str, options: Mapping[str, str]) -> str:
    """Return a message with options of a command in the place of arguments of functions.

    Args:
        message: the message.
        options: the options, by the arguments that messages name.

    >>> as_options("give another folder, or overwrite=True", {"overwrite=True": "--overwrite"})
    'give another folder, or --overwrite'
    """
    for argument, option in options.items():
        message = message.replace(argument, option)
    return message


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """Raise errors of a block with the options of a command; see `as_options`."""
    try:
        yield
    except ZooError as error:
        raise ZooError(as_options(str(error), options)) from error
