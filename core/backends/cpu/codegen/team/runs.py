"""The native program of the thread team: runs of phases, and waiting for phases."""

RUNS = """
; What ``left`` of a phase says: 0 tasks are left, 1 none is, 2 it is of another run.
define internal i32 @state_of(i32 %left, i32 %generation) #0 {
  %seen = lshr i32 %left, $TASK_BITS
  %shifted = shl i32 %generation, $TASK_BITS
  %wanted = lshr i32 %shifted, $TASK_BITS
  %is_other = icmp ne i32 %seen, %wanted
  %tasks = and i32 %left, $MOST_TASKS
  %is_done = icmp eq i32 %tasks, 0
  %of_this = zext i1 %is_done to i32
  %state = select i1 %is_other, i32 2, i32 %of_this
  ret i32 %state
}

; Wait until a phase has no task left: spin, then sleep. False: another run has begun.
define internal i1 @wait_for_phase(ptr %team, ptr %phase, i32 %generation) #0 {
entry:
  %most_at = getelementptr i8, ptr %team, i64 $PHASE_SPINS
  %most = load i64, ptr %most_at
  %waiters = getelementptr i8, ptr %phase, i64 $WAITERS
  br label %look
look:
  %spins = phi i64 [ 0, %entry ], [ %more, %spin ], [ %most, %woken ]
  %left = load atomic i32, ptr %phase seq_cst, align 4
  %state = call i32 @state_of(i32 %left, i32 %generation)
  switch i32 %state, label %other [ i32 0, label %wait
                                    i32 1, label %done ]
wait:
  %may_spin = icmp ult i64 %spins, %most
  br i1 %may_spin, label %spin, label %count
spin:
  call void @pause()
  %more = add i64 %spins, 1
  br label %look
count:
  %a = atomicrmw add ptr %waiters, i32 1 seq_cst
  %now = load atomic i32, ptr %phase seq_cst, align 4
  %state_now = call i32 @state_of(i32 %now, i32 %generation)
  %is_open = icmp eq i32 %state_now, 0
  br i1 %is_open, label %sleep, label %woken
sleep:
  call void @sleep_while(ptr %team, ptr %phase, i32 %now)
  br label %woken
woken:
  %b = atomicrmw sub ptr %waiters, i32 1 seq_cst
  br label %look
done:
  ret i1 true
other:
  ret i1 false
}

define internal ptr @phase_of(ptr %team, i64 %index) #0 {
  %offset = mul i64 %index, $PHASE_BYTES
  %address = add i64 %offset, $PHASES
  %phase = getelementptr i8, ptr %team, i64 %address
  ret ptr %phase
}

; Which phase to wait for after a phase without a task for this thread; -1: none, the thread may go.
define internal i64 @phase_to_wait_for(ptr %phase, i64 %index, i64 %count, i64 %thread) #0 {
entry:
  %is_caller = icmp eq i64 %thread, 0
  br i1 %is_caller, label %this, label %worker
worker:
  %next_at = getelementptr i8, ptr %phase, i64 $NEXT
  %next = load atomic i64, ptr %next_at monotonic, align 8
  %is_late = icmp sle i64 %next, %index  ; of no run: a worker that comes late
  %is_end = icmp sge i64 %next, %count
  %goes = or i1 %is_late, %is_end
  br i1 %goes, label %none, label %later
later:
  %before = sub i64 %next, 1
  ret i64 %before
this:
  ret i64 %index
none:
  ret i64 -1
}

; Take part in the run of a generation, as thread 0 to its end. A late worker finds no task.
define internal void @take_part(ptr %team, i64 %thread, i32 %generation) #0 {
entry:
  %count_at = getelementptr i8, ptr %team, i64 $COUNT
  %count = load atomic i64, ptr %count_at monotonic, align 8
  %threads_at = getelementptr i8, ptr %team, i64 $RUN_THREADS
  %threads = load atomic i64, ptr %threads_at monotonic, align 8
  %is_member = icmp ult i64 %thread, %threads
  br i1 %is_member, label %phases, label %end
phases:
  %index = phi i64 [ 0, %entry ], [ %next, %following ]
  %goes_on = icmp slt i64 %index, %count
  br i1 %goes_on, label %look, label %end
look:
  %phase = call ptr @phase_of(ptr %team, i64 %index)
  %left = load atomic i32, ptr %phase seq_cst, align 4
  %state = call i32 @state_of(i32 %left, i32 %generation)
  switch i32 %state, label %end [ i32 0, label %work
                                  i32 1, label %past ]
work:
  call void @run_phase(ptr %team, ptr %phase, i64 %index, i64 %thread, i64 %threads,
                       i32 %generation)
  %last = call i64 @phase_to_wait_for(ptr %phase, i64 %index, i64 %count, i64 %thread)
  %goes_away = icmp slt i64 %last, 0
  br i1 %goes_away, label %end, label %wait
wait:
  %awaited = call ptr @phase_of(ptr %team, i64 %last)
  %is_alive = call i1 @wait_for_phase(ptr %team, ptr %awaited, i32 %generation)
  br i1 %is_alive, label %past, label %end
past:
  %done = phi i64 [ %index, %look ], [ %last, %wait ]
  br label %following
following:
  %next = add i64 %done, 1
  br label %phases
end:
  ret void
}

; Write the shares of a phase.
define internal void @share_out(ptr %phase, i64 %tasks, i64 %threads, i64 %next,
                                i32 %generation) #0 {
entry:
  %wide = zext i32 %generation to i64
  %high = shl i64 %wide, 32
  %slots = getelementptr i8, ptr %phase, i64 $SLOTS
  %round = sub i64 %threads, 1
  br label %again
again:
  %thread = phi i64 [ 0, %entry ], [ %following, %again ]
  %first = phi i64 [ 0, %entry ], [ %end, %again ]
  %following = add i64 %thread, 1
  %product = mul i64 %tasks, %following
  %sum = add i64 %product, %round  ; rounded up: a single task is the caller's
  %end = udiv i64 %sum, %threads
  %size = sub i64 %end, %first
  %value = or i64 %high, %size
  %offset = mul i64 %thread, $SLOT_BYTES
  %slot = getelementptr i8, ptr %slots, i64 %offset
  %first_at = getelementptr i8, ptr %slot, i64 8
  store atomic i64 %first, ptr %first_at monotonic, align 8
  store atomic i64 %value, ptr %slot release, align 8
  %goes_on = icmp ult i64 %following, %threads
  br i1 %goes_on, label %again, label %done
done:
  %next_at = getelementptr i8, ptr %phase, i64 $NEXT
  store atomic i64 %next, ptr %next_at monotonic, align 8
  %narrow = trunc i64 %tasks to i32
  %shifted = shl i32 %generation, $TASK_BITS
  %left = or i32 %shifted, %narrow
  store atomic i32 %left, ptr %phase release, align 4
  ret void
}

; Write the shares of all phases, from the last, and what the run is.
define internal void @prepare(ptr %team, ptr %table, i64 %begin, i64 %count, i64 %threads,
                              i32 %generation) #0 {
entry:
  %table_at = getelementptr i8, ptr %team, i64 $TABLE
  store atomic ptr %table, ptr %table_at monotonic, align 8
  %begin_at = getelementptr i8, ptr %team, i64 $BEGIN
  store atomic i64 %begin, ptr %begin_at monotonic, align 8
  %count_at = getelementptr i8, ptr %team, i64 $COUNT
  store atomic i64 %count, ptr %count_at monotonic, align 8
  %threads_at = getelementptr i8, ptr %team, i64 $RUN_THREADS
  store atomic i64 %threads, ptr %threads_at monotonic, align 8
  br label %again
again:
  %later = phi i64 [ %count, %entry ], [ %index, %again ]
  %next = phi i64 [ %count, %entry ], [ %next_of_earlier, %again ]
  %index = sub i64 %later, 1
  %row = add i64 %begin, %index
  %tasks = call i64 @tasks_of(ptr %table, i64 %row)
  %phase = call ptr @phase_of(ptr %team, i64 %index)
  call void @share_out(ptr %phase, i64 %tasks, i64 %threads, i64 %next, i32 %generation)
  %is_shared = icmp sgt i64 %tasks, 1
  %next_of_earlier = select i1 %is_shared, i64 %index, i64 %next
  %goes_on = icmp sgt i64 %index, 0
  br i1 %goes_on, label %again, label %done
done:
  ret void
}

; Run at most $MOST_PHASES phases with the team, which is this caller's.
define internal void @run_part(ptr %team, ptr %table, i64 %begin, i64 %end, i64 %threads) #0 {
entry:
  %most = call i64 @most_tasks(ptr %table, i64 %begin, i64 %end)
  %helpers = sub i64 %most, 1
  %is_shared = icmp sgt i64 %helpers, 0
  br i1 %is_shared, label %shared, label %alone
shared:
  %before = load atomic i32, ptr %team monotonic, align 4
  %generation = add i32 %before, 1
  %count = sub i64 %end, %begin
  call void @prepare(ptr %team, ptr %table, i64 %begin, i64 %count, i64 %threads, i32 %generation)
  store atomic i32 %generation, ptr %team seq_cst, align 4
  %sleepers = getelementptr i8, ptr %team, i64 $SLEEPERS
  %narrow = trunc i64 %helpers to i32
  call void @wake_sleepers(ptr %team, ptr %team, ptr %sleepers, i32 %narrow)
  call void @take_part(ptr %team, i64 0, i32 %generation)
  ret void
alone:
  call void @run_alone(ptr %table, i64 %begin, i64 %end)
  ret void
}

; Run phases with the team; alone if another thread uses it, or if it has no workers.
define void @run_shared(ptr %team, ptr %table, i64 %begin, i64 %end) #0 {
entry:
  %busy = getelementptr i8, ptr %team, i64 $BUSY
  %pair = cmpxchg ptr %busy, i32 0, i32 1 acquire monotonic, align 4
  %is_mine = extractvalue { i32, i1 } %pair, 1
  br i1 %is_mine, label %caller, label %alone
caller:
  %threads_at = getelementptr i8, ptr %team, i64 $THREADS
  %narrow = load atomic i32, ptr %threads_at seq_cst, align 4
  %threads = zext i32 %narrow to i64
  %has_workers = icmp ugt i32 %narrow, 1
  br i1 %has_workers, label %parts, label %no_workers
parts:
  %phase = phi i64 [ %begin, %caller ], [ %stop, %part ]
  %goes_on = icmp slt i64 %phase, %end
  br i1 %goes_on, label %part, label %done
part:
  %most = add i64 %phase, $MOST_PHASES
  %is_last = icmp slt i64 %end, %most
  %stop = select i1 %is_last, i64 %end, i64 %most
  call void @run_part(ptr %team, ptr %table, i64 %phase, i64 %stop, i64 %threads)
  br label %parts
done:
  store atomic i32 0, ptr %busy release, align 4
  ret void
no_workers:
  store atomic i32 0, ptr %busy release, align 4
  br label %alone
alone:
  call void @run_alone(ptr %table, i64 %begin, i64 %end)
  ret void
}
"""
