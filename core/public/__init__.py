"""What ``core.<name>`` is for programs, editors and type checkers: namespaces, signatures, stubs."""
