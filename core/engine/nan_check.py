"""Debug mode: the first NaN or infinity, and its line in the user's program."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from linecache import getline
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.dtypes import DIFFERENTIABLE
from core.engine.settings import flags
from core.errors import CoreError

if TYPE_CHECKING:
    from core.engine.tensors import Tensor

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
_PYTHONS = os.path.dirname(os.__file__)

#: Files whose lines are not the user's: of these packages, and of Python itself.
_OURS = tuple(os.path.join(_HOME, name, "") for name in ("core", "zoo", "weights_cache"))
_PYTHONS_OWN = os.path.join(_PYTHONS, ""), "<frozen "

#: Installed packages may be inside of Python's folder, but count as the user's code.
_INSTALLED = tuple(os.path.join(_PYTHONS, name, "") for name in ("site-packages", "dist-packages"))

#: The line at which a function was handed to another thread.
handed_over_at: ContextVar[str] = ContextVar("handed_over_at", default="")

_unchecked: ContextVar[bool] = ContextVar("unchecked", default=False)


class NotFiniteError(CoreError):
    """A NaN or infinity in debug mode.

    Attributes:
        op: name of the op whose result has it.
        line: the user's line that ran the op, as ``file:number: code``; in a gradient the one that
            ran the op whose gradient it is.
        gradient_of: name of that op or function, or empty.
    """

    def __init__(self, message: str, op: str, line: str, gradient_of: str = ""):
        super().__init__(message)
        self.op, self.line, self.gradient_of = op, line, gradient_of

    def __reduce__(self) -> Any:  # so that it comes back from another process
        return NotFiniteError, (str(self), self.op, self.line, self.gradient_of)

    def in_gradient_of(self, name: str, line: str) -> "NotFiniteError":
        """Return the error with the op or function whose gradient it is, and where that ran."""
        if self.gradient_of:  # a gradient inside of this one
            return NotFiniteError(str(self), self.op, self.line, self.gradient_of)
        where = f", which ran at {line}" if line else ""
        what = f"{self}; this is in the gradient of {name}{where}"
        return NotFiniteError(what, self.op, line or self.line, name)


def debug_mode(enabled: bool = True) -> AbstractContextManager[Any]:
    """Check the result of every op, and raise at the first NaN or infinity.

    It holds for the whole process from the call on, or while a ``with`` statement lasts; if such
    statements overlap in several tasks or threads, until the last one ends. Tensors made of values
    with a NaN or an infinity raise, too. The environment variable ``CORE_DEBUG=1`` and
    ``core.flags.debug = True`` do the same.

    Args:
        enabled: False switches it off.

    Raises:
        NotFiniteError: (by the op) it names the op, the shapes, and the line of your program.

    >>> import core
    >>> with core.debug_mode():
    ...     try:
    ...         core.log(core.tensor([1.0, -1.0]))
    ...     except core.NotFiniteError as error:
    ...         print(error.op)
    log
    """
    return flags(debug=enabled)


@contextmanager
def unchecked() -> Iterator[None]:
    """Let built-in ops give NaN and infinity where these mark values that are ignored."""
    token = _unchecked.set(True)
    try:
        yield
    finally:
        _unchecked.reset(token)


def check_finite(op: str, inputs: Sequence["Tensor"], outputs: Sequence["Tensor"]) -> None:
    """Raise if a result of an op has a NaN or an infinity."""
    if _unchecked.get():
        return
    for result in outputs:
        if result.dtype in DIFFERENTIABLE:
            values = result._read()
            finite = np.isfinite(values)
            if not finite.all():
                line = users_line()
                raise NotFiniteError(_described(op, inputs, values, finite, line), op, line)


def _described(
    op: str, inputs: Sequence["Tensor"], values: np.ndarray, finite: np.ndarray, line: str
) -> str:
    place = tuple(map(int, np.argwhere(~finite)[0]))
    of = f" of ({', '.join(f'{t.dtype} {t.shape}' for t in inputs)})" if inputs else ""
    where = f" at {list(place)}" if place else ""
    before = "" if all(map(_is_finite, inputs)) else " (an input has some already)"
    return (
        f"{op}{of} gave {values[place]}{where}: {np.size(finite) - finite.sum()} of "
        f"{np.size(finite)} values of its result {values.shape} are not finite{before}; {line}"
    )


def _is_finite(value: "Tensor") -> bool:
    return value.dtype not in DIFFERENTIABLE or bool(np.isfinite(value._read()).all())


def users_line() -> str:
    """The innermost line on the stack that is the user's, as ``file:number: code``."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return _shown_line(frame, frame and frame.f_lineno)


def users_line_of(error: BaseException) -> str:
    """The innermost line that led to an error and is the user's, as ``file:number: code``."""
    frame, line = None, None
    trace = error.__traceback__
    while trace is not None:
        if _is_users(trace.tb_frame.f_code.co_filename):
            frame, line = trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
    return _shown_line(frame, line)


def _shown_line(frame: FrameType | None, number: int | None) -> str:
    if frame is None or number is None:
        return handed_over_at.get() or "a line that is not known"
    file = frame.f_code.co_filename
    return f"{file}:{number}: {getline(file, number, frame.f_globals).strip()}"


def _is_users(file: str) -> bool:
    if file.startswith(_OURS):
        return False
    return file.startswith(_INSTALLED) or not file.startswith(_PYTHONS_OWN)
