"""From LLVM IR to machine code that runs: compiled, cached on disk, linked, called."""
