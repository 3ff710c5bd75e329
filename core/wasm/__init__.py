"""WebAssembly modules: a table of all instructions, and what reads, writes and checks by it."""
