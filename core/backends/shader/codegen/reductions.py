"""Reductions of axes, for the kernels that need one.

Neighbouring axes that are all kept or all reduced become one. Long reductions run in stages: an
invocation reduces every n-th value, the next stage its results. So neighbouring threads read
neighbouring values, and none runs for long. With compute shaders, groups of threads need one stage.

Sums are kept as pairs of floats until the end: they are rounded once, as on the cpu backend.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from core.backends.shader.codegen.compiler.memory_layouts import GLSL_TYPES
from core.backends.shader.codegen.folds import (
    FOLDS,
    PAIR_FOLDS,
    SCALED,
    SCALES,
    SECOND_TRY,
    nothing,
)
from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, literal
from core.backends.shader.codegen.library.pairs import ADD, ADD_PAIR
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.codegen.tiles.averages import MOST_PIXELS, mean_tile
from core.backends.shader.codegen.tiles.tile_source import Tile, spread
from core.engine.specs import Shape, Spec

#: Number of values that one thread reduces where there are enough threads.
_LONG = 128

#: Number of threads that keeps any GPU busy: splitting into more stages gains nothing.
_MANY = 1 << 16

#: Threads of a group: usually, and where each of these would reduce more than so many values. On an
#: H200 a sum of 12,544 values for each of 64 channels takes 110 us by 256 threads for 32 channels.
_THREADS, _MOST_THREADS, _TURNS = 256, 1024, 32

#: Neighbouring results of a group: a warp's, and in long reductions what memory gives at once.
_ACROSS, _LEAST_ACROSS = 32, 8

#: Largest number of values that one work group reduces where there are few groups.
_LONG_FOR_GROUP = 1 << 14


class Groups(NamedTuple):
    """Axes that are kept or reduced together.

    Attributes:
        lengths: lengths of the axes, none of them 1.
        reduced: whether each is reduced; kept and reduced axes alternate.
    """

    lengths: Shape
    reduced: tuple[bool, ...]

    @property
    def kept(self) -> Shape:
        """Return the lengths of the kept axes."""
        return tuple(n for n, r in zip(self.lengths, self.reduced, strict=True) if not r)

    @property
    def values(self) -> int:
        """Return the number of values of each reduction."""
        return prod(n for n, r in zip(self.lengths, self.reduced, strict=True) if r)


def grouped(shape: Shape, axes: Sequence[int]) -> Groups:
    """Return the fewest axes of an equivalent reduction.

    Args:
        shape: shape of the input.
        axes: the reduced axes, from 0.

    >>> grouped((2, 1, 3, 4), (2, 3))
    Groups(lengths=(2, 12), reduced=(False, True))
    """
    lengths: list[int] = []
    reduced: list[bool] = []
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        if reduced and reduced[-1] == (axis in axes):
            lengths[-1] *= length
        else:
            lengths.append(length)
            reduced.append(axis in axes)
    return Groups(tuple(lengths), tuple(reduced))


def reduced(
    call: KernelBuilder,
    x: Operand | Dispatch,
    axes: Sequence[int],
    how: str,
    to: Spec | None = None,
) -> Dispatch:
    """Return a dispatch that reduces some axes.

    Args:
        call: builder of the kernel.
        x: the input; it is empty only if the result is, or if an empty axis is reduced.
        axes: the reduced axes, from 0.
        how: ``"sum"``, ``"mean"``, ``"prod"``, ``"max"``, ``"min"``, ``"all"`` or ``"any"``.
        to: shape and dtype of the result, by default the call's.

    >>> from core.backends.shader.codegen.kernel_language import Operand
    >>> reduced(KernelBuilder(Spec((2,))), Operand(0, Spec((2, 3))), (1,), "max").shape
    (2,)
    """
    to = to or call.to
    groups = grouped(x.shape, axes)
    if not groups.values or not to.size:
        return call.map(nothing(how, to.dtype), to=to)
    if not any(groups.reduced):
        return call.each("x", to=Spec((to.size,), to.dtype), x=x.reshaped(to.size)).reshaped(
            *to.shape
        )
    return _Reduction(call, how, x.dtype, groups.values).of(x, groups, to.dtype).reshaped(*to.shape)


class _Reduction:
    """Stages of a reduction.

    Args:
        call: builder of the kernel.
        how: name of the op.
        dtype: dtype of the input.
        count: number of values of each reduction, in all stages together.
    """

    def __init__(self, call: KernelBuilder, how: str, dtype: str, count: int):
        self.call, self.how, self.count = call, how, count
        self.has_pairs = dtype == "float32" and how in PAIR_FOLDS

    def of(self, x: Operand | Dispatch, groups: Groups, dtype: str) -> Dispatch:
        """Return the reduction of the remaining groups."""
        x = x.reshaped(*groups.lengths)
        if self._suits_group(x, groups):
            return self._by_groups(x, groups)
        parts = self._parts(groups)
        if parts == 1:
            return self._whole(x, groups, dtype)
        partly, left = self._partly(x, groups, parts)
        return self.of(partly, left, dtype)

    # --- by maps ----------------------------------------------------------------------------

    def _parts(self, groups: Groups) -> int:
        """Return the number of parts of each reduction; 1 for a single stage."""
        stages, most = 1, max(1, _MANY // prod(groups.kept))
        while _LONG**stages < groups.values:
            stages += 1
        if stages == 1 or most == 1:
            return 1
        long = round(groups.values ** (1 / stages))
        return min(ceil_div(groups.values, long), most)

    def _whole(self, x: Operand | Dispatch, groups: Groups, dtype: str) -> Dispatch:
        to = Spec(groups.kept, dtype)
        if not self.has_pairs:
            start, step, end = FOLDS[self.how, x.dtype]
            return self.call.map(f"{start}\n{_loop(groups, x.dtype, step)}\n{end}", to=to, x=x)
        text = self._of_floats(groups, x.dtype) + PAIR_FOLDS[self.how].end
        return self.call.map(text, to=to, values=self._values, x=x)

    @property
    def _values(self) -> dict[str, float]:
        return {"mean_of": float(self.count)} if self.how == "mean" else {}

    def _partly(self, x: Operand | Dispatch, groups: Groups, parts: int) -> tuple[Dispatch, Groups]:
        """Return one stage, which reduces each part to one value."""
        left = _with_parts(groups, parts)
        part = f"o{left.reduced.index(True)}"
        stride = f"out_{part[1:]}"
        if self.has_pairs:
            dtype = "complex64"
            text = self._of_floats(groups, x.dtype, part, stride) + PAIR_FOLDS[self.how].pair_end
        else:
            dtype = x.dtype
            start, step, end = FOLDS[self.how, dtype]
            text = f"{start}\n{_loop(groups, dtype, step, part, stride)}\n{end}"
        return self.call.map(text, to=Spec(left.lengths, dtype), x=x), left

    def _of_floats(self, groups: Groups, dtype: str, first: str = "0", stride: str = "1") -> str:
        """Return GLSL that reduces floats, or the pairs that an earlier stage made of them."""
        fold = PAIR_FOLDS[self.how]
        step = fold.step if dtype == "float32" else fold.pair_step
        if self.how == "prod":
            return f"{fold.start}\n{_loop(groups, dtype, step, first, stride)}\n"
        return f"""{fold.start}
{SCALES}
for (int turn = 0; turn < 2; turn++) {{
total = vec2(0.0);
{_loop(groups, dtype, SCALED[dtype] + step, first, stride)}
if (turn > 0 || is_finite(total.x)) break;
{SECOND_TRY}
}}
"""

    # --- by groups of threads ---------------------------------------------------------------

    def _suits_group(self, x: Operand | Dispatch, groups: Groups) -> bool:
        """Return whether groups are faster: long reductions, of neighbours or with few results."""
        of_floats = self.has_pairs or x.dtype == "float32"
        if not self.call.has_tiles or not of_floats or self.how == "prod":
            return False
        if groups.reduced.count(True) > 1:
            return False
        results = prod(groups.kept)
        if groups.values > _LONG_FOR_GROUP and results < 1024:
            return False
        of_pixels = self._is_mean_of_pixels(x, groups)
        return of_pixels or (groups.values >= 64 and (groups.reduced[-1] or results < _MANY))

    def _is_mean_of_pixels(self, x: Operand | Dispatch, groups: Groups) -> bool:
        """Return whether the reduction is a mean over pixels, for which there is a special tile.

        That tile adds floats, not pairs, which is accurate enough for so few values.
        """
        is_mean = self.how == "mean" and x.dtype == "float32"
        is_last_kept = not groups.reduced[-1] and groups.lengths[-1] >= 32
        return is_mean and is_last_kept and 16 <= groups.values <= MOST_PIXELS

    def _by_groups(self, x: Operand | Dispatch, groups: Groups) -> Dispatch:
        position = groups.reduced.index(True)
        outer, inner = prod(groups.lengths[:position]), prod(groups.lengths[position + 1 :])
        limits = self.call.limits
        to = Spec((outer, inner))
        if self._is_mean_of_pixels(x, groups):
            return self.call.tile(mean_tile(outer, groups.values, inner, limits), to=to, x=x)
        kind = f"{self.how} of pairs" if x.dtype == "complex64" else self.how
        most = min(_MOST_THREADS, limits.max_threads)
        tile = _tile(kind, outer, groups.values, inner, most, self.count)
        return self.call.tile(tile, to=to, x=x)


def _with_parts(groups: Groups, parts: int) -> Groups:
    """Return the kept axes and one for parts: last, or before the last if that is kept."""
    kept = groups.kept
    position = len(kept) if groups.reduced[-1] else len(kept) - 1
    lengths = (*kept[:position], parts, *kept[position:])
    return Groups(lengths, tuple(i == position for i in range(len(lengths))))


def _loop(groups: Groups, dtype: str, step: str, first: str = "0", stride: str = "1") -> str:
    """Return GLSL that loops over all values, or every n-th, as ``v``."""
    axes = [a for a, r in enumerate(groups.reduced) if r]
    positions = iter(f"o{i}" for i in range(len(groups.kept) + 1) if f"o{i}" != first)
    indices, lines, rest = {}, [], "j"
    for axis in reversed(axes):
        indices[axis] = rest if axis == axes[0] else f"{rest} % x_{axis}"
        rest = f"{rest} / x_{axis}"
    given = ", ".join(indices[a] if r else next(positions) for a, r in enumerate(groups.reduced))
    limit = " * ".join(f"x_{a}" for a in axes)
    lines = [
        f"for (int j = {first}; j < {limit}; j += {stride}) {{",
        f"{GLSL_TYPES[dtype]} v = get_x({given});",
        step,
        "}",
    ]
    return "\n".join(lines)


class _Shared(NamedTuple):
    """A group's reduction: GLSL types, the start, a step, and the end."""

    values: str
    totals: str
    start: str
    step: str
    end: str


