"""Rounding to quanta, bit for bit as on the cpu backend."""

from core.backends.shader.codegen.expressions import QUANTISATION, elementwise
from core.registry import kernel

for _op in QUANTISATION:
    kernel(_op, "shader")(elementwise(_op))
