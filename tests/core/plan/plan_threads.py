"""What a run of a plan does to threads, for a ``with`` statement."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident

from core.backends.cpu.numpy_steps import blas, thread_pool


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Products inside run in the thread that asks for them."""
    run, one_thread = blas.Run(), blas.one_blas_thread()
    one_thread.begin(run)
    try:
        yield
    finally:
        one_thread.end(run)


@contextmanager
def leading() -> Iterator[None]:
    """Make this thread the caller of the pool, unless another one is."""
    found = thread_pool.current_pool()
    is_caller = found.caller is None
    if is_caller:
        found.caller = get_ident()
    try:
        yield
    finally:
        if is_caller:
            found.caller = None
