"""Intersection over union of classes, for segmentation.

Sample weights count as they are; Keras 3 cuts off their fractions unless it is given a float dtype.
"""

from collections.abc import Sequence

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, as_float, as_tensor, fitted_weights
from core.metrics.base import Metric, add


class IoU(Metric):
    """Mean over some classes of ``common / (labels + outputs - common)``.

    Args:
        num_classes: number of classes.
        target_class_ids: the classes of which the mean is taken.
        name: for logs.
        ignore_class: a label whose samples do not count.
        sparse_y_true: labels are numbers of classes, else one-hot.
        sparse_y_pred: outputs are numbers of classes, else values for each.
        axis: along which the classes lie where they are not numbers.

    Raises:
        CoreError: a class is not from 0 to ``num_classes - 1``.

    >>> import core
    >>> metric = core.metrics.IoU(num_classes=2, target_class_ids=[0])
    >>> round(metric([0, 0, 1, 1], [0, 1, 0, 1]).item(), 4)
    0.3333
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ):
        super().__init__(name)
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        bad = [each for each in self.target_class_ids if not 0 <= each < num_classes]
        if bad or not self.target_class_ids:
            raise CoreError(
                f"target_class_ids must be from 0 to {num_classes - 1}, got {target_class_ids!r}"
            )
        shape = (num_classes, num_classes)
        self.total_cm = self.add_variable(shape, name="total_confusion_matrix")

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Count the classes of a batch.

        Args:
            y_true: labels; those that are no class do not count.
            y_pred: outputs of that shape.
            sample_weight: a factor for each sample.
        """
        labels = self._numbers(y_true, self.sparse_y_true)
        outputs = self._numbers(y_pred, self.sparse_y_pred)
        weights = fitted_weights(1.0 if sample_weight is None else sample_weight, labels.shape)
        weights = ops.broadcast_to(weights, shape=labels.shape)
        if labels.size != outputs.size:
            raise CoreError(
                f"{self.name} needs as many labels as outputs, got shapes {labels.shape} and "
                f"{outputs.shape}"
            )
        labels, outputs, weights = (ops.reshape(t, (-1,)) for t in (labels, outputs, weights))
        positions = labels * self.num_classes + outputs
        for each in (labels, outputs):
            is_class = ops.logical_and(ops.greater_equal(each, 0), ops.less(each, self.num_classes))
            positions = ops.select(is_class, positions, -1)
        if self.ignore_class is not None:
            positions = ops.select(ops.equal(labels, self.ignore_class), -1, positions)
        shape = (self.num_classes, self.num_classes)
        sums = ops.unsorted_segment_sum(weights, positions, num_segments=self.num_classes**2)
        add(self.total_cm, ops.reshape(sums, shape=shape))

    def _numbers(self, values: TensorLike, is_sparse: bool) -> Tensor:
        found = as_tensor(values)
        if not is_sparse:
            found = ops.argmax(found, axis=self.axis)
        return ops.cast(found, dtype="int32")

    def result(self) -> Tensor:
        """Return the mean over those of the classes that occur."""
        matrix = self.total_cm.read()
        common = ops.sum(matrix * ops.eye(self.num_classes), axis=0)
        union = ops.sum(matrix, axis=0) + ops.sum(matrix, axis=1) - common
        common, union = (ops.gather(t, self.target_class_ids) for t in (common, union))
        occurs = as_float(ops.greater(union, 1e-9))
        return ops.sum(occurs * common / (union + EPSILON)) / (ops.sum(occurs) + EPSILON)


class BinaryIoU(IoU):
    """Intersection over union of two classes that a threshold parts.

    Args:
        target_class_ids: 0, 1 or both.
        threshold: outputs from it on are class 1.
        name: for logs.

    >>> import core
    >>> round(core.metrics.BinaryIoU()([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7]).item(), 4)
    0.5833
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
    ):
        super().__init__(2, target_class_ids, name)
        self.threshold = threshold

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Count the classes of a batch.

        Args:
            y_true: labels 0 and 1.
            y_pred: outputs of that shape.
            sample_weight: a factor for each sample.
        """
        super().update_state(y_true, ops.greater_equal(y_pred, self.threshold), sample_weight)


class MeanIoU(IoU):
    """Mean intersection over union of all classes.

    Args:
        num_classes: number of classes.
        name: for logs.
        ignore_class: a label whose samples do not count.
        sparse_y_true: labels are numbers of classes, else one-hot.
        sparse_y_pred: outputs are numbers of classes, else values for each.
        axis: along which the classes lie where they are not numbers.

    >>> import core
    >>> round(core.metrics.MeanIoU(num_classes=2)([0, 0, 1, 1], [0, 1, 0, 1]).item(), 4)
    0.3333
    """

    default_name = "mean_io_u"

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ):
        every = range(num_classes)
        super().__init__(num_classes, every, name, ignore_class, sparse_y_true, sparse_y_pred, axis)


class OneHotIoU(IoU):
    """Mean over some classes of the intersection over union of one-hot labels.

    Args:
        num_classes: number of classes.
        target_class_ids: the classes of which the mean is taken.
        name: for logs.
        ignore_class: a label whose samples do not count.
        sparse_y_pred: outputs are numbers of classes, else values for each.
        axis: along which the classes lie.

    >>> import core
    >>> metric = core.metrics.OneHotIoU(num_classes=2, target_class_ids=[0, 1])
    >>> round(metric([[1, 0], [0, 1]], [[0.2, 0.8], [0.1, 0.9]]).item(), 4)
    0.25
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ):
        super().__init__(
            num_classes, target_class_ids, name, ignore_class, False, sparse_y_pred, axis
        )


class OneHotMeanIoU(MeanIoU):
    """Mean intersection over union of all classes, of one-hot labels.

    Args:
        num_classes: number of classes.
        name: for logs.
        ignore_class: a label whose samples do not count.
        sparse_y_pred: outputs are numbers of classes, else values for each.
        axis: along which the classes lie.

    >>> import core
    >>> metric = core.metrics.OneHotMeanIoU(num_classes=2)
    >>> round(metric([[1, 0], [0, 1]], [[0.2, 0.8], [0.1, 0.9]]).item(), 4)
    0.25
    """

    default_name = "one_hot_mean_io_u"

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ):
        super().__init__(num_classes, name, ignore_class, False, sparse_y_pred, axis)
