"""Kernels of all ops of the table of expressions."""

from core.backends.shader.codegen.expressions import EXPRESSIONS, elementwise
from core.engine.registry import kernel

for _op in EXPRESSIONS:
    kernel(_op, "shader")(elementwise(_op))
