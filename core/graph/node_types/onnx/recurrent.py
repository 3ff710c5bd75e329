"""LSTM, GRU and RNN, step by step in either direction or both."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.elementwise import ROWS as ELEMENTWISE
from core.graph.node_types.onnx.rows import Function, Rows

#: Activations by name in small letters.
_ACTIVATIONS: dict[str, Function] = {
    **{name.lower(): row for name, row in ELEMENTWISE.items() if callable(row)},
    "affine": lambda x, alpha=1.0, beta=0.0: alpha * x + beta,
    "scaledtanh": lambda x, alpha=1.0, beta=1.0: alpha * ops.tanh(beta * x),
}

#: Number of alpha and beta that an activation takes.
_TAKES = {
    **dict.fromkeys(("affine", "hardsigmoid", "scaledtanh"), 2),
    **dict.fromkeys(("elu", "leakyrelu", "thresholdedrelu"), 1),
}

Step = Callable[[Tensor, list[Tensor]], list[Tensor]]


class Direction(NamedTuple):
    """Weights of one direction: [gates * units, inputs or units], biases, peepholes.

    Attributes:
        w: weights of a step's values.
        r: weights of the output before.
        wb: bias of the values; None without biases.
        rb: bias of the output before.
        p: peepholes; None without them.
        f: activations.
    """

    w: Tensor
    r: Tensor
    wb: Tensor | None
    rb: Tensor | None
    p: Tensor | None
    f: Sequence[Function]


def _activations(
    names: Sequence[str], alpha: Sequence[float], beta: Sequence[float], clip: float
) -> list[Function]:
    """Return the functions of names, which take the numbers given in turn."""
    alphas, betas, found = iter(alpha), iter(beta), []
    for name in names:
        key = name.lower()
        if key not in _ACTIVATIONS:
            raise CoreError(f"the activation {name!r:.40} is unknown")
        taken = zip(("alpha", "beta")[: _TAKES.get(key, 0)], (alphas, betas), strict=False)
        given = {n: v for n, values in taken if (v := next(values, None)) is not None}
        found.append(_clipped(partial(_ACTIVATIONS[key], **given), clip))
    return found


def _clipped(f: Function, clip: float) -> Function:
    """Return an activation of values within a bound, if there is one."""
    return f if not clip else lambda x: f(ops.clip_by_value(x, -clip, clip))


def _run(
    x: Tensor,
    step: Step,
    states: list[Tensor],
    lengths: Tensor | None,
    backwards: bool,
) -> tuple[list[Tensor], list[Tensor]]:
    """Return the outputs of all steps and the last states; [time, batch, inputs] come in.

    Rows that are shorter keep their states after their end, and give zeros.
    """
    count, outputs = x.shape[0], []
    order = range(count)[::-1] if backwards else range(count)
    values = ops.unstack(x, axis=0)
    for t in order:
        new = step(values[t], states)
        if lengths is not None:
            runs = ops.expand_dims(lengths > t, axis=1)
            new = [ops.where(runs, a, b) for a, b in zip(new, states, strict=True)]
            outputs.append(ops.where(runs, new[0], ops.zeros_like(new[0])))
        else:
            outputs.append(new[0])
        states = new
    return outputs[::-1] if backwards else outputs, states


def _projected(x: Tensor, w: Tensor, bias: Tensor | None) -> Tensor:
    """Return the products with rows of weights, and the bias."""
    y = ops.matmul(x, w, transpose_b=True)
    return y if bias is None else y + bias


def _lstm_step(d: Direction, input_forget: bool) -> Step:
    """Return a step of output and cell; gates stand in the order input, output, forget, cell."""
    f, g, h = d.f
    peep = None if d.p is None else ops.split(d.p, num_or_size_splits=3, axis=-1)

    def seen(x: Tensor, gate: int, cell: Tensor) -> Tensor:
        return x if peep is None else x + peep[gate] * cell

    def step(x: Tensor, states: list[Tensor]) -> list[Tensor]:
        before, cell = states
        gates = ops.split(x + _projected(before, d.r, d.rb), num_or_size_splits=4, axis=-1)
        i = f(seen(gates[0], 0, cell))
        keep = 1.0 - i if input_forget else f(seen(gates[2], 2, cell))
        cell = keep * cell + i * g(gates[3])
        return [f(seen(gates[1], 1, cell)) * h(cell), cell]

    return step


def _gru_step(d: Direction, linear_before_reset: bool) -> Step:
    """Return a step of the output; gates stand in the order update, reset, hidden."""
    f, g = d.f
    rz, rr, rh = ops.split(d.r, num_or_size_splits=3, axis=0)
    parts = [None] * 3 if d.rb is None else ops.split(d.rb, num_or_size_splits=3, axis=0)

    def step(x: Tensor, states: list[Tensor]) -> list[Tensor]:
        (before,) = states
        xz, xr, xh = ops.split(x, num_or_size_splits=3, axis=-1)
        z = f(xz + _projected(before, rz, parts[0]))
        r = f(xr + _projected(before, rr, parts[1]))
        if linear_before_reset:
            h = g(xh + r * _projected(before, rh, parts[2]))
        else:
            h = g(xh + _projected(r * before, rh, parts[2]))
        return [(1.0 - z) * h + z * before]

    return step


def _rnn_step(d: Direction, _: bool) -> Step:
    (f,) = d.f
    return lambda x, states: [f(x + _projected(states[0], d.r, d.rb))]


def _row(gates: int, states: int, default: Sequence[str], make: Function, option: str) -> Function:
    """Return the row of a recurrent op.

    Args:
        gates: how many products of units a step has.
        states: how many values go from step to step.
        default: names of the activations of a direction.
        make: returns the step of a direction.
        option: the attribute that changes the step.
    """

    def row(
        x: Tensor,
        w: Tensor,
        r: Tensor,
        b: Tensor | None = None,
        lengths: Tensor | None = None,
        *more: Tensor | None,
        activation_alpha: Sequence[float] = (),
        activation_beta: Sequence[float] = (),
        activations: Sequence[str] = (),
        clip: float = 0.0,
        direction: str = "forward",
        hidden_size: int = 0,
        layout: int = 0,
        **options: Any,
    ) -> list[Tensor]:
        names = activations or (*default,) * w.shape[0]
        functions = _activations(names, activation_alpha, activation_beta, clip)
        initial = [*more[:states], *(None,) * states][:states]
        peepholes = more[states] if len(more) > states else None
        if layout:
            x = _batch_second(x)
            initial = [s if s is None else _batch_second(s) for s in initial]
        ways = []
        for k, d in enumerate(_directions(w, r, b, peepholes, functions)):
            zeros = ops.zeros((x.shape[1], r.shape[-1]))
            begin = [zeros if s is None else s[k] for s in initial]
            flat = ops.reshape(x, shape=(x.shape[0] * x.shape[1], x.shape[2]))
            steps = _projected(flat, d.w, d.wb)
            steps = ops.reshape(steps, shape=(*x.shape[:2], gates * r.shape[-1]))
            step = make(d, bool(options.get(option, 0)))
            ways.append(_run(steps, step, begin, lengths, direction == "reverse" or k == 1))
        y = ops.stack([ops.stack(outputs, axis=0) for outputs, _ in ways], axis=1)
        ends = [ops.stack([last[i] for _, last in ways], axis=0) for i in range(states)]
        if layout:
            return [ops.transpose(y, perm=(2, 0, 1, 3)), *map(_batch_second, ends)]
        return [y, *ends]

    return row


def _batch_second(x: Tensor) -> Tensor:
    """Swap the first two axes."""
    return ops.transpose(x, perm=(1, 0, 2))


def _directions(
    w: Tensor,
    r: Tensor,
    b: Tensor | None,
    peepholes: Tensor | None,
    functions: Sequence[Function],
) -> Iterator[Direction]:
    """Yield the parts of weights, one of each direction, which have as many activations."""
    count, each = w.shape[0], len(functions) // w.shape[0]
    for k in range(count):
        wb, rb = (None, None) if b is None else ops.split(b[k], num_or_size_splits=2, axis=0)
        p = None if peepholes is None else peepholes[k]
        yield Direction(w[k], r[k], wb, rb, p, functions[k * each : (k + 1) * each])


ROWS: Rows = {
    "GRU": _row(3, 1, ("Sigmoid", "Tanh"), _gru_step, "linear_before_reset"),
    "LSTM": _row(4, 2, ("Sigmoid", "Tanh", "Tanh"), _lstm_step, "input_forget"),
    "RNN": _row(1, 1, ("Tanh",), _rnn_step, ""),
}
