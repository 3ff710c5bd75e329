"""Training and evaluation of models."""

from collections.abc import Mapping
from typing import Any, Literal, overload

from core import callbacks as all_callbacks
from core.callbacks import Callback, History
from core.callbacks.callback_list import Callbacks
from core.data.batches import Batch, Samples, TrainingData, as_batches, split_validation
from core.errors import CoreError
from core.models.compiled_model import CompiledModel
from core.models.interrupts import INTERRUPTS
from core.models.result_types import Result
from core.models.running import Loop, Means


class Trainer(CompiledModel[Result]):
    """A model with methods that train and evaluate it."""

    # --- fit ---------------------------------------------------------------------------------

    @INTERRUPTS.between_steps()
    def fit(
        self,
        x: TrainingData,
        y: Samples | None = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int | Literal["auto"] = "auto",
        callbacks: Callbacks = None,
        validation_split: float = 0.0,
        validation_data: TrainingData | None = None,
        shuffle: bool = True,
        class_weight: Mapping[int, float] | None = None,
        sample_weight: Samples | None = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: int = 1,
    ) -> History:
        """Train the model.

        Args:
            x: inputs: an array, or a list or dict of arrays for several inputs; or a
                `core.data.Dataset` or another iterable of batches ``(x, y)`` or ``(x, y,
                sample_weight)``.
            y: labels, for arrays.
            batch_size: samples of a step, for arrays, by default 32.
            epochs: number of the last epoch: how often to go through the data.
            verbose: 0 prints nothing, 1 and ``"auto"`` a line with progress per epoch, 2 a line
                per epoch.
            callbacks: objects of `core.callbacks` that are called while training runs.
            validation_split: share of the last samples, on which the model is evaluated after each
                epoch, and not trained.
            validation_data: ``(x, y)`` or ``(x, y, sample_weight)`` or batches for evaluation.
            shuffle: whether to mix the samples of arrays for each epoch.
            class_weight: weights of samples by their class.
            sample_weight: weights of samples, for arrays.
            initial_epoch: number of the first epoch, from 0.
            steps_per_epoch: steps of an epoch, by default all batches.
            validation_steps: batches of an evaluation, by default all.
            validation_batch_size: samples of a batch in evaluation, by default ``batch_size``.
            validation_freq: evaluate after every so many epochs.

        Returns:
            The results by epoch, in ``history.history``: lists by name, such as ``"loss"`` and
            ``"val_loss"``.

        Raises:
            CoreError: the model was not compiled, data do not fit it, labels are out of the range
                of the loss, or the loss became NaN or infinite: that step then changes no weight.
                Backends that run on while the program does, such as ``shader``, report up to 16
                steps later.
            KeyboardInterrupt: Ctrl-C was pressed: the weights are those after a step, and the model
                can be trained on.
        """
        self._check_compiled()
        if validation_split:
            if validation_data is not None:
                raise CoreError("give validation_data or validation_split, not both")
            arrays: Any = x
            first, validation_data = split_validation(arrays, y, sample_weight, validation_split)
            x, y, sample_weight = first
        batches = as_batches(x, y, sample_weight, batch_size, shuffle=shuffle)
        loop = Loop(batches, steps_per_epoch)
        called, history = self._called(callbacks, loop, epochs, _verbosity(verbose))
        self.stop_training, self.history = False, history
        called.on_train_begin()
        logs: dict[str, float] = {}
        for epoch in range(initial_epoch, epochs):
            called.on_epoch_begin(epoch)
            logs = self._epoch(loop, epoch, called, class_weight)
            if validation_data is not None and (epoch + 1) % validation_freq == 0:
                found = self._evaluated(
                    validation_data, validation_batch_size or batch_size, validation_steps, called
                )
                logs |= {f"val_{name}": value for name, value in found.items()}
            called.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        called.on_train_end(logs)
        return history

    def _called(
        self, callbacks: Callbacks, loop: Loop, epochs: int, verbose: int
    ) -> tuple[all_callbacks.CallbackList, History]:
        """Return the callbacks of a run as one, with progress, and the history among them."""
        called = all_callbacks.CallbackList(
            callbacks,
            add_history=True,
            add_progbar=bool(verbose),
            model=self,
            epochs=epochs,
            steps=loop.steps,
            verbose=verbose,
        )
        history = called.history
        assert history is not None
        return called, history

    def _epoch(
        self,
        loop: Loop,
        epoch: int,
        called: all_callbacks.CallbackList,
        class_weight: Mapping[int, float] | None,
    ) -> dict[str, float]:
        """Train for one epoch, and return its results."""
        means, feeder = Means(), self._feeder()
        self._forget_other_steps()
        if self._objectives is not None:
            self._objectives.reset()
        for step, batch in enumerate(loop):
            called.on_train_batch_begin(step)
            where = f"step {step} of epoch {epoch}"
            with INTERRUPTS.step():
                inputs, labels, weights = feeder.tensors(batch, class_weight)
                steps = self._ready(inputs, labels)
                total, values = steps.train_or_explain(inputs, labels, weights, where)
                means.add(total, values, inputs[0].shape[0], where=where)
            needs_results = called.needs_batch_results()
            called.on_train_batch_end(step, self._logs(means) if needs_results else {})
            if self.stop_training:
                break
        means.check()
        if not means.count:
            raise CoreError(f"there was no batch in epoch {epoch}: the data are used up or empty")
        return self._logs(means)

    # --- evaluate and predict ----------------------------------------------------------------

    @overload
    def evaluate(
        self,
        x: TrainingData,
        y: Samples | None = None,
        batch_size: int | None = None,
        verbose: int | Literal["auto"] = 0,
        sample_weight: Samples | None = None,
        steps: int | None = None,
        callbacks: Callbacks = None,
        return_dict: Literal[False] = False,
    ) -> float | list[float]: ...

    @overload
    def evaluate(
        self,
        x: TrainingData,
        y: Samples | None = None,
        batch_size: int | None = None,
        verbose: int | Literal["auto"] = 0,
        sample_weight: Samples | None = None,
        steps: int | None = None,
        callbacks: Callbacks = None,
        *,
        return_dict: Literal[True],
    ) -> dict[str, float]: ...

    def evaluate(
        self,
        x: TrainingData,
        y: Samples | None = None,
        batch_size: int | None = None,
        verbose: int | Literal["auto"] = 0,
        sample_weight: Samples | None = None,
        steps: int | None = None,
        callbacks: Callbacks = None,
        return_dict: bool = False,
    ) -> float | list[float] | dict[str, float]:
        """Return the loss and the metrics on data.

        Args:
            x: inputs, as for `fit`.
            y: labels, for arrays.
            batch_size: samples of a batch, for arrays, by default 32.
            verbose: 1 prints the results.
            sample_weight: weights of samples, for arrays.
            steps: number of batches, by default all.
            callbacks: objects of `core.callbacks`.
            return_dict: return the results by name.

        Returns:
            The loss; a list of the loss and the metrics in the order of ``metrics_names`` if there
            are metrics; or a dict by name.
        """
        self._check_compiled()
        called = all_callbacks.CallbackList(callbacks, model=self)
        data = x if y is None and sample_weight is None else (x, y, sample_weight)
        found = self._evaluated(data, batch_size, steps, called)
        if verbose not in (0, "auto"):
            print(", ".join(f"{name}: {value:.4f}" for name, value in found.items()))
        if return_dict:
            return found
        values = list(found.values())
        return values[0] if len(values) == 1 else values

    @INTERRUPTS.between_steps()
    def _evaluated(
        self, data: Any, batch_size: int | None, steps: int | None, called: Callback
    ) -> dict[str, float]:
        whole = Batch(*data) if isinstance(data, tuple) else Batch(data)
        loop = Loop(as_batches(whole.x, whole.y, whole.sample_weight, batch_size), steps)
        means = Means()
        called.on_test_begin()
        if self._objectives is not None:
            self._objectives.reset()
        for step, batch in enumerate(loop):
            called.on_test_batch_begin(step)
            with INTERRUPTS.step():
                inputs, labels, weights = self._feeder().tensors(batch, None)
                total, values = self._ready(inputs, labels).test(inputs, labels, weights)
                means.add(total, values, inputs[0].shape[0], where=None)
            called.on_test_batch_end(step, {})
        means.check()
        if not means.count:
            raise CoreError("there was no batch to evaluate the model on: the data are empty")
        logs = self._logs(means)
        called.on_test_end(logs)
        return logs

    # --- single batches ----------------------------------------------------------------------

    @overload
    def train_on_batch(
        self,
        x: Samples,
        y: Samples | None = None,
        sample_weight: Samples | None = None,
        class_weight: Mapping[int, float] | None = None,
        return_dict: Literal[False] = False,
    ) -> float | list[float]: ...

    @overload
    def train_on_batch(
        self,
        x: Samples,
        y: Samples | None = None,
        sample_weight: Samples | None = None,
        class_weight: Mapping[int, float] | None = None,
        *,
        return_dict: Literal[True],
    ) -> dict[str, float]: ...

    def train_on_batch(
        self,
        x: Samples,
        y: Samples | None = None,
        sample_weight: Samples | None = None,
        class_weight: Mapping[int, float] | None = None,
        return_dict: bool = False,
    ) -> float | list[float] | dict[str, float]:
        """Make one step on a batch, and return the loss before it and the metrics.

        Args:
            x: inputs, as for `fit`.
            y: labels.
            sample_weight: weights of the samples.
            class_weight: weights of samples by their class.
            return_dict: return the results by name.
        """
        self._check_compiled()
        return self._on_batch("train", Batch(x, y, sample_weight), class_weight, return_dict)

    @overload
    def test_on_batch(
        self,
        x: Samples,
        y: Samples | None = None,
        sample_weight: Samples | None = None,
        return_dict: Literal[False] = False,
    ) -> float | list[float]: ...

    @overload
    def test_on_batch(
        self,
        x: Samples,
        y: Samples | None = None,
        sample_weight: Samples | None = None,
        *,
        return_dict: Literal[True],
    ) -> dict[str, float]: ...

    def test_on_batch(
        self,
        x: Samples,
        y: Samples | None = None,
        sample_weight: Samples | None = None,
        return_dict: bool = False,
    ) -> float | list[float] | dict[str, float]:
        """Return the loss and the metrics on a batch.

        Args:
            x: inputs, as for `fit`.
            y: labels.
            sample_weight: weights of the samples.
            return_dict: return the results by name.
        """
        self._check_compiled()
        return self._on_batch("test", Batch(x, y, sample_weight), None, return_dict)

    @INTERRUPTS.between_steps()
    @INTERRUPTS.step()
    def _on_batch(
        self,
        kind: str,
        batch: Batch,
        class_weight: Mapping[int, float] | None,
        return_dict: bool,
    ) -> Any:
        inputs, labels, weights = self._feeder().tensors(batch, class_weight)
        self._forget_other_steps()
        steps = self._ready(inputs, labels)
        assert self._objectives is not None
        self._objectives.reset()
        means = Means()
        if kind == "train":
            total, values = steps.train_or_explain(inputs, labels, weights, "this batch")
        else:
            total, values = steps.test(inputs, labels, weights)
        where = "this batch" if kind == "train" else None
        means.add(total, values, inputs[0].shape[0], where=where)
        means.check()
        logs = self._logs(means)
        numbers = list(logs.values())
        return logs if return_dict else numbers[0] if len(numbers) == 1 else numbers


def _verbosity(verbose: Any) -> int:
    if verbose == "auto":
        return 1
    if verbose not in (0, 1, 2, True, False):
        raise CoreError(f"verbose={verbose!r} must be 0, 1, 2 or 'auto'")
    return int(verbose)
