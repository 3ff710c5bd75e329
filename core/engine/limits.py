"""Limits on a run of a model, and on reading a model file: bytes, loop steps and seconds.

The limits of a context hold for one thread or task; limits of a model are given at its loading.
Where both are given, the stricter one holds; where neither is, that of `default_limits`.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from math import inf, isnan
from typing import Any

from core.errors import CoreError
from core.process.context_vars import reset

_MIB, _GIB = 2**20, 2**30

#: Files in which Linux says how much memory a container may take.
_CONTAINER_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)

#: Shares of the computer's memory that by default all values of one run, and one value, may take:
#: an op needs a multiple of its result's memory while it works.
_SHARE_OF_RUN, _SHARE_OF_VALUE = 0.75, 0.25


class Limits:
    """The most that a run, or reading a file, may cost. None: the default; ``math.inf``: no limit.

    Args:
        value_bytes: bytes of one value that a node gives.
        run_bytes: bytes of the values that one run holds at the same time.
        loop_steps: iterations of all loops of one run, nested ones counted each time.
        calls: calls of the graph's functions in one run.
        nodes: nodes of a graph, those of the functions that it calls counted at each call that is
            inlined.
        multiply_adds: products that one op sums up, such as a convolution.
        seconds: duration of one run; checked between steps, so a long step ends first.
        file_bytes: bytes that reading a file may take, beside four times the file's own size.
        file_seconds: duration of reading a file.

    Raises:
        CoreError: a limit is not a positive number.

    >>> import core
    >>> core.Limits(seconds=2.0, run_bytes=2**30).seconds
    2.0
    """

    # No dataclass: importing that, and making one, takes 3 ms of the start of a process.
    value_bytes: float | None
    run_bytes: float | None
    loop_steps: float | None
    calls: float | None
    nodes: float | None
    multiply_adds: float | None
    seconds: float | None
    file_bytes: float | None
    file_seconds: float | None

    def __init__(
        self,
        *,
        value_bytes: float | None = None,
        run_bytes: float | None = None,
        loop_steps: float | None = None,
        calls: float | None = None,
        nodes: float | None = None,
        multiply_adds: float | None = None,
        seconds: float | None = None,
        file_bytes: float | None = None,
        file_seconds: float | None = None,
    ):
        vars(self).update(
            value_bytes=value_bytes,
            run_bytes=run_bytes,
            loop_steps=loop_steps,
            calls=calls,
            nodes=nodes,
            multiply_adds=multiply_adds,
            seconds=seconds,
            file_bytes=file_bytes,
            file_seconds=file_seconds,
        )
        for name, value in vars(self).items():
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not (is_number and not isnan(value) and value > 0):
                raise CoreError(f"the limit {name}={value!r:.80} must be a number above 0")

    @classmethod
    def strict(cls) -> "Limits":
        """Limits for model files whose author is unknown: enough for most networks, and no more.

        >>> import core
        >>> with core.limits(core.Limits.strict()):
        ...     core.square(3.0).item()
        9.0
        """
        return _STRICT

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be changed: make other limits with core.Limits")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} cannot be deleted: limits do not change")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Limits) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return f"Limits({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


#: The names of all limits.
LIMIT_NAMES = tuple(vars(Limits()))

_STRICT = Limits(
    value_bytes=128 * _MIB,
    run_bytes=384 * _MIB,
    loop_steps=10_000,
    calls=1_000,
    nodes=10_000,
    multiply_adds=2e10,
    seconds=8.0,
    file_bytes=256 * _MIB,
    file_seconds=8.0,
)


class LimitError(CoreError):
    """A run, or reading a file, would cost more than a limit allows.

    Args:
        message: which value or step takes how much.
        name: of the limit, such as ``"run_bytes"``.
        most: its value.

    >>> print(LimitError("the result has 4,000 bytes", "value_bytes", 1000.0))
    the result has 4,000 bytes, the limit value_bytes is 1,000: if you trust the model, ...
    """

    def __init__(self, message: str, name: str = "", most: float = 0.0):
        self.message, self.name, self.most = message, name, most
        advice = (
            f", the limit {name} is {_shown(most)}: if you trust the model, raise the limit where "
            f"it was set, with `with core.limits({name}=...)` around the call or with "
            f"limits=core.Limits({name}=...) when the model is loaded"
        )
        super().__init__(message + advice if name else message)

    def __reduce__(self) -> tuple[type["LimitError"], tuple[str, str, float]]:
        return LimitError, (self.message, self.name, self.most)

    def at(self, node: str) -> "LimitError":
        """The error with the node that raised it, unless the error names one."""
        if self.message.startswith("node "):
            return self
        return LimitError(f"{node}: {self.message}", self.name, self.most)


def _shown(most: float) -> str:
    return f"{most:,.0f}" if most >= 1000 else f"{most:g}"


@cache
def default_limits() -> Limits:
    """Limits that hold where no others are given: generous, for models that the user chose."""
    memory = _memory_bytes()
    return Limits(
        value_bytes=memory * _SHARE_OF_VALUE,
        run_bytes=memory * _SHARE_OF_RUN,
        loop_steps=10_000_000,
        calls=1_000_000,
        nodes=200_000,
        multiply_adds=inf,
        seconds=inf,
        file_bytes=512 * _MIB,
        file_seconds=60.0,
    )


def _memory_bytes() -> float:
    """The memory of the computer or container; 16 GiB where the system does not say."""
    try:
        found = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        found = 16.0 * _GIB
    return min(found, *map(_container_bytes, _CONTAINER_LIMITS))


def _container_bytes(path: str) -> float:
    """The memory that a file allows the container; infinity if it states no limit."""
    try:
        with open(path, encoding="ascii") as stream:
            return float(stream.read(32))  # "max" where there is no limit
    except (OSError, ValueError):
        return inf


_of_context: ContextVar[Limits | None] = ContextVar("limits", default=None)

#: ``value_bytes`` of the run or context that ops are a part of. Each op asks for it.
_ceiling: ContextVar[float | None] = ContextVar("value ceiling", default=None)
value_ceiling, set_ceiling = _ceiling.get, _ceiling.set
reset_ceiling = partial(reset, _ceiling)


def claim(size: float, what: str) -> None:
    """Raise if a value of so many bytes is larger than ops may give now; for kernels.

    An op whose rule gives a shape need not: the engine checks that.

    >>> with limits(value_bytes=1000):
    ...     claim(900, "the result")
    """
    most = _ceiling.get()
    if most is not None and size > most:
        raise LimitError(f"{what} would take {size:,.0f} bytes", "value_bytes", most)


@contextmanager
def limits(given: Limits | None = None, /, **values: float) -> Iterator[None]:
    """Limit the cost of runs and of reading files inside, in this thread or task only.

    Inside of another ``with core.limits`` the given limits replace the outer ones.

    Args:
        given: limits to begin with, such as `core.Limits.strict()`.
        values: single limits, as arguments of `core.Limits`.

    Raises:
        CoreError: there is no limit of that name, or its value is not a positive number.

    >>> import core
    >>> from core.engine.limits import effective_limits
    >>> with core.limits(value_bytes=1000):
    ...     effective_limits().value_bytes
    1000
    """
    unknown = values.keys() - set(LIMIT_NAMES)
    if unknown:
        raise CoreError(f"there is no limit {sorted(unknown)[0]!r}: use one of {LIMIT_NAMES}")
    layers = filter(None, (_of_context.get(), checked_limits(given), Limits(**values)))
    inside = Limits(**{n: v for layer in layers for n, v in _given(layer).items()})
    most = _ceiling.get() if inside.value_bytes is None else inside.value_bytes
    token, token_of_ceiling = _of_context.set(inside), _ceiling.set(most)
    try:
        yield
    finally:
        reset(_of_context, token)
        reset_ceiling(token_of_ceiling)


def _given(limits: Limits) -> dict[str, float]:
    """The limits that are not None, by name."""
    return {n: v for n in LIMIT_NAMES if (v := getattr(limits, n)) is not None}


def context_limits() -> Limits | None:
    """The limits of the context, without those of a model."""
    return _of_context.get()


def effective_limits(of_model: Limits | None = None) -> Limits:
    """All limits with their values: of the context, the model, and the defaults.

    Args:
        of_model: given when the model was loaded.
    """
    return _merged(_of_context.get(), of_model)


def limited(of_model: Limits | None) -> AbstractContextManager[None]:
    """Apply the limits of a model while it is loaded, in addition to those of the context.

    Args:
        of_model: None: no other limits than those of the context.
    """
    return nullcontext() if of_model is None else limits(effective_limits(of_model))


def checked_limits(given: Any) -> Limits | None:
    """The argument ``limits=``, checked.

    Raises:
        CoreError: the argument is neither a `core.Limits` nor None.
    """
    if given is not None and not isinstance(given, Limits):
        raise CoreError(
            f"limits takes a core.Limits, such as core.Limits.strict(), got {given!r:.80}"
        )
    return given


def usual_limits(of_model: Limits | None) -> Limits:
    """All limits with their values, without those of the context."""
    return _merged(None, of_model)


@lru_cache(64)
def _merged(context: Limits | None, of_model: Limits | None) -> Limits:
    layers = [_given(limits) for limits in (context, of_model) if limits is not None]
    defaults = _given(default_limits()).items()
    return Limits(**{n: min([i[n] for i in layers if n in i], default=v) for n, v in defaults})
