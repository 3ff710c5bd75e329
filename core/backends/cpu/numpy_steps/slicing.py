"""Slicing and joining."""

from core.backends.cpu.numpy_steps.contiguous import lower_moves
from core.backends.cpu.numpy_steps.lowering_rules import lowers

lowers("concat", "slice", "split", "stack", "strided_slice", "unstack")(lower_moves)
