"""Element-wise comparison and logic."""

from core.backends.shader.expressions import COMPARE, elementwise
from core.kernels import kernel

for _op in COMPARE:
    kernel(_op, "shader")(elementwise(_op))
