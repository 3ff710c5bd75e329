"""LSTM, GRU and RNN, step by step in either direction or both."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.elementwise import ROWS as ELEMENTWISE
from core.graph.node_types.onnx.rows import Function, Rows

#: Names of activations in any case; those that take alpha and beta have them in this order.
_ACTIVATIONS = {name.lower(): row for name, row in ELEMENTWISE.items()}
_WITH_NUMBERS = {
    "affine": 2, "leakyrelu": 1, "thresholdedrelu": 1, "scaledtanh": 2, "hardsigmoid": 2, "elu": 1
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


def _activations(names: Sequence[str], alpha: Sequence[float], beta: Sequence[float]) -> list[Any]:
    """Return the functions of names, which take the numbers given in turn."""
    alphas, betas, found = iter(alpha), iter(beta), []
    for name in names:
        key = name.lower()
        count = _WITH_NUMBERS.get(key, 0)
        numbers = [next(alphas, None)] * (count > 0) + [next(betas, None)] * (count > 1)
        given = {n: v for n, v in zip(("alpha", "beta"), numbers, strict=False) if v is not None}
        if key == "affine":
            a, b = given.get("alpha", 1.0), given.get("beta", 0.0)
            found.append(lambda x, a=a, b=b: a * x + b)
        elif key == "scaledtanh":
            a, b = given.get("alpha", 1.0), given.get("beta", 1.0)
            found.append(lambda x, a=a, b=b: a * ops.tanh(b * x))
        elif key in _ACTIVATIONS:
            row = _ACTIVATIONS[key]
            found.append(lambda x, row=row, given=given: row(x, **given))
        else:
            raise CoreError(f"the activation {name!r:.40} is unknown")
    return found


def _clipped(f: Function, clip: float) -> Function:
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
    y = ops.matmul(x, w, transpose_b=True)
    return y if bias is None else y + bias


def _lstm_step(d: Direction, units: int, input_forget: bool) -> Step:
    f, g, h = d.f

    def step(x: Tensor, states: list[Tensor]) -> list[Tensor]:
        before, cell = states
        parts = ops.split(x + _projected(before, d.r, d.rb), num_or_size_splits=4, axis=-1)
        i, o, forget, c = parts
        peep = [None] * 3 if d.p is None else ops.split(d.p, num_or_size_splits=3, axis=-1)
        i = f(i if peep[0] is None else i + peep[0] * cell)
        keep = 1.0 - i if input_forget else f(
            forget if peep[2] is None else forget + peep[2] * cell
        )
        cell = keep * cell + i * g(c)
        o = f(o if peep[1] is None else o + peep[1] * cell)
        return [o * h(cell), cell]

    return step


def _gru_step(d: Direction, units: int, linear_before_reset: bool) -> Step:
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


def _rnn_step(d: Direction, units: int, _: bool) -> Step:
    (f,) = d.f
    return lambda x, states: [f(x + _projected(states[0], d.r, d.rb))]


def _row(gates: int, states: int, default: Sequence[str], make: Function, option: str) -> Function:
    """Return the row of a recurrent op."""

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
        count, units = w.shape[0], r.shape[-1]
        initial = [*more[:states], *(None,) * states][:states]
        peepholes = more[states] if len(more) > states else None
        x = ops.transpose(x, perm=(1, 0, 2)) if layout else x
        if layout:
            initial = [s if s is None else ops.transpose(s, perm=(1, 0, 2)) for s in initial]
        names = activations or tuple(default) * count
        functions = _activations(names, activation_alpha, activation_beta)
        functions = [_clipped(f, clip) for f in functions]
        each, ys, lasts = len(functions) // count, [], []
        for k in range(count):
            bias = None if b is None else ops.split(b[k], num_or_size_splits=2, axis=0)
            d = Direction(
                w[k],
                r[k],
                None if bias is None else bias[0],
                None if bias is None else bias[1],
                None if peepholes is None else peepholes[k],
                functions[k * each : (k + 1) * each],
            )
            zeros = ops.zeros((x.shape[1], units))
            first = [zeros if s is None else s[k] for s in initial]
            steps = ops.reshape(
                _projected(ops.reshape(x, shape=(-1, x.shape[2])), d.w, d.wb),
                shape=(*x.shape[:2], gates * units),
            )
            step = make(d, units, bool(options.get(option, 0)))
            backwards = direction == "reverse" or k == 1
            outputs, final = _run(steps, step, first, lengths, backwards)
            ys.append(ops.stack(outputs, axis=0))
            lasts.append(final)
        y = ops.stack(ys, axis=1)
        ends = [ops.stack([final[i] for final in lasts], axis=0) for i in range(states)]
        if layout:
            y = ops.transpose(y, perm=(2, 0, 1, 3))
            ends = [ops.transpose(end, perm=(1, 0, 2)) for end in ends]
        return [y, *ends]

    return row


ROWS: Rows = {
    "GRU": _row(3, 1, ("Sigmoid", "Tanh"), _gru_step, "linear_before_reset"),
    "LSTM": _row(4, 2, ("Sigmoid", "Tanh", "Tanh"), _lstm_step, "input_forget"),
    "RNN": _row(1, 1, ("Tanh",), _rnn_step, ""),
}
