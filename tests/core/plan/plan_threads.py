"""What a run of a plan does to threads, for a ``with`` statement."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident

from core.backends.cpu.lowering import blas, thread_pool


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
    """This thread leads the team, unless another one does."""
    found = thread_pool.current_pool()
    leads = found.leader is None
    if leads:
        found.leader = get_ident()
    try:
        yield
    finally:
        if leads:
            found.leader = None
