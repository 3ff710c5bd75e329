"""The agreement of all comparisons as a table for people and as JSON."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.core.ops.tf_oracle.agreement import Agreement

_HEAD = """| kernel | dtypes | cases | largest error | of gradients | agrees | difference |
| --- | --- | ---: | ---: | ---: | --- | --- |"""


def table(agreements: Iterable[Agreement], not_compared: Mapping[str, str]) -> str:
    """A Markdown table with a row per comparison, then what has none."""
    rows = [_row(a) for a in agreements]
    rest = [f"- {kernel}: {reason}" for kernel, reason in sorted(not_compared.items())]
    return "\n".join([_HEAD, *rows, *(["", "Not compared:", *rest] if rest else [])])


def _row(a: Agreement) -> str:
    c = a.comparison
    name = f"{c.kernel} ({c.label})" if c.label else c.kernel
    exact = not set(c.dtypes) & {"float32", "complex64"}
    error = "exact" if exact else _shown(a.error)
    gradient = "" if a.gradient_error is None else _shown(a.gradient_error)
    cells = [name, " ".join(c.dtypes), str(a.cases), error, gradient]
    return f"| {' | '.join([*cells, 'yes' if a.agrees else 'NO', c.differs])} |"


def _shown(error: float) -> str:
    return f"{error:.1e}" if error else "0"


def as_json(agreements: Iterable[Agreement], not_compared: Mapping[str, str], seed: int) -> str:
    rows = [_record(a) for a in agreements]
    return json.dumps({"seed": seed, "rows": rows, "not_compared": dict(not_compared)}, indent=1)


def _record(a: Agreement) -> dict[str, Any]:
    c = a.comparison
    return {
        "kernel": c.kernel,
        "label": c.label,
        "dtypes": list(c.dtypes),
        "cases": a.cases,
        "error": a.error,
        "tolerance": c.tolerance,
        "gradient_error": a.gradient_error,
        "agrees": a.agrees,
        "differs": c.differs,
        "failures": a.failures,
    }
