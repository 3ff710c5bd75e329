"""Layout of the thread team's memory, for its native program and for Python.

`team_program` has the protocol.
"""

import platform

#: Size of a cache line. What different threads write is on different lines.
LINE = 64

#: Threads that slots are made for, the caller included; and phases that are published at once.
MOST_TEAM_THREADS, MOST_PHASES = 16, 512

#: A slot has 16 bits for the tasks of a share; ``left`` has 20 bits for those of a phase.
TASK_BITS = 20
MOST_SHARE, MOST_TASKS = 2**16 - 1, 2**TASK_BITS - 1

#: Offsets in the memory of a team, in bytes.
GENERATION = 0  # i32, futex: changes when a run begins
SLEEPERS, STOP, THREADS = LINE, LINE + 4, LINE + 8  # i32 each; THREADS is a futex, too
BUSY = 2 * LINE  # i32: 1 while a caller uses the team
TABLE, BEGIN, COUNT, RUN_THREADS = (3 * LINE + 8 * i for i in range(4))  # i64: the current run
SYSCALL, FUTEX, IDLE_SPINS, PHASE_SPINS = (4 * LINE + 8 * i for i in range(4))  # i64: constants
PHASES = 5 * LINE

#: Offsets in a phase: LEFT is a futex; NEXT is the next phase of several tasks; then for each
#: thread a slot, and the first task of its share. A phase of two threads is one line: with a line
#: for each slot, publishing took half as long again, and barriers no less.
LEFT, WAITERS, NEXT, SLOTS, SLOT_BYTES = 0, 4, 8, 16, 16
PHASE_BYTES = -(-(SLOTS + SLOT_BYTES * MOST_TEAM_THREADS) // LINE) * LINE

#: Size of the memory of a team.
TEAM_BYTES = PHASES + PHASE_BYTES * MOST_PHASES


def machine_name(machine: str | None = None) -> str:
    """Return the name of a kind of processor, by default this one's, as Linux spells it.

    >>> machine_name("AMD64"), machine_name("arm64")
    ('x86_64', 'aarch64')
    """
    name = (machine or platform.machine()).lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)
