"""Complex numbers and their parts."""

from core.backends.shader.codegen.expressions import COMPLEX_NUMBERS, elementwise
from core.registry import kernel

for _op in COMPLEX_NUMBERS:
    kernel(_op, "shader")(elementwise(_op))
