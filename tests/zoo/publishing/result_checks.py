"""Results of scripts beside those of Python."""

import pytest

#: Pixels between positions, and what scores and positions in metres may differ by.
PIXELS, SHARE = 0.1, 1e-3


def assert_same_items(found, expected):
    """Two lists have the same items in the same order, with the same keys in the same order."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        _assert_same(one, other, PIXELS)


def _assert_same(found, expected, tolerance):
    if isinstance(expected, dict):
        assert [*found] == [*expected]
        for key, value in expected.items():
            _assert_same(found[key], value, _tolerance(key, tolerance))
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _assert_same(one, other, tolerance)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=0, abs=tolerance)
    else:
        assert found == expected


def _tolerance(key, tolerance):
    """How much values of a key may differ; those of inner keys if it has no tolerance itself."""
    return SHARE if key == "world" or key.endswith("score") else tolerance
