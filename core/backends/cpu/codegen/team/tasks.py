"""The native program of the thread team: tables of tasks, and how threads take tasks."""

TASKS = """
; Whether the cancel word of a phase, an i32, is set; a phase may have none.
define internal i1 @is_cancelled(ptr %row) #0 {
entry:
  %word_at = getelementptr i64, ptr %row, i64 3
  %word = load ptr, ptr %word_at
  %has_none = icmp eq ptr %word, null
  br i1 %has_none, label %no, label %look
look:
  %value = load atomic i32, ptr %word monotonic, align 4
  %is_set = icmp ne i32 %value, 0
  ret i1 %is_set
no:
  ret i1 false
}

; Run a task of a phase of a table: find its group, from the last one down.
define internal void @run_task(ptr %table, i64 %phase, i64 %task, i64 %thread) #0 {
entry:
  %phases = load ptr, ptr %table
  %row = getelementptr [4 x i64], ptr %phases, i64 %phase
  %is_over = call i1 @is_cancelled(ptr %row)
  br i1 %is_over, label %end, label %goes_on
goes_on:
  %first = load i64, ptr %row
  %count_at = getelementptr i64, ptr %row, i64 1
  %count = load i64, ptr %count_at
  %after = add i64 %first, %count
  %groups_at = getelementptr i64, ptr %table, i64 1
  %groups = load ptr, ptr %groups_at
  br label %look
look:
  %later = phi i64 [ %after, %goes_on ], [ %index, %look ]
  %index = sub i64 %later, 1
  %group = getelementptr [4 x i64], ptr %groups, i64 %index
  %begins_at = getelementptr i64, ptr %group, i64 2
  %begins = load i64, ptr %begins_at
  %is_before = icmp ult i64 %task, %begins
  br i1 %is_before, label %look, label %found
found:
  %kernel = load ptr, ptr %group
  %args_at = getelementptr i64, ptr %group, i64 1
  %args = load ptr, ptr %args_at
  %scratch_at = getelementptr i64, ptr %table, i64 2
  %scratch = load ptr, ptr %scratch_at
  %stride_at = getelementptr i64, ptr %table, i64 3
  %stride = load i64, ptr %stride_at
  %offset = mul i64 %thread, %stride
  %own_scratch = getelementptr i8, ptr %scratch, i64 %offset
  %number = sub i64 %task, %begins
  call void %kernel(ptr %args, i64 %number, ptr %own_scratch)
  br label %end
end:
  ret void
}

define internal i64 @tasks_of(ptr %table, i64 %phase) #0 {
  %phases = load ptr, ptr %table
  %row = getelementptr [4 x i64], ptr %phases, i64 %phase
  %tasks_at = getelementptr i64, ptr %row, i64 2
  %tasks = load i64, ptr %tasks_at
  ret i64 %tasks
}

; Run phases in this thread, with the scratch memory of thread 0.
define void @run_alone(ptr %table, i64 %begin, i64 %end) #0 {
entry:
  br label %phases
phases:
  %phase = phi i64 [ %begin, %entry ], [ %next_phase, %phase_ends ]
  %goes_on = icmp slt i64 %phase, %end
  br i1 %goes_on, label %phase_begins, label %all_done
phase_begins:
  %count = call i64 @tasks_of(ptr %table, i64 %phase)
  br label %tasks
tasks:
  %task = phi i64 [ 0, %phase_begins ], [ %next_task, %one ]
  %has_task = icmp slt i64 %task, %count
  br i1 %has_task, label %one, label %phase_ends
one:
  call void @run_task(ptr %table, i64 %phase, i64 %task, i64 0)
  %next_task = add i64 %task, 1
  br label %tasks
phase_ends:
  %next_phase = add i64 %phase, 1
  br label %phases
all_done:
  ret void
}

; The largest number of tasks in a phase.
define internal i64 @most_tasks(ptr %table, i64 %begin, i64 %end) #0 {
entry:
  br label %again
again:
  %phase = phi i64 [ %begin, %entry ], [ %next, %one ]
  %most = phi i64 [ 0, %entry ], [ %larger, %one ]
  %goes_on = icmp slt i64 %phase, %end
  br i1 %goes_on, label %one, label %done
one:
  %tasks = call i64 @tasks_of(ptr %table, i64 %phase)
  %is_larger = icmp sgt i64 %tasks, %most
  %larger = select i1 %is_larger, i64 %tasks, i64 %most
  %next = add i64 %phase, 1
  br label %again
done:
  ret i64 %most
}
"""

