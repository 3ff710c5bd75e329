"""Copies between arrays of any strides, which implement ops that only move values."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.image_windows import over_values
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name
from core.backends.cpu.codegen.ir.shuffles import strided, transposed


class Axis(NamedTuple):
    """An axis of a copy: its length, and the values from one index to the next.

    Attributes:
        length: number of indices.
        source: values from one to the next in the source; 0 repeats it.
        target: values from one to the next in the target, never negative.
    """

    length: int
    source: int
    target: int


class Copy(NamedTuple):
    """A copy from one array to another.

    Attributes:
        source: position of the source among the arguments.
        target: position of the target.
        begins: offset of the first value in the source, and in the target, in values.
        axes: the axes, the longest steps in the target first.
        across: position of the axis that is swapped with the last one: its values are adjacent
            in the source, and it has at most as many indices as a vector has values.
    """

    source: int
    target: int
    begins: tuple[int, int]
    axes: tuple[Axis, ...]
    across: int | None = None

    @property
    def shared(self) -> int:
        """Return the number of parts that the first axis can be split into."""
        return self.axes[0].length if len(self.axes) > 1 and self.across != 0 else 1


def copy_axes(to: np.ndarray, at: np.ndarray, channels: int | None = None) -> tuple[Axis, ...]:
    """Return the axes of a copy between two views, as few as possible; one at least.

    Args:
        to: view of the target.
        at: view of the source, of that shape.
        channels: where given, no axis crosses the end of the channels of the target.

    >>> a = np.zeros((4, 6), np.float32)
    >>> copy_axes(a, a)
    (Axis(length=24, source=1, target=1),)
    >>> copy_axes(a[:, :2], a[:, 2:4])
    (Axis(length=4, source=6, target=6), Axis(length=2, source=1, target=1))
    """
    item = to.itemsize
    steps = zip(to.shape, at.strides, to.strides, strict=True)
    axes = sorted(
        (Axis(n, s // item, t // item) for n, s, t in steps if n > 1), key=lambda a: -a.target
    )
    merged: list[Axis] = []
    for axis in axes:
        outer = merged[-1] if merged else None
        if outer is not None and _are_one(outer, axis, channels):
            merged[-1] = Axis(outer.length * axis.length, axis.source, axis.target)
        else:
            merged.append(axis)
    return tuple(merged) or (Axis(1, 1, 1),)


def _are_one(outer: Axis, inner: Axis, channels: int | None) -> bool:
    if channels is not None and inner.target < channels <= outer.target:
        return False
    whole = inner.length * inner.source, inner.length * inner.target
    return (outer.source, outer.target) == whole


#: Length of the runs into which a longer last axis is split, so that tasks can share it.
_RUN = 4096


def cut_copy(copy: Copy, lanes: int) -> list[Copy]:
    """Return a copy with axes as `Copies` writes them: no long run, and `Copy.across` found.

    Args:
        copy: the copy.
        lanes: values in a vector.
    """
    last = copy.axes[-1]
    if len(copy.axes) == 1 and last.length > _RUN:
        return cut_axis(copy, 0, _RUN)
    if last.target != 1 or last.source in (0, 1) or last.length < _LEAST_TILE:
        return [copy]
    for i, axis in enumerate(copy.axes[:-1]):
        if axis.source == 1 and axis.length >= _LEAST_TILE:
            parts = cut_axis(copy, i, lanes)
            return [part._replace(across=i + len(part.axes) - len(copy.axes)) for part in parts]
    return [copy]


#: Smallest length of swapped axes that are copied by squares.
_LEAST_TILE = 4


def cut_axis(copy: Copy, position: int, size: int) -> list[Copy]:
    """Return a copy with an axis cut into blocks of a size, and a copy of what is left."""
    axis, made = copy.axes[position], []
    blocks, left = divmod(axis.length, size)
    before, after = copy.axes[:position], copy.axes[position + 1 :]
    outer = Axis(blocks, size * axis.source, size * axis.target)
    if blocks:
        inner = axis._replace(length=size)
        made.append(copy._replace(axes=(*before, *(outer, inner)[blocks == 1 :], *after)))
    if left:
        source, target = copy.begins
        begins = source + blocks * outer.source, target + blocks * outer.target
        axes = (*before, axis._replace(length=left), *after)
        made.append(copy._replace(begins=begins, axes=axes))
    return made


class _Run(NamedTuple):
    """Start of the last axis of a copy, while it is being written."""

    source: Name
    target: Name
    offset: Index
    channel: Index


@dataclass(frozen=True)
class Copies:
    """Copies, after which the epilogue follows.

    Attributes:
        copies: the copies.
        channels: of the target, for the epilogue.
        tasks: number of tasks; each has a share of every copy.
        steps: the epilogue.
    """

    copies: tuple[Copy, ...]
    channels: int
    tasks: int
    steps: tuple[Fused, ...]

    title = "generated copy"
    scratch_bytes = 0

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        epilogue = Epilogue(k, self.steps)
        pointers = {p: k.argument(p) for c in self.copies for p in (c.source, c.target)}
        for number, copy in enumerate(self.copies):
            part: tuple[Index, Index] = 0, copy.axes[0].length
            if self.tasks == 1:
                self._copy(k, copy, pointers, part, epilogue)
            elif copy.shared >= self.tasks:
                self._copy(k, copy, pointers, _share(k, copy.shared, self.tasks), epilogue)
            else:
                with k.when(k.let(f"icmp eq i64 %task, {number % self.tasks}")):
                    self._copy(k, copy, pointers, part, epilogue)

    def _copy(
        self,
        k: KernelText,
        copy: Copy,
        pointers: dict[int, Name],
        part: tuple[Index, Index],
        epilogue: Epilogue,
    ) -> None:
        """Write a copy of a part of the first axis."""
        (start, offset), last = copy.begins, copy.axes[-1]
        run = _Run(pointers[copy.source], pointers[copy.target], offset, offset % self.channels)
        with ExitStack() as loops:
            for i, axis in enumerate(copy.axes[:-1]):
                if i == copy.across:
                    continue
                first, stop = part if i == 0 else (0, axis.length)
                index = loops.enter_context(k.loop(first, stop)).index
                source = k.at_float(run.source, k.multiply(index, axis.source))
                run = self._moved(k, run, axis, index)._replace(source=source)
            run = run._replace(source=k.at_float(run.source, start))
            if copy.across is None:
                self._run(k, run, last, epilogue)
            else:
                self._square(k, run, (copy.axes[copy.across], last), epilogue)

    def _moved(self, k: KernelText, run: _Run, axis: Axis, index: Index) -> _Run:
        """Return a run moved to an index of an axis."""
        step = k.multiply(index, axis.target)
        channel = k.add(run.channel, step) if axis.target < self.channels else run.channel
        return run._replace(offset=k.add(run.offset, step), channel=channel)

    def _run(self, k: KernelText, run: _Run, axis: Axis, epilogue: Epilogue) -> None:
        """Write the copy of the last axis."""
        if axis.target != 1:
            with k.loop(0, axis.length) as loop:
                here = k.at_float(run.source, k.multiply(loop.index, axis.source))
                self._single(k, here, self._moved(k, run, axis, loop.index), epilogue)
            return

        def write(at: Index, count: int | None) -> None:
            here = k.at_float(run.source, k.multiply(at, axis.source))
            value = strided(k, here, axis.source, count)
            self._put(k, value, run, at, count, epilogue)

        over_values(k, axis.length, write)

    def _single(self, k: KernelText, here: Name, run: _Run, epilogue: Epilogue) -> None:
        """Write one value."""
        value = k.let(f"load float, ptr {here}, align 4")
        if self.steps:
            self._put(k, k.spread(value), run, 0, 1, epilogue)
            return
        address = k.at_float(run.target, run.offset)
        k.write(f"store float {value}, ptr {address}, align 4")

    def _put(
        self,
        k: KernelText,
        value: Name,
        run: _Run,
        at: Index,
        count: int | None,
        epilogue: Epilogue,
    ) -> None:
        """Write a vector of values after the epilogue."""
        offset = k.add(run.offset, at)
        value = epilogue.apply(value, Span(offset, k.add(run.channel, at), count))
        k.store(value, k.at_float(run.target, offset), count=count)

    def _square(
        self, k: KernelText, run: _Run, axes: tuple[Axis, Axis], epilogue: Epilogue
    ) -> None:
        """Write the copy of two swapped axes, the first adjacent in the source."""
        lanes, (other, last) = k.isa.lanes, axes

        def write(at: Index, count: int | None) -> None:
            high = count or lanes
            here = k.at_float(run.source, k.multiply(at, last.source))
            rows = [k.load(here, i * last.source, other.length) for i in range(high)]
            columns = transposed(k, rows + [k.zero] * (lanes - high))
            for j, value in enumerate(columns[: other.length]):
                self._put(k, value, self._moved(k, run, other, j), at, count, epilogue)

        full = last.length // lanes * lanes
        if full:
            with k.loop(0, full, lanes) as loop:
                write(loop.index, None)
        if full < last.length:
            write(full, last.length - full)


def _share(k: KernelText, length: int, tasks: int) -> tuple[Index, Index]:
    """Return the first index of a task, and the end of its indices."""
    start, stop = (k.multiply(k.add("%task", i), length) for i in (0, 1))
    return k.divide(start, tasks), k.divide(stop, tasks)
