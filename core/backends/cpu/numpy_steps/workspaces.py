"""Workspaces: the memory of a plan's runs, which later runs reuse."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import get_ident
from typing import NamedTuple, TypeVar

import numpy as np

from core.backends.cpu.numpy_state import begin_plans, get_errors, reset_errors, set_errors
from core.backends.cpu.numpy_steps.blas import Run, one_blas_thread
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.numpy_steps.thread_pool import current_pool
from core.backends.cpu.numpy_steps.updates import BoundArrays
from core.engine.executable import MOST_IDLE

Result = TypeVar("Result")

_NONE_BOUND = BoundArrays((), ())


class Workspace(NamedTuple):
    """Memory for one run at a time, and the calls that are bound to it."""

    arena: np.ndarray
    inputs: list[tuple[int, np.ndarray]]  # which feeds are needed, and where they go
    works: list[Work]
    ends: list[int]  # where the calls of each step end
    outputs: list[np.ndarray]
    apart: Sequence[list[Work]] = ()  # the calls of each step by itself, to be timed
    bound: BoundArrays = _NONE_BOUND  # arrays of the caller that the calls work on
    is_native: bool = False  # whether no call is NumPy's: no state of NumPy or its threads matters


class Workspaces:
    """Idle workspaces of a plan. They are thread-safe."""

    def __init__(self) -> None:
        self._waiting: deque[Workspace] = deque()
        self._most_waiting = MOST_IDLE
        #: Number of workspaces made so far.
        self.made = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def keep(self, most: int) -> None:
        """Keep at most this number of idle workspaces from now on."""
        self._most_waiting = most
        self._drop_surplus()

    def run(
        self,
        make: Callable[[], Workspace],
        do: Callable[[Workspace], Result],
        fits: Callable[[Workspace], bool] | None = None,
    ) -> Result:
        """Return the result of a function for a workspace that no other run uses.

        Args:
            make: function that makes a workspace, if none is idle.
            do: the run.
            fits: whether an idle workspace can be used; others are freed.

        The workspace is reused only if no thread works in it any more: after a run, and after an
        error once the workers are idle. A run writes every value before it reads it.

        A signal handler may raise after any call: in the run, here, and in the clean-up. The thread
        pool and NumPy's state are restored in any case. What remains possible: a run that is
        interrupted while the workspace is taken or returned, or interrupted twice, loses it, so the
        next run makes another; interrupted twice in its clean-up, it leaves OpenBLAS with one
        thread until another run ends.
        """
        workspace = self._free(make, fits)
        if workspace.is_native:
            try:
                return do(workspace)
            finally:
                self.give_back(workspace)
        pool, one_thread, run, me = current_pool(), one_blas_thread(), Run(), get_ident()
        errors, token = get_errors(), None
        is_caller = is_left = False
        try:
            if pool.caller is None:
                pool.caller, is_caller = me, True  # no call: nothing comes between
            token = begin_plans()
            one_thread.begin(run)
            found = do(workspace)
            is_left = True
            return found
        except BaseException:
            is_left = pool.caller != me or pool.rests()
            raise
        finally:
            if is_caller:
                pool.caller = None
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
                self.give_back(workspace)

    def _free(
        self, make: Callable[[], Workspace], fits: Callable[[Workspace], bool] | None
    ) -> Workspace:
        with suppress(IndexError):
            while True:
                workspace = self._waiting.pop()
                if fits is None or fits(workspace):
                    return workspace
        self.made += 1
        return make()

    def take_native(self) -> Workspace | None:
        """Return an idle workspace for `give_back` if none of its calls is NumPy's, else None."""
        try:
            workspace = self._waiting.pop()
        except IndexError:
            return None
        if workspace.is_native:
            return workspace
        self._waiting.append(workspace)
        return None

    def give_back(self, workspace: Workspace) -> None:
        """Release a workspace for later runs."""
        self._waiting.append(workspace)
        if len(self._waiting) > self._most_waiting:
            self._drop_surplus()

    def _drop_surplus(self) -> None:
        with suppress(IndexError):  # others may take one meanwhile
            while len(self._waiting) > self._most_waiting:
                self._waiting.popleft()
