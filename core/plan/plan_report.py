"""Reports of a plan and of the cost of each step: as tables, and as rows for JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, cast

from core.engine.executable import Placed, StepInfo
from core.engine.specs import Shape, Spec


class PlanFacts(Protocol):
    """The facts of a plan for reports; `core.plan.plan.Plan` has them."""

    @property
    def steps(self) -> Sequence[StepInfo]:
        """The steps, in execution order."""

    @property
    def placed(self) -> Sequence[Placed]:
        """The buffers in the arena."""

    @property
    def arena_bytes(self) -> int:
        """The size of the arena of one run."""

    @property
    def weight_bytes(self) -> int:
        """The bytes of all constants."""

    @property
    def inputs(self) -> Mapping[str, Spec]:
        """The inputs."""

    @property
    def outputs(self) -> Mapping[str, Spec]:
        """The outputs."""

    @property
    def backend(self) -> str:
        """The name of the backend."""

    @property
    def tier(self) -> str:
        """The kind of the kernels."""


class StepRow(TypedDict):
    """A `StepInfo`, in a form that ``json`` can write."""

    name: str
    op: str
    kernel: str
    fused: list[str]
    input_shapes: list[Shape]
    output_shape: Shape
    dtype: str
    bytes: int
    weight_bytes: int
    multiply_adds: int
    scratch_bytes: int


class StepProfile(StepRow):
    """A step that ran, in a form that ``json`` can write."""

    ms: float  # the median of the runs
    share: float  # of the time of all steps, 0..1
    gflops: float  # 10^9 products and sums, each counted, in a second; 0 of what sums no products


@dataclass(frozen=True, repr=False)
class PlanProfile:
    """The time of each step of a plan; printed, it is a table. Made by ``model.profile``.

    Attributes:
        steps: a dict for each step in running order, which ``json`` can write.
        runs: how many runs there were; times are their medians, step by step.
        backend: where it ran.
        tier: how the kernels are made.
    """

    steps: list[StepProfile]
    runs: int
    backend: str
    tier: str

    @property
    def total_ms(self) -> float:
        """Milliseconds of all steps."""
        return sum(step["ms"] for step in self.steps)

    def slowest(self, count: int = 5) -> list[StepProfile]:
        """The steps that take most time, the slowest first."""
        return sorted(self.steps, key=lambda step: -step["ms"])[:count]

    def table(self) -> str:
        """The steps as lines of text, and their totals."""
        rows = [
            (
                *_named_cells(number, step),
                f"{step['ms']:.3f}",
                f"{step['share']:.1%}",
                f"{step['gflops']:.1f}" if step["multiply_adds"] else "",
            )
            for number, step in enumerate(self.steps)
        ]
        products = sum(step["multiply_adds"] for step in self.steps)
        total = (
            f"{len(self.steps)} steps, {self.total_ms:.3f} ms, "
            f"{_gflops(products, self.total_ms):.1f} GFLOP/s; medians of {self.runs} "
            f"runs on {self.backend}, {self.tier}"
        )
        return "\n".join([*_columns((*_NAMED, *_TIMED), rows), total])

    __repr__ = table

    def to_chrome_trace(self) -> str:
        """Write the steps as a Chrome trace, which opens in Perfetto or ``chrome://tracing``.

        Returns:
            JSON. Steps follow one another on one track; each has what it computes, shapes, bytes
            and arithmetic as its arguments.

        >>> profile = PlanProfile([], 1, "cpu", "numpy")
        >>> json.loads(profile.to_chrome_trace())["displayTimeUnit"]
        'ms'
        """
        track = {"pid": 1, "tid": 1}
        name = {"name": f"plan on {self.backend}, {self.tier}"}
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", **track, "args": name},
        ]
        start = 0.0
        for step in self.steps:
            duration = 1e3 * step["ms"]  # in microseconds, as the format has it
            event = {"ph": "X", "name": step["name"], "cat": step["op"], "args": step}
            events.append({**event, **track, "ts": start, "dur": duration})
            start += duration
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})


def plan_table(plan: PlanFacts) -> str:
    """The steps of a plan as lines of text, and their totals."""
    rows = [
        (
            *_named_cells(number, step),
            f"{step['bytes'] / 1e3:,.1f}",
            f"{step['weight_bytes'] / 1e3:,.1f}" if step["weight_bytes"] else "",
            f"{step['multiply_adds'] / 1e6:,.2f}" if step["multiply_adds"] else "",
        )
        for number, step in enumerate(step_rows(plan))
    ]
    return "\n".join([*_columns((*_NAMED, *_COUNTED), rows), *totals_of(plan)])


def totals_of(plan: PlanFacts) -> list[str]:
    """The totals of the steps of a plan: one line of work, one of transposes, one of memory."""
    products = sum(step.multiply_adds for step in plan.steps)
    together = sum(buffer.bytes for buffer in plan.placed)
    transposes = [step.bytes for step in plan.steps if step.op == "transpose"]
    return [
        f"{len(plan.steps)} steps, {products / 1e6:,.1f} million multiply-adds, weights of "
        f"{plan.weight_bytes / 1e6:,.2f} MB; on {plan.backend}, {plan.tier}",
        f"transposes left: {len(transposes)}, of {sum(transposes) / 1e6:,.2f} MB",
        f"an arena of {plan.arena_bytes / 1e6:,.2f} MB holds {len(plan.placed)} buffers that would "
        f"take {together / 1e6:,.2f} MB one beside the other",
    ]


def step_rows(plan: PlanFacts) -> list[StepRow]:
    """The steps of a plan in a form that ``json`` can write."""
    return [*map(_row, plan.steps)]


def timed(plan: PlanFacts, milliseconds: Sequence[float], runs: int) -> PlanProfile:
    """Return the profile of a plan.

    Args:
        plan: the plan.
        milliseconds: time of each step.
        runs: number of runs of which these are the medians.
    """
    total = sum(milliseconds)
    steps: list[StepProfile] = [
        {
            **_row(step),
            "ms": ms,
            "share": ms / total if total else 0.0,
            "gflops": _gflops(step.multiply_adds, ms),
        }
        for step, ms in zip(plan.steps, milliseconds, strict=True)
    ]
    return PlanProfile(steps, runs, plan.backend, plan.tier)


def shape_text(shape: Shape) -> str:
    """Return a shape as text.

    >>> shape_text((1, 14, 14, 512)), shape_text(())
    ('1x14x14x512', 'scalar')
    """
    return "x".join(map(str, shape)) or "scalar"


def _row(step: StepInfo) -> StepRow:
    lists = {"fused": [*step.fused], "input_shapes": [*step.input_shapes]}
    return cast(StepRow, {**step._asdict(), **lists})


def _gflops(multiply_adds: int, ms: float) -> float:
    return 2 * multiply_adds / ms / 1e6 if ms else 0.0


# --- tables ---------------------------------------------------------------------------------

#: Columns that both tables have; what stands on the left of its column, and what on the right.
_NAMED = ("<step", "<name", "<op", "<kernel", "<input", "<result")
_COUNTED = (">kB", ">weights kB", ">million MACs")
_TIMED = (">ms", ">share", ">GFLOP/s")

_WIDEST_NAME = 32
_WIDEST_OPS = 44


def _named_cells(number: int, step: StepRow) -> tuple[str, ...]:
    """Return the columns of a step that both tables have."""
    first = step["input_shapes"][:1]
    return (
        str(number),
        tail_of(step["name"], _WIDEST_NAME),
        chain_text([step["op"], *step["fused"]], " + ", _WIDEST_OPS),
        step["kernel"],
        shape_text(first[0]) if first else "",
        shape_text(step["output_shape"]),
    )


def tail_of(text: str, most: int) -> str:
    """The end of a text that is too long: there the names of nodes differ.

    >>> tail_of("MobilenetV1/Conv2d_13_pointwise/Relu6", 26)
    '...nv2d_13_pointwise/Relu6'
    """
    return text if len(text) <= most else f"...{text[len(text) - most + 3 :]}"


def chain_text(ops: Sequence[str], separator: str, most: int) -> str:
    """Return the ops of a chain, shortened to the available width.

    >>> chain_text(["conv2d", "add", "relu6"], " + ", 20), chain_text(["mul", "add"], ", ", 7)
    ('conv2d + add + relu6', 'mul ...')
    """
    text = separator.join(ops)
    count = len(ops)
    while len(text) > most and count > 1:
        count -= 1
        text = f"{separator.join(ops[:count])} ..."
    return text


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with aligned cells; the header shows the alignment of each column."""
    lines = [[name[1:] for name in header], *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    forms = [f"{{:{name[0]}{width}}}" for name, width in zip(header, widths, strict=True)]
    return ["  ".join(forms).format(*line).rstrip() for line in lines]
