"""The native program of the thread team, as LLVM IR: phases of tasks, shared by threads.

A run goes through *phases*, one after the other; the tasks of a phase do not depend on each other.
The caller, thread 0, runs tasks like the workers, threads 1, 2, ...

1. The caller gives each thread a share of each phase, in a *slot*: ``generation | next | end``.
   Then it publishes the generation, which starts the run, and wakes workers if any sleep.
2. A thread takes tasks from the front of its share, then from the end of others, by one exchange of
   the slot. The exchange fails where the slot has another generation: a worker that comes late
   touches nothing. Only a thread that has a task reads the table, for only then the run cannot end.
3. The end of a task counts down ``left``, ``generation | tasks left`` of the phase. A thread
   without a task waits for zero; a worker leaves where it finds another generation.
4. The run ends when its last phase has no task left. It never waits for a worker without a task: a
   caller that gets no help runs every task itself.

The table of a run, all int64: addresses of phases, groups and scratch memory, and the distance
between the scratch memories of two threads. A phase has its first group, number of groups, number
of tasks, and the address of a cancel word or 0; a group the address of its kernel, the address of
the kernel's arguments, its first task within the phase, and 0. A kernel gets the address of its
arguments, the number of the task within the group, and the scratch memory of the thread.

Who waits, spins for a while, then sleeps in the kernel (futex). No wake-up is lost: a sleeper first
counts itself and then reads the word that it waits for; a waker first changes the word and then
reads the count, all sequentially consistent. The futex compares the word once more.

A worker that found no task skips phases of one task, which the caller is likely to run, and waits
for the phase before the next one that has more.

A phase may have the address of a cancel word. While that is not zero, tasks of the phase are taken
and counted as always, but do nothing: a run that is cancelled ends soon, and leaves nothing behind.

A second caller that finds the team busy runs its tasks alone; so native code keeps the team
consistent, and no signal handler of Python can come between.
"""

from string import Template

from core.backends.cpu.codegen.team import layout
from core.backends.cpu.codegen.team.layout import machine_name
from core.backends.cpu.codegen.team.runs import RUNS
from core.backends.cpu.codegen.team.tasks import CLAIMS, TASKS
from core.backends.cpu.codegen.team.workers import WORKERS

_PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}

_WAITING = """
$DECLARE_PAUSE

define internal void @pause() #0 {
  $PAUSE
  ret void
}

; Run some pauses, to find how long one takes.
define void @spin_team(i64 %count) #0 {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %following, %again ]
  call void @pause()
  %following = add i64 %i, 1
  %goes_on = icmp ult i64 %following, %count
  br i1 %goes_on, label %again, label %end
end:
  ret void
}

; The system call, if there is one: elsewhere a team has one thread, and nobody sleeps.
define internal void @futex(ptr %team, ptr %word, i64 %operation, i32 %value) #0 {
  %function_at = getelementptr i8, ptr %team, i64 $SYSCALL
  %function = load ptr, ptr %function_at
  %has_none = icmp eq ptr %function, null
  br i1 %has_none, label %end, label %call
call:
  %number_at = getelementptr i8, ptr %team, i64 $FUTEX
  %number = load i64, ptr %number_at
  %wide = zext i32 %value to i64
  %r = call i64 (i64, ...) %function(i64 %number, ptr %word, i64 %operation, i64 %wide,
                                     ptr null, ptr null, i64 0)
  br label %end
end:
  ret void
}

; Sleep while a word has a value, until woken (FUTEX_WAIT_PRIVATE).
define internal void @sleep_while(ptr %team, ptr %word, i32 %value) #0 {
  call void @futex(ptr %team, ptr %word, i64 128, i32 %value)
  ret void
}

; Wake threads that sleep on a word (FUTEX_WAKE_PRIVATE).
define internal void @wake(ptr %team, ptr %word, i32 %most) #0 {
  call void @futex(ptr %team, ptr %word, i64 129, i32 %most)
  ret void
}

; Wake threads that sleep on a word if their count says that there are any.
define internal void @wake_sleepers(ptr %team, ptr %word, ptr %sleepers, i32 %most) #0 {
  %asleep = load atomic i32, ptr %sleepers seq_cst, align 4
  %none = icmp eq i32 %asleep, 0
  br i1 %none, label %end, label %some
some:
  call void @wake(ptr %team, ptr %word, i32 %most)
  br label %end
end:
  ret void
}
"""


#: Functions for callers; the others are private to the program.
EXPORTS = ("run_alone", "run_shared", "work", "set_team_threads", "stop_team", "spin_team")


def team_program(machine: str) -> str:
    """Return the program for a kind of processor: ``"x86_64"``, ``"aarch64"`` or another one."""
    declare, pause = _PAUSES.get(machine, ("", ""))
    values = {name: value for name, value in vars(layout).items() if isinstance(value, int)}
    text = _WAITING + TASKS + CLAIMS + RUNS + WORKERS
    return Template(text).substitute(values, DECLARE_PAUSE=declare, PAUSE=pause)


#: The program for this processor.
TEAM_PROGRAM = team_program(machine_name())
