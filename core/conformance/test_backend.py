"""A test for each case of the op tables; `core.conformance.plugin` names the backend."""

from collections.abc import Callable

import pytest

from core.conformance.case_results import CaseResult


def test_case(conformance_check: Callable[[], CaseResult], request: pytest.FixtureRequest) -> None:
    """Run a case; one that lacks a kernel is skipped, but for ``--complete``."""
    result = conformance_check()
    if result.status == "failed":
        pytest.fail("\n".join(result.failures), pytrace=False)
    if result.status == "missing":
        if request.config.getoption("--complete"):
            pytest.fail(result.note, pytrace=False)
        pytest.skip(result.note)
    if result.note:
        kind = "on host" if result.status == "host" else "passed, but"
        request.node.user_properties.append((kind, result.note))
