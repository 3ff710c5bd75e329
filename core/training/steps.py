"""Steps of training and of evaluation, compiled to plans."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.compiled.compiled_function import CompiledFunction
from core.errors import CoreError
from core.function_trace import active_trace
from core.gradients import variable_grads
from core.late_ops import ops
from core.layers.call_context import collected_losses
from core.tensors import Tensor
from core.training.objectives import Objectives
from core.variables import Variable

if TYPE_CHECKING:
    from core.training.model import Model

Batch = Sequence[Tensor | None]


class Steps:
    """The steps of a model on batches; each is one compiled function.

    Args:
        model: the model, which is built.
        objectives: losses and metrics, whose variables are made.
        optimizer: the optimizer, or None for evaluation alone.
        eagerly: run op by op.
    """

    def __init__(self, model: "Model", objectives: Objectives, optimizer: Any, *, eagerly: bool):
        self._model, self._objectives, self._optimizer = model, objectives, optimizer
        self._trained = model.trainable_variables
        self._penalties = list(model.penalties())
        self._limits = list(model.limits())
        kind: Callable[[Any], Any] = (lambda function: function) if eagerly else CompiledFunction
        self.train, self.test = kind(self._train), kind(self._test)
        self.predict = kind(self._predict)

    def _train(self, inputs: Batch, labels: Batch, weights: Batch) -> tuple[Tensor, list[Tensor]]:
        """Make one step, and return the loss before it, and those of several outputs."""
        seen: list[Any] = []

        def loss() -> Tensor:
            outputs, total, values = self._loss(inputs, labels, weights, training=True)
            seen[:] = outputs, values
            return total

        changed = [*self._model.variables]
        before = [variable.read() for variable in changed]
        total, gradients = variable_grads(loss, self._trained)
        outputs, values = seen
        kept = sum(self._optimizer._state.slots_of(self._trained), [])
        changed += kept
        before += [slot.read() for slot in kept]
        if active_trace() is None and not bool(ops.is_finite(total).item()):
            return total, values
        self._optimizer.apply_gradients(gradients)
        for limit, variable in self._limits:
            variable.assign(limit(variable.read()))
        if active_trace() is not None:
            _take_back(changed, before, ops.is_finite(total))
        self._objectives.update(labels, outputs, weights)
        return total, values

    def _loss(
        self, inputs: Batch, labels: Batch, weights: Batch, *, training: bool
    ) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        with collected_losses() as added:
            outputs = self._model.output_list(inputs, training=training)
        total, values = self._objectives.total(labels, outputs, weights)
        for penalty in (*added, *(r(variable.read()) for r, variable in self._penalties)):
            total = penalty if total is None else total + penalty
        if total is None:
            raise CoreError("the model has no loss: give compile(loss=...) one, or call add_loss")
        return outputs, total, values

    def _test(self, inputs: Batch, labels: Batch, weights: Batch) -> tuple[Tensor, list[Tensor]]:
        """Return the loss, and those of several outputs."""
        outputs, total, values = self._loss(inputs, labels, weights, training=False)
        self._objectives.update(labels, outputs, weights)
        return total, values

    def _predict(self, inputs: Batch) -> list[Tensor]:
        return self._model.output_list(inputs, training=False)


def _take_back(changed: Sequence[Variable], before: Sequence[Tensor], is_finite: Tensor) -> None:
    """Give variables their values before the step, where the loss is not finite."""
    for variable, old in zip(changed, before, strict=True):
        new = variable.read()
        if new is not old:
            variable.assign(ops.where(is_finite, new, old))
