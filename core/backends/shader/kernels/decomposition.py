"""Parts of matrices."""

from math import prod

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.shape import ZEROS
from core.engine.registry import kernel
from core.engine.specs import Spec


@kernel("band_part", "shader")
def band_part(call: KernelBuilder, x: Operand, num_lower: Operand, num_upper: Operand) -> Dispatch:
    """Return zeros outside of the band; a band wider than the matrix keeps all of it."""
    text = f"""
    int lower = get_num_lower();
    int upper = get_num_upper();
    if (lower >= 0 && o1 - o2 > lower) return {ZEROS[x.dtype]};
    if (upper >= 0 && o2 - o1 > upper) return {ZEROS[x.dtype]};
    return get_x(o0, o1, o2);
    """
    matrices = x.reshaped(prod(x.shape[:-2]), *x.shape[-2:])
    to = Spec(matrices.shape, x.dtype)
    made = call.map(text, to=to, x=matrices, num_lower=num_lower, num_upper=num_upper)
    return made.reshaped(*call.to.shape)
