"""The report that the command prints, and documents for other programs: JSON, JUnit's XML."""

import json
from collections.abc import Iterator, Sequence

from core.conformance.case_results import FAMILY, CaseResult, Status, count_of, is_conforming

_COLUMNS: dict[Status, str] = {
    "passed": "passed",
    "failed": "failed",
    "host": "on host",
    "missing": "no kernel",
}

#: Failures and names that are printed in full; the documents have all.
_MOST_FAILURES, _MOST_NAMES = 20, 12

#: Characters that XML 1.0 has no way to write.
_NOT_XML = {n: "\N{REPLACEMENT CHARACTER}" for n in range(32) if chr(n) not in "\t\n\r"}


def report_text(name: str, results: Sequence[CaseResult], *, complete: bool = False) -> str:
    """Return the table by family, the first failures, and what did not run on the backend.

    Args:
        name: of the backend.
        results: of all cases.
        complete: whether missing kernels count as failures.

    >>> print(report_text("mine", [CaseResult("unary", "relu", "(3, 5)", "passed")]))
    family  cases  passed  failed  on host  no kernel
    unary       1       1       0        0          0
    all         1       1       0        0          0
    backend 'mine' conforms: 1 case of 1 op
    """
    parts = (
        _table(results),
        _failures(results),
        _notes(results),
        _verdict(name, results, complete),
    )
    return "\n".join(line for part in parts for line in part)


def _table(results: Sequence[CaseResult]) -> Iterator[str]:
    families = dict.fromkeys(each.family for each in results)
    width = max(map(len, (*families, "family")))
    yield "  ".join([f"{'family':<{width}}", "cases", *_COLUMNS.values()])
    for family in [*families, "all"]:
        rows = [r for r in results if family in (r.family, "all")]
        counts = [count_of(rows, status) for status in _COLUMNS]
        cells = zip(counts, _COLUMNS.values(), strict=True)
        yield "  ".join(
            [f"{family:<{width}}", f"{len(rows):>5}", *(f"{n:>{len(c)}}" for n, c in cells)]
        )


def _failures(results: Sequence[CaseResult]) -> Iterator[str]:
    failed = [each for each in results if each.status == "failed"]
    for each in failed[:_MOST_FAILURES]:
        yield from (f"FAILED {each.name}: {failure}" for failure in each.failures)
    if len(failed) > _MOST_FAILURES:
        yield f"... and {len(failed) - _MOST_FAILURES} more cases failed"


def _notes(results: Sequence[CaseResult]) -> Iterator[str]:
    for status, text in (("host", "on host"), ("missing", "not run"), ("passed", "passed, but")):
        ops: dict[str, dict[str, None]] = {}
        for each in results:
            if each.status == status and each.note:
                note = "no kernel is registered" if _lacks_kernel(each) else each.note
                ops.setdefault(note, {})[each.op] = None
        for note, names in ops.items():
            yield f"{text}: {note}: {_listed([*names])}"


def _lacks_kernel(result: CaseResult) -> bool:
    """Whether the op itself has no kernel, and not another one that it takes for some dtypes."""
    return result.status == "missing" and result.note == f"no kernel {result.op!r}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more ops" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _verdict(name: str, results: Sequence[CaseResult], complete: bool) -> Iterator[str]:
    missing = len({each.op for each in results if _lacks_kernel(each)})
    if missing:
        yield f"{_count(missing, 'op')} {'has' if missing == 1 else 'have'} no kernel"
    ran = [each for each in results if each.status != "missing"]
    ops = {each.op for each in ran if each.family != FAMILY}
    counted = f"{_count(len(ran), 'case')} of {_count(len(ops), 'op')}"
    if is_conforming(results, complete=complete):
        yield f"backend {name!r} conforms: {counted}"
    elif not ran:
        yield f"backend {name!r} does not conform: no case ran"
    else:
        failed = count_of(results, "failed")
        what = f"{failed} of {counted} failed" if failed else "kernels are missing"
        yield f"backend {name!r} does not conform: {what}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def report_json(name: str, results: Sequence[CaseResult], *, complete: bool = False) -> str:
    """Return all results as a JSON document.

    Args:
        name: of the backend.
        results: of all cases.
        complete: whether missing kernels count as failures.

    >>> json.loads(report_json("mine", []))["conforms"]
    False
    """
    document = {
        "backend": name,
        "conforms": is_conforming(results, complete=complete),
        "counts": {status: count_of(results, status) for status in _COLUMNS},
        "cases": [each._asdict() for each in results],
    }
    return json.dumps(document, indent=1)


def report_junit(name: str, results: Sequence[CaseResult], *, complete: bool = False) -> str:
    """Return all results in JUnit's XML, a suite for each family, as CI services read it.

    Args:
        name: of the backend.
        results: of all cases.
        complete: whether missing kernels count as failures, else as skipped.

    >>> "<testcase" in report_junit("mine", [CaseResult("unary", "relu", "", "passed")])
    True
    """
    from xml.etree import ElementTree

    root = ElementTree.Element("testsuites", name=f"core.conformance {name}")
    for family in dict.fromkeys(each.family for each in results):
        rows = [each for each in results if each.family == family]
        suite = ElementTree.SubElement(root, "testsuite", name=f"{name}.{family}")
        suite.attrib |= _counts(rows, complete)
        for each in rows:
            case = ElementTree.SubElement(suite, "testcase", name=each.name)
            case.attrib |= {"classname": f"{name}.{family}", "time": f"{each.seconds:.3f}"}
            for tag, text in _outcome(each, complete):
                text = text.translate(_NOT_XML)
                message = {} if tag == "system-out" else {"message": text.partition("\n")[0]}
                ElementTree.SubElement(case, tag, message).text = text
    ElementTree.indent(root)
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return f"{head}{ElementTree.tostring(root, encoding='unicode')}\n"


def _counts(rows: Sequence[CaseResult], complete: bool) -> dict[str, str]:
    missing = count_of(rows, "missing")
    return {
        "tests": str(len(rows)),
        "failures": str(count_of(rows, "failed") + (missing if complete else 0)),
        "errors": "0",
        "skipped": "0" if complete else str(missing),
        "time": f"{sum(each.seconds for each in rows):.3f}",
    }


def _outcome(result: CaseResult, complete: bool) -> Iterator[tuple[str, str]]:
    """The elements of a test case, and their texts."""
    if result.status == "failed":
        yield "failure", "\n".join(result.failures)
    elif result.status == "missing":
        yield "failure" if complete else "skipped", result.note
    elif result.note:
        yield "system-out", f"on host: {result.note}" if result.status == "host" else result.note
