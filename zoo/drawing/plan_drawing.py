"""A plan as an image: a row for each step, beside a map of the buffers in the arena."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.engine.executable import Placed
from core.plan.plan_report import PlanFacts, PlanProfile, chain_text, shape_text, tail_of, totals_of
from weights_cache.common.errors import ZooError
from zoo.drawing.canvas import Canvas
from zoo.drawing.colours import INK, PALETTE, PAPER, Colour, mix
from zoo.drawing.text_masks import text_mask

if TYPE_CHECKING:
    from PIL import Image

_TEXT = 12.0  # sizes of text, in pixels
_TITLE = 24.0
_ROW = 20  # height of a row
_MARGIN = 28  # around everything, and before the map
_GAP = 18  # between columns
_TOP = 158  # where the rows begin
_BAR = 120  # lengths, in pixels
_ARENA = 640
_LIVE = 70
_WIDEST = 38  # names and lists of ops, in characters

_QUIET = mix(INK, PAPER, 0.45)
_LINES = mix(INK, PAPER, 0.86)
_STRIPES = mix(INK, PAPER, 0.96)
_SCRATCH = mix(INK, PAPER, 0.72)
_FED = mix(INK, PAPER, 0.5)

_MAP = "the arena: each buffer from the step that makes it down to the last that needs it"
_OTHER = "other ops"

#: Colours of what ops do, and which ops do it.
_FAMILIES: dict[str, tuple[Colour, str]] = {
    "convolution": (PALETTE[0], "conv1d conv2d conv2d_transpose conv2d_backprop_input conv3d"),
    "depthwise convolution": (PALETTE[1], "depthwise_conv2d"),
    "matrix product": (PALETTE[3], "matmul dot einsum"),
    "pooling and means": (PALETTE[2], "avg_pool max_pool pool mean sum max min"),
    "resizing": (PALETTE[5], "resize_bilinear resize_nearest_neighbor"),
    _OTHER: (PALETTE[4], ""),
}
_FAMILY_OF = {op: name for name, (_, ops) in _FAMILIES.items() for op in ops.split()}


class _Column(NamedTuple):
    """Texts beneath a heading, or numbers with bars."""

    heading: str
    texts: Sequence[str]
    colour: Colour = INK
    right: bool = False  # where the texts are aligned
    bars: Sequence[float] = ()  # beside the texts
    longest: int = 0  # of the bars

    @property
    def text_width(self) -> int:
        """Width of the widest text."""
        return max(
            (_mask(text).shape[1] for text in (self.heading, *self.texts) if text), default=0
        )

    @property
    def width(self) -> int:
        """Width with bars."""
        return self.text_width + (self.longest + 8 if self.longest else 0)


def draw_plan(
    plan: PlanFacts, profile: PlanProfile | None = None, *, title: str = "plan"
) -> Image.Image:
    """Draw a plan: its steps from top to bottom, and beside them what lies where in the arena.

    In the map of the arena addresses go from left to right. A buffer begins at the step that makes
    it, in the colour of that step, and ends at the last step that needs it: what is beneath it uses
    the same memory again. Grey is what a step needs for itself, dark grey what goes in.

    Args:
        plan: what ``model.plan()`` gives.
        profile: what ``model.profile(image)`` gives, for bars of milliseconds; without it bars show
            how many products are summed up.
        title: what to write above it, such as the name of the model.

    Raises:
        ZooError: it is not given a plan, or the profile is of another one.

    Example:
        >>> import zoo
        >>> drawing = draw_plan(zoo.load("posenet.tiny").plan(), title="posenet.tiny")
        >>> drawing.mode, drawing.width > 1000
        ('RGB', True)
    """
    if not hasattr(plan, "steps"):
        name = plan if isinstance(plan, str) else "posenet.tiny"
        raise ZooError(
            f"draw_plan takes a plan, such as zoo.load({name!r}).plan(), got {plan!r:.80}"
        )
    if profile is not None and len(profile.steps) != len(plan.steps):
        raise ZooError(
            f"the profile is of {len(profile.steps)} steps, the plan has {len(plan.steps)}: give "
            "the profile of this plan"
        )
    columns = _columns_of(plan, profile)
    colours = [_colour(step.op) for step in plan.steps]
    lefts = [*accumulate((c.width + _GAP for c in columns), initial=_MARGIN)]
    right = lefts[-1] + _ARENA + _GAP + _LIVE + 90
    height = _TOP + _ROW * len(plan.steps) + _MARGIN + _ROW
    canvas = Canvas(np.full((height, right + _MARGIN, 3), PAPER, np.uint8))
    _stripe(canvas, len(plan.steps))
    _head(canvas, plan, profile, title)
    for column, left in zip(columns, lefts, strict=False):
        _paint_column(canvas, column, left, colours)
    _paint_arena(canvas, plan, lefts[-1])
    _paint_column(canvas, _live_column(plan), lefts[-1] + _ARENA + _GAP, [_FED] * len(colours))
    return canvas.image


# --- columns and colours ---------------------------------------------------------------------


def _columns_of(plan: PlanFacts, profile: PlanProfile | None) -> list[_Column]:
    steps = plan.steps
    return [
        _Column("step", [str(i) for i in range(len(steps))], _QUIET, right=True),
        _Column("name", [tail_of(step.name, _WIDEST) for step in steps]),
        _Column("op", [step.op for step in steps]),
        _Column("fused with it", [chain_text(s.fused, ", ", _WIDEST) for s in steps], _QUIET),
        _Column("kernel", [step.kernel for step in steps]),
        _Column("result", [shape_text(step.output_shape) for step in steps]),
        _Column("weights", [_size(s.weight_bytes) for s in steps], _QUIET, right=True),
        *_costs(plan, profile),
    ]


def _costs(plan: PlanFacts, profile: PlanProfile | None) -> list[_Column]:
    """Return columns of products, and of milliseconds if known; the last one with bars."""
    products = [step.multiply_adds / 1e6 for step in plan.steps]
    texts = [f"{count:,.2f}" if count else "" for count in products]
    if profile is None:
        return [_Column("million multiply-adds", texts, INK, True, products, _BAR)]
    times = [step["ms"] for step in profile.steps]
    shown = [f"{ms:.3f}" for ms in times]
    rates = [f"{step['gflops']:.1f}" if step["gflops"] else "" for step in profile.steps]
    return [
        _Column("million MACs", texts, _QUIET, right=True),
        _Column("GFLOP/s", rates, _QUIET, right=True),
        _Column("milliseconds", shown, INK, True, times, _BAR),
    ]


def _live_column(plan: PlanFacts) -> _Column:
    """Return a column of the memory in use at each step."""
    live = [0] * len(plan.steps)
    for buffer in plan.placed:
        for step in _rows_of(buffer, len(live)):
            live[step] += buffer.bytes
    return _Column("in use", [*map(_size, live)], INK, True, live, _LIVE)


def _size(count: float) -> str:
    """Return a size in bytes, finer than sizes of files: many buffers are small."""
    if count < 1e6:
        return f"{count / 1e3:.0f} kB" if count >= 1e3 else f"{count} B" if count else ""
    return f"{count / 1e6:.1f} MB"


def _colour(op: str) -> Colour:
    return _FAMILIES[_FAMILY_OF.get(op, _OTHER)][0]


def _colours_of_buffers(plan: PlanFacts) -> list[Colour]:
    """Return for each buffer the colour of the step that makes the buffer."""
    known = {step.name: _colour(step.op) for step in plan.steps} | dict.fromkeys(plan.inputs, _FED)
    return [known.get(b.name, known.get(b.name.partition(":")[0], _SCRATCH)) for b in plan.placed]


def _legend(plan: PlanFacts) -> list[tuple[str, Colour]]:
    """Return the colours that occur, by their meaning."""
    colours = {name: colour for name, (colour, _) in _FAMILIES.items()}
    colours |= {"what goes in": _FED, "scratch": _SCRATCH}
    found = {*(_colour(step.op) for step in plan.steps), *_colours_of_buffers(plan)}
    return [(name, colour) for name, colour in colours.items() if colour in found]


def _rows_of(buffer: Placed, steps: int) -> range:
    """Return the steps during which a buffer lives."""
    return range(max(0, buffer.first), min(steps - 1, buffer.last) + 1)


# --- painting -------------------------------------------------------------------------------


def _stripe(canvas: Canvas, steps: int) -> None:
    """Paint every other row darker, so that the eye can follow a row to the map."""
    for step in range(0, steps, 2):
        top = _TOP + step * _ROW
        canvas.image.paste(_STRIPES, (_MARGIN - 8, top, canvas.size[0] - _MARGIN + 8, top + _ROW))


def _head(canvas: Canvas, plan: PlanFacts, profile: PlanProfile | None, title: str) -> None:
    """Paint the title, totals, and the legend of colours."""
    canvas.write(text_mask(title, _TITLE), _MARGIN, 38, INK)
    work, memory = totals_of(plan)
    if profile is not None:
        work = f"{profile.total_ms:.3f} ms, the medians of {profile.runs} runs; {work}"
    for line, middle in ((work, 70), (memory, 90)):
        canvas.write(text_mask(line, _TEXT + 1), _MARGIN, middle, INK)
    left = float(_MARGIN)
    for name, colour in _legend(plan):
        canvas.image.paste(colour, (round(left), 108, round(left) + 12, 120))
        canvas.write(_mask(name), left + 18, 114, _QUIET)
        left += _mask(name).shape[1] + 44


def _paint_column(canvas: Canvas, column: _Column, left: int, colours: Sequence[Colour]) -> None:
    most = max(column.bars, default=0) or 1
    for number, text in enumerate((column.heading, *column.texts)):
        middle = _TOP + _ROW * (number - 0.5)
        mask = _mask(text)
        start = left + (column.text_width - mask.shape[1] if column.right else 0)
        canvas.write(mask, start, middle, column.colour if number else _QUIET)
        if number and column.bars:
            start = left + column.text_width + 8
            end = start + round(column.longest * column.bars[number - 1] / most)
            box = (start, round(middle) - 5, end, round(middle) + 6)
            canvas.image.paste(colours[number - 1], box)


def _paint_arena(canvas: Canvas, plan: PlanFacts, left: int) -> None:
    """Paint the map: addresses from left to right, steps from top to bottom."""
    bottom = _TOP + _ROW * len(plan.steps)
    scale = _ARENA / max(1, plan.arena_bytes)
    canvas.write(_mask(_MAP), left, _TOP - 1.7 * _ROW, _QUIET)
    for address in _ticks(plan.arena_bytes):
        x = left + round(address * scale)
        canvas.image.paste(_LINES, (x, _TOP - 4, x + 1, bottom + 4))
        text = _mask(f"{address / 1e6:g} MB" if address else "0")
        for middle in (_TOP - 0.5 * _ROW, bottom + 0.7 * _ROW):
            canvas.write(text, x - text.shape[1] / 2, middle, _QUIET)
    for buffer, colour in zip(plan.placed, _colours_of_buffers(plan), strict=True):
        rows = _rows_of(buffer, len(plan.steps))
        if not (buffer.bytes and rows):
            continue
        box = (
            left + round(buffer.offset * scale),
            _TOP + _ROW * rows[0],
            left + max(round((buffer.offset + buffer.bytes) * scale), 2),
            _TOP + _ROW * (rows[-1] + 1),
        )
        _paint_buffer(canvas, box, colour, _size(buffer.bytes))


def _paint_buffer(
    canvas: Canvas, box: tuple[int, int, int, int], colour: Colour, label: str
) -> None:
    """Paint a rectangle with an edge, and its size in the first row if there is room."""
    left, top, right, bottom = box
    canvas.image.paste(mix(colour, INK, 0.35), (left, top + 1, right, bottom - 1))
    if right - left > 3:
        canvas.image.paste(mix(colour, PAPER, 0.3), (left + 1, top + 2, right - 1, bottom - 2))
    mask = _mask(label)
    if mask.shape[1] + 8 <= right - left:
        canvas.write(mask, left + 5, top + _ROW / 2, INK)


def _ticks(total: int) -> Iterable[int]:
    """Return a few round addresses."""
    step = next(
        (m * 10**p for p in range(2, 12) for m in (1, 2, 5) if m * 10**p * 8 >= total), 10**12
    )
    return range(0, total + 1, step)


def _mask(text: str) -> np.ndarray:
    """Return the mask of a text in the usual size."""
    return text_mask(text, _TEXT)
