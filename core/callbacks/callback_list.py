"""Several callbacks as one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.callbacks.base import HOOKS, Callback, Logs, Params, TrainingModel
from core.callbacks.functions import CountedHook, LambdaCallback, PlainHook
from core.callbacks.progress import ProgbarLogger
from core.callbacks.recorders import History
from core.errors import CoreError

_One = Callback | Mapping[str, CountedHook | PlainHook] | None

#: One or more callbacks; functions by the names of methods make one, as in TensorFlow.js.
Callbacks = _One | Sequence[_One | Sequence[_One]]


class CallbackList(Callback):
    """Callbacks that are called in their order, with results as floats.

    Methods that no callback defines cost next to nothing. The results of one call are one dict:
    what a callback adds, such as the learning rate, later ones see.

    Args:
        callbacks: a callback, a dict of functions by names of methods, or a list of these.
        add_history: append a `History`, unless there is one.
        add_progbar: append a `ProgbarLogger`, unless there is one.
        model: the model, for all callbacks.
        params: facts on the run, for all callbacks: ``verbose``, ``epochs`` and ``steps``.

    Raises:
        CoreError: an object is no callback.

    >>> import core
    >>> every = core.callbacks.CallbackList(add_history=True, epochs=2)
    >>> every.on_train_begin()
    >>> every.on_epoch_end(0, {"loss": 0.5})
    >>> every.history.history
    {'loss': [0.5]}
    """

    def __init__(
        self,
        callbacks: Callbacks = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: TrainingModel | None = None,
        **params: int | str | None,
    ):
        self.callbacks = _flat(callbacks, "callbacks")
        if add_history and self._first(History) is None:
            self.callbacks.append(History())
        if add_progbar and self._first(ProgbarLogger) is None:
            self.callbacks.append(ProgbarLogger())
        self._called = {hook: _defined(self.callbacks, hook) for hook in HOOKS}
        if model is not None:
            self.set_model(model)
        self.set_params(params)

    @property
    def history(self) -> History | None:
        """The `History` among the callbacks."""
        found = self._first(History)
        return found if isinstance(found, History) else None

    def set_model(self, model: TrainingModel) -> None:
        """Give the model to all callbacks."""
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def set_params(self, params: Params) -> None:
        """Give the facts on the run to all callbacks."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_train_begin", logs)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_train_end", logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_epoch_begin", logs, epoch)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_epoch_end", logs, epoch)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_batch_begin", logs, batch)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_batch_end", logs, batch)

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_train_batch_begin", logs, batch)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_train_batch_end", logs, batch)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_test_begin", logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_test_end", logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_test_batch_begin", logs, batch)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_test_batch_end", logs, batch)

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_predict_begin", logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_predict_end", logs)

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_predict_batch_begin", logs, batch)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Call all callbacks."""
        self._call("on_predict_batch_end", logs, batch)

    def needs_batch_results(self) -> bool:
        """Return whether a callback wants the results so far after this batch of training."""
        owners = [getattr(m, "__self__", None) for m in self._called["on_train_batch_end"]]
        return any(not isinstance(o, ProgbarLogger) or o.is_due() for o in owners)

    def _first(self, kind: type[Callback]) -> Callback | None:
        return next((each for each in self.callbacks if isinstance(each, kind)), None)

    def _call(self, hook: str, logs: Logs | None, *count: int) -> None:
        called = self._called[hook]
        if called:
            numbers = {name: _number(value) for name, value in (logs or {}).items()}
            for method in called:
                method(*count, numbers)


def _flat(callbacks: Callbacks, where: str) -> list[Callback]:
    """Return callbacks of nested lists as one list."""
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    if isinstance(callbacks, Mapping):
        functions: dict[str, Any] = dict(callbacks)  # whose names say which arguments they take
        return [LambdaCallback(**functions)]
    if isinstance(callbacks, Sequence) and not isinstance(callbacks, str):
        return [c for i, each in enumerate(callbacks) for c in _flat(each, f"{where}[{i}]")]
    raise CoreError(
        f"{where} is a {type(callbacks).__name__}, expected an object of a subclass of "
        f"core.callbacks.Callback"
    )


def _defined(callbacks: Sequence[Callback], hook: str) -> list[Callable[..., object]]:
    """Return the methods of a name that do anything."""
    older = hook.replace("_train_batch_", "_batch_")  # to which the method of the base passes on
    return [
        getattr(callback, hook)
        for callback in callbacks
        if not (_is_inherited(callback, hook) and _is_inherited(callback, older))
    ]


def _is_inherited(callback: Callback, hook: str) -> bool:
    function = getattr(getattr(callback, hook), "__func__", None)
    return function is getattr(Callback, hook)


def _number(value: Any) -> Any:
    """Return a result as a float: that of a tensor, an array or a number of NumPy, of one value."""
    if isinstance(value, (int, float)) or getattr(value, "size", 1) != 1:
        return value
    item = getattr(value, "item", None)
    return item() if item else value
