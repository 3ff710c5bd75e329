"""The generated kernels of the cpu backend: LLVM IR for exact shapes, compiled and run natively."""
