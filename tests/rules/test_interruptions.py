"""A time limit of a signal handler is not told as an error of a file.

`TimeoutError` is an OSError: a handler of OSErrors that raises another error lets those of a signal
handler or another thread pass before, decides by the ``errno``, which they lack, or raises what it
does not know again.
"""

import ast

from tests.rules.sources import PACKAGES, name_of, source_files

PASSING = {"pass_interruption", "is_interruption", "errno"}


def names_in(node):
    return {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node)}


def translating(tree):
    """Handlers of OSErrors that raise another error."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            raised = [n.exc for n in ast.walk(node) if isinstance(n, ast.Raise)]
            if raised and None not in raised and "OSError" in names_in(node.type):
                yield node


def test_handlers_of_os_errors_let_interruptions_pass():
    files = source_files(*PACKAGES)
    found = [(path, node) for path in files for node in translating(ast.parse(path.read_text()))]
    assert len(found) > 40
    missing = [
        f"{name_of(path)}:{node.lineno}" for path, node in found if not names_in(node) & PASSING
    ]
    assert missing == []