CLAIMS = """
; Take a task of a share: its owner takes the first, others the last. -1: there is none (left).
define internal i64 @claim(ptr %slot, i32 %generation, i1 %is_own) #0 {
entry:
  %found = load atomic i64, ptr %slot monotonic, align 8
  br label %look
look:
  %seen = phi i64 [ %found, %entry ], [ %now, %exchange ]
  %high = lshr i64 %seen, 32
  %seen_generation = trunc i64 %high to i32
  %is_current = icmp eq i32 %seen_generation, %generation
  %middle = lshr i64 %seen, 16
  %next = and i64 %middle, $MOST_SHARE
  %end = and i64 %seen, $MOST_SHARE
  %has_task = icmp ult i64 %next, %end
  %may_take = and i1 %is_current, %has_task
  br i1 %may_take, label %exchange, label %none
exchange:
  %last = sub i64 %end, 1
  %task = select i1 %is_own, i64 %next, i64 %last
  %change = select i1 %is_own, i64 65536, i64 -1
  %changed = add i64 %seen, %change
  %pair = cmpxchg ptr %slot, i64 %seen, i64 %changed acq_rel monotonic, align 8
  %now = extractvalue { i64, i1 } %pair, 0
  %is_taken = extractvalue { i64, i1 } %pair, 1
  br i1 %is_taken, label %taken, label %look
taken:
  ret i64 %task
none:
  ret i64 -1
}

; Run a task that this thread has claimed, and count it. The run goes on until it is counted.
define internal void @run_claimed(ptr %team, ptr %phase, i64 %index, ptr %slot, i64 %number,
                                  i64 %thread) #0 {
entry:
  %first_at = getelementptr i8, ptr %slot, i64 8
  %first = load atomic i64, ptr %first_at monotonic, align 8
  %task = add i64 %first, %number
  %table_at = getelementptr i8, ptr %team, i64 $TABLE
  %table = load atomic ptr, ptr %table_at monotonic, align 8
  %begin_at = getelementptr i8, ptr %team, i64 $BEGIN
  %begin = load atomic i64, ptr %begin_at monotonic, align 8
  %row = add i64 %begin, %index
  call void @run_task(ptr %table, i64 %row, i64 %task, i64 %thread)
  %before = atomicrmw sub ptr %phase, i32 1 seq_cst
  %left_before = and i32 %before, $MOST_TASKS
  %was_last = icmp eq i32 %left_before, 1
  br i1 %was_last, label %phase_done, label %end
phase_done:
  %waiters = getelementptr i8, ptr %phase, i64 $WAITERS
  call void @wake_sleepers(ptr %team, ptr %phase, ptr %waiters, i32 2147483647)
  br label %end
end:
  ret void
}

; Run tasks of a phase while there are any: of the thread's own share, then of the others'.
define internal void @run_phase(ptr %team, ptr %phase, i64 %index, i64 %thread, i64 %threads,
                                i32 %generation) #0 {
entry:
  %slots = getelementptr i8, ptr %phase, i64 $SLOTS
  br label %share
share:
  %turn = phi i64 [ 0, %entry ], [ %next_turn, %share_ends ]
  %sum = add i64 %thread, %turn
  %past = sub i64 %sum, %threads
  %wraps = icmp uge i64 %sum, %threads
  %owner = select i1 %wraps, i64 %past, i64 %sum
  %is_own = icmp eq i64 %turn, 0
  %offset = mul i64 %owner, $SLOT_BYTES
  %slot = getelementptr i8, ptr %slots, i64 %offset
  br label %tasks
tasks:
  %number = call i64 @claim(ptr %slot, i32 %generation, i1 %is_own)
  %has_task = icmp sge i64 %number, 0
  br i1 %has_task, label %one, label %share_ends
one:
  call void @run_claimed(ptr %team, ptr %phase, i64 %index, ptr %slot, i64 %number, i64 %thread)
  br label %tasks
share_ends:
  %next_turn = add i64 %turn, 1
  %goes_on = icmp ult i64 %next_turn, %threads
  br i1 %goes_on, label %share, label %end
end:
  ret void
}
"""
