"""Training, evaluation and prediction of models."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

import numpy as np

from core import callbacks as all_callbacks
from core import optimizers
from core.callbacks import Callback, History
from core.callbacks.callback_list import Callbacks
from core.data.batches import Batch, TrainingData, as_batches, split_validation
from core.dispatch import tensor
from core.errors import CoreError
from core.late_ops import ops
from core.layers.symbolic import flattened
from core.losses import Loss
from core.losses.fitting import output_mismatch
from core.metrics import Metric
from core.tensors import Tensor
from core.training.objectives import Objectives
from core.training.output_facts import output_activations
from core.training.running import Loop, Means, weights_of_classes
from core.training.steps import Steps

if TYPE_CHECKING:
    from core.optimizers import Optimizer

#: A loss: its name, config, object, or a function of labels and outputs.
LossLike = "str | Mapping[str, Any] | Loss | Callable[[Tensor, Tensor], Tensor] | None"

#: Input arrays: one, or a list or dict of them; or batches of inputs and labels.
Data = TrainingData


class Trainer:
    """The methods of a model that train and evaluate it."""

    def _start_training(self) -> None:
        self.stop_training = False
        self.history: History | None = None
        self._optimizer: Any = None
        self._objectives: Objectives | None = None
        self._compiled_with: dict[str, Any] | None = None
        self._steps: Steps | None = None
        self._steps_key: Any = None
        self._units: dict[str, int | None] = {}

    def _forget_steps(self) -> None:
        self._steps = None

    def compile(
        self,
        optimizer: "str | Mapping[str, Any] | Optimizer" = "rmsprop",
        loss: Any = None,
        loss_weights: "float | Sequence[float] | Mapping[str, float] | None" = None,
        metrics: "Sequence[Any] | Mapping[str, Any] | None" = None,
        weighted_metrics: "Sequence[Any] | Mapping[str, Any] | None" = None,
        run_eagerly: bool = False,
    ) -> None:
        """Say how the model is trained.

        Args:
            optimizer: name, config or object of `core.optimizers`, or an optimizer of
                `core.train`.
            loss: name, config or object of `core.losses`, or a function of labels and outputs; for
                several outputs a list, or a dict by their names.
            loss_weights: factors of the losses of several outputs.
            metrics: names or objects of `core.metrics`; for several outputs a list of lists, or a
                dict by their names.
            weighted_metrics: metrics that count samples by their weights.
            run_eagerly: run steps op by op instead of as one compiled function, to look into them.

        Raises:
            CoreError: there is no optimizer, loss or metric of a name; or the loss does not fit
                the activation of the output.
        """
        self._compiled_with = {
            "optimizer": optimizer,
            "loss": loss,
            "loss_weights": loss_weights,
            "metrics": metrics,
            "weighted_metrics": weighted_metrics,
        }
        self._run_eagerly = bool(run_eagerly)
        self._optimizer = optimizers.get(optimizer)
        self._objectives, self._steps = None, None
        if self.output_names:
            self._objectives = self._new_objectives(len(self.output_names))

    # --- fit ---------------------------------------------------------------------------------

    def fit(
        self,
        x: Data,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: "int | Literal['auto']" = "auto",
        callbacks: Callbacks = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Mapping[int, float] | None = None,
        sample_weight: Any = None,
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
                of the loss, or the loss became NaN or infinite: the weights are then those before
                that step.
        """
        self._check_compiled()
        if validation_split:
            if validation_data is not None:
                raise CoreError("give validation_data or validation_split, not both")
            first, validation_data = split_validation(x, y, sample_weight, validation_split)
            x, y, sample_weight = first
        batches = as_batches(x, y, sample_weight, batch_size, shuffle=shuffle and y is not None)
        loop = Loop(batches, steps_per_epoch)
        params = {"epochs": epochs, "steps": loop.steps, "verbose": _verbosity(verbose)}
        called = all_callbacks.CallbackList(
            callbacks, add_history=True, add_progbar=bool(params["verbose"]), model=self, **params
        )
        self.stop_training = False
        history = called.history
        assert history is not None
        self.history = history
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

    def _epoch(
        self,
        loop: Loop,
        epoch: int,
        called: all_callbacks.CallbackList,
        class_weight: Mapping[int, float] | None,
    ) -> dict[str, float]:
        """Train for one epoch, and return its results."""
        means = Means()
        if self._objectives is not None:
            self._objectives.reset()
        for step, batch in enumerate(loop):
            called.on_train_batch_begin(step)
            inputs, labels, weights = self._tensors_of(batch, class_weight)
            steps = self._ready(inputs, labels)
            where = f"step {step} of epoch {epoch}"
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

    def evaluate(
        self,
        x: Data,
        y: Any = None,
        batch_size: int | None = None,
        verbose: "int | Literal['auto']" = 0,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Callbacks = None,
        return_dict: bool = False,
    ) -> "float | list[float] | dict[str, float]":
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

    def _evaluated(
        self, data: Any, batch_size: int | None, steps: int | None, called: Callback
    ) -> dict[str, float]:
        whole = data if isinstance(data, tuple) else (data,)
        loop = Loop(as_batches(*whole, batch_size=batch_size), steps)
        means = Means()
        called.on_test_begin()
        if self._objectives is not None:
            self._objectives.reset()
        for step, batch in enumerate(loop):
            called.on_test_batch_begin(step)
            inputs, labels, weights = self._tensors_of(batch, None)
            made = self._ready(inputs, labels)
            means.add(*made.test(inputs, labels, weights), inputs[0].shape[0], where=None)
            called.on_test_batch_end(step, {})
        means.check()
        if not means.count:
            raise CoreError("there was no batch to evaluate the model on: the data are empty")
        logs = self._logs(means)
        called.on_test_end(logs)
        return logs

    def predict(
        self, x: Data, batch_size: int | None = None, verbose: int = 0, steps: int | None = None
    ) -> Any:
        """Return the results of the model for inputs.

        Args:
            x: inputs: an array, or a list or dict of arrays for several inputs; or an iterable of
                batches, whose labels are not used.
            batch_size: samples that are computed at a time, by default 32.
            verbose: accepted for Keras's sake; nothing is printed.
            steps: number of batches, by default all.

        Returns:
            A tensor; a list of tensors for several outputs; or a dict if the model has one.
        """
        parts: list[list[Tensor]] = []
        for batch in Loop(as_batches(x, batch_size=batch_size), steps):
            inputs = self._inputs_of(batch.x)
            self._build_on(inputs)
            parts.append(self._steps_for().predict(inputs))
        if not parts:
            raise CoreError("there was no batch to predict: the data are empty")
        found = [
            columns[0] if len(columns) == 1 else ops.concat(list(columns), axis=0)
            for columns in zip(*parts, strict=True)
        ]
        return self._as_returned(found)

    # --- single batches ----------------------------------------------------------------------

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Mapping[int, float] | None = None,
        return_dict: bool = False,
    ) -> "float | list[float] | dict[str, float]":
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

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> "float | list[float] | dict[str, float]":
        """Return the loss and the metrics on a batch.

        Args:
            x: inputs, as for `fit`.
            y: labels.
            sample_weight: weights of the samples.
            return_dict: return the results by name.
        """
        self._check_compiled()
        return self._on_batch("test", Batch(x, y, sample_weight), None, return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """Return the results of the model for one batch of inputs."""
        inputs = self._inputs_of(x)
        self._build_on(inputs)
        return self._as_returned(self._steps_for().predict(inputs))

    def _on_batch(
        self,
        kind: str,
        batch: Batch,
        class_weight: Mapping[int, float] | None,
        return_dict: bool,
    ) -> Any:
        inputs, labels, weights = self._tensors_of(batch, class_weight)
        steps = self._ready(inputs, labels)
        assert self._objectives is not None
        self._objectives.reset()
        means = Means()
        if kind == "train":
            found = steps.train_or_explain(inputs, labels, weights, "this batch")
        else:
            found = steps.test(inputs, labels, weights)
        means.add(*found, inputs[0].shape[0], where=None)
        means.check()
        logs = self._logs(means)
        values = list(logs.values())
        return logs if return_dict else values[0] if len(values) == 1 else values

    # --- what these need ---------------------------------------------------------------------

    @property
    def optimizer(self) -> Any:
        """The optimizer of `compile`."""
        self._check_compiled()
        return self._optimizer

    @property
    def metrics(self) -> list[Metric]:
        """The metrics of `compile`, once the model has seen data."""
        found = () if self._objectives is None else self._objectives.metrics
        return [metric for _, metric in found]

    @property
    def metrics_names(self) -> list[str]:
        """The names of the results of `evaluate`: the loss, and the metrics."""
        if self._objectives is None:
            return ["loss"]
        names = [name for name, _ in self._objectives.metrics]
        return ["loss", *self._objectives.loss_names, *names]

    @property
    def is_compiled(self) -> bool:
        """Whether `compile` was called."""
        return self._compiled_with is not None

    def _check_compiled(self) -> None:
        if self._compiled_with is None:
            raise CoreError(
                "the model was not compiled: call compile(optimizer=..., loss=...) before"
            )

    def _new_objectives(self, outputs: int) -> Objectives:
        assert self._compiled_with is not None
        names = self.output_names or [f"output_{i + 1}" for i in range(outputs)]
        options = {k: v for k, v in self._compiled_with.items() if k != "optimizer"}
        return Objectives(names, **options)

    def _ready(self, inputs: list[Tensor], labels: list[Tensor | None]) -> Steps:
        """Return the steps, after all variables that they need are made."""
        outputs = self._build_on(inputs)
        if self._objectives is None:
            outputs = outputs or self.output_list(inputs, training=False)
            self._objectives = self._new_objectives(len(outputs))
        if self._steps is None or any(not o.metrics and o._named for o in self._objectives.outputs):
            outputs = outputs or self.output_list(inputs, training=False)
            self._objectives.build(labels, outputs)
            self._check_outputs(outputs)
        for each, y in zip(self._objectives.outputs, labels, strict=True):
            if y is not None:
                each.check(y.numpy(), self._units.get(each.name))
        return self._steps_for()

    def _steps_for(self) -> Steps:
        """Return the compiled steps, anew where other variables train than before."""
        key = tuple(id(variable) for variable in self.trainable_variables)
        if self._steps is None or key != self._steps_key:
            objectives = self._objectives or Objectives([], None, None, None, None)
            eagerly = getattr(self, "_run_eagerly", False)
            self._steps = Steps(self, objectives, self._optimizer, eagerly=eagerly)
            self._steps_key = key
        return self._steps

    def _check_outputs(self, outputs: Sequence[Tensor]) -> None:
        """Warn where a loss does not fit the activation of its output, once."""
        assert self._objectives is not None
        model: Any = self
        activations = output_activations(model) or [None] * len(outputs)
        for each, output, activation in zip(
            self._objectives.outputs, outputs, activations, strict=True
        ):
            units = output.shape[-1] if output.shape else None
            self._units[each.name] = units
            if each.loss is not None:
                problem = output_mismatch(each.loss, activation, units)
                if problem:
                    warn(f"the loss of output {each.name!r}: {problem}", stacklevel=4)

    def _build_on(self, inputs: list[Tensor]) -> list[Tensor]:
        """Make the variables of a model that has none yet, by a call; return its outputs."""
        if self.built:
            return []
        return self.output_list(inputs, training=False)

    def output_list(self, inputs: Sequence[Tensor], *, training: bool) -> list[Tensor]:
        """Return the results of the model for its inputs, as a list."""
        given: Any = inputs[0] if len(inputs) == 1 else list(inputs)
        return flattened(self(given, training=training), Tensor)

    def _as_returned(self, found: list[Tensor]) -> Any:
        if getattr(self, "_returns_dict", False):
            return dict(zip(self.output_names, found, strict=True))
        return found[0] if len(found) == 1 else found

    def _inputs_of(self, x: Any) -> list[Tensor]:
        if isinstance(x, Mapping):
            x = self._by_names(x) if self.output_names else list(x.values())
        if isinstance(x, (list, tuple)) and x and _are_arrays(x):
            return [as_input(each) for each in x]
        return [as_input(x)]

    def _tensors_of(
        self, batch: Batch, class_weight: Mapping[int, float] | None
    ) -> tuple[list[Tensor], list[Tensor | None], list[Tensor | None]]:
        """Return the inputs, labels and weights of a batch."""
        inputs = self._inputs_of(batch.x)
        count = len(self.output_names) or 1
        labels = self._for_outputs(batch.y, count, "labels")
        weights = self._for_outputs(batch.sample_weight, count, "sample_weight")
        if class_weight is not None:
            weights = weights_of_classes(labels, weights, class_weight)
        return inputs, labels, weights

    def _for_outputs(self, given: Any, count: int, what: str) -> list[Tensor | None]:
        if isinstance(given, Mapping):
            unknown = sorted(set(given) - set(self.output_names))
            if unknown:
                raise CoreError(
                    f"{what} names {unknown}, but the outputs are {self.output_names}"
                )
            given = [given.get(name) for name in self.output_names]
        elif not isinstance(given, (list, tuple)) or (count == 1 and not _are_arrays(given)):
            given = [given] * (count if given is None or what != "labels" else 1)
        if len(given) != count:
            raise CoreError(f"the model has {count} outputs, got {len(given)} {what}")
        return [None if each is None else as_input(each) for each in given]

    def _logs(self, means: Means) -> dict[str, float]:
        if self._objectives is None:
            return means.results([])
        found = means.results(self._objectives.loss_names)
        for name, metric in self._objectives.metrics:
            result = metric.result()
            if isinstance(result, Mapping):
                found |= {key: float(value.item()) for key, value in result.items()}
            else:
                found[name] = float(np.mean(result.numpy()))
        return found


def as_input(value: Any) -> Tensor:
    """Return an array as a tensor of the engine's dtypes."""
    return value if isinstance(value, Tensor) else tensor(value)


def _are_arrays(values: Iterable[Any]) -> bool:
    return any(isinstance(each, (Tensor, np.ndarray)) for each in values)


def _verbosity(verbose: Any) -> int:
    if verbose == "auto":
        return 1
    if verbose not in (0, 1, 2, True, False):
        raise CoreError(f"verbose={verbose!r} must be 0, 1, 2 or 'auto'")
    return int(verbose)
