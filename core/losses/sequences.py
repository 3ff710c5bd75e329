"""Loss of sequences whose positions are not labelled: connectionist temporal classification."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import NamedLoss

#: Log-probability of an impossible path.
_NEVER = -1e30


def ctc(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Minus the logarithm of the probability of all alignments that read as the labels.

    Source: Graves et al. 2006, https://doi.org/10.1145/1143844.1143891

    Args:
        y_true: numbers of classes from 1 on, [batch, most labels], with 0, the blank, at the end
            of shorter sequences.
        y_pred: logits, [batch, steps, classes]; class 0 is the blank.

    Returns:
        float32 [batch].

    Raises:
        CoreError: the shapes are others.

    >>> import core
    >>> logits = [[[0.0, 9.0, 0.0], [9.0, 0.0, 0.0], [0.0, 0.0, 9.0]]]
    >>> core.losses.ctc([[1, 2]], logits).numpy().round(4)
    array([0.0005], dtype=float32)
    """
    labels, logits = ops.cast(y_true, dtype="int32"), ops.cast(y_pred, dtype="float32")
    if len(labels.shape) != 2 or len(logits.shape) != 3 or labels.shape[0] != logits.shape[0]:
        raise CoreError(
            f"ctc needs labels [batch, most labels] and logits [batch, steps, classes], got "
            f"{labels.shape} and {logits.shape}"
        )
    states = _with_blanks(labels)
    batch, classes = logits.shape[0], logits.shape[2]
    one_hot = ops.one_hot(states, depth=classes, dtype="float32")
    # [batch, steps, states]: the logarithm of the probability of a state's class at each step
    emitted = ops.matmul(ops.log_softmax(logits), one_hot, transpose_b=True)
    is_start = ops.less(ops.range(0, states.shape[1], dtype="int32"), 2)
    alpha = ops.select(is_start, emitted[:, 0], _NEVER)
    skips = ops.select(_skippable(states), 0.0, _NEVER)
    for step in range(1, logits.shape[1]):
        paths = ops.stack([alpha, _moved(alpha, 1), _moved(alpha, 2) + skips])
        alpha = ops.log_sum_exp(paths, axis=0) + emitted[:, step]
    last = 2 * ops.sum(ops.cast(ops.not_equal(labels, 0), dtype="int32"), axis=1)
    position = ops.reshape(last, shape=(batch, 1)) - ops.range(0, states.shape[1], dtype="int32")
    is_end = ops.logical_or(ops.equal(position, 0), ops.equal(position, 1))
    return ops.neg(ops.log_sum_exp(ops.select(is_end, alpha, _NEVER), axis=1))


def _with_blanks(labels: Tensor) -> Tensor:
    """Return labels with a blank before, between and after them: [batch, 2 * labels + 1]."""
    batch, count = labels.shape
    pairs = ops.stack([ops.zeros_like(labels), labels], axis=2)
    return ops.pad(ops.reshape(pairs, shape=(batch, 2 * count)), paddings=((0, 0), (0, 1)))


def _skippable(states: Tensor) -> Tensor:
    """Return whether a state may follow the one before the last: a label that is another one."""
    before = ops.pad(states, paddings=((0, 0), (2, 0)))[:, : states.shape[1]]
    return ops.logical_and(ops.not_equal(states, 0), ops.not_equal(states, before))


def _moved(alpha: Tensor, by: int) -> Tensor:
    """Return values that moved towards the end."""
    length = alpha.shape[1]
    return ops.pad(alpha, paddings=((0, 0), (by, 0)), constant_value=_NEVER)[:, :length]


class CTC(NamedLoss):
    """Loss of sequences without aligned labels; the function is `core.losses.ctc`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> logits = core.zeros((1, 3, 4))
    >>> round(core.losses.CTC()([[1, 0]], logits).item(), 4)
    2.3671
    """

    function = staticmethod(ctc)