_MOST = "if (!is_nan(total) && (is_nan(v) || v {} total)) total = v;"
_SHARED = {
    "sum": _Shared("float", "vec2", "vec2(0.0)", ADD, "(total.x + total.y) * back"),
    "sum of pairs": _Shared("vec2", "vec2", "vec2(0.0)", ADD_PAIR, "(total.x + total.y) * back"),
    "max": _Shared("float", "float", "-INF", _MOST.format(">"), "total"),
    "min": _Shared("float", "float", "INF", _MOST.format("<"), "total"),
}


def _tile(kind: str, outer: int, count: int, inner: int, most: int, values: int) -> Tile:
    """Return a reduction of [outer, count, inner] over its middle axis.

    The threads of a group are adjacent along the inner axis, up to its length, and the others share
    the middle axis. Then they add up in shared memory, by halves.

    Args:
        kind: name of the op, and `` of pairs`` after an earlier stage.
        outer: number of reductions along the outer axis.
        count: number of values of each at this stage.
        inner: number of reductions along the inner axis.
        most: threads in a group; a power of two.
        values: number of values of each reduction in all stages.
    """
    name = kind.replace("mean", "sum")
    how = _SHARED[name]
    is_sum = how.totals == "vec2"
    across = 1
    while across < min(inner, _ACROSS):
        across *= 2
    size = min(_THREADS, most)
    while size > 32 and size > across * count:
        size //= 2
    while size < most and across * count > size * _TURNS:
        size *= 2
    while across > _LEAST_ACROSS and across * count > size * _TURNS:
        across //= 2
    lanes, blocks = size // across, ceil_div(inner, across)
    groups, start = spread(blocks * outer)
    end = how.end
    if kind.startswith("mean"):
        end = f"pair_mean(total, {literal(float(values))}, o) * back"
    totals = f"""total = {how.start};
if (c < {inner}) for (int j = lane; j < {count}; j += {lanes}) {{
{how.values} v = x_1((z * {count} + j) * {inner} + c);
{SCALED["float32" if how.values == "float" else "complex64"] if is_sum else ""}{how.step}
}}
totals[o] = total;
barrier();
for (int h = {lanes // 2}; h > 0; h >>= 1) {{
if (lane < h) {{
{how.totals} v = totals[o + h * {across}];
{_SHARED["sum of pairs"].step if is_sum else how.step}
totals[o] = total;
}}
barrier();
}}"""
    store = f"store_1(z * {inner} + c, {end});"
    text = f"""shared {how.totals} totals[{size}];
shared bool again;
void main() {{
{start}int o = int(gl_LocalInvocationIndex), lane = o / {across}, z = group / {blocks};
int c = group % {blocks} * {across} + o % {across};
bool is_open = lane == 0 && c < {inner};
{how.totals} total;
{_tried_twice(totals, store) if is_sum else f"{totals} if (is_open) {store}"}
}}
"""
    return Tile(text, size, groups)


def _tried_twice(totals: str, store: str) -> str:
    """Return GLSL of sums of a group; sums that overflow are computed again with smaller values."""
    return f"""{SCALES}
if (o == 0) again = false;
for (int turn = 0; turn < 2; turn++) {{
{totals}
if (is_open && (turn > 0 || is_finite(total.x))) {{
{store}
is_open = false;
}}
if (is_open) again = true;
barrier();
if (!again) break;
{SECOND_TRY}
}}"""
