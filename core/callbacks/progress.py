"""The progress of a run as text: a line that is rewritten on a terminal, else one per epoch."""

import shutil
import sys
from time import perf_counter

from core.callbacks.base import Callback, Logs, Params

#: Letters of the bar, and seconds between two updates of a line.
_WIDTH, _INTERVAL = 20, 0.05


class ProgbarLogger(Callback):
    """Print the progress and the results of each epoch to the standard output.

    With ``verbose=1`` or ``"auto"`` a terminal shows one line for each epoch, which is rewritten
    while it runs; with ``verbose=2``, and if the output is no terminal, the line is written when
    the epoch ends. With ``verbose=0`` nothing is.

    >>> import core
    >>> bar = core.callbacks.ProgbarLogger()
    >>> bar.set_params({"verbose": 2, "epochs": 5, "steps": 10})
    >>> bar.on_epoch_begin(0)
    >>> bar.on_epoch_end(0, {"loss": 0.5})  # doctest: +ELLIPSIS
    Epoch 1/5 - 10/10 - ...s - ...s/step - loss: 0.5000
    """

    def __init__(self) -> None:
        self._verbose: int = 1
        self._epochs: int = 1
        self._steps: int | None = None
        self._in_fit = False
        self._begin("")

    def set_params(self, params: Params) -> None:
        """Take how much is printed, and the numbers of epochs and steps."""
        super().set_params(params)
        verbose, epochs, steps = (params.get(n) for n in ("verbose", "epochs", "steps"))
        self._verbose = verbose if isinstance(verbose, int) else 1
        self._epochs = epochs if isinstance(epochs, int) else 1
        self._steps = steps if isinstance(steps, int) else None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Let validations be silent from now on."""
        self._in_fit = True

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Let evaluations print again."""
        self._in_fit = False

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Begin a line."""
        self._begin(f"Epoch {epoch + 1}/{self._epochs}")

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Begin a line, if this is no validation of `fit`."""
        if not self._in_fit:
            self._begin("")

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Begin a line."""
        self._begin("")

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Rewrite the line."""
        self._update(batch + 1, logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Rewrite the line, if this is no validation of `fit`."""
        if not self._in_fit:
            self._update(batch + 1, logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Rewrite the line."""
        self._update(batch + 1, None)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """End the line."""
        self._end(logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """End the line, if this is no validation of `fit`."""
        if not self._in_fit:
            self._end(logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """End the line."""
        self._end(None)

    def _begin(self, title: str) -> None:
        self._title, self._seen, self._shown = title, 0, 0
        self._start = perf_counter()
        self._next = self._start + _INTERVAL

    def is_due(self) -> bool:
        """Return whether the line is to be rewritten now."""
        return self._verbose == 1 and perf_counter() >= self._next and _is_terminal()

    def _update(self, seen: int, logs: Logs | None) -> None:
        self._seen = seen
        if self.is_due():
            self._next = perf_counter() + _INTERVAL
            self._rewrite(self._bar(), self._left(), logs, end="")

    def _end(self, logs: Logs | None) -> None:
        if self._steps is None and self._seen:
            self._steps = self._seen  # the next epoch has as many
        seen = self._seen or self._steps or 0
        seconds = perf_counter() - self._start
        timing = f"{_duration(seconds)} - {_step_time(seconds / max(seen, 1))}"
        if self._verbose == 1 and _is_terminal():
            self._rewrite(self._bar(), timing.replace(" - ", " "), logs, end="\n")
        elif self._verbose:
            counted = f"{seen}/{self._steps or seen}"
            print(" - ".join(filter(None, (self._title, counted, timing, results(logs)))))

    def _rewrite(self, bar: str, timing: str, logs: Logs | None, end: str) -> None:
        """Write a line over the last one; one to be rewritten must fit into the terminal."""
        parts = (" ".join(filter(None, (self._title, bar, timing))), results(logs))
        line = " - ".join(filter(None, parts))
        if not end:
            line = line[: shutil.get_terminal_size().columns - 1]
        print(f"\r{line.ljust(self._shown)}", end=end, flush=True)
        self._shown = len(line)

    def _bar(self) -> str:
        if not self._steps:
            return f"{self._seen}/?"
        done = min(_WIDTH, _WIDTH * self._seen // self._steps)
        counted = f"{self._seen:{len(str(self._steps))}}/{self._steps}"
        return f"{counted} [{'=' * done}{'.' * (_WIDTH - done)}]"

    def _left(self) -> str:
        """Return the estimated time until the end of the epoch, if it is known."""
        step = (perf_counter() - self._start) / self._seen
        left = f"{_duration(step * (self._steps - self._seen))} " if self._steps else ""
        return f"{left}{_step_time(step)}"


def results(logs: Logs | None) -> str:
    """Return results as text.

    >>> results({"loss": 0.25, "learning_rate": 1e-4})
    'loss: 0.2500 - learning_rate: 1.0000e-04'
    """
    return " - ".join(f"{name}: {_value(value)}" for name, value in (logs or {}).items())


def _value(value: object) -> str:
    if not isinstance(value, (int, float)):
        return f"{value}"
    return f"{value:.4e}" if 0 < abs(value) <= 1e-3 else f"{value:.4f}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}" if minutes else f"{rest}s"


def _step_time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.0f}s/step"
    return f"{seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/step"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
