"""The native program of the thread team: the life of a worker, and settings."""

WORKERS = """
; Wait for another generation than the one seen: spin, then sleep. -1: the team was stopped.
; A thread that the team has no use for sleeps until the number of threads changes.
define internal i64 @wait_for_run(ptr %team, i64 %thread, i32 %seen) #0 {
entry:
  %sleepers = getelementptr i8, ptr %team, i64 $SLEEPERS
  %stop_at = getelementptr i8, ptr %team, i64 $STOP
  %threads_at = getelementptr i8, ptr %team, i64 $THREADS
  %most_at = getelementptr i8, ptr %team, i64 $IDLE_SPINS
  %most = load i64, ptr %most_at
  br label %look
look:
  %spins = phi i64 [ 0, %entry ], [ %more, %spin ], [ %most, %woken ], [ 0, %unused ]
  %threads = load atomic i32, ptr %threads_at seq_cst, align 4
  %stop = load atomic i32, ptr %stop_at seq_cst, align 4
  %is_stopped = icmp ne i32 %stop, 0
  br i1 %is_stopped, label %stopped, label %goes_on
goes_on:
  %threads_wide = zext i32 %threads to i64
  %is_member = icmp ult i64 %thread, %threads_wide
  br i1 %is_member, label %member, label %unused
unused:
  call void @sleep_while(ptr %team, ptr %threads_at, i32 %threads)
  br label %look
member:
  %generation = load atomic i32, ptr %team acquire, align 4
  %is_new = icmp ne i32 %generation, %seen
  br i1 %is_new, label %run, label %wait
wait:
  %may_spin = icmp ult i64 %spins, %most
  br i1 %may_spin, label %spin, label %count
spin:
  call void @pause()
  %more = add i64 %spins, 1
  br label %look
count:
  %a = atomicrmw add ptr %sleepers, i32 1 seq_cst
  %now = load atomic i32, ptr %team seq_cst, align 4
  %is_same = icmp eq i32 %now, %seen
  br i1 %is_same, label %sleep, label %woken
sleep:
  call void @sleep_while(ptr %team, ptr %team, i32 %seen)
  br label %woken
woken:
  %b = atomicrmw sub ptr %sleepers, i32 1 seq_cst
  br label %look
run:
  %result = zext i32 %generation to i64
  ret i64 %result
stopped:
  ret i64 -1
}

; The life of a worker, which ends when the team is stopped. It may join a run that has begun.
define void @work(ptr %team, i64 %thread) #0 {
entry:
  %current = load atomic i32, ptr %team acquire, align 4
  %before = sub i32 %current, 1
  br label %again
again:
  %seen = phi i32 [ %before, %entry ], [ %generation, %run ]
  %found = call i64 @wait_for_run(ptr %team, i64 %thread, i32 %seen)
  %is_stopped = icmp slt i64 %found, 0
  br i1 %is_stopped, label %end, label %run
run:
  %generation = trunc i64 %found to i32
  call void @take_part(ptr %team, i64 %thread, i32 %generation)
  br label %again
end:
  ret void
}

; Change the number of threads of later runs, and wake workers that had no use.
define void @set_team_threads(ptr %team, i64 %threads) #0 {
  %threads_at = getelementptr i8, ptr %team, i64 $THREADS
  %narrow = trunc i64 %threads to i32
  store atomic i32 %narrow, ptr %threads_at seq_cst, align 4
  call void @wake(ptr %team, ptr %threads_at, i32 2147483647)
  ret void
}

; Let the workers return, after the current run; later runs are alone.
define void @stop_team(ptr %team) #0 {
entry:
  %busy = getelementptr i8, ptr %team, i64 $BUSY
  br label %again
again:
  %pair = cmpxchg ptr %busy, i32 0, i32 1 acquire monotonic, align 4
  %is_mine = extractvalue { i32, i1 } %pair, 1
  br i1 %is_mine, label %mine, label %others
others:
  call void @pause()
  br label %again
mine:
  %stop_at = getelementptr i8, ptr %team, i64 $STOP
  store atomic i32 1, ptr %stop_at seq_cst, align 4
  call void @set_team_threads(ptr %team, i64 0)
  %a = atomicrmw add ptr %team, i32 1 seq_cst
  call void @wake(ptr %team, ptr %team, i32 2147483647)
  store atomic i32 0, ptr %busy release, align 4
  ret void
}

attributes #0 = { nounwind "no-builtins" }
"""
