"""What tests of damaged files assert."""

from collections.abc import Sequence

from tests.helpers import require
from tests.reliability.fuzz.bases import FORMATS
from tests.reliability.fuzz.cases import LOADED, REFUSED
from tests.reliability.fuzz.sweep import sweep


def check(formats: Sequence[str], count: int, seed: int, workers: int = 1) -> None:
    """No fault among so many damaged files, of which some are refused and some are not."""
    require("resource")  # not on Windows
    for format in formats:
        require(FORMATS[format].package)
    reports = sweep(formats, count, seed, workers=workers)
    assert list(reports) == list(formats) and set(formats) <= set(FORMATS)
    faults = [fault for report in reports.values() for fault in report.faults]
    assert not faults, faults[:5]
    for format, report in reports.items():
        total = sum(report.counts.values())
        assert total == -(-count // len(formats))
        refused, later = report.counts[REFUSED], report.counts[LOADED]
        least = 0 if FORMATS[format].passes_over else 0.2
        assert least <= (refused + later) / total, (format, report.counts)
        assert refused / total < 0.95, (format, report.counts)
