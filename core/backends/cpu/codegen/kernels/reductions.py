"""Kernels that reduce axes: sums, means and extremes, and softmax along the last axis."""

from collections.abc import Callable
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.formulas import FORMULAS, exp, log
from core.backends.cpu.codegen.ir.image_windows import Blocks, over_values
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name

#: Positions of the arguments; operands of the epilogue follow.
X, RESULT = 0, 1

#: Position of the result of `LogSoftmax` among the arguments of its gradient.
Y = 2

#: Sums that are computed side by side: each waits for its last addition, and is more precise.
_BESIDE = 4

#: Instruction that combines two values, and its initial value.
_OPS = {
    "sum": ("add", 0.0),
    "mean": ("add", 0.0),
    "max": ("maximum", float("-inf")),
    "min": ("minimum", float("inf")),
    "prod": ("mul", 1.0),
}


@dataclass(frozen=True)
class Reduction:
    """A reduction of [outer, reduced, inner] to [outer, inner].

    Attributes:
        op: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"prod"``.
        outer: values before the reduced ones.
        reduced: values that become one.
        inner: values after them, side by side.
        block: inner values in a task; of one inner value: outer ones.
        steps: the epilogue.
    """

    op: str
    outer: int
    reduced: int
    inner: int
    block: int
    steps: tuple[Fused, ...]

    scratch_bytes = 0

    @property
    def title(self) -> str:
        """Return the name of the kind of kernel."""
        return f"generated {self.op}"

    @property
    def blocks(self) -> Blocks:
        """Return how the inner values, or the outer ones, are cut into tasks."""
        return Blocks(self.outer if self.inner == 1 else self.inner, self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.blocks.count * (1 if self.inner == 1 else self.outer)

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        x, result, epilogue = k.argument(X), k.argument(RESULT), Epilogue(k, self.steps)
        if self.inner == 1:
            self.blocks.write(
                k, "%task", lambda first, count: self._rows(k, epilogue, x, result, first, count)
            )
            return
        row = k.divide("%task", self.blocks.count)

        def block(first: Index, count: int) -> None:
            def vector(offset: Index, some: int | None) -> None:
                channel = k.add(first, offset)
                source = k.add(k.multiply(row, self.reduced * self.inner), channel)
                at = k.add(k.multiply(row, self.inner), channel)
                value = self._column(k, k.at_float(x, source), some)
                value = epilogue.apply(value, Span(at, channel, some))
                k.store(value, k.at_float(result, at), count=some)

            over_values(k, count, vector)

        self.blocks.write(k, k.remainder("%task", self.blocks.count), block)

    def _combined(self, k: KernelText, a: Name, b: Name) -> Name:
        return FORMULAS[_OPS[self.op][0]](k, [a, b], {})

    def _finished(self, k: KernelText, value: Name) -> Name:
        return k.of("fdiv", value, k.splat(self.reduced)) if self.op == "mean" else value

    def _column(self, k: KernelText, x: Name, some: int | None) -> Name:
        """Return a vector of results: values that lie ``inner`` apart are reduced."""
        step = FLOAT * self.inner

        def load(index: Index) -> Name:
            return k.load(k.at(x, k.multiply(index, step)), count=some)

        return self._finished(k, self._beside(k, self.reduced, load))

    def _beside(self, k: KernelText, count: int, load: Callable[[Index], Name]) -> Name:
        """Return the reduction of some vectors."""
        together = min(_BESIDE, count)
        rounds = count // together * together
        first = k.splat(_OPS[self.op][1])
        with k.loop(0, rounds, together, [Carried(k.vector, first)] * together) as loop:
            loop.next = [
                self._combined(k, value, load(k.add(loop.index, i)))
                for i, value in enumerate(loop.values)
            ]
        values = [*loop.values, *(load(i) for i in range(rounds, count))]
        while len(values) > 1:
            values = [self._combined(k, values[0], values[1]), *values[2:]]
        return values[0]

    def _rows(
        self, k: KernelText, epilogue: Epilogue, x: Name, result: Name, first: Index, count: int
    ) -> None:
        """Write reductions of adjacent values, one row after the other."""
        with k.loop(0, count) as loop:
            row = k.add(first, loop.index)
            source = k.at_float(x, k.multiply(row, self.reduced))
            value = self._finished(k, across(k, self._row(k, source), self._combined))
            value = epilogue.apply(value, Span(row, 0, 1))
            k.store(value, k.at_float(result, row), count=1)

    def _row(self, k: KernelText, x: Name) -> Name:
        """Return the vector that the row is reduced to; missing lanes have the neutral value."""
        lanes, neutral = k.isa.lanes, k.splat(_OPS[self.op][1])
        full, left = divmod(self.reduced, lanes)
        value = neutral
        if full:
            value = self._beside(k, full, lambda i: k.load(k.at(x, k.multiply(i, FLOAT * lanes))))
        if left:
            last = k.load(x, full * lanes, left)
            value = self._combined(k, value, only_first(k, left, last, neutral))
        return value


def only_first(k: KernelText, count: int, value: Name, other: Name) -> Name:
    """Return a vector with its first values, and those of another one after them."""
    return k.let(f"select {k.mask(count)}, {k.vector} {value}, {k.vector} {other}")


def across(k: KernelText, value: Name, combine: Callable[[KernelText, Name, Name], Name]) -> Name:
    """Return the reduction of all lanes in each lane, by halves."""
    lanes = k.isa.lanes
    shift = lanes // 2
    while shift:
        order = ", ".join(f"i32 {(lane + shift) % lanes}" for lane in range(lanes))
        v = k.vector
        moved = k.let(f"shufflevector {v} {value}, {v} poison, <{lanes} x i32> <{order}>")
        value = combine(k, value, moved)
        shift //= 2
    return value


@dataclass(frozen=True)
class RowKernel:
    """A kernel along rows, which are independent of each other.

    Attributes:
        rows: number of rows.
        length: values in a row.
        block: rows in a task.
        steps: the epilogue.
    """

    rows: int
    length: int
    block: int
    steps: tuple[Fused, ...]

    title = "generated rows"
    scratch_bytes = 0

    @property
    def blocks(self) -> Blocks:
        """Return how rows are cut into tasks."""
        return Blocks(self.rows, self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.blocks.count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        raise NotImplementedError


@dataclass(frozen=True)
class LogSoftmax(RowKernel):
    """Log-softmax of rows: values less the logarithm of the sum of their exponentials."""

    title = "generated log softmax"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        x, result, epilogue = k.argument(X), k.argument(RESULT), Epilogue(k, self.steps)

        def block(first: Index, count: int) -> None:
            with k.loop(0, count) as loop:
                start = k.multiply(k.add(first, loop.index), self.length)
                source, target = k.at_float(x, start), k.at_float(result, start)
                top = largest_of(k, source, self.length)
                total = row_sum(
                    k, self.length, lambda at, some: exp(k, _less(k, source, top, at, some))
                )
                logarithm = log(k, total)

                def share(offset: Index, some: int | None) -> None:
                    value = k.of("fsub", _less(k, source, top, offset, some), logarithm)
                    value = epilogue.apply(value, Span(k.add(start, offset), offset, some))
                    k.store(value, k.at_float(target, offset), count=some)

                over_values(k, self.length, share)

        self.blocks.write(k, "%task", block)


@dataclass(frozen=True)
class LogSoftmaxGradient(RowKernel):
    """The gradient of `LogSoftmax`: ``dy - exp(y) * sum(dy)``; it takes dy, the result, and y."""

    title = "generated log softmax gradient"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        dy, result, y = (k.argument(i) for i in (X, RESULT, Y))
        epilogue = Epilogue(k, self.steps)

        def block(first: Index, count: int) -> None:
            with k.loop(0, count) as loop:
                start = k.multiply(k.add(first, loop.index), self.length)
                given, powers, target = (k.at_float(p, start) for p in (dy, y, result))
                total = row_sum(
                    k, self.length, lambda at, some: k.load(k.at_float(given, at), count=some)
                )

                def share(offset: Index, some: int | None) -> None:
                    power = exp(k, k.load(k.at_float(powers, offset), count=some))
                    value = k.load(k.at_float(given, offset), count=some)
                    value = k.of("fsub", value, k.of("fmul", power, total))
                    value = epilogue.apply(value, Span(k.add(start, offset), offset, some))
                    k.store(value, k.at_float(target, offset), count=some)

                over_values(k, self.length, share)

        self.blocks.write(k, "%task", block)


def largest_of(k: KernelText, row: Name, length: int) -> Name:
    """Return the largest of adjacent values, in each lane."""
    reduction = Reduction("max", 1, length, 1, 1, ())
    return across(k, reduction._row(k, row), reduction._combined)


def row_sum(k: KernelText, length: int, value: Callable[[Index, int | None], Name]) -> Name:
    """Write the sum of a row; return it in each lane.

    Args:
        k: the kernel's text.
        length: values in the row.
        value: writes a vector, given the offset of its first value, and how many values it has
            (None: all).
    """
    lanes = k.isa.lanes
    full, left = divmod(length, lanes)
    total = k.zero
    if full:
        with k.loop(0, full * lanes, lanes, [Carried(k.vector, total)]) as loop:
            loop.next = [k.of("fadd", loop.values[0], value(loop.index, None))]
        total = loop.values[0]
    if left:
        last = only_first(k, left, value(full * lanes, left), k.zero)
        total = k.of("fadd", total, last)
    return across(k, total, lambda k, a, b: k.of("fadd", a, b))


def _less(k: KernelText, row: Name, top: Name, offset: Index, count: int | None) -> Name:
    """Return values of a row less the largest one."""
    return k.of("fsub", k.load(k.at_float(row, offset), count=count), top)


@dataclass(frozen=True)
class Softmax(RowKernel):
    """Softmax of rows: their maximum, the sum of exponentials, and the quotients."""

    title = "generated softmax"

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        x, result, epilogue = k.argument(X), k.argument(RESULT), Epilogue(k, self.steps)

        def block(first: Index, count: int) -> None:
            with k.loop(0, count) as loop:
                start = k.multiply(k.add(first, loop.index), self.length)
                source, target = k.at_float(x, start), k.at_float(result, start)
                top = largest_of(k, source, self.length)
                total = self._powers(k, source, target, top)

                def share(offset: Index, some: int | None) -> None:
                    address = k.at_float(target, offset)
                    value = k.of("fdiv", k.load(address, count=some), total)
                    value = epilogue.apply(value, Span(k.add(start, offset), offset, some))
                    k.store(value, address, count=some)

                over_values(k, self.length, share)

        self.blocks.write(k, "%task", block)

    def _powers(self, k: KernelText, source: Name, target: Name, top: Name) -> Name:
        """Write the exponentials of a row; return their sum in each lane."""

        def power(offset: Index, some: int | None) -> Name:
            value = k.load(k.at_float(source, offset), count=some)
            value = exp(k, k.of("fsub", value, top))
            k.store(value, k.at_float(target, offset), count=some)
            return value

        return row_sum(k, self.length, power)
