"""Padding, and channels that become pixels."""

from core.backends.cpu.numpy_steps.contiguous import lower_moves
from core.backends.cpu.numpy_steps.lowering_rules import lowers

lowers("depth_to_space", "mirror_pad", "pad")(lower_moves)
