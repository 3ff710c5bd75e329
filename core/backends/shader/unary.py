"""Element-wise kernels of one input."""

from core.backends.shader.expressions import UNARY, elementwise
from core.kernels import kernel

for _op in UNARY:
    kernel(_op, "shader")(elementwise(_op))
