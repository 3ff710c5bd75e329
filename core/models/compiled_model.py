"""Models that are compiled: the optimizer, losses and metrics, their steps, and predictions."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic
from warnings import warn

import numpy as np

from core import optimizers
from core.callbacks import History
from core.data.batches import Samples, TrainingData, as_batches
from core.engine.late_ops import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.symbolic import SymbolicTensor, flattened
from core.losses import LossLike
from core.losses.fitting import output_mismatch
from core.metrics import Metric, MetricLike
from core.models.feeding import Feeder, Parts
from core.models.model_files import SavedModel
from core.models.objectives import Objectives
from core.models.output_facts import output_activations
from core.models.result_types import Result
from core.models.running import Loop, Means
from core.models.steps import Steps
from core.optimizers import Optimizer, OptimizerLike

#: Metrics of the only output; or for several outputs a list of lists, or a dict by their names.
_Metrics = MetricLike | Sequence[MetricLike]
Metrics = _Metrics | Sequence[_Metrics | None] | Mapping[str, _Metrics | None] | None


class CompiledModel(SavedModel, Generic[Result]):
    """A model with an optimizer, losses and metrics, which predicts.

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

    # --- predictions --------------------------------------------------------------------------

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

    # --- what these need ---------------------------------------------------------------------

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer of `compile`."""
        self._check_compiled()
        assert self._optimizer is not None
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

    def _ready(self, inputs: list[Tensor], labels: Parts) -> Steps:
        """Return the steps, after all variables that they need are made."""
        outputs = self._build_on(inputs)
        if self._objectives is None:
            outputs = outputs or self.output_list(inputs, training=False)
            self._objectives = self._new_objectives(len(outputs))
            self._forget_steps()  # those of predictions have no losses
        if self._steps is None or any(not o.metrics and o._named for o in self._objectives.outputs):
            outputs = outputs or self.output_list(inputs, training=False)
            self._objectives.build(labels, outputs)
            self._check_outputs(outputs)
        for each, y in zip(self._objectives.outputs, labels, strict=True):
            if y is not None:
                each.check(y.numpy(), self._units.get(each.name))
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
        activations = output_activations(self) or [None] * len(outputs)
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
