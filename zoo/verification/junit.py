"""Verifications as JUnit files, which continuous integration shows as tests."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from weights_cache.common.messages import visible
from zoo.verification.rows import (
    CRASHED,
    FAILED,
    NOT_COMPARED,
    UNAVAILABLE,
    Row,
    Verification,
)

#: The element of JUnit by result; others are tests that pass.
_ELEMENTS: Mapping[str, str] = {
    FAILED: "failure",
    CRASHED: "error",
    UNAVAILABLE: "skipped",
    NOT_COMPARED: "skipped",
}


def junit_xml(verification: Verification) -> bytes:
    """Return a verification as a JUnit file: a suite for each model, a test for each row.

    >>> row = Row("posenet.tiny", "noise", "shader", "heatmap", FAILED, "differs")
    >>> b'<failure message="differs"' in junit_xml(Verification((row,)))
    True
    """
    root = Element("testsuites", _counts(verification.rows), name="zoo verify")
    for model in dict.fromkeys(row.model for row in verification.rows):
        rows = tuple(row for row in verification.rows if row.model == model)
        suite = Element("testsuite", _counts(rows), name=_text(model))
        suite.append(_properties(verification.backends))
        suite.extend(_test(row) for row in rows)
        root.append(suite)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _counts(rows: tuple[Row, ...]) -> dict[str, str]:
    """Return the attributes of a suite."""
    kinds = [_ELEMENTS.get(row.result) for row in rows]
    counts = {f"{kind}s": kinds.count(kind) for kind in ("failure", "error")}
    counts |= {"tests": len(rows), "skipped": kinds.count("skipped")}
    seconds = sum(row.ms or 0.0 for row in rows) / 1e3
    return {**{name: str(count) for name, count in counts.items()}, "time": f"{seconds:.6f}"}


def _properties(backends: Mapping[str, str]) -> "Element":
    properties = Element("properties")
    for name, facts in backends.items():
        SubElement(properties, "property", name=name, value=_text(facts))
    return properties


def _test(row: Row) -> "Element":
    name = " / ".join(filter(None, (row.input, row.backend, row.output)))
    seconds = f"{(row.ms or 0.0) / 1e3:.6f}"
    test = Element("testcase", classname=_text(row.model), name=_text(name), time=seconds)
    if row.result in _ELEMENTS:
        found = SubElement(test, _ELEMENTS[row.result], message=_text(row.reason))
        found.text = _text(", ".join(filter(None, (row.result, row.limit_text))))
    return test


def _text(text: str) -> str:
    """Return a text that XML can hold: without control characters and lone surrogates."""
    return visible(text).encode(errors="backslashreplace").decode()
