"""Plans as WebAssembly modules: the kernels of `core.backends.cpu.codegen`, for another machine."""
