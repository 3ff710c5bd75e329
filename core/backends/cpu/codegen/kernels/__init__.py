"""The bodies of generated kernels, which `codegen.for_op` chooses among."""
