"""Losses and metrics of a model, one set for each output."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core import losses as all_losses
from core import metrics as all_metrics
from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.call_context import LOGITS, MASKS
from core.layers.tensor_calls import tensor_of
from core.losses import Loss
from core.losses.base import fitted_weights
from core.losses.fitting import check_labels, loss_of_logits
from core.metrics import Metric


class Objective:
    """The loss and the metrics of one output.

    Args:
        name: name of the output, with which names of metrics begin if there are several outputs.
        loss: the loss, or None.
        weight: factor of the loss.
        metrics: names or objects of metrics, resolved at the first batch.
        weighted: metrics that take sample weights, likewise.
    """

    def __init__(
        self,
        name: str,
        loss: Loss | None,
        weight: float,
        metrics: Sequence[Any],
        weighted: Sequence[Any],
    ):
        self.name, self.loss, self.weight = name, loss, weight
        self._named = [(each, False) for each in metrics] + [(each, True) for each in weighted]
        self.metrics: list[tuple[Metric, bool]] = []

    def build(self, labels: Any, output: Tensor) -> None:
        """Make the metrics for labels and outputs of some shapes, unless they are made."""
        if self.metrics or not self._named:
            return
        for identifier, is_weighted in self._named:
            metric = all_metrics.resolve(identifier, self.loss, labels.shape, output.shape)
            metric.build(labels.shape, output.shape)
            self.metrics.append((metric, is_weighted))

    def value(self, labels: Tensor, output: Tensor, weight: Tensor | None) -> Tensor | None:
        """Return the loss, or None without one."""
        if self.loss is None:
            return None
        mask = _mask_of(output)
        activation, logits = LOGITS.get(output.id) or (None, output)
        # As Keras: what a softmax was computed from is more accurate near 0, and takes less time.
        loss = None if activation is None else loss_of_logits(self.loss, activation)
        if loss is None:
            return self.loss(labels, output, weight, mask)
        return loss(labels, logits, weight, mask)

    def update(self, labels: Tensor, output: Tensor, weight: Tensor | None) -> None:
        """Add a batch to the metrics, but for the steps that the mask of the output hides."""
        mask = _mask_of(output)
        for metric, is_weighted in self.metrics:
            metric.update_state(labels, output, _shown(weight if is_weighted else None, mask))

    def check(self, labels: np.ndarray, units: int | None) -> None:
        """Raise CoreError where labels do not fit the loss."""
        if self.loss is not None and units is not None:
            check_labels(self.loss, labels, units)


def _mask_of(output: Tensor) -> Tensor | None:
    found = MASKS.get(output.id)
    return None if found is None else tensor_of(found)


def _shown(weight: Tensor | None, mask: Tensor | None) -> Tensor | None:
    """Return sample weights that are 0 where a mask hides a step."""
    if mask is None:
        return weight
    shown = ops.cast(mask, dtype="float32")
    if weight is None:
        return shown
    few, many = sorted((weight, shown), key=lambda each: (len(each.shape), each.size))
    return fitted_weights(few, tuple(many.shape)) * many


class Objectives:
    """The losses and metrics of all outputs.

    Args:
        names: names of the outputs.
        loss: a loss for all, or a list or dict of one for each output.
        loss_weights: factors of the losses, likewise.
        metrics: metrics of the only output, or a list or dict of metrics for each.
        weighted_metrics: metrics that take sample weights, likewise.
    """

    def __init__(
        self,
        names: Sequence[str],
        loss: Any,
        loss_weights: Any,
        metrics: Any,
        weighted_metrics: Any,
    ):
        count = len(names)
        found = _for_each(loss, names, "loss", repeat=True)
        weights = _for_each(loss_weights, names, "loss_weights", repeat=False)
        several = _metrics_for_each(metrics, names, "metrics")
        weighted = _metrics_for_each(weighted_metrics, names, "weighted_metrics")
        self.outputs = [
            Objective(
                names[i],
                None if found[i] is None else all_losses.get(found[i]),
                1.0 if weights[i] is None else float(weights[i]),
                several[i],
                weighted[i],
            )
            for i in range(count)
        ]

    def build(self, labels: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        """Make the metrics, unless they are made."""
        for each, y, output in zip(self.outputs, labels, outputs, strict=True):
            if y is not None:
                each.build(y, output)

    def total(
        self,
        labels: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        weights: Sequence[Tensor | None],
    ) -> tuple[Tensor | None, list[Tensor]]:
        """Return the sum of the losses by their factors, and the losses if outputs are several."""
        values: list[Tensor] = []
        total: Any = None
        for each, y, output, weight in zip(self.outputs, labels, outputs, weights, strict=True):
            value = None if y is None else each.value(y, output, weight)
            if value is None:
                continue
            values.append(value)
            part = value if each.weight == 1 else ops.mul(value, each.weight)
            total = part if total is None else total + part
        return total, values if len(self.outputs) > 1 else []

    def update(
        self,
        labels: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        weights: Sequence[Tensor | None],
    ) -> None:
        """Add a batch to the metrics."""
        for each, y, output, weight in zip(self.outputs, labels, outputs, weights, strict=True):
            if y is not None:
                each.update(y, output, weight)

    @property
    def metrics(self) -> list[tuple[str, Metric]]:
        """The metrics by their names in logs."""
        found: list[tuple[str, Metric]] = []
        for each in self.outputs:
            start = f"{each.name}_" if len(self.outputs) > 1 else ""
            for metric, is_weighted in each.metrics:
                name = f"{start}{metric.name}"
                if is_weighted and any(known == name for known, _ in found):
                    name = f"{start}weighted_{metric.name}"
                count = sum(1 for known, _ in found if known.rstrip("_0123456789") == name)
                found.append((f"{name}_{count}" if count else name, metric))
        return found

    @property
    def loss_names(self) -> list[str]:
        """The names in logs of the losses of several outputs."""
        named = [f"{each.name}_loss" for each in self.outputs if each.loss is not None]
        return named if len(self.outputs) > 1 else []

    def reset(self) -> None:
        """Let all metrics begin anew."""
        for _, metric in self.metrics:
            metric.reset_state()


def _for_each(given: Any, names: Sequence[str], what: str, *, repeat: bool) -> list[Any]:
    """Return a value for each output, from a list, a dict by the names of outputs, or one value."""
    if isinstance(given, Mapping) and not (what == "loss" and "class_name" in given):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise CoreError(f"{what} names {unknown}, but the outputs are {list(names)}")
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise CoreError(f"{what} has {len(given)} entries for {len(names)} outputs {names}")
        return list(given)
    if len(names) == 1 or repeat or given is None:
        return [given] * len(names)
    raise CoreError(f"{what} must be a list or a dict for the outputs {list(names)}")


def _metrics_for_each(given: Any, names: Sequence[str], what: str) -> list[list[Any]]:
    """Return a list of metrics for each output."""
    if given is None:
        return [[] for _ in names]
    if len(names) == 1 and not isinstance(given, Mapping):
        flat = given if isinstance(given, (list, tuple)) else [given]
        inner = flat[0] if len(flat) == 1 and isinstance(flat[0], (list, tuple)) else flat
        return [list(inner)]
    if isinstance(given, (list, tuple)) and len(given) != len(names):
        raise CoreError(f"{what} has {len(given)} entries for {len(names)} outputs {list(names)}")
    found = _for_each(given, names, what, repeat=False)
    return [
        list(each) if isinstance(each, (list, tuple)) else [] if each is None else [each]
        for each in found
    ]
