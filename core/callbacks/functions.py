"""Callbacks that are made of functions."""

from collections.abc import Callable

from core.callbacks.base import HOOKS, Callback, Logs
from core.errors import CoreError

#: Functions of an epoch or batch and results, and of results alone.
CountedHook = Callable[[int, Logs | None], object]
PlainHook = Callable[[Logs | None], object]


class LambdaCallback(Callback):
    """A callback whose methods are functions.

    Args:
        on_epoch_begin: function of the epoch and results.
        on_epoch_end: function of the epoch and results.
        on_train_begin: function of results.
        on_train_end: function of results.
        on_train_batch_begin: function of the batch and results.
        on_train_batch_end: function of the batch and results.
        functions: functions for other methods of `Callback`, by name.

    Raises:
        CoreError: a name is that of no method, or a value is no function.

    >>> import core
    >>> losses = []
    >>> keeper = core.callbacks.LambdaCallback(
    ...     on_epoch_end=lambda epoch, logs: losses.append(logs["loss"]))
    >>> core.callbacks.CallbackList([keeper]).on_epoch_end(0, {"loss": 0.5})
    >>> losses
    [0.5]
    """

    def __init__(
        self,
        on_epoch_begin: CountedHook | None = None,
        on_epoch_end: CountedHook | None = None,
        on_train_begin: PlainHook | None = None,
        on_train_end: PlainHook | None = None,
        on_train_batch_begin: CountedHook | None = None,
        on_train_batch_end: CountedHook | None = None,
        **functions: CountedHook | PlainHook | None,
    ):
        functions |= {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end,
        }
        for name, function in functions.items():
            if name not in HOOKS:
                raise CoreError(f"callbacks have no {name!r}; there are {', '.join(HOOKS)}")
            if function is not None:
                if not callable(function):
                    raise CoreError(f"{name}={function!r:.80} must be a function")
                setattr(self, name, function)
