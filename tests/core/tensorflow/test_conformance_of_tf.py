"""The tf backend passes the checks that a user's backend passes."""

from core.conformance import check_backend
from core.conformance.case_results import count_of
from core.conformance.op_cases import read_cases


def test_tf_conforms():
    results = check_backend("tf")
    assert not [(r.name, r.failures) for r in results if r.status == "failed"]
    assert not {r.op for r in results if r.status == "missing"}
    assert count_of(results, "passed") > 0.95 * len(read_cases())
