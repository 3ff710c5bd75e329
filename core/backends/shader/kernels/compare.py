"""Element-wise comparison and logic."""

from core.backends.shader.codegen.expressions import COMPARE, elementwise
from core.registry import kernel

for _op in COMPARE:
    kernel(_op, "shader")(elementwise(_op))
