"""Cells of recurrent networks, and averages over time."""

from collections.abc import Callable, Sequence

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.registry import composite
from core.engine.tensors import Tensor
from core.errors import CoreError

State = tuple[Tensor, Tensor]


@composite
def basic_lstm_cell(
    forget_bias: TensorLike,
    lstm_kernel: TensorLike,
    lstm_bias: TensorLike,
    data: TensorLike,
    c: TensorLike,
    h: TensorLike,
) -> State:
    """One step of a long short-term memory cell.

    Source: Zaremba, Sutskever and Vinyals, "Recurrent Neural Network Regularization" (2014). The
    gates are side by side in the kernel: input, new value, forget, output.

    Args:
        forget_bias: a scalar, added to the forget gate.
        lstm_kernel: [inputs + units, 4 * units].
        lstm_bias: [4 * units].
        data: [batch, inputs].
        c: [batch, units], the state.
        h: [batch, units], the output of the step before.

    Returns:
        The new state and the new output, each [batch, units].

    >>> import core
    >>> kernel, bias, state = core.ones((5, 8)), core.zeros((8,)), core.zeros((1, 2))
    >>> c, h = core.basic_lstm_cell(1.0, kernel, bias, [[1.0, 2.0, 3.0]], state, state)
    >>> c.shape, h.shape
    ((1, 2), (1, 2))
    """
    joined = ops.concat([tensor(data), tensor(h)], axis=1)
    weighted = ops.add(ops.matmul(joined, lstm_kernel), lstm_bias)
    new, value, forget, out = ops.split(weighted, num_or_size_splits=4, axis=1)
    kept = ops.mul(c, ops.sigmoid(ops.add(forget_bias, forget)))
    new_c = ops.add(ops.mul(ops.sigmoid(new), ops.tanh(value)), kept)
    return new_c, ops.mul(ops.tanh(new_c), ops.sigmoid(out))


@composite
def multi_rnn_cell(
    lstm_cells: Sequence[Callable[[Tensor, Tensor, Tensor], State]],
    data: TensorLike,
    c: Sequence[TensorLike],
    h: Sequence[TensorLike],
) -> tuple[list[Tensor], list[Tensor]]:
    """One step of stacked cells: the output of each cell is the input of the next.

    Args:
        lstm_cells: functions of (data, c, h) that return the new c and h.
        data: [batch, inputs], the input of the first.
        c: for each cell its state.
        h: for each cell its output of the step before.

    Returns:
        The new states and the new outputs, two lists.

    >>> import core
    >>> add = lambda data, c, h: (c + data, h + data)
    >>> c, h = [[[1.0]], [[2.0]]], [[[0.0]], [[0.0]]]
    >>> c, h = core.multi_rnn_cell([add, add], [[1.0]], c, h)
    >>> c[1].item(), h[1].item()
    (3.0, 1.0)
    """
    if not len(lstm_cells) == len(c) == len(h):
        raise CoreError(
            f"{len(lstm_cells)} cells need as many states c and h, got {len(c)} and {len(h)}"
        )
    output, states, outputs = tensor(data), [], []
    for cell, state, before in zip(lstm_cells, c, h, strict=True):
        state, output = cell(output, tensor(state), tensor(before))
        states.append(state)
        outputs.append(output)
    return states, outputs


@composite
def moving_average(
    v: TensorLike,
    x: TensorLike,
    decay: TensorLike,
    step: TensorLike | None = None,
    zero_debias: bool = True,
) -> Tensor:
    """A moving average, updated with one more value.

    Source of the correction: Kingma and Ba, "Adam", https://arxiv.org/abs/1412.6980, section 3.

    Args:
        v: the average so far.
        x: the new value, of the same shape and dtype.
        decay: how much the average keeps, such as 0.95; a scalar.
        step: the number of values with this one; needed for ``zero_debias``.
        zero_debias: correct for an average that began with 0.

    Returns:
        ``v + (x - v) * (1 - decay)``; with ``zero_debias`` the change is divided by
        ``1 - decay ** step``.

    >>> import core
    >>> core.moving_average([1.0], [2.0], 0.75, zero_debias=False).numpy()
    array([1.25], dtype=float32)
    """
    v, x, decay = tensor(v), tensor(x), tensor(decay)
    if v.spec != x.spec:
        raise CoreError(
            f"v ({v.dtype} {v.shape}) and x ({x.dtype} {x.shape}) must be of one shape and dtype"
        )
    change = ops.mul(ops.sub(x, v), ops.sub(1.0, decay))
    if zero_debias:
        if step is None:
            raise CoreError("zero_debias needs the number of the step: give step")
        change = ops.div(change, ops.sub(1.0, ops.pow(decay, step)))
    return ops.add(v, change)
