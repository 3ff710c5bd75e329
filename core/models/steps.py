"""Steps of training and of evaluation, compiled to plans."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from core import ops
from core.autodiff.gradients import variable_grads
from core.compiled_functions.compiled_function import CompiledFunction
from core.engine.nan_check import NotFiniteError
from core.engine.op_places import in_phase
from core.engine.settings import get_backend
from core.engine.tensors import Tensor
from core.engine.trace_hook import active_trace
from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.call_context import collected_losses, collected_updates
from core.layers.layer import Layer
from core.layers.layer_variables import VariableOwner
from core.layers.nested import flattened
from core.models.objectives import Objectives
from core.models.running import not_finite

Parts = Sequence[Tensor | None]

#: The loss, and those of several outputs.
Losses = tuple[Tensor, list[Tensor]]


class Steps:
    """The steps of a model on batches; each is one compiled function.

    Args:
        model: the model, which is built.
        objectives: losses and metrics, whose variables are made.
        optimizer: the optimizer, or None for evaluation alone.
        eagerly: run op by op.
    """

    def __init__(self, model: Layer, objectives: Objectives, optimizer: Any, *, eagerly: bool):
        self._model, self._objectives, self._optimizer = model, objectives, optimizer
        self._trained = model.trainable_variables
        # Flags are compared in a hundredth of the time that `trainable_variables` takes.
        flagged: list[VariableOwner | Variable] = [model, *_layers_in(model), *model.variables]
        self._flagged = flagged
        self._flags = [each.trainable for each in self._flagged]
        self._penalties = list(model.penalties())
        self._limits = list(model.limits())
        self._slots = [] if optimizer is None else optimizer.slot_variables(self._trained)
        self._ends_at_once = True  # whether an op of a program can end its run
        kind: Callable[[Any], Any] = (lambda function: function) if eagerly else CompiledFunction
        self.train, self.test = kind(self._train), kind(self._test)
        self.predict = kind(self._predict)

    def are_current(self) -> bool:
        """Return whether the same layers and variables train as when the steps were made."""
        return self._flags == [each.trainable for each in self._flagged]

    def _train(self, inputs: Sequence[Tensor], labels: Parts, weights: Parts) -> Losses:
        """Make one step, and return the loss before it, and those of several outputs."""
        seen: list[Any] = []

        def loss() -> Tensor:
            outputs, total, values = self._loss(inputs, labels, weights, training=True)
            seen[:] = outputs, values
            return total

        with collected_updates() as updates:
            total, gradients = variable_grads(loss, self._trained)
        outputs, values = seen
        with self._protected(total) as total:
            for update in updates:
                update()
            with in_phase("update"):
                self._optimizer.apply_gradients(gradients)
            for limit, variable in self._limits:
                variable.assign(limit(variable.read()))
        self._objectives.update(labels, outputs, weights)
        return total, values

    def train_or_explain(
        self, inputs: Sequence[Tensor], labels: Parts, weights: Parts, where: str
    ) -> Losses:
        """Make one step; the error for a loss that is not finite names the step.

        Args:
            inputs: the inputs.
            labels: labels for each output, or None.
            weights: weights of samples for each output, or None.
            where: description of the step.
        """
        self._ends_at_once = get_backend() == "cpu"
        try:
            found: Losses = self.train(inputs, labels, weights)
            return found
        except NotFiniteError as error:
            if error.op != "check_numerics":
                raise
            raise not_finite(str(error), where) from None

    @contextmanager
    def _protected(self, loss: Tensor) -> Iterator[Tensor]:
        """Let variables keep their values where the loss is not finite.

        On cpu the step ends there with an error. Other backends run on while the program does, and
        choose: reading the loss in each step would make the program wait for the device.
        """
        if self._ends_at_once or active_trace() is None:
            yield ops.check_numerics(loss, message="the loss")
            return
        changed = [*self._model.variables, *self._slots]
        before = [variable.read() for variable in changed]
        yield loss
        is_finite = ops.is_finite(loss)
        for variable, old in zip(changed, before, strict=True):
            new = variable.read()
            if new.handle is not old.handle:
                variable.assign(ops.where(is_finite, new, old))

    def _loss(
        self, inputs: Sequence[Tensor], labels: Parts, weights: Parts, *, training: bool
    ) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        with collected_losses() as added:
            outputs = output_list(self._model, inputs, training=training)
        total, values = self._objectives.total(labels, outputs, weights)
        for penalty in (*added, *(r(variable.read()) for r, variable in self._penalties)):
            total = penalty if total is None else total + penalty
        if total is None:
            raise CoreError("the model has no loss: give compile(loss=...) one, or call add_loss")
        return outputs, total, values

    def _test(self, inputs: Sequence[Tensor], labels: Parts, weights: Parts) -> Losses:
        """Return the loss, and those of several outputs."""
        outputs, total, values = self._loss(inputs, labels, weights, training=False)
        self._objectives.update(labels, outputs, weights)
        return total, values

    def _predict(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        return output_list(self._model, inputs, training=False)


def output_list(model: Layer, inputs: Sequence[Tensor], *, training: bool) -> list[Tensor]:
    """Return the results of a model for its inputs, as a list."""
    given: Any = inputs[0] if len(inputs) == 1 else list(inputs)
    return flattened(model(given, training=training), Tensor)


def _layers_in(owner: VariableOwner) -> Iterator[VariableOwner]:
    for layer in owner.sublayers():
        yield layer
        yield from _layers_in(layer)
