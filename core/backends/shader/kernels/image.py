"""Kernels on the pixels of images."""

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.shape import reverse
from core.engine.registry import kernel


@kernel("flip_left_right", "shader")
def flip_left_right(call: KernelBuilder, image: Operand) -> Dispatch:
    """Reverse the columns."""
    return reverse(call, image, axis=2)
