"""Facts of a process: locks, context variables, caches of code. They know no tensor."""
