"""Which exceptions only pass through code that reads files: those that end it from outside."""

import sys
from types import TracebackType

#: Packages whose errors come from what they read: ours, Python's own, and those that we use.
_READERS = frozenset(
    {
        *("zoo", "core", "weights_cache"),
        *sys.stdlib_module_names,
        *("numpy", "PIL", "pillow_heif", "cv2"),
        *("requests", "urllib3", "charset_normalizer", "idna", "certifi"),
    }
)

#: Modules that raise a TimeoutError without a number of the system for what they wait for.
_WAITING = frozenset({"socket", "ssl", "selectors"})


def is_interruption(error: BaseException) -> bool:
    """Whether an exception comes from outside of the code that reads, such as a time-out.

    A signal handler (`signal.alarm`, Celery's time limits) and another thread (``stopit``) may
    raise any exception between any two steps. It says nothing about the file that is read just
    then, so ``except Exception`` around readers passes it on unchanged. It is an interruption if

    - it is no `Exception`, or of the class `Exception` itself, which no reader raises;
    - its class belongs to none of the packages that read: ours, Python's, NumPy's, Pillow's, ...;
    - the function that raised it does not: the handler is the innermost frame of the traceback;
    - it is a `TimeoutError` without an ``errno`` that nobody who waits for a network raised.

    Args:
        error: as it was caught, with its traceback.

    >>> is_interruption(TimeoutError()), is_interruption(ValueError("the header is damaged"))
    (True, False)
    """
    if not isinstance(error, Exception) or type(error) is Exception:
        return True
    if _package(type(error).__module__) not in _READERS:
        return True
    module = _innermost_module(error.__traceback__)
    if isinstance(error, TimeoutError) and error.errno is None:
        return _package(module) not in _WAITING
    return bool(module) and _package(module) not in _READERS


def _innermost_module(traceback: TracebackType | None) -> str:
    """The name of the module whose code raised; "" where it is not known."""
    if traceback is None:
        return ""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return str(traceback.tb_frame.f_globals.get("__name__", ""))


def _package(module: str) -> str:
    return module.partition(".")[0]
