"""Recognition of exceptions that interrupt reading from outside, such as a time limit."""

import sys

#: Packages whose errors are about the data they read: this project, Python, and dependencies.
_READERS = frozenset(
    {
        *("zoo", "core", "weights_cache"),
        *sys.stdlib_module_names,
        *("numpy", "PIL", "pillow_heif", "cv2"),
        *("requests", "urllib3", "charset_normalizer", "idna", "certifi"),
    }
)

#: Modules that raise a TimeoutError without an errno for a network operation.
_WAITING = frozenset({"socket", "ssl", "selectors"})


def is_interruption(error: BaseException) -> bool:
    """Whether an exception comes from outside the reading code, such as a time limit.

    A signal handler (`signal.alarm`, Celery's time limits) and another thread (``stopit``) may
    raise any exception between any two steps. Such an exception is no error of the file being
    read, so ``except Exception`` around readers raises it again. An exception is an interruption if

    - it is not an `Exception`, or of the class `Exception` itself, which no reader raises;
    - its class is of no package that reads: this project, Python, NumPy, Pillow, ...;
    - the function that raised it, the innermost frame of the traceback, is of no such package;
    - it is a `TimeoutError` without an ``errno`` that no network module raised.

    Args:
        error: the exception that was caught, with its traceback.

    >>> is_interruption(TimeoutError()), is_interruption(ValueError("the header is damaged"))
    (True, False)
    """
    if not isinstance(error, Exception) or type(error) is Exception:
        return True
    if _package(type(error).__module__) not in _READERS:
        return True
    package = raising_package(error)
    if isinstance(error, TimeoutError) and error.errno is None:
        return package not in _WAITING
    return bool(package) and package not in _READERS


def pass_interruption(error: Exception) -> None:
    """Raise a TimeoutError of a signal handler or another thread again."""
    if isinstance(error, TimeoutError) and is_interruption(error):
        raise error


def raising_package(error: BaseException) -> str:
    """Return the name of the package whose code raised an error, or "" if unknown."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return _package(str(traceback.tb_frame.f_globals.get("__name__", ""))) if traceback else ""


def _package(module: str) -> str:
    return module.partition(".")[0]
