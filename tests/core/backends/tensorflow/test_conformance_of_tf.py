"""The tf backend passes the checks that a user's backend passes."""

from core.conformance import check_backend, is_conforming


def test_tf_conforms():
    """Some families here; the op tests run all on it."""
    ops = ["conv2d*", "max_pool*", "relu*", "s[iou]*", "string_split", "unique"]
    results = check_backend("tf", ops)
    assert not [(r.name, r.failures) for r in results if r.status == "failed"]
    assert is_conforming(results, complete=True)
    assert {r.op for r in results if r.status == "host"} == {"string_split"}
