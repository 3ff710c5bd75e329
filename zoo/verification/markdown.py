"""Verifications as a table for documents: a row for each model, a column for each backend."""

from collections.abc import Iterable, Sequence

from zoo.verification.comparison import OF_RANGE, STEPS
from zoo.verification.rows import CRASHED, REFERENCE, Row, Verification

_DASH = "-"

#: Prefix of the names of inputs that are goldens.
_GOLDEN = "golden "


def markdown_table(verification: Verification) -> str:
    """Return the largest difference and the median time of each model on each backend.

    A cell has the largest difference of floats from cpu tier 1 in shares of their range, or of
    quantised outputs in steps (that of 99 in 100 values); likewise that from goldens; and the
    milliseconds of a run.
    """
    rows = verification.rows
    backends = list(dict.fromkeys(row.backend for row in rows))
    lines = [_line(["model", "inputs", *backends]), _line(["---"] * 2 + ["---:"] * len(backends))]
    for model in dict.fromkeys(row.model for row in rows):
        its = [row for row in rows if row.model == model]
        cells = [_cell([row for row in its if row.backend == backend]) for backend in backends]
        lines.append(_line([f"`{model}`", _inputs(its), *cells]))
    facts = [f"- {name}: {facts}" for name, facts in verification.backends.items()]
    return "\n".join([*lines, "", *facts, "", f"{verification.summary()}."])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _inputs(rows: Sequence[Row]) -> str:
    """Return the inputs of a model; goldens by their number."""
    names = list(dict.fromkeys(row.input for row in rows if row.input))
    goldens = sum(name.startswith(_GOLDEN) for name in names)
    counted = f"{goldens} golden{'s' if goldens > 1 else ''}"
    return ", ".join(n for n in names if not n.startswith(_GOLDEN)) + (
        f", {counted}" if goldens else ""
    )


def _cell(rows: Sequence[Row]) -> str:
    """Return the cell of a backend and a model."""
    ran = [row for row in rows if row.ms is not None]
    if not ran:
        return next((row.result for row in rows if row.result != REFERENCE), _DASH)
    goldens = [row for row in ran if row.input.startswith(_GOLDEN)]
    parts = _differences([row for row in ran if row not in goldens])
    parts += [f"golden {text}" for text in _differences(goldens)]
    times = sorted({row.input: row.ms or 0.0 for row in ran}.values())
    parts.append(f"{times[len(times) // 2]:.1f} ms")
    failed = [row.result for row in rows if row.is_failure]
    if failed:
        parts.append(f"**{CRASHED if CRASHED in failed else f'{len(failed)} failed'}**")
    return ", ".join(parts)


def _differences(rows: Sequence[Row]) -> list[str]:
    """Return texts of the largest differences of floats, and in steps."""
    floats, steps = (_largest(rows, unit) for unit in (OF_RANGE, STEPS))
    found = [] if floats is None else [f"{floats:.1e}" if floats else "0"]
    return found if steps is None else [*found, f"{steps:.1f} steps"]


def _largest(rows: Sequence[Row], unit: str) -> float | None:
    """Return the largest difference measured in a unit; None without one."""
    found = [row.measured for row in rows if row.unit == unit and row.measured is not None]
    return max(found) if found else None
