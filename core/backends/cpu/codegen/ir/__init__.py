"""The vocabulary of kernels in LLVM IR: values, loops, vectors, windows, formulas."""
