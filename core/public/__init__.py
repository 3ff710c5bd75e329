"""The names of `core` as programs and type checkers see them: namespaces, signatures, stubs."""
