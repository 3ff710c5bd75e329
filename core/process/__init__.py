"""What a process has once: locks, context variables, caches of code. It knows no tensor."""
