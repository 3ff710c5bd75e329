"""What ``core.<name>`` is for programs and type checkers: namespaces, signatures, stubs."""
