"""A plugin of pytest: a backend, named on the command line, that the op tables are run on.

``pytest -p core.conformance.plugin --pyargs core.conformance --backend NAME --import MODULE``
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pytest

from core.conformance.case_results import CaseResult
from core.conformance.suite import checks_of
from core.engine.backends import REPLACED, backend_names, load_backend, unknown_backend
from core.engine.registry import KERNELS
from core.errors import CoreError
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean

_CHECKS = pytest.StashKey[dict[str, Callable[[], CaseResult]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("conformance", "checks of a backend of core")
    group.addoption("--backend", metavar="NAME", help="such as cpu, or one of a module")
    group.addoption(
        "--import",
        dest="backend_modules",
        metavar="MODULE",
        action="append",
        default=[],
        help="module that registers the backend and its kernels; may be repeated",
    )
    group.addoption("--complete", action="store_true", help="an op without a kernel is a failure")


def pytest_configure(config: pytest.Config) -> None:
    """Load the backend; what is wrong with it ends the run before any case."""
    try:
        config.stash[_CHECKS] = _checks(
            config.getoption("--backend"), config.getoption("backend_modules")
        )
    except ZooError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each case, with the name of the op in its ID."""
    if "conformance_check" in metafunc.fixturenames:
        checks = metafunc.config.stash[_CHECKS]
        metafunc.parametrize("conformance_check", checks.values(), ids=checks.keys())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Count a run as failed in which no case ran, but for want of kernels."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("skipped") and not reporter.stats.get("passed"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List what did not run on the backend itself, and why."""
    ops: dict[str, dict[str, None]] = {}
    for report in terminalreporter.stats.get("passed", ()):
        for kind, note in report.user_properties:
            case = report.nodeid.partition("[")[2]
            ops.setdefault(f"{kind}: {note}", {})[case.partition(" ")[0].rstrip("]")] = None
    for text, names in ops.items():
        terminalreporter.write_line(f"{text}: {', '.join(names)}")


def _checks(name: str | None, modules: Sequence[str]) -> dict[str, Callable[[], CaseResult]]:
    if name is None:
        raise CoreError("no backend was named: give --backend NAME, such as --backend cpu")
    for module in modules:
        _import(module)
    if name not in backend_names():
        hint = did_you_mean(name, backend_names())
        if not hint and not modules:
            hint = "; give the module that registers it: --import MODULE"
        raise CoreError(f"{unknown_backend(name)}{hint}")
    try:
        load_backend(name)
    except ZooError:
        raise
    except Exception as error:  # of a user's factory
        raise CoreError(
            f"the factory of backend {name!r} raised {type(error).__name__}: {error}"
        ) from error
    return checks_of(name)


def _import(module: str) -> None:
    """Import a module that registers a backend or kernels."""
    before = _registered()
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _failed(module, error) from error
        hint = f"; give a module's name, such as {module[:-3]!r}" if module.endswith(".py") else ""
        raise CoreError(
            f"there is no module {module!r}: run the command in its folder, or add that to "
            f"PYTHONPATH{hint}"
        ) from error
    except Exception as error:
        raise _failed(module, error) from error
    if _registered() == before:
        raise CoreError(
            f"module {module!r} registers nothing: it should call core.register_backend, and "
            f"core.kernel for each kernel"
        )


def _registered() -> tuple[list[str], int, int]:
    return backend_names(), len(KERNELS), len(REPLACED)


def _failed(module: str, error: Exception) -> CoreError:
    return CoreError(f"module {module!r} cannot be imported: {type(error).__name__}: {error}")
