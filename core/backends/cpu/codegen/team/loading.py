"""The machine code of the thread team, which lives as long as the process."""

from collections.abc import Sequence

from core.backends.cpu.codegen.machine_code.kernel_code import (
    MachineCode,
    cached_code,
    compile_code,
)
from core.backends.cpu.codegen.team.thread_team import ThreadTeam, bind
from core.process.locks import new_lock

_KEY = ("thread team",)

_code: MachineCode | None = None
_loading = new_lock()


def load_team() -> ThreadTeam:
    """Make the thread team of this process ready; its code is compiled where no cache has it.

    Raises:
        CoreError: the code is not cached, and llvmlite is not installed.
    """
    global _code
    with _loading:
        if _code is None:
            _code = cached_code(_KEY) or compile_code(_KEY, _texts)
    return bind(_code.addresses)


def _texts() -> Sequence[str]:
    """Return the program, which a process that finds its code on disk never sees."""
    from core.backends.cpu.codegen.team.program import TEAM_PROGRAM

    return [TEAM_PROGRAM]
