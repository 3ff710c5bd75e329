"""Element-wise kernels of one input."""

from core.backends.shader.codegen.expressions import UNARY, elementwise
from core.registry import kernel

for _op in UNARY:
    kernel(_op, "shader")(elementwise(_op))
