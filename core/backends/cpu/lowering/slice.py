"""Slicing and joining."""

from core.backends.cpu.lowering.contiguous import lower_moves
from core.backends.cpu.lowering.lowering_rules import lowers

lowers("concat", "slice", "split", "stack", "strided_slice", "unstack")(lower_moves)
