"""Conversion of sparse tensors to dense ones; other sparse ops run on the host."""

from collections.abc import Sequence
from math import prod

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand
from core.backends.shader.kernels.indexing import tensor_scatter_update
from core.backends.shader.kernels.shape import ZEROS
from core.engine.registry import kernel
from core.engine.specs import Spec


@kernel("sparse_to_dense", "shader")
def sparse_to_dense(
    call: KernelBuilder,
    sparse_indices: Operand,
    sparse_values: Operand,
    default_value: Operand | None,
    *,
    output_shape: Sequence[int],
) -> Dispatch:
    """Write values into a tensor of the default value."""
    if default_value is None:
        defaults = call.each(ZEROS[call.to.dtype])
    else:
        defaults = call.each("x", x=default_value.reshaped())
    count = prod(sparse_indices.shape[:1])
    positions = sparse_indices.reshaped(count, len(output_shape))
    values = call.each("x", to=Spec((count,), call.to.dtype), x=sparse_values)
    return tensor_scatter_update(call, defaults, positions, values)
