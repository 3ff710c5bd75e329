"""The command ``python -m core.conformance NAME [--import MODULE]``: see `check_backend`."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from core.conformance.case_results import CaseResult, is_conforming
from core.conformance.report import report_json, report_junit, report_text
from core.conformance.suite import chosen_cases, results_of
from core.engine.backends import REPLACED, backend_names, load_backend, unknown_backend
from core.engine.registry import KERNELS
from core.errors import CoreError
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0: the backend conforms; 1: it does not; 2: it could not be checked; 130: Ctrl-C.
    """
    options = _parser().parse_args(arguments)
    try:
        results = _results(options)
        for path, written in ((options.json, report_json), (options.junit, report_junit)):
            if path:
                _write(path, written(options.name, results, complete=options.complete))
    except ZooError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(report_text(options.name, results, complete=options.complete))
    return 0 if is_conforming(results, complete=options.complete) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m core.conformance",
        description="Check a backend: run the op tables on it, and compare with NumPy and SciPy.",
        epilog="Exit status: 0 it conforms, 1 it does not, 2 it could not be checked.",
    )
    parser.add_argument("name", metavar="NAME", help="the backend, such as cpu, or one of a module")
    parser.add_argument(
        "--import",
        dest="modules",
        metavar="MODULE",
        action="append",
        default=[],
        help="module that registers the backend and its kernels; may be repeated",
    )
    parser.add_argument(
        "--op",
        dest="ops",
        metavar="PATTERN",
        action="append",
        help="run these ops only, such as relu or 'conv*'; may be repeated",
    )
    parser.add_argument(
        "--complete", action="store_true", help="count ops without a kernel as failures"
    )
    parser.add_argument("--json", metavar="FILE", help="write all results as JSON")
    parser.add_argument("--junit", metavar="FILE", help="write all results as JUnit's XML, for CI")
    return parser


def _results(options: argparse.Namespace) -> list[CaseResult]:
    for module in options.modules:
        _import(module)
    if options.name not in backend_names():
        raise _unknown(options.name, options.modules)
    cases = chosen_cases(options.ops)
    try:
        load_backend(options.name)
    except ZooError:
        raise
    except Exception as error:  # of a user's factory
        raise CoreError(
            f"the factory of backend {options.name!r} raised {type(error).__name__}: {error}"
        ) from error
    return list(results_of(options.name, cases, with_values=options.ops is None))


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


def _unknown(name: str, modules: Sequence[str]) -> CoreError:
    hint = did_you_mean(name, backend_names())
    if not hint and not modules:
        hint = "; give the module that registers it: --import MODULE"
    return CoreError(f"{unknown_backend(name)}{hint}")


def _write(path: str, text: str) -> None:
    """Write a file wholly or not at all."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as stream:
            stream.write(text.encode(errors="backslashreplace"))
        os.replace(part, path)
    except OSError as error:
        raise CoreError(f"cannot write {path!r}: {error.strerror or error}") from error
    finally:
        if os.path.exists(part):
            os.remove(part)


if __name__ == "__main__":
    sys.exit(main())
