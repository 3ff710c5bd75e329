"""The memory that runs of a plan work in: each run has its own, and leaves it to the next."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from typing import NamedTuple, TypeVar

import numpy as np

from core.backend_contract import MOST_IDLE
from core.backends.cpu.lowering.blas import Run, one_blas_thread
from core.backends.cpu.lowering.lowering_rules import Work
from core.backends.cpu.lowering.thread_pool import current_pool
from core.backends.cpu.numpy_state import begin_plans, get_errors, reset_errors, set_errors

Result = TypeVar("Result")


class Workspace(NamedTuple):
    """The memory of one run at a time, and the calls that are bound to it."""

    inputs: list[tuple[int, np.ndarray]]  # which feeds are needed, and where they go
    works: list[Work]
    ends: list[int]  # where the calls of each step end
    outputs: list[np.ndarray]


class Workspaces:
    """Those that wait for the next run of a plan. Threads may share them."""

    def __init__(self) -> None:
        self._waiting: deque[Workspace] = deque()
        self._most_waiting = MOST_IDLE
        #: How many were made so far.
        self.made = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def keep(self, most: int) -> None:
        """Let at most so many wait from now on."""
        self._most_waiting = most
        self._drop_surplus()

    def run(self, make: Callable[[], Workspace], do: Callable[[Workspace], Result]) -> Result:
        """What a function gives for a workspace that nobody else has.

        Args:
            make: makes a workspace, if none waits.
            do: the run.

        The workspace is used again if it is known that nobody works in it any more: after a run,
        and after an error once the helpers rest. A run writes whatever it reads.

        A signal handler may raise after any call: in the run, here, and in the clean-up. The lead
        of the team and NumPy's state come back in any case. What remains possible: a run that is
        struck where the workspace is taken or given back, or twice, loses it, so the next one
        makes another; struck twice in its clean-up, it leaves OpenBLAS with one thread until
        another run ends.
        """
        workspace = self._free(make)
        team, one_thread, run, me = current_pool(), one_blas_thread(), Run(), get_ident()
        errors, token = get_errors(), None
        leads = is_left = False
        try:
            if team.leader is None:
                team.leader, leads = me, True  # no call: nothing comes between
            token = begin_plans()
            one_thread.begin(run)
            found = do(workspace)
            is_left = True
            return found
        except BaseException:
            is_left = team.leader != me or team.rests()
            raise
        finally:
            if leads:
                team.leader = None
            try:
                if token is None:
                    set_errors(errors)
                else:
                    reset_errors(token)
                one_thread.end(run)
            except BaseException:
                one_thread.end(run)
                raise
            if is_left:
                self._waiting.append(workspace)
                self._drop_surplus()

    def _free(self, make: Callable[[], Workspace]) -> Workspace:
        with suppress(IndexError):
            return self._waiting.pop()
        self.made += 1
        return make()

    def _drop_surplus(self) -> None:
        with suppress(IndexError):  # others may take one meanwhile
            while len(self._waiting) > self._most_waiting:
                self._waiting.popleft()
