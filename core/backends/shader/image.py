"""Kernels on the pixels of images."""

from core.backends.shader.passes import Call, Operand, Pass
from core.backends.shader.shape import reverse
from core.kernels import kernel


@kernel("flip_left_right", "shader")
def flip_left_right(call: Call, image: Operand) -> Pass:
    """Turn the columns around."""
    return reverse(call, image, axis=2)
