"""Results of a verification: a row for each comparison, and their text."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from zoo.verification.comparison import OF_RANGE

#: Values of `Row.result`.
PASSED, FAILED, CRASHED = "passed", "FAILED", "crashed"
UNAVAILABLE, NOT_COMPARED, REFERENCE = "unavailable", "not compared", "reference"

_HEAD = ("MODEL", "INPUT", "BACKEND", "OUTPUT", "LARGEST", "RELATIVE", "LIMIT", "MS", "RESULT")


@dataclass(frozen=True)
class Row:
    """One output of one network, for one input, on one backend.

    Attributes:
        model: name of the network: that of a pretrained model, or a path.
        input: ``"noise"``, ``"sample image"`` or ``"golden NAME"``; empty if nothing ran.
        backend: such as ``"cpu tier 2"``.
        output: name of the output; empty if nothing ran.
        result: ``"passed"``, ``"FAILED"``, ``"crashed"``, ``"unavailable"``, ``"not compared"``, or
            ``"reference"`` for cpu tier 1, with which the others are compared.
        reason: why it is that.
        absolute: the largest difference; None without numbers.
        relative: that, in shares of the output's range.
        measured: what must keep the limit, in the unit.
        limit: the largest valid value of ``measured``.
        unit: ``"of the range"``, ``"steps, 99 of 100"`` or ``"other values"``.
        ms: milliseconds of a run of the network, the median of a few.
    """

    model: str
    input: str
    backend: str
    output: str
    result: str
    reason: str = ""
    absolute: float | None = None
    relative: float | None = None
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    ms: float | None = None

    @property
    def is_failure(self) -> bool:
        """Whether a difference is too large, or a process crashed."""
        return self.result in (FAILED, CRASHED)

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of the row in a table."""
        return (
            self.model,
            self.input,
            self.backend,
            self.output,
            _number(self.absolute),
            _number(self.relative),
            self.limit_text,
            "" if self.ms is None else f"{self.ms:.1f}",
            f"{self.result}: {self.reason}" if self.reason else self.result,
        )

    @property
    def limit_text(self) -> str:
        """The limit, and the measured value unless it is the relative difference."""
        if self.limit is None:
            return ""
        if self.unit == OF_RANGE:
            return f"{self.limit:g}"
        return f"{_number(self.measured)} of {self.limit:g} {self.unit}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


@dataclass(frozen=True, repr=False)
class Verification:
    """Results of `zoo.verify`; printed, they are a table.

    Attributes:
        rows: one for each output, input and backend.
        backends: what each backend runs on, by its name in the rows.
    """

    rows: tuple[Row, ...]
    backends: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every difference keeps its limit, something was compared, and nothing crashed."""
        compared = any(row.result == PASSED for row in self.rows)
        return compared and not any(row.is_failure for row in self.rows)

    @property
    def failures(self) -> tuple[Row, ...]:
        """The rows of differences that are too large, and of crashes."""
        return tuple(row for row in self.rows if row.is_failure)

    def to_json(self) -> str:
        """Return the rows and backends as one line of JSON."""
        rows = [asdict(row) for row in self.rows]
        document = {"passed": self.passed, "backends": dict(self.backends), "rows": rows}
        return json.dumps(document, allow_nan=False)

    def summary(self) -> str:
        """Return one line: how many comparisons passed, and how many did not."""
        counts = {name: sum(row.result == name for row in self.rows) for name in _COUNTED}
        return ", ".join(f"{n} {name}" for name, n in counts.items() if n or name == PASSED)

    def __repr__(self) -> str:
        lines = table_lines(row.cells for row in self.rows)
        facts = [f"{name}: {facts}" for name, facts in self.backends.items()]
        return "\n".join([*lines, "", *facts, self.summary()])


_COUNTED = (PASSED, FAILED, CRASHED, NOT_COMPARED, UNAVAILABLE)


def table_lines(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table with a head, in columns of equal width."""
    cells = [_HEAD, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(_HEAD))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
