"""Models that are compiled, trained and evaluated, that predict and are saved."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, overload
from warnings import warn

import numpy as np

from core import callbacks as all_callbacks
from core import ops, optimizers
from core.backends.cpu.tiers import lasting_work
from core.callbacks import Callback, History
from core.callbacks.callback_list import Callbacks
from core.data.batches import Batch, Samples, TrainingData, as_batches, split_validation
from core.engine.specs import integer
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.layer import Layer
from core.layers.symbolic import SymbolicTensor
from core.losses import LossLike
from core.losses.fitting import output_mismatch
from core.metrics import Metric, MetricLike
from core.models.documents import document_of, format_for
from core.models.feeding import (
    Feeder,
    Parts,
    Targets,
    class_weights,
    host_array,
    uploaded,
)
from core.models.interrupts import INTERRUPTS
from core.models.objectives import Objectives
from core.models.output_facts import output_activations
from core.models.result_types import Result
from core.models.running import Loop, Means
from core.models.steps import Steps, output_list
from core.models.weight_files import derived_classes_of, load_weights, save_weights
from core.optimizers import Optimizer, OptimizerLike

#: The path of a file.
Path = str | os.PathLike[str]

#: Metrics of the only output; or for several outputs a list of lists, or a dict by their names.
_Metrics = MetricLike | Sequence[MetricLike]
Metrics = _Metrics | Sequence[_Metrics | None] | Mapping[str, _Metrics | None] | None


_NOT_COMPILED = "the model was not compiled: call compile(optimizer=..., loss=...) before"


class NotCompiledError(CoreError, AttributeError):
    """A model that was not compiled has no optimizer: ``hasattr(model, "optimizer")`` is False."""


class Trainer(Layer, Generic[Result]):
    """A model with an optimizer, losses and metrics: it trains, evaluates, predicts and is saved.

    Args:
        name: name of the model.
        trainable: whether training changes its variables.
    """

    def __init__(self, *, name: str | None = None, trainable: bool = True):
        super().__init__(name=name, trainable=trainable)
        self.input_names: list[str] = []
        self.output_names: list[str] = []
        self._returns_dict = self._run_eagerly = False
        self.stop_training = False
        self.history: History | None = None
        self._optimizer: Optimizer | None = None
        self._objectives: Objectives | None = None
        self._compiled_with: dict[str, Any] | None = None
        self._steps: Steps | None = None
        self._units: dict[str, int | None] = {}

    def _forget_steps(self) -> None:
        self._steps = None

    def compile(
        self,
        optimizer: OptimizerLike = "rmsprop",
        loss: LossLike | Sequence[LossLike | None] | Mapping[str, LossLike | None] | None = None,
        loss_weights: float | Sequence[float] | Mapping[str, float] | None = None,
        metrics: Metrics = None,
        weighted_metrics: Metrics = None,
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
                dict by their names. Steps that a mask hides do not count.
            weighted_metrics: metrics that count samples by their weights.
            run_eagerly: run steps op by op instead of as one compiled function, to look into them.

        Raises:
            CoreError: there is no optimizer, loss or metric of a name. Where the loss does not fit
                the activation of the output, the first step warns.
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

    @lasting_work
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
        class_weight: Mapping[int, float] | Literal["balanced"] | None = None,
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
            epochs: number of the last epoch, 0 or more: how often to go through the data.
            verbose: 0 prints nothing, 1 and ``"auto"`` a line with progress per epoch, 2 a line
                per epoch.
            callbacks: objects of `core.callbacks` that are called while training runs.
            validation_split: share of the last samples, on which the model is evaluated after each
                epoch, and not trained.
            validation_data: ``(x, y)`` or ``(x, y, sample_weight)`` or batches for evaluation.
            shuffle: whether to mix the samples of arrays for each epoch.
            class_weight: weights of samples by their class; "balanced" for those by which each
                class of the array ``y`` counts as much as the others.
            sample_weight: weights of samples, for arrays.
            initial_epoch: number of the first epoch, from 0. Samples then have the order that they
                have in this epoch of a training from the start with the same seed.
            steps_per_epoch: steps of an epoch, by default all batches.
            validation_steps: batches of an evaluation, by default all.
            validation_batch_size: samples of a batch in evaluation, by default ``batch_size``.
            validation_freq: evaluate after every so many epochs.

        Returns:
            The results by epoch, in ``history.history``: lists by name, such as ``"loss"`` and
            ``"val_loss"``.

        Raises:
            CoreError: the model was not compiled, data do not fit it, labels are texts or out of
                the range of the loss, or it became NaN or infinite: that step changes no weight.
                Backends that run on while the program does, such as ``shader``, report up to 16
                steps later.
            KeyboardInterrupt: Ctrl-C was pressed: the weights are those after a step, and the model
                can be trained on.
        """
        self._check_compiled()
        epochs = integer(epochs, "epochs", 0)
        initial_epoch = integer(initial_epoch, "initial_epoch", 0)
        validation_freq = integer(validation_freq, "validation_freq", 1)
        if validation_split:
            if validation_data is not None:
                raise CoreError("give validation_data or validation_split, not both")
            arrays: Any = x
            first, validation_data = split_validation(arrays, y, sample_weight, validation_split)
            x, y, sample_weight = first
        weights = class_weights(class_weight, y)
        batches = as_batches(x, y, sample_weight, batch_size, shuffle=shuffle)
        if steps_per_epoch is None:
            batches.begin_at(initial_epoch)
        loop = Loop(batches, steps_per_epoch)
        called, history = self._called(callbacks, loop, epochs, _verbosity(verbose))
        self.stop_training, self.history = False, history
        called.on_train_begin()
        logs: dict[str, float] = {}
        for epoch in range(initial_epoch, epochs):
            called.on_epoch_begin(epoch)
            logs = self._epoch(loop, epoch, called, weights)
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
        means = Means()
        self._forget_other_steps()
        if self._objectives is not None:
            self._objectives.reset()
        for step, batch in enumerate(loop):
            called.on_train_batch_begin(step)
            where = f"step {step} of epoch {epoch}"
            with INTERRUPTS.step():
                steps, inputs, labels, weights = self._ready(batch, class_weight)
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
                compiled, inputs, labels, weights = self._ready(batch)
                total, values = compiled.test(inputs, labels, weights)
                means.add(total, values, inputs[0].shape[0], where=None)
            called.on_test_batch_end(step, {})
        means.check()
        if not means.count:
            raise CoreError("there was no batch to evaluate the model on: the data are empty")
        logs = self._logs(means)
        called.on_test_end(logs)
        return logs

    def predict(
        self,
        x: TrainingData,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
    ) -> Result:
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
        feeder = self._feeder()
        for batch in Loop(as_batches(x, batch_size=batch_size), steps):
            inputs = feeder.inputs(batch.x)
            self._build_on(inputs)
            parts.append(self._steps_for().predict(inputs))
        if not parts:
            raise CoreError("there was no batch to predict: the data are empty")
        found = [
            columns[0] if len(columns) == 1 else ops.concat(list(columns), axis=0)
            for columns in zip(*parts, strict=True)
        ]
        return self._as_returned(found)

    def predict_on_batch(self, x: Samples) -> Result:
        """Return the results of the model for one batch of inputs."""
        inputs = self._feeder().inputs(x)
        self._build_on(inputs)
        return self._as_returned(self._steps_for().predict(inputs))

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
        self._forget_other_steps()
        steps, inputs, labels, weights = self._ready(batch, class_weight)
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

    # --- files -------------------------------------------------------------------------------

    def save(
        self, path: Path, *, include_optimizer: bool = True, keras_version: Literal[2, 3] = 3
    ) -> None:
        """Write the model with its weights, its training configuration, and the optimizer's state.

        Files of Keras and TensorFlow.js that were loaded are written in the form of the program
        that the new file is for. What was written is read back before it replaces anything.

        Args:
            path: a ``.keras`` file (Keras 3), an ``.h5`` or ``.hdf5`` file, or a folder, for the
                layers format of TensorFlow.js: ``model.json`` and shards. An ``.onnx`` file (opset
                18) has what the model computes, without layers and training configuration. What is
                there before is replaced as a whole, or stays if writing fails.
            include_optimizer: write the optimizer's state, too.
            keras_version: the Keras that reads an ``.h5`` file: 3, or 2 for TensorFlow up to 2.15
                and tf_keras.

        Raises:
            CoreError: the model is a subclass, or a layer has what the format cannot express; all
                such layers are listed, and nothing is written.

        >>> import core, os, tempfile
        >>> model = core.Sequential([core.layers.Dense(2, input_shape=(3,))])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "model.keras"))
        ...     again = core.load_layers_model(os.path.join(folder, "model.keras"))
        >>> bool((again.get_weights()[0] == model.get_weights()[0]).all())
        True
        """
        format = format_for(path, keras_version)
        with INTERRUPTS.step():
            compiled_with = self._compiled_with if include_optimizer else None
            self._check_described()
            with derived_classes_of(self):
                document = document_of(self, format, compiled_with, self._optimizer)
                format.write(path, document)

    def _check_described(self) -> None:
        """Raise unless files can describe the model."""
        if self.file_spec().model is None:
            raise CoreError(
                f"the model {self.name!r} is a subclass, which files cannot describe: save its "
                f"weights by save_weights as an .npz file"
            )

    def save_weights(self, path: Path) -> None:
        """Write the weights without the layers.

        Args:
            path: a ``.weights.h5`` file, which Keras 3 reads by `keras.Model.load_weights`, with
                the state of the optimizer; or an ``.npz`` file of arrays by the names of variables.

        Raises:
            CoreError: the path ends otherwise, two variables have one name, the model has no
                variables yet; or it is a subclass, of which ``.npz`` files alone are written.
            WeightsError: the file cannot be written; what was there before stays.
        """
        with INTERRUPTS.step():
            save_weights(self, path)

    def load_weights(self, path: Path) -> None:
        """Give the variables, and a compiled model's optimizer, the values in a file.

        Args:
            path: what `save_weights` or Keras 3 wrote (``.weights.h5``, ``.keras``, ``.npz``), or
                an ``.h5`` file of Keras 2, whose weights belong to the layers in their order; or a
                ``.safetensors`` file with the names of variables as an ``.npz`` has them.

        Raises:
            CoreError: a weight is missing or left over, or has another shape. No variable is
                changed then.
            WeightsError: the file is missing, damaged or of another kind.
        """
        load_weights(self, path)

    # --- what these need ---------------------------------------------------------------------

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer of `compile`; a model that was not compiled has none."""
        if self._optimizer is None:
            raise NotCompiledError(_NOT_COMPILED)
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
            raise CoreError(_NOT_COMPILED)

    def _new_objectives(self, outputs: int) -> Objectives:
        assert self._compiled_with is not None
        names = self.output_names or [f"output_{i + 1}" for i in range(outputs)]
        options = {k: v for k, v in self._compiled_with.items() if k != "optimizer"}
        return Objectives(names, **options)

    def _ready(
        self, batch: Batch, class_weight: Mapping[int, float] | None = None
    ) -> tuple[Steps, list[Tensor], Parts, Parts]:
        """Return the steps, and a batch's inputs, labels and weights for them.

        Labels are checked before they are uploaded: to read them back would make each step wait
        for the device.
        """
        feeder = self._feeder()
        labels, weights = feeder.targets(batch, class_weight)
        inputs = feeder.inputs(batch.x)
        steps = self._steps_on(inputs, labels)
        return steps, inputs, uploaded(labels), uploaded(weights)

    def _steps_on(self, inputs: list[Tensor], labels: Targets) -> Steps:
        """Return the steps, after all variables that they need are made, and labels are checked."""
        outputs = self._build_on(inputs)
        if self._objectives is None:
            outputs = outputs or output_list(self, inputs, training=False)
            self._objectives = self._new_objectives(len(outputs))
            self._forget_steps()  # those of predictions have no losses
        if self._steps is None or any(not o.metrics and o._named for o in self._objectives.outputs):
            outputs = outputs or output_list(self, inputs, training=False)
            self._objectives.build(labels, outputs)
            self._check_outputs(outputs)
        for each, y in zip(self._objectives.outputs, labels, strict=True):
            if y is not None:
                each.check(host_array(y), self._units.get(each.name))
        return self._steps_for()

    def _steps_for(self) -> Steps:
        """Return the compiled steps."""
        if self._steps is None:
            objectives = self._objectives or Objectives([], None, None, None, None)
            eagerly = self._run_eagerly
            self._steps = Steps(self, objectives, self._optimizer, eagerly=eagerly)
        return self._steps

    def _forget_other_steps(self) -> None:
        """Forget the compiled steps if other variables train now."""
        if self._steps is not None and not self._steps.are_current():
            self._forget_steps()

    def _check_outputs(self, outputs: Sequence[Tensor]) -> None:
        """Warn where a loss does not fit the activation of its output, once."""
        assert self._objectives is not None
        activations = output_activations(self.output_symbols()) or [None] * len(outputs)
        for each, output, activation in zip(
            self._objectives.outputs, outputs, activations, strict=True
        ):
            units = output.shape[-1] if output.shape else None
            self._units[each.name] = units
            if each.loss is not None:
                problem = output_mismatch(each.loss, activation, units)
                if problem:
                    warn(f"the loss of output {each.name!r}: {problem}", stacklevel=5)

    def _build_on(self, inputs: list[Tensor]) -> list[Tensor]:
        """Make the variables of a model that has none yet, by a call; return its outputs."""
        if self.built:
            return []
        return output_list(self, inputs, training=False)

    def output_symbols(self) -> list[SymbolicTensor]:
        """Return the symbolic outputs of a functional model; none of a subclass."""
        return []

    def _feeder(self) -> Feeder:
        return Feeder(self.input_names, self.output_names)

    def _as_returned(self, tensors: list[Tensor]) -> Result:
        found: Any = tensors
        if self._returns_dict:
            found = dict(zip(self.output_names, tensors, strict=True))
        elif len(tensors) == 1:
            found = tensors[0]
        returned: Result = found
        return returned

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


def _verbosity(verbose: Any) -> int:
    if verbose == "auto":
        return 1
    if verbose not in (0, 1, 2, True, False):
        raise CoreError(f"verbose={verbose!r} must be 0, 1, 2 or 'auto'")
    return int(verbose)
