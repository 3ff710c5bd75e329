"""An exception at every place where Python lets a signal handler raise: nothing stays behind.

Random times seldom hit the few instructions between a lock and what it guards. Here a trace
function raises after each call, at each start of a function and at each turn of a loop, in turn.
"""

import dis
import sys
from contextlib import ExitStack
from threading import Thread
from types import FrameType
from typing import Any

import numpy as np
import pytest

import core
from core.backends.cpu.numpy_steps import thread_pool
from core.backends.cpu.numpy_steps.blas import blas_threads
from core.engine.observers import active_observers
from core.engine.run_guard import active_guard
from tests.reliability import activities
from tests.reliability.strike import LateError

pytestmark = pytest.mark.whole

#: After these instructions CPython looks whether a signal came.
STARTS = ("CALL", "RESUME", "JUMP_BACKWARD", "JUMP_ABSOLUTE")

#: How long a run in another thread may take, which waits for what stayed locked.
MOST_SECONDS = 120


class Strike:
    """A trace function that raises at one of the places.

    Args:
        place: which of them, from 1 on.
    """

    def __init__(self, place: int):
        self._place, self.passed = place, 0
        self._last: dict[FrameType, int] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> "Strike":
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            code, last = frame.f_code.co_code, self._last.get(frame)
            if last is not None and dis.opname[code[last]].startswith(STARTS):
                self.passed += 1
                if self.passed == self._place:
                    sys.settrace(None)
                    self._last.clear()
                    raise LateError
            self._last[frame] = frame.f_lasti
        elif event == "return":
            self._last.pop(frame, None)
        return self


def struck(activity: activities.Activity, place: int) -> bool:
    """Whether a run has so many places; it is struck at that one then."""
    strike, before = Strike(place), sys.gettrace()
    try:
        sys.settrace(strike)
        activity.run()
    except LateError:
        return True
    finally:
        sys.settrace(before)
    return strike.passed >= place  # it struck in a finaliser, from which nothing comes out


def left_over() -> dict[str, Any]:
    """What a run changes for its time."""
    threads = blas_threads()
    return {
        "caller": thread_pool.current_pool().caller,
        "threads of OpenBLAS": threads and threads.get(),
        "errors": np.geterr(),
        "buffers": np.getbufsize(),
        "guard": active_guard(),
        "backend": core.get_backend(),
        "watchers": active_observers(),
    }


def in_another_thread(activity: activities.Activity) -> Any:
    found: list[Any] = []
    thread = Thread(target=lambda: found.append(activity.run()), daemon=True)
    thread.start()
    thread.join(MOST_SECONDS)
    assert not thread.is_alive(), "a lock stayed locked"
    return found[0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "name, stride", [("tasks", 1), ("ops", 3), ("loops", 97), ("planning", 5003)]
)
def test_a_run_leaves_nothing_behind_wherever_it_is_struck(name, stride, monkeypatch):
    monkeypatch.setattr(thread_pool, "thread_count", lambda: 2)
    monkeypatch.setattr(thread_pool, "_pool", thread_pool.ThreadPool())
    with ExitStack() as stack:
        activity = activities.ACTIVITIES[name](stack)
        activity.run()
        expected, before, place = activity.run(), left_over(), 1
        while struck(activity, place):
            assert left_over() == before, place
            assert activity.run() == expected, place
            if place % 10 == 1:
                assert in_another_thread(activity) == expected, place
            place += stride
        assert place > 10 * stride
        assert in_another_thread(activity) == expected
