"""Operators and methods of `Tensor`: ops and composites that take the tensor first."""

from collections.abc import Callable
from typing import Any

from core.kernels import FUNCTIONS, OPS
from core.tensors import Tensor

#: Special method → op, called as op(self, ...).
OPERATORS = {
    "__neg__": "neg",
    "__abs__": "abs",
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "div",
    "__floordiv__": "floor_div",
    "__mod__": "mod",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__lt__": "less",
    "__le__": "less_equal",
    "__gt__": "greater",
    "__ge__": "greater_equal",
    "__eq__": "equal",
    "__ne__": "not_equal",
    "__and__": "logical_and",
    "__or__": "logical_or",
    "__invert__": "logical_not",
}

#: Those of OPERATORS that have a swapped form, such as ``__radd__``.
SWAPPED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")

#: Ops and composites that are also methods, under the same name.
METHODS = """
    abs acos acosh add all any argmax argmin asin asinh atan atan2 atanh avg_pool batch_norm
    batch_to_space_nd broadcast_to ceil clip_by_value concat conv1d conv2d conv2d_transpose cos cosh
    cumprod cumsum depth_to_space depthwise_conv2d dilation2d div div_no_nan dot elu equal erf
    euclidean_norm exp expand_dims expm1 fft floor floor_div gather greater greater_equal ifft irfft
    is_finite is_inf is_nan leaky_relu less less_equal local_response_normalization log log1p
    log_sigmoid log_softmax log_sum_exp logical_and logical_not logical_or logical_xor matmul max
    max_pool maximum mean min minimum mirror_pad mod mul neg norm not_equal one_hot ones_like pad
    pool pow prelu prod reciprocal relu relu6 resize_bilinear resize_nearest_neighbor reverse rfft
    round rsqrt selu separable_conv2d sigmoid sign sin sinh slice softmax softplus
    space_to_batch_nd split sqrt square squared_difference squeeze stack step strided_slice sub sum
    tan tanh tile topk transpose unique unsorted_segment_sum unstack where zeros_like
""".split()  # noqa: SIM905 - as a list it would take a hundred lines


def install_methods() -> None:
    """Give `Tensor` its operators and methods, once all ops are declared."""
    for special, name in OPERATORS.items():
        setattr(Tensor, special, _method(OPS[name]))
    for stem in SWAPPED:
        setattr(Tensor, f"__r{stem}__", _swapped(OPS[OPERATORS[f"__{stem}__"]]))
    for name in METHODS:
        if name in OPS or name in FUNCTIONS:
            setattr(Tensor, name, _method(OPS.get(name) or FUNCTIONS[name]))


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Tensor, *arguments: Any, **attributes: Any) -> Any:
        return function(self, *arguments, **attributes)

    method.__name__ = function.__name__
    method.__doc__ = f"`core.{function.__name__}` of this tensor."
    return method


def _swapped(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    return lambda self, other: function(other, self)
