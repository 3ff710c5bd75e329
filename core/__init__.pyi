"""What `core` has. Written by ``python -m core.public.stubs``."""

from collections.abc import Callable
from collections.abc import Coroutine
from collections.abc import Sequence
from core import callbacks as callbacks
from core import constraints as constraints
from core import converter as converter
from core import data as data
from core import image as image
from core import initializers as initializers
from core import layers as layers
from core import linalg as linalg
from core import losses as losses
from core import metrics as metrics
from core import optimizers as optimizers
from core import plots as plots
from core import random as random
from core import regularizers as regularizers
from core import signal as signal
from core import train as train
from core import utils as utils
from core.autodiff.gradients import custom_grad as custom_grad
from core.autodiff.gradients import grad as grad
from core.autodiff.gradients import grads as grads
from core.autodiff.gradients import stop_gradient as stop_gradient
from core.autodiff.gradients import value_and_grad as value_and_grad
from core.autodiff.gradients import value_and_grads as value_and_grads
from core.autodiff.gradients import variable_grads as variable_grads
from core.autodiff.scopes import dispose as dispose
from core.autodiff.scopes import keep as keep
from core.autodiff.scopes import tidy as tidy
from core.backends.cpu.threads import get_threads as get_threads
from core.backends.cpu.threads import set_threads as set_threads
from core.backends.cpu.tiers import get_tier as get_tier
from core.backends.cpu.tiers import set_tier as set_tier
from core.backends.shader.plans.plan_tuning import tune_shader as tune_shader
from core.backends.shader.runtime.starting import start_shader as start_shader
from core.backends.shader.runtime.starting import stop_shader as stop_shader
from core.compiled_functions.compiled_function import compile as compile
from core.converter.formats import load_model as load_model
from core.engine.argument_types import Scalar
from core.engine.argument_types import TensorLike
from core.engine.async_run import run_async as run_async
from core.engine.backend import Backend as Backend
from core.engine.backends import register_backend as register_backend
from core.engine.dispatch import run_kernel as run_kernel
from core.engine.dispatch import tensor as tensor
from core.engine.dtypes import DType
from core.engine.limits import LimitError as LimitError
from core.engine.limits import Limits as Limits
from core.engine.limits import limits as limits
from core.engine.nan_check import NotFiniteError as NotFiniteError
from core.engine.nan_check import debug_mode as debug_mode
from core.engine.op_results import MaxPoolWithArgmaxResults
from core.engine.op_results import NonMaxSuppressionPaddedResults
from core.engine.op_results import NonMaxSuppressionWithScoreResults
from core.engine.op_results import RaggedRangeResults
from core.engine.op_results import SparseFillEmptyRowsResults
from core.engine.op_results import SparseReshapeResults
from core.engine.op_results import StringNGramsResults
from core.engine.op_results import StringSplitResults
from core.engine.op_results import StringSplitV2Results
from core.engine.op_results import TopkResults
from core.engine.op_results import UnicodeDecodeResults
from core.engine.op_results import UniqueResults
from core.engine.registry import kernel as kernel
from core.engine.registry import op as op
from core.engine.run_guard import RunCancelledError as RunCancelledError
from core.engine.run_guard import memory as memory
from core.engine.settings import backend as backend
from core.engine.settings import epsilon as epsilon
from core.engine.settings import flags as flags
from core.engine.settings import get_backend as get_backend
from core.engine.settings import set_backend as set_backend
from core.engine.specs import Spec as Spec
from core.engine.tensors import Tensor
from core.engine.tensors import Tensor as Tensor
from core.engine.variables import Variable as Variable
from core.engine.variables import variable as variable
from core.errors import CoreError as CoreError
from core.errors import KernelNotFound as KernelNotFound
from core.graph.nodes import Endpoint as Endpoint
from core.graph.nodes import Graph as Graph
from core.graph.nodes import Node as Node
from core.graph.nodes import PartialSpec as PartialSpec
from core.graph_model.graph_model import GraphModel as GraphModel
from core.layers.input_layer import Input as Input
from core.models.copies import clone_model as clone_model
from core.models.model import Model as Model
from core.models.model_files import load_layers_model as load_layers_model
from core.models.model_files import model_from_json as model_from_json
from core.models.sequential import Sequential as Sequential
from core.models.sequential import sequential as sequential
from core.ops.composite import Moments
from core.ops.ragged import GatheredRows
from core.ops.sort import Difference
from core.profiling.profiler import profile as profile
from core.profiling.profiler import time as time
from numpy import ndarray
from typing import Any
from typing import overload

__all__ = [
    "Backend",
    "CoreError",
    "Endpoint",
    "Graph",
    "GraphModel",
    "Input",
    "KernelNotFound",
    "LimitError",
    "Limits",
    "Model",
    "Node",
    "NotFiniteError",
    "PartialSpec",
    "RunCancelledError",
    "Sequential",
    "Spec",
    "Tensor",
    "Variable",
    "backend",
    "clone_model",
    "compile",
    "custom_grad",
    "debug_mode",
    "dispose",
    "epsilon",
    "flags",
    "get_backend",
    "get_threads",
    "get_tier",
    "grad",
    "grads",
    "keep",
    "kernel",
    "limits",
    "load_layers_model",
    "load_model",
    "memory",
    "model_from_json",
    "op",
    "profile",
    "register_backend",
    "run_async",
    "run_kernel",
    "sequential",
    "set_backend",
    "set_threads",
    "set_tier",
    "start_shader",
    "stop_gradient",
    "stop_shader",
    "tensor",
    "tidy",
    "time",
    "tune_shader",
    "value_and_grad",
    "value_and_grads",
    "variable",
    "variable_grads",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "affine_grid",
    "all",
    "any",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg_pool",
    "avg_pool3d",
    "avg_pool3d_grad",
    "avg_pool_grad",
    "band_part",
    "basic_lstm_cell",
    "batch_norm",
    "batch_norm2d",
    "batch_norm3d",
    "batch_norm4d",
    "batch_to_space_nd",
    "bincount",
    "bitwise_and",
    "boolean_mask",
    "broadcast_args",
    "broadcast_to",
    "cast",
    "ceil",
    "check_numerics",
    "clip_by_value",
    "clone",
    "complex",
    "complex_abs",
    "concat",
    "confusion_matrix",
    "contract",
    "conv1d",
    "conv2d",
    "conv2d_backprop_filter",
    "conv2d_backprop_input",
    "conv2d_transpose",
    "conv3d",
    "conv3d_backprop_filter",
    "conv3d_backprop_input",
    "conv3d_transpose",
    "cos",
    "cosh",
    "cosine_window",
    "crop_and_resize",
    "cumprod",
    "cumsum",
    "dense_bincount",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "diag",
    "dilation2d",
    "dilation2d_backprop_filter",
    "dilation2d_backprop_input",
    "div",
    "div_no_nan",
    "dot",
    "dropout",
    "einsum",
    "elu",
    "elu_grad",
    "enclosing_power_of_two",
    "ensure_shape",
    "equal",
    "erf",
    "euclidean_norm",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "fill",
    "flip_left_right",
    "floor",
    "floor_div",
    "frame",
    "fused_conv2d",
    "fused_depthwise_conv2d",
    "fused_matmul",
    "gather",
    "gather_nd",
    "gram_schmidt",
    "grayscale_to_rgb",
    "greater",
    "greater_equal",
    "grid_sample",
    "grid_sample_backprop_input",
    "grid_sample_slope",
    "hamming_window",
    "hann_window",
    "identity",
    "ifft",
    "imag",
    "in_top_k",
    "instance_norm",
    "irfft",
    "is_finite",
    "is_inf",
    "is_nan",
    "leaky_relu",
    "less",
    "less_equal",
    "linspace",
    "local_response_normalization",
    "local_response_normalization_grad",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "log_softmax_grad",
    "log_sum_exp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lower_bound",
    "matmul",
    "max",
    "max_pool",
    "max_pool3d",
    "max_pool3d_grad",
    "max_pool_grad",
    "max_pool_with_argmax",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "mirror_pad",
    "mod",
    "moments",
    "moving_average",
    "mul",
    "multi_rnn_cell",
    "multinomial",
    "neg",
    "non_max_suppression",
    "non_max_suppression_async",
    "non_max_suppression_padded",
    "non_max_suppression_padded_async",
    "non_max_suppression_with_score",
    "non_max_suppression_with_score_async",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_like",
    "outer_product",
    "pad",
    "pool",
    "pow",
    "prelu",
    "prod",
    "qr",
    "quantise_round",
    "ragged_bincount",
    "ragged_gather",
    "ragged_gather_parts",
    "ragged_range",
    "ragged_tensor_to_tensor",
    "rand",
    "random_gamma",
    "random_normal",
    "random_standard_normal",
    "random_uniform",
    "random_uniform_int",
    "range",
    "real",
    "reciprocal",
    "relu",
    "relu6",
    "relu_grad",
    "reshape",
    "resize_bilinear",
    "resize_bilinear_grad",
    "resize_nearest_neighbor",
    "resize_nearest_neighbor_grad",
    "reverse",
    "rfft",
    "rgb_to_grayscale",
    "rotate_with_offset",
    "round",
    "rsqrt",
    "scalar",
    "scatter_nd",
    "search_sorted",
    "select",
    "selu",
    "separable_conv2d",
    "set_random_seed",
    "setdiff1d",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "slice",
    "softmax",
    "softplus",
    "space_to_batch_nd",
    "sparse_fill_empty_rows",
    "sparse_reshape",
    "sparse_segment_mean",
    "sparse_segment_sum",
    "sparse_to_dense",
    "split",
    "sqrt",
    "square",
    "squared_difference",
    "squeeze",
    "stack",
    "static_regex_replace",
    "step",
    "stft",
    "strided_slice",
    "string_join",
    "string_length",
    "string_lower",
    "string_n_grams",
    "string_split",
    "string_split_v2",
    "string_strip",
    "string_to_hash_bucket_fast",
    "string_upper",
    "sub",
    "sum",
    "sum_grad",
    "tan",
    "tanh",
    "tensor1d",
    "tensor2d",
    "tensor3d",
    "tensor4d",
    "tensor5d",
    "tensor6d",
    "tensor_scatter_update",
    "threshold",
    "tile",
    "topk",
    "transform",
    "transpose",
    "truncated_normal",
    "unicode_decode",
    "unicode_encode",
    "unique",
    "unsorted_segment_sum",
    "unstack",
    "upper_bound",
    "vocabulary_index",
    "where",
    "zeros",
    "zeros_like",
]

def abs(x: TensorLike) -> Tensor:
    """Element-wise: the absolute value of x, of a complex number its magnitude.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.

    Returns:
        A tensor of that shape and dtype, but float32 for complex64.

    >>> core.abs([-1.5, 2.0]).numpy()
    array([1.5, 2. ], dtype=float32)
    """

def acos(x: TensorLike) -> Tensor:
    """Element-wise: the inverse cosine of x, 0 to pi.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.acos([-1.0, 0.5]).numpy()
    array([3.1415927, 1.0471976], dtype=float32)
    """

def acosh(x: TensorLike) -> Tensor:
    """Element-wise: the inverse hyperbolic cosine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.acosh([1.0, 2.0]).numpy()
    array([0.      , 1.316958], dtype=float32)
    """

def add(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: a + b.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.add([1, 2], [10.0, 20.0]).numpy()
    array([11., 22.], dtype=float32)
    """

def add_n(tensors: Sequence[TensorLike]) -> Tensor:
    """The sum of several tensors.

    Args:
        tensors: one or more, all of one shape and dtype.

    >>> core.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """

def affine_grid(theta: TensorLike, size: Sequence[int], align_corners: bool = False) -> Tensor:
    """The positions at which `grid_sample` reads an image to warp it by an affine map.

    Args:
        theta: [batch, 2, 3]: a matrix that takes (x, y, 1), a position in the warped image, to
            the (x, y) in the image that is read; both from -1 to 1.
        size: (height, width) of the warped image, or (batch, height, width, channels).
        align_corners: -1 and 1 are the centres of the corner pixels; otherwise the outer edges of
            the image.

    Returns:
        float32 [batch, height, width, 2]: x and y for each pixel.

    >>> core.affine_grid([[[1, 0, 0.5], [0, 1, 0]]], size=(1, 2)).numpy()
    array([[[[0., 0.],
             [1., 0.]]]], dtype=float32)
    """

def all(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """Whether all values along axes are true; true without values.

    Args:
        x: a tensor of any shape, bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """

def any(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """Whether any value along axes is true; false without values.

    Args:
        x: a tensor of any shape, bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """

def argmax(x: TensorLike, axis: int = 0) -> Tensor:
    """Index of the largest value along an axis; the first of equal values.

    Args:
        x: float32, int32 or bool, at least one axis.
        axis: the axis to search; negative ones count from the last.

    Returns:
        int32, without that axis; an axis of length 0 is refused.

    >>> core.argmax([[1, 5, 2], [9, 0, 3]], axis=1).numpy()
    array([1, 0], dtype=int32)
    """

def argmin(x: TensorLike, axis: int = 0) -> Tensor:
    """Index of the smallest value along an axis; the first of equal values.

    Args:
        x: float32, int32 or bool, at least one axis.
        axis: the axis to search; negative ones count from the last.

    Returns:
        int32, without that axis; an axis of length 0 is refused.

    >>> core.argmin([[1, 5, 2], [9, 0, 3]], axis=1).numpy()
    array([0, 1], dtype=int32)
    """

def asin(x: TensorLike) -> Tensor:
    """Element-wise: the inverse sine of x, -pi/2 to pi/2.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.asin([-1.0, 0.5]).numpy()
    array([-1.5707964,  0.5235988], dtype=float32)
    """

def asinh(x: TensorLike) -> Tensor:
    """Element-wise: the inverse hyperbolic sine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.asinh([0.0, 1.0]).numpy()
    array([0.       , 0.8813736], dtype=float32)
    """

def atan(x: TensorLike) -> Tensor:
    """Element-wise: the inverse tangent of x, -pi/2 to pi/2.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.atan([-1.0, 0.5]).numpy()
    array([-0.7853982,  0.4636476], dtype=float32)
    """

def atan2(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: the angle of the point (b, a), -pi to pi.

    Args:
        a: a tensor, float32; int32 and bool are converted to it.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.atan2([1.0, -1.0], [0.0, -1.0]).numpy()
    array([ 1.5707964, -2.3561945], dtype=float32)
    """

def atanh(x: TensorLike) -> Tensor:
    """Element-wise: the inverse hyperbolic tangent of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.atanh([0.0, 0.5]).numpy()
    array([0.        , 0.54930615], dtype=float32)
    """

def avg_pool(
    x: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The average of each window; padding does not count.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter_size: of a window, one number or (height, width).
        strides: step between windows, one number or (vertical, horizontal).
        pad: ``"same"``, ``"valid"``, or in pixels; see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    Returns:
        [batch, new height, new width, channels]; NaN for a window of padding only.

    >>> core.avg_pool([[[1.0], [3.0], [5.0]]], (1, 2), 1, "same").numpy().ravel()
    array([2., 4., 5.], dtype=float32)
    """

def avg_pool3d(
    x: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Tensor:
    """The average of each window of volumes; padding does not count.

    Args:
        x: [batch, depth, height, width, channels], or without batch: one volume.
        filter_size: see `avg_pool`, along depth, height and width.
        strides: see `avg_pool`, along depth, height and width.
        pad: see `avg_pool`, along depth, height and width.
        dim_rounding_mode: see `avg_pool`, along depth, height and width.
        data_format: only ``"NDHWC"``.

    Returns:
        [batch, new depth, new height, new width, channels]; 0 for a window of padding only.

    >>> core.avg_pool3d(core.ones((2, 2, 2, 1)), 2, 1, "valid").numpy().ravel()
    array([1.], dtype=float32)
    """

def avg_pool3d_grad(
    dy: TensorLike,
    input: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `avg_pool3d`; of the input only the shape is used.

    Args:
        dy: [batch, new depth, new height, new width, channels], the gradient of the result.
        input: [batch, depth, height, width, channels], the volumes that were pooled.
        filter_size: see `avg_pool3d`.
        strides: see `avg_pool3d`.
        pad: see `avg_pool3d`.
        dim_rounding_mode: see `avg_pool3d`.

    Returns:
        float32, of the shape of input.

    >>> core.avg_pool3d_grad([[[[[6.0]]]]], core.ones((1, 1, 1, 2, 1)), (1, 1, 2), 1, "valid"
    ...                      ).numpy().ravel()
    array([3., 3.], dtype=float32)
    """

def avg_pool_grad(
    dy: TensorLike,
    input: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """The gradient of `avg_pool`; of the input only the shape is used.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        input: [batch, height, width, channels], the images that were pooled.
        filter_size: see `avg_pool`.
        strides: see `avg_pool`.
        pad: see `avg_pool`.
        dim_rounding_mode: see `avg_pool`.
        dilations: see `pool`.

    Returns:
        float32, of the shape of input.

    >>> core.avg_pool_grad([[[[6.0]]]], core.ones((1, 1, 2, 1)), (1, 2), 1, "valid").numpy().ravel()
    array([3., 3.], dtype=float32)
    """

def band_part(a: TensorLike, num_lower: TensorLike, num_upper: TensorLike) -> Tensor:
    """Matrices with zeros outside of a band along the diagonal.

    Args:
        a: [..., rows, columns].
        num_lower: how many diagonals below the main one to keep; all if negative.
        num_upper: how many above; all if negative.

    Raises:
        CoreError: a number is larger than that of the rows or columns.

    >>> core.band_part([[1, 2], [3, 4]], 0, -1).numpy()
    array([[1, 2],
           [0, 4]], dtype=int32)
    """

def basic_lstm_cell(
    forget_bias: TensorLike,
    lstm_kernel: TensorLike,
    lstm_bias: TensorLike,
    data: TensorLike,
    c: TensorLike,
    h: TensorLike,
) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory cell.

    Source: Zaremba, Sutskever and Vinyals, "Recurrent Neural Network Regularization" (2014). The
    gates are side by side in the kernel: input, new value, forget, output.

    Args:
        forget_bias: a scalar, added to the forget gate.
        lstm_kernel: [inputs + units, 4 * units].
        lstm_bias: [4 * units].
        data: [batch, inputs].
        c: [batch, units], the state.
        h: [batch, units], the output of the step before.

    Returns:
        The new state and the new output, each [batch, units].

    >>> import core
    >>> kernel, bias, state = core.ones((5, 8)), core.zeros((8,)), core.zeros((1, 2))
    >>> c, h = core.basic_lstm_cell(1.0, kernel, bias, [[1.0, 2.0, 3.0]], state, state)
    >>> c.shape, h.shape
    ((1, 2), (1, 2))
    """

def batch_norm(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """Normalise by a given mean and variance, then scale and shift.

    That is (x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Args:
        x: any tensor, the channels last.
        mean: [channels], or any shape that broadcasts to that of x.
        variance: as many axes as the mean, like the rest.
        offset: added at the end; 0 if absent.
        scale: multiplied before; 1 if absent.
        variance_epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    >>> core.batch_norm([[1.0], [3.0]], [2.0], [4.0], variance_epsilon=0.0).numpy().ravel()
    array([-0.5,  0.5], dtype=float32)
    """

def batch_norm2d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """`batch_norm` of an x with 2 axes.

    Args:
        x: 2 axes, the channels last.
        mean: [channels], or 2 axes that broadcast to the shape of x.
        variance: 1 axis or 2, as many as the mean, like the rest.
        offset: added at the end; 0 if absent.
        scale: multiplied before; 1 if absent.
        variance_epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    Raises:
        CoreError: another number of axes.

    >>> import core
    >>> core.batch_norm2d(core.ones((1, 2)), [0.0, 1.0], [4.0, 4.0], scale=[6.0, 6.0],
    ...                    variance_epsilon=0.0).numpy().ravel()
    array([3., 0.], dtype=float32)
    """

def batch_norm3d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """`batch_norm` of an x with 3 axes.

    Args:
        x: 3 axes, the channels last.
        mean: [channels], or 3 axes that broadcast to the shape of x.
        variance: 1 axis or 3, as many as the mean, like the rest.
        offset: added at the end; 0 if absent.
        scale: multiplied before; 1 if absent.
        variance_epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    Raises:
        CoreError: another number of axes.

    >>> import core
    >>> core.batch_norm3d(core.ones((1, 1, 2)), [0.0, 1.0], [4.0, 4.0], scale=[6.0, 6.0],
    ...                    variance_epsilon=0.0).numpy().ravel()
    array([3., 0.], dtype=float32)
    """

def batch_norm4d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """`batch_norm` of an x with 4 axes.

    Args:
        x: 4 axes, the channels last.
        mean: [channels], or 4 axes that broadcast to the shape of x.
        variance: 1 axis or 4, as many as the mean, like the rest.
        offset: added at the end; 0 if absent.
        scale: multiplied before; 1 if absent.
        variance_epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    Raises:
        CoreError: another number of axes.

    >>> import core
    >>> core.batch_norm4d(core.ones((1, 1, 1, 2)), [0.0, 1.0], [4.0, 4.0], scale=[6.0, 6.0],
    ...                    variance_epsilon=0.0).numpy().ravel()
    array([3., 0.], dtype=float32)
    """

def batch_to_space_nd(
    x: TensorLike,
    block_shape: Sequence[int],
    crops: Sequence[Sequence[int]],
) -> Tensor:
    """Join batch entries to blocks of pixels: the inverse of `space_to_batch_nd`.

    Args:
        x: [batch * product of block_shape, *space, ...].
        block_shape: lengths of a block, one for each axis of space.
        crops: how much to cut off before and after each axis of space.

    >>> core.batch_to_space_nd([[1, 3], [2, 4]], block_shape=(2,), crops=[(0, 1)]).numpy()
    array([[1, 2, 3]], dtype=int32)
    """

@overload
def bincount(x: TensorLike, *, weights: TensorLike | None = None, size: int) -> Tensor:
    """Count how often each number from 0 to ``size - 1`` occurs.

    Args:
        x: int32, from 0 on; numbers of ``size`` and more are left out.
        weights: the count of each value, of the shape of x; 1 if absent or empty.
        size: how many numbers.

    Returns:
        [size], of the dtype of the weights (int32 without).

    Raises:
        CoreError: a value is negative.

    >>> core.bincount([1, 1, 2], size=4).numpy()
    array([0, 2, 1, 0], dtype=int32)
    """

@overload
def bincount(x: TensorLike, weights: TensorLike | None, size: int) -> Tensor: ...

def bitwise_and(x: TensorLike, y: TensorLike) -> Tensor:
    """Element-wise: the bits that are set in both.

    Args:
        x: a tensor, int32; bool is converted to it.
        y: a tensor of a shape that broadcasts with that of x; mixed
            dtypes become their common one.

    Returns:
        int32, of the common shape.

    >>> core.bitwise_and([12, 10], 6).numpy()
    array([4, 2], dtype=int32)
    """

def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: int = 0) -> Tensor:
    """The entries of a tensor where a mask is true.

    Args:
        tensor: any tensor.
        mask: bool tensor of the shape of some axes of it that follow each other.
        axis: the first of them.

    Returns:
        A tensor in which one axis, of the true entries, replaces the axes of the mask.

    >>> import core
    >>> core.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """

def broadcast_args(s0: TensorLike, s1: TensorLike) -> Tensor:
    """The shape that two shapes, given as vectors, have in common when they broadcast.

    Args:
        s0: int32 [axes]: lengths.
        s1: int32 [axes], as many or not.

    Returns:
        int32 [axes of the longer one]

    Raises:
        CoreError: the shapes do not broadcast.

    >>> core.broadcast_args([2, 1], [5]).numpy()
    array([2, 5], dtype=int32)
    """

def broadcast_to(
    x: TensorLike,
    shape: Sequence[int],
    input_shape: Sequence[int] | None = None,
) -> Tensor:
    """Repeat along axes of length 1 until the shape is reached.

    Args:
        x: any tensor.
        shape: of the result; its last axes are as long as the axes of x, or these are 1.
        input_shape: that of x, if it shall be checked.

    >>> core.broadcast_to([[1.0], [2.0]], shape=(2, 3)).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

def cast(x: TensorLike, dtype: DType) -> Tensor:
    """The values converted to another dtype; fractions are truncated, every value but 0 is true.

    Args:
        x: any tensor; strings stay strings.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"complex64"``.

    Raises:
        CoreError: strings to numbers, or the other way round.

    >>> core.cast([1.7, -1.7], dtype="int32").numpy()
    array([ 1, -1], dtype=int32)
    """

def ceil(x: TensorLike) -> Tensor:
    """Element-wise: x rounded up.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.ceil([1.5, -1.5]).numpy()
    array([ 2., -1.], dtype=float32)
    """

def check_numerics(x: TensorLike, message: str = "the tensor") -> Tensor:
    """Pass values on; raise if one is NaN or infinite, before any op that follows in a plan.

    Args:
        x: float32 of any shape.
        message: name of the values, for the error.

    Raises:
        NotFiniteError: a value is NaN or infinite.

    >>> core.check_numerics([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """

def clip_by_value(x: TensorLike, clip_value_min: float, clip_value_max: float) -> Tensor:
    """Element-wise: x moved into clip_value_min..clip_value_max.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.
        clip_value_min: a number, the smallest result.
        clip_value_max: the largest, at least ``clip_value_min``.

    Returns:
        A tensor of that shape and dtype.

    >>> core.clip_by_value([-3, 1, 7], 0, 5).numpy()
    array([0, 1, 5], dtype=int32)
    """

def clone(x: TensorLike) -> Tensor:
    """A tensor that shares the data, as `core.identity` returns it.

    Args:
        x: any tensor.

    >>> import core
    >>> core.clone([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """

def complex(real: TensorLike, imag: TensorLike) -> Tensor:
    """Complex numbers with given real and imaginary parts.

    Args:
        real: float32 tensor.
        imag: float32 tensor of the same shape.

    Returns:
        complex64

    >>> core.complex([1.0, 2.0], [0.0, -1.0]).numpy()
    array([1.+0.j, 2.-1.j], dtype=complex64)
    """

def complex_abs(x: TensorLike) -> Tensor:
    """The magnitudes of complex numbers, as `core.abs` returns them.

    Args:
        x: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.complex_abs(core.complex([3.0], [4.0])).numpy()
    array([5.], dtype=float32)
    """

def concat(tensors: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Join tensors along an axis; their other lengths must agree.

    Args:
        tensors: one or more with as many axes; mixed dtypes become their common one.
        axis: along which they are joined; negative ones count from the last.

    >>> core.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """

def confusion_matrix(labels: TensorLike, predictions: TensorLike, num_classes: int) -> Tensor:
    """Count how often each class was predicted for each true class.

    Args:
        labels: vector of the true classes, as numbers.
        predictions: vector of the classes that were predicted.
        num_classes: how many classes; numbers outside of them are left out.

    Returns:
        int32 [num_classes, num_classes]: a row for each label, a column for each prediction.

    >>> import core
    >>> core.confusion_matrix([0, 1, 1], [0, 1, 0], 2).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """

def contract(inputs: Sequence[TensorLike], equation: str) -> Tensor:
    """`einsum` with a list of tensors as the first argument.

    Args:
        inputs: the tensors.
        equation: see `einsum`.

    >>> core.contract([[[1.0, 2.0]], [3.0, 4.0]], equation="ij,j->i").numpy()
    array([11.], dtype=float32)
    """

def conv1d(
    x: TensorLike,
    filter: TensorLike,
    stride: int = 1,
    pad: str | int | tuple[int, int] = "valid",
    data_format: str = "NWC",
    dilation: int = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Convolve sequences, such as sound, with filters.

    Args:
        x: [batch, width, in], or [width, in]: one row.
        filter: [filter width, in, out].
        stride: step between windows.
        pad: ``"same"``, ``"valid"``, a number for both ends or (before, after); see `conv2d`.
        data_format: only ``"NWC"``.
        dilation: distance between the values that a window reads; 1 if the stride is not.
        dim_rounding_mode: see `conv2d`.

    Returns:
        [batch, new width, out]

    >>> import core
    >>> core.conv1d([[1.0], [2.0], [4.0]], [[[-1.0]], [[1.0]]]).numpy().ravel()
    array([1., 2.], dtype=float32)
    """

def conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Convolve images with filters (cross-correlation, as in every deep learning library).

    Args:
        x: [batch, height, width, in], or [height, width, in]: one image.
        filter: [filter height, filter width, in, out].
        strides: step between windows, one number or (vertical, horizontal).
        pad: ``"same"`` (result of ceil(size / stride), the odd pixel of padding after),
            ``"valid"`` (none), pixels on every side, or ((top, bottom), (left, right)).
        data_format: ``"NHWC"``, or ``"NCHW"``: x and the result have the channels second.
        dilations: distance between the pixels that a window reads; 1 if the strides are not.
        dim_rounding_mode: ``"floor"`` (as by default), ``"round"`` or ``"ceil"``: how the size of
            the result is rounded, with ``pad`` in pixels.

    Returns:
        [batch, new height, new width, out]

    >>> core.conv2d(core.ones((1, 3, 3, 1)), core.ones((2, 2, 1, 1))).numpy().ravel()
    array([4., 4., 4., 4.], dtype=float32)
    """

def conv2d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` for its filter, of shape ``filter_shape``.

    Args:
        x: [batch, height, width, in].
        dy: [batch, new height, new width, out], the gradient of the result.
        filter_shape: [filter height, filter width, in, out].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.conv2d_backprop_filter(core.ones((1, 2, 2, 1)), core.ones((1, 1, 1, 1)),
    ...                             filter_shape=(2, 2, 1, 1)).shape
    (2, 2, 1, 1)
    """

def conv2d_backprop_input(
    dy: TensorLike,
    filter: TensorLike,
    input_shape: Sequence[int],
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` for x: the transposed convolution of ``dy``.

    Args:
        dy: [batch, new height, new width, out], the gradient of the result.
        filter: [filter height, filter width, in, out].
        input_shape: of x, [batch, height, width, in].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.conv2d_backprop_input(core.ones((1, 1, 1, 1)), core.ones((2, 2, 1, 1)),
    ...                            input_shape=(1, 2, 2, 1)).shape
    (1, 2, 2, 1)
    """

def conv2d_transpose(
    x: TensorLike,
    filter: TensorLike,
    output_shape: tuple[int, ...],
    strides: int | Sequence[int],
    pad: str | int | tuple[tuple[int, int], ...],
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The transpose of a convolution, which makes images larger ("deconvolution").

    Args:
        x: [batch, height, width, in], or [height, width, in].
        filter: [filter height, filter width, out, in].
        output_shape: of the result, of as many axes as x: one from which `conv2d` with these
            strides and padding gives x's height and width.
        strides: of that convolution.
        pad: of that convolution.
        dim_rounding_mode: of that convolution.

    >>> import core
    >>> core.conv2d_transpose([[[1.0], [2.0]]], core.ones((2, 2, 1, 1)), (2, 4, 1), strides=2,
    ...                       pad="valid").numpy()[..., 0]
    array([[1., 1., 2., 2.],
           [1., 1., 2., 2.]], dtype=float32)
    """

def conv3d(
    x: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Convolve volumes, or short videos, with filters.

    Args:
        x: [batch, depth, height, width, in], or [depth, height, width, in]: one volume.
        filter: [filter depth, filter height, filter width, in, out].
        strides: step between windows, one number or one for each axis.
        pad: ``"same"``, ``"valid"``, or in pixels; see `conv2d`.
        data_format: only ``"NDHWC"``.
        dilations: distance between the values that a window reads; 1 if the strides are not.

    Returns:
        [batch, new depth, new height, new width, out]

    >>> core.conv3d(core.ones((2, 2, 2, 1)), core.ones((2, 2, 2, 1, 1))).numpy().ravel()
    array([8.], dtype=float32)
    """

def conv3d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """The gradient of `conv3d` for its filter, of shape ``filter_shape``.

    Args:
        x: [batch, depth, height, width, in].
        dy: [batch, new depth, new height, new width, out], the gradient of the result.
        filter_shape: [filter depth, filter height, filter width, in, out].
        strides: see `conv3d`.
        pad: see `conv3d`.
        data_format: see `conv3d`.
        dilations: see `conv3d`.

    >>> core.conv3d_backprop_filter(core.ones((1, 2, 2, 2, 1)), core.ones((1, 1, 1, 1, 1)),
    ...                             filter_shape=(2, 2, 2, 1, 1)).shape
    (2, 2, 2, 1, 1)
    """

def conv3d_backprop_input(
    dy: TensorLike,
    filter: TensorLike,
    input_shape: Sequence[int],
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """The gradient of `conv3d` for x: the transposed convolution of ``dy``.

    Args:
        dy: [batch, new depth, new height, new width, out], the gradient of the result.
        filter: [filter depth, filter height, filter width, in, out].
        input_shape: of x, [batch, depth, height, width, in].
        strides: see `conv3d`.
        pad: see `conv3d`.
        data_format: see `conv3d`.
        dilations: see `conv3d`.

    >>> core.conv3d_backprop_input(core.ones((1, 1, 1, 1, 1)), core.ones((2, 2, 2, 1, 1)),
    ...                            input_shape=(1, 2, 2, 2, 1)).shape
    (1, 2, 2, 2, 1)
    """

def conv3d_transpose(
    x: TensorLike,
    filter: TensorLike,
    output_shape: tuple[int, ...],
    strides: int | Sequence[int],
    pad: str | int | tuple[tuple[int, int], ...],
) -> Tensor:
    """The transpose of a convolution of volumes, which makes them larger.

    Args:
        x: [batch, depth, height, width, in], or without batch.
        filter: [filter depth, filter height, filter width, out, in].
        output_shape: of the result, of as many axes as x: one from which `conv3d` with these
            strides and padding gives x's depth, height and width.
        strides: of that convolution.
        pad: of that convolution.

    >>> import core
    >>> core.conv3d_transpose(core.ones((1, 1, 1, 1)), core.ones((2, 1, 1, 1, 1)), (2, 1, 1, 1),
    ...                       strides=1, pad="valid").numpy().ravel()
    array([1., 1.], dtype=float32)
    """

def cos(x: TensorLike) -> Tensor:
    """Element-wise: the cosine of x (radians).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.cos([0.0, 3.1415927]).numpy()
    array([ 1., -1.], dtype=float32)
    """

def cosh(x: TensorLike) -> Tensor:
    """Element-wise: the hyperbolic cosine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.cosh([0.0, 1.0]).numpy()
    array([1.       , 1.5430807], dtype=float32)
    """

def cosine_window(window_length: int, a: float, b: float) -> Tensor:
    """A window a - b cos(2 pi i / n), where n is the length, or one less if that is odd.

    Args:
        window_length: how many values.
        a: the middle.
        b: the swing.

    Returns:
        float32 [window_length]; a window of one value is 1.

    >>> import core
    >>> core.cosine_window(4, 0.5, 0.5).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """

def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    crop_size: Sequence[int],
    method: str = "bilinear",
    extrapolation_value: float = 0,
) -> Tensor:
    """Crop boxes of images and resize all of them to one size.

    Args:
        image: [batch, height, width, channels].
        boxes: [boxes, 4]: y1, x1, y2, x2, where 0 is the centre of the first pixel and 1 that of
            the last. Upside down (y1 > y2) mirrors.
        box_ind: int32 [boxes]: for each box the index of its image in the batch.
        crop_size: (height, width) of the crops.
        method: ``"bilinear"`` or ``"nearest"``.
        extrapolation_value: of pixels outside of the image.

    Returns:
        float32 [boxes, crop height, crop width, channels]

    Raises:
        CoreError: there is no image of such an index.

    >>> image = core.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> core.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [0], crop_size=(1, 3)).numpy().ravel()
    array([2. , 2.5, 3. ], dtype=float32)
    """

def cumprod(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Cumulative products along an axis.

    Args:
        x: at least one axis.
        axis: the axis.
        exclusive: each product leaves out its own value, so that the first is 1.
        reverse: start at the end.

    >>> core.cumprod([1, 2, 3]).numpy(), core.cumprod([1, 2, 3], reverse=True).numpy()
    (array([1, 2, 6], dtype=int32), array([6, 6, 3], dtype=int32))
    """

def cumsum(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Cumulative sums along an axis.

    Args:
        x: at least one axis; bools count.
        axis: the axis.
        exclusive: each sum leaves out its own value, so that the first is 0.
        reverse: start at the end.

    >>> core.cumsum([1, 2, 3]).numpy(), core.cumsum([1, 2, 3], exclusive=True).numpy()
    (array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32))
    """

@overload
def dense_bincount(
    x: TensorLike,
    *,
    weights: TensorLike | None = None,
    size: int,
    binary_output: bool = False,
) -> Tensor:
    """Count how often each number from 0 to ``size - 1`` occurs in each row.

    Args:
        x: int32 vector or matrix, from 0 on; numbers of ``size`` and more are left out.
        weights: the count of each value, of the shape of x; 1 if absent or empty.
        size: how many numbers.
        binary_output: say only whether a number occurs, as 1 or 0.

    Returns:
        [size] or [rows, size], of the dtype of the weights (int32 without).

    Raises:
        CoreError: a value is negative.

    >>> core.dense_bincount([[1, 1], [0, 2]], size=3).numpy()
    array([[0, 2, 0],
           [1, 0, 1]], dtype=int32)
    """

@overload
def dense_bincount(
    x: TensorLike,
    weights: TensorLike | None,
    size: int,
    binary_output: bool = False,
) -> Tensor: ...

def depth_to_space(x: TensorLike, block_size: int, data_format: str = "NHWC") -> Tensor:
    """Rearrange the channels of each pixel into a block of pixels.

    Args:
        x: [batch, height, width, channels] (or as ``data_format`` says).
        block_size: height and width of a block, from 2 on; its square divides the channels.
        data_format: ``"NHWC"`` or ``"NCHW"``.

    Returns:
        [batch, height * block_size, width * block_size, channels / block_size**2].

    >>> core.depth_to_space([[[[1, 2, 3, 4]]]], block_size=2).numpy()[0, :, :, 0]
    array([[1, 2],
           [3, 4]], dtype=int32)
    """

def depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Convolve each channel with separate filters.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels, multiplier].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    Returns:
        [batch, new height, new width, channels * multiplier]

    >>> core.depthwise_conv2d(core.ones((1, 2, 2, 3)), core.ones((2, 2, 3, 1))).numpy().ravel()
    array([4., 4., 4.], dtype=float32)
    """

def depthwise_conv2d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for its filter, of shape ``filter_shape``.

    Args:
        x: [batch, height, width, channels].
        dy: [batch, new height, new width, channels * multiplier], the gradient of the result.
        filter_shape: [filter height, filter width, channels, multiplier].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.depthwise_conv2d_backprop_filter(core.ones((1, 2, 2, 3)), core.ones((1, 1, 1, 3)),
    ...                                       filter_shape=(2, 2, 3, 1)).shape
    (2, 2, 3, 1)
    """

def depthwise_conv2d_backprop_input(
    dy: TensorLike,
    filter: TensorLike,
    input_shape: Sequence[int],
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for x: the transposed convolution of ``dy``.

    Args:
        dy: [batch, new height, new width, channels * multiplier], the gradient of the result.
        filter: [filter height, filter width, channels, multiplier].
        input_shape: of x, [batch, height, width, channels].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.depthwise_conv2d_backprop_input(core.ones((1, 1, 1, 3)), core.ones((2, 2, 3, 1)),
    ...                                      input_shape=(1, 2, 2, 3)).shape
    (1, 2, 2, 3)
    """

def diag(x: TensorLike) -> Tensor:
    """A tensor with the values of ``x`` on its diagonal, and zeros elsewhere.

    Args:
        x: tensor of any shape.

    Returns:
        A tensor of that shape twice: entry [i, j, ..., i, j, ...] is x[i, j, ...].

    >>> core.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """

def dilation2d(
    x: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dilations: int | Sequence[int] = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """The largest sum of pixel and filter in each window: grey-scale dilation.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels], added to each window.
        strides: see `conv2d`; may be combined with dilations.
        pad: see `conv2d`; padding is never the largest.
        dilations: see `conv2d`.
        data_format: only ``"NHWC"``.

    Returns:
        [batch, new height, new width, channels]

    >>> core.dilation2d([[[1.0], [3.0], [2.0]]], [[[0.0], [0.5]]], 1, "valid").numpy().ravel()
    array([3.5, 3. ], dtype=float32)
    """

def dilation2d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """The gradient of `dilation2d` for its filter.

    Args:
        x: [batch, height, width, channels].
        dy: [batch, new height, new width, channels], the gradient of the result.
        filter: [filter height, filter width, channels].
        strides: see `dilation2d`.
        pad: see `dilation2d`.
        dilations: see `dilation2d`.

    Returns:
        float32, of the shape of the filter.

    >>> core.dilation2d_backprop_filter([[[[1.0], [3.0]]]], [[[[5.0]]]], [[[0.0], [0.5]]], 1,
    ...                                 "valid").numpy().ravel()
    array([0., 5.], dtype=float32)
    """

def dilation2d_backprop_input(
    x: TensorLike,
    dy: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """The gradient of `dilation2d` for x: that of a window belongs to its first largest sum.

    Args:
        x: [batch, height, width, channels].
        dy: [batch, new height, new width, channels], the gradient of the result.
        filter: [filter height, filter width, channels].
        strides: see `dilation2d`.
        pad: see `dilation2d`.
        dilations: see `dilation2d`.

    Returns:
        float32, of the shape of x.

    >>> core.dilation2d_backprop_input([[[[1.0], [3.0]]]], [[[[5.0]]]], [[[0.0], [0.5]]], 1, "valid"
    ...                                ).numpy().ravel()
    array([0., 5.], dtype=float32)
    """

def div(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: a / b; rounded down where both are integers.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.div([7.0, 1.0], [2.0, 0.0]).numpy()
    array([3.5, inf], dtype=float32)
    """

def div_no_nan(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise a / b, but 0 where b is 0; rounded down where both are integers.

    Args:
        a: a tensor of numbers.
        b: a tensor of a shape that broadcasts with it.

    >>> import core
    >>> core.div_no_nan([1.0, 2.0], [0.0, 4.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """

def dot(t1: TensorLike, t2: TensorLike) -> Tensor:
    """Product of two vectors, two matrices, or a matrix and a vector.

    Args:
        t1: [inner] or [rows, inner].
        t2: [inner] or [inner, columns].

    Returns:
        [rows, columns], without the axis that a vector does not have.

    >>> import core
    >>> core.dot([1.0, 2.0], [3.0, 4.0]).item()
    11.0
    """

def dropout(
    x: TensorLike,
    rate: float,
    noise_shape: Sequence[int | None] | None = None,
    seed: int | float | str | None = None,
) -> Tensor:
    """Set random values to 0 and scale the others so that the mean stays.

    Args:
        x: float32 of any shape.
        rate: share of values to drop, from 0 up to, but without, 1.
        noise_shape: shape of the random decisions, which broadcasts to that of x: along an axis of
            length 1 all values are dropped or kept together. None for a length means that of x.
        seed: for the same decisions each time.

    Returns:
        float32, of the shape of x.

    >>> import core
    >>> core.dropout(core.ones((2, 3)), 0.5, noise_shape=(2, 1), seed=0).numpy()
    array([[2., 2., 2.],
           [0., 0., 0.]], dtype=float32)
    """

def einsum(equation: str, *tensors: TensorLike) -> Tensor:
    """Multiply tensors along axes of the same letter, and sum over letters not in the result.

    Args:
        equation: for each tensor its axes as letters, then those of the result, such as
            ``"bij,bjk->bik"``. ``...`` stands for any axes; a letter twice in one term takes the
            diagonal; without ``->`` the result has the letters that occur once.
        tensors: as many as the equation has terms; mixed dtypes take the common one.

    >>> import core
    >>> core.einsum("ij->ji", [[1.0, 2.0]]).shape
    (2, 1)
    """

def elu(x: TensorLike) -> Tensor:
    """Element-wise: x where positive, else e**x - 1.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.elu([-1.0, 2.0]).numpy()
    array([-0.63212055,  2.        ], dtype=float32)
    """

def elu_grad(dy: TensorLike, y: TensorLike) -> Tensor:
    """The gradient of `core.elu`: dy where y is positive, else dy * (y + 1).

    Args:
        dy: the gradient of the result.
        y: the result; of the same shape.

    >>> core.elu_grad([1.0, 1.0], [2.0, -0.75]).numpy()
    array([1.  , 0.25], dtype=float32)
    """

def enclosing_power_of_two(value: float) -> int:
    """The smallest power of two, from 1 on, that is not below a value.

    Args:
        value: above 0 and below 2**62.

    >>> import core
    >>> core.enclosing_power_of_two(5)
    8
    """

def ensure_shape(x: TensorLike, shape: Sequence[int | None]) -> Tensor:
    """Return the tensor; raise if its shape is another one. A length of None may be any.

    Args:
        x: any tensor.
        shape: the length that each axis must have, or None.

    Raises:
        CoreError: it has another shape.

    >>> import core
    >>> core.ensure_shape([[1.0], [2.0]], (None, 1)).shape
    (2, 1)
    """

def equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether a == b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.equal([1, 2, 3], [1, 5, 3]).numpy()
    array([ True, False,  True])
    """

def erf(x: TensorLike) -> Tensor:
    """Element-wise: the error function.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.erf([0.0, 1.0]).numpy()
    array([0.       , 0.8427008], dtype=float32)
    """

def euclidean_norm(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The square root of the sum of squares over some axes; see `core.norm`.

    Args:
        x: a tensor of numbers.
        axis: one axis, two, or None for all.
        keep_dims: keep the reduced axes with length 1.

    >>> import core
    >>> core.euclidean_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)
    """

def exp(x: TensorLike) -> Tensor:
    """Element-wise: e to the power of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.exp([0.0, 1.0]).numpy()
    array([1.       , 2.7182817], dtype=float32)
    """

def expand_dims(x: TensorLike, axis: int = 0) -> Tensor:
    """Return the data with a new axis of length 1 at ``axis``.

    Args:
        x: any tensor.
        axis: where the new axis shall be, from 0 to the number of axes; negative ones count from
            behind the last: -1 makes it the last.

    Returns:
        A tensor that shares the data of x.

    >>> core.expand_dims([1.0, 2.0], axis=1).shape
    (2, 1)
    """

def expm1(x: TensorLike) -> Tensor:
    """Element-wise: e**x - 1, exact near 0.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.expm1([0.0, 1e-6]).numpy()
    array([0.0000000e+00, 1.0000005e-06], dtype=float32)
    """

def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: Sequence[int] = (),
    dtype: DType = "float32",
) -> Tensor:
    """The identity matrix, or a batch of it.

    Args:
        num_rows: how many rows.
        num_columns: how many columns, by default as many as rows.
        batch_shape: axes before the matrix.
        dtype: of the result.

    >>> import core
    >>> core.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

def fft(input: TensorLike) -> Tensor:
    """The discrete Fourier transform along the last axis.

    Args:
        input: complex64 [..., length].

    >>> core.fft(core.complex([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """

def fill(shape: Sequence[int], value: Scalar, dtype: DType | None = None) -> Tensor:
    """A tensor of one value.

    Args:
        shape: length of each axis.
        value: a number, a bool or a string.
        dtype: of the result; by default ``"float32"`` for any number.

    >>> core.fill(shape=(2, 2), value=7, dtype="int32").numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """

def flip_left_right(image: TensorLike) -> Tensor:
    """Mirror images [batch, height, width, channels].

    Args:
        image: [batch, height, width, channels], of any dtype.

    >>> core.flip_left_right([[[[1.0], [2.0]]]]).numpy().ravel()
    array([2., 1.], dtype=float32)
    """

def floor(x: TensorLike) -> Tensor:
    """Element-wise: x rounded down.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.floor([1.5, -1.5]).numpy()
    array([ 1., -2.], dtype=float32)
    """

def floor_div(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: a / b rounded down, as int32.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        int32, of the common shape.

    >>> core.floor_div([7.0, -7.0], 2.0).numpy()
    array([ 3, -4], dtype=int32)
    """

def frame(
    signal: TensorLike,
    frame_length: int,
    frame_step: int,
    pad_end: bool = False,
    pad_value: float = 0,
) -> Tensor:
    """Cut a signal into frames, which overlap if the step is shorter than they are.

    Args:
        signal: [length].
        frame_length: values in each frame.
        frame_step: from the start of a frame to that of the next.
        pad_end: also take frames that begin inside of the signal and end beyond it.
        pad_value: the value after the end of the signal.

    Returns:
        [frames, frame_length]

    >>> import core
    >>> core.frame([1, 2, 3], 2, 1).numpy()
    array([[1, 2],
           [2, 3]], dtype=int32)
    """

def fused_conv2d(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None = None,
    prelu_activation_weights: TensorLike | None = None,
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
    activation: str = "linear",
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """A convolution, then a bias and an activation, in one step.

    Args:
        x: [batch, height, width, in], or [height, width, in]: one image.
        filter: [filter height, filter width, in, out].
        bias: [out], added to every pixel, or anything that broadcasts to the result.
        prelu_activation_weights: for ``"prelu"``: negative slopes, one, [out] or
            [height, width, out] (in the order of ``data_format``).
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.
        activation: ``"linear"``, ``"relu"``, ``"relu6"``, ``"elu"``, ``"sigmoid"``,
            ``"leakyrelu"`` or ``"prelu"``.
        leakyrelu_alpha: for ``"leakyrelu"``: the negative slope.

    >>> core.fused_conv2d(core.ones((1, 2, 2, 1)), core.ones((2, 2, 1, 1)), [5.0],
    ...                   activation="relu6").numpy().ravel()
    array([6.], dtype=float32)
    """

def fused_depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None = None,
    prelu_activation_weights: TensorLike | None = None,
    strides: int | Sequence[int] = 1,
    pad: str | int | Sequence[Sequence[int]] = "valid",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
    activation: str = "linear",
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """A depthwise convolution, a bias and an activation in one step; see `fused_conv2d`.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels, multiplier].
        bias: [channels * multiplier], or anything that broadcasts to the result.
        prelu_activation_weights: for ``"prelu"``: negative slopes, which broadcast.
        strides: see `fused_conv2d`.
        pad: see `fused_conv2d`.
        data_format: see `fused_conv2d`.
        dilations: see `fused_conv2d`.
        dim_rounding_mode: see `fused_conv2d`.
        activation: see `fused_conv2d`.
        leakyrelu_alpha: see `fused_conv2d`.

    >>> core.fused_depthwise_conv2d(core.ones((1, 2, 2, 1)), core.ones((2, 2, 1, 1)), [5.0],
    ...                             activation="relu6").numpy().ravel()
    array([6.], dtype=float32)
    """

def fused_matmul(
    a: TensorLike,
    b: TensorLike,
    bias: TensorLike | None = None,
    prelu_activation_weights: TensorLike | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    activation: str = "linear",
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """A matrix product, then a bias and an activation, in one step.

    Args:
        a: [..., rows, inner]; see `matmul`.
        b: [..., inner, columns].
        bias: [columns], or anything that broadcasts to the result.
        prelu_activation_weights: for ``"prelu"``: negative slopes, which broadcast.
        transpose_a: see `matmul`.
        transpose_b: see `matmul`.
        activation: see `fused_conv2d`.
        leakyrelu_alpha: see `fused_conv2d`.

    >>> core.fused_matmul([[1.0, 2.0]], [[3.0], [-4.0]], [1.0], activation="relu").numpy()
    array([[0.]], dtype=float32)
    """

def gather(x: TensorLike, indices: TensorLike, axis: int = 0, batch_dims: int = 0) -> Tensor:
    """Return the entries along an axis at given indices, in their order.

    Args:
        x: tensor of one axis at least.
        indices: int32, each from 0 to one less than the length of the axis.
        axis: which axis of x.
        batch_dims: so many first axes of x and of indices run together.

    Returns:
        A tensor of x's shape, with the shape of indices (without batch axes) instead of the axis.

    Raises:
        CoreError: an index is outside of the axis.

    >>> core.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy()
    array([[5, 6],
           [1, 2]], dtype=int32)
    """

def gather_nd(x: TensorLike, indices: TensorLike) -> Tensor:
    """Return the entries at given index tuples.

    Args:
        x: tensor of one axis at least.
        indices: [..., depth] int32; each list of ``depth`` numbers names a position on the first
            ``depth`` axes of x.

    Returns:
        A tensor of the shape of indices without its last axis, then the rest of that of x.

    Raises:
        CoreError: an index is outside of x.

    >>> core.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy()
    array([3, 2], dtype=int32)
    """

def gram_schmidt(xs: TensorLike | Sequence[TensorLike]) -> Tensor | list[Tensor]:
    """Orthonormal vectors that span the space of the given vectors.

    Args:
        xs: the rows of a matrix [vectors, length], or a list of vectors [length]; as many as
            their length at most. They must not depend on one another.

    Returns:
        A matrix or a list of vectors, as given.

    >>> import core
    >>> core.gram_schmidt(core.tensor([[2.0, 0.0], [3.0, 4.0]])).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

def grayscale_to_rgb(image: TensorLike) -> Tensor:
    """Repeat the single channel three times.

    Args:
        image: [..., 1], two axes or more.

    Returns:
        [..., 3], of the same dtype.

    >>> import core
    >>> core.grayscale_to_rgb([[7]]).numpy()
    array([[7, 7, 7]], dtype=int32)
    """

def greater(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether a > b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """

def greater_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether a >= b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """

def grid_sample(
    x: TensorLike,
    grid: TensorLike,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """Read images at any positions.

    Args:
        x: [batch, height, width, channels].
        grid: [batch, new height, new width, 2]: for each new pixel the (x, y) to read at, from -1
            (left, top) to 1 (right, bottom); positions beyond are outside of the image.
        mode: ``"bilinear"`` mixes the four nearest pixels, ``"nearest"`` takes one (of two as near
            the one with the even number).
        padding_mode: values outside: ``"zeros"``, ``"border"`` (the nearest pixel of the image)
            or ``"reflection"`` (the image is mirrored at its edges, again and again).
        align_corners: -1 and 1 are the centres of the corner pixels; otherwise the outer edges of
            the image. Give the same to `affine_grid`.

    Returns:
        float32 [batch, new height, new width, channels]. As in PyTorch on its cpu, a NaN in the
        grid reads as -1 where the padding is border or reflection.

    >>> image = core.tensor([[[[1.0], [2.0], [4.0]]]])
    >>> core.grid_sample(image, [[[[0, 0], [0.5, 0], [1, 0]]]], align_corners=True).numpy().ravel()
    array([2., 3., 4.], dtype=float32)
    """

def grid_sample_backprop_input(
    dy: TensorLike,
    grid: TensorLike,
    input_shape: Sequence[int],
    along: str = "",
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """The gradient of `grid_sample` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels].
        grid: [batch, new height, new width, 2].
        input_shape: of the images, [batch, height, width, channels].
        along: for the gradient of `grid_sample_slope`: its ``along``.
        mode: see `grid_sample`; bilinear for a derivative.
        padding_mode: see `grid_sample`.
        align_corners: see `grid_sample`.

    >>> core.grid_sample_backprop_input([[[[8.0]]]], [[[[0.25, 0]]]], input_shape=(1, 1, 2, 1),
    ...                                 align_corners=True).numpy().ravel()
    array([3., 5.], dtype=float32)
    """

def grid_sample_slope(
    x: TensorLike,
    grid: TensorLike,
    along: str,
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """The derivative of `grid_sample` (bilinear) with respect to the positions.

    Args:
        x: [batch, height, width, channels].
        grid: [batch, new height, new width, 2].
        along: the coordinate that moves, ``"x"`` or ``"y"``; ``"xy"`` is how the first one
            changes along the other.
        padding_mode: see `grid_sample`.
        align_corners: see `grid_sample`.

    Returns:
        float32 [batch, new height, new width, channels]; 0 where a position is on a border or
        outside, if the border is repeated.

    >>> image = core.tensor([[[[1.0], [2.0], [4.0]]]])
    >>> core.grid_sample_slope(image, [[[[-0.5, 0], [0.5, 0]]]], along="x",
    ...                        align_corners=True).numpy().ravel()
    array([1., 2.], dtype=float32)
    """

def hamming_window(window_length: int) -> Tensor:
    """The Hamming window: see `cosine_window`.

    Args:
        window_length: how many values.

    Returns:
        float32 [window_length], from 0.08 to 1.

    >>> import core
    >>> core.hamming_window(3).numpy()
    array([0.08, 1.  , 0.08], dtype=float32)
    """

def hann_window(window_length: int) -> Tensor:
    """The Hann window, periodic for an even length: see `cosine_window`.

    Args:
        window_length: how many values.

    Returns:
        float32 [window_length], from 0 to 1.

    >>> import core
    >>> core.hann_window(3).numpy()
    array([0., 1., 0.], dtype=float32)
    """

def identity(x: TensorLike) -> Tensor:
    """A tensor that shares the data.

    Args:
        x: any tensor.

    >>> core.identity([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """

def ifft(input: TensorLike) -> Tensor:
    """The inverse of `fft`: ``ifft(fft(x))`` is x.

    Args:
        input: complex64 [..., length].

    >>> core.ifft(core.complex([3.0, 0.0, 0.0], [0.0, 0.0, 0.0])).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """

def imag(input: TensorLike) -> Tensor:
    """The imaginary parts of complex numbers.

    Args:
        input: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.imag(core.complex([1.0, 2.0], [3.0, 4.0])).numpy()
    array([3., 4.], dtype=float32)
    """

def in_top_k(predictions: TensorLike, targets: TensorLike, k: int = 1) -> Tensor:
    """Whether the right class is among the k classes with the highest scores.

    Args:
        predictions: [..., classes], a score for each class.
        targets: [...], the right class as a number.
        k: from 1 to the number of classes.

    Returns:
        bool, of the shape of targets.

    >>> import core
    >>> core.in_top_k([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], [1, 2], k=2).numpy()
    array([ True, False])
    """

def instance_norm(
    x: TensorLike,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
    epsilon: float = 1e-05,
) -> Tensor:
    """Normalise each channel of each image by its own mean and variance, then scale and shift.

    That is (x - mean) / sqrt(variance + epsilon) * scale + offset, where the variance is the mean
    squared distance from the mean (Ulyanov et al., 2016, https://arxiv.org/abs/1607.08022). The
    mean may be large compared with the differences.

    Args:
        x: [batch, ..., channels] of three axes at least: rows, images, volumes.
        scale: [channels], multiplied before; 1 if absent.
        offset: [channels], added at the end; 0 if absent.
        epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    >>> core.instance_norm([[[1.0], [3.0]]], scale=[4.0], offset=[1.0], epsilon=3.0).numpy().ravel()
    array([-1.,  3.], dtype=float32)
    """

def irfft(input: TensorLike) -> Tensor:
    """The inverse of `rfft`, for an even length of its input.

    Args:
        input: complex64 [..., n]; two values or fewer are transformed as they are.

    Returns:
        float32 [..., 2 (n - 1)], or [..., n] if n is 1 or 2.

    >>> import core
    >>> core.irfft(core.rfft([1.0, 2.0, 3.0, 4.0])).numpy()
    array([1., 2., 3., 4.], dtype=float32)
    """

def is_finite(x: TensorLike) -> Tensor:
    """Element-wise: whether x is a finite number.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        bool, of that shape.

    >>> core.is_finite([1.0, float("nan"), float("inf")]).numpy()
    array([ True, False, False])
    """

def is_inf(x: TensorLike) -> Tensor:
    """Element-wise: whether x is infinite.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        bool, of that shape.

    >>> core.is_inf([1.0, float("-inf")]).numpy()
    array([False,  True])
    """

def is_nan(x: TensorLike) -> Tensor:
    """Element-wise: whether x is NaN.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        bool, of that shape.

    >>> core.is_nan([1.0, float("nan")]).numpy()
    array([False,  True])
    """

def leaky_relu(x: TensorLike, alpha: float = 0.2) -> Tensor:
    """Element-wise: x where positive, else alpha * x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.
        alpha: the negative slope.

    Returns:
        A tensor of that shape and dtype.

    >>> core.leaky_relu([-1.0, 2.0], alpha=0.5).numpy()
    array([-0.5,  2. ], dtype=float32)
    """

def less(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether a < b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """

def less_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether a <= b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """

def linspace(start: float, stop: float, num: int) -> Tensor:
    """Numbers at equal distances, from ``start`` to ``stop``, both included.

    Args:
        start: the first.
        stop: the last.
        num: how many, 1 or more; a single one is ``start``.

    Returns:
        float32 [num]

    >>> core.linspace(0, 1, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """

def local_response_normalization(
    x: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> Tensor:
    """Divide each value by a power of the sum of squares of the channels around it.

    That is x / (bias + alpha * sum of squares) ** beta.

    Args:
        x: [batch, height, width, channels], or one image without the batch.
        depth_radius: how many channels on either side are summed.
        bias: keeps the sum away from 0.
        alpha: weight of the sum.
        beta: the power.

    >>> core.local_response_normalization([[[3.0, 4.0]]], bias=0.0).numpy()
    array([[[0.6, 0.8]]], dtype=float32)
    """

def local_response_normalization_grad(
    x: TensorLike,
    dy: TensorLike,
    y: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> Tensor:
    """The gradient of `local_response_normalization` for its input.

    Args:
        x: the images that were normalised.
        dy: the gradient of the result.
        y: the result.
        depth_radius: see `local_response_normalization`.
        bias: see `local_response_normalization`.
        alpha: see `local_response_normalization`.
        beta: see `local_response_normalization`.

    >>> x = core.ones((1, 1, 1))
    >>> core.local_response_normalization_grad(x, x, x * 0.5, bias=3.0).numpy()
    array([[[0.375]]], dtype=float32)
    """

def log(x: TensorLike) -> Tensor:
    """Element-wise: the natural logarithm of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.log([1.0, 10.0]).numpy()
    array([0.       , 2.3025851], dtype=float32)
    """

def log1p(x: TensorLike) -> Tensor:
    """Element-wise: log(1 + x), exact near 0.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.log1p([0.0, 1e-6]).numpy()
    array([0.000000e+00, 9.999995e-07], dtype=float32)
    """

def log_sigmoid(x: TensorLike) -> Tensor:
    """Element-wise log(1 / (1 + e**-x)), exact where that is near 0.

    Args:
        x: a tensor of real numbers.

    >>> import core
    >>> core.log_sigmoid([0.0, 100.0]).numpy()
    array([-6.931472e-01, -3.783506e-44], dtype=float32)
    """

def log_softmax(logits: TensorLike, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, exact where that is near 0.

    Args:
        logits: real numbers, at least one axis; int32 and bool are converted to float32.
        axis: along which they are weighed against each other; the last by default.

    Returns:
        float32, of the same shape, 0 or less.

    >>> core.log_softmax([0.0, 1000.0]).numpy()
    array([-1000.,     0.], dtype=float32)
    """

def log_softmax_grad(dy: TensorLike, y: TensorLike, axis: int = -1) -> Tensor:
    """The gradient of `core.log_softmax`: dy - (the sum of dy along the axis) * e**y.

    Args:
        dy: the gradient of the result.
        y: the result; of the same shape.
        axis: as given to `core.log_softmax`.

    >>> core.log_softmax_grad([1.0, 0.0], [-0.69314718, -0.69314718]).numpy()
    array([ 0.5, -0.5], dtype=float32)
    """

def log_sum_exp(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The logarithm of the sum of e**x over some axes, where e**x may be infinite.

    Args:
        x: a tensor of real numbers.
        axis: a number, several, or None for all.
        keep_dims: keep the reduced axes with length 1.

    >>> import core
    >>> core.log_sum_exp([1000.0, -1000.0]).item()
    1000.0
    """

def logical_and(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether both values are true.

    Args:
        a: a tensor, bool.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.logical_and([True, True, False], [True, False, False]).numpy()
    array([ True, False, False])
    """

def logical_not(x: TensorLike) -> Tensor:
    """Element-wise: whether x is false.

    Args:
        x: a tensor of any shape, bool.

    Returns:
        A tensor of that shape and dtype.

    >>> core.logical_not([True, False]).numpy()
    array([False,  True])
    """

def logical_or(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether at least one value is true.

    Args:
        a: a tensor, bool.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.logical_or([True, True, False], [True, False, False]).numpy()
    array([ True,  True, False])
    """

def logical_xor(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether exactly one value is true.

    Args:
        a: a tensor, bool.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.logical_xor([True, True, False], [True, False, False]).numpy()
    array([False,  True, False])
    """

def lower_bound(sorted_sequence: TensorLike, values: TensorLike) -> Tensor:
    """For each value, the first position in a sorted row that has no smaller value.

    Args:
        sorted_sequence: [..., n], rows in ascending order, float32 or int32; bool becomes int32.
        values: [..., m], as many rows; mixed dtypes become their common one.

    Returns:
        int32 [..., m], from 0 to n.

    >>> core.lower_bound([1, 3, 3, 5], [3, 4, 9]).numpy()
    array([1, 3, 4], dtype=int32)
    """

def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Tensor:
    """Matrix product of the last two axes; leading axes broadcast.

    Args:
        a: [..., rows, inner], or [..., inner, rows] with ``transpose_a``.
        b: [..., inner, columns], or [..., columns, inner] with ``transpose_b``.
        transpose_a: read a transposed.
        transpose_b: read b transposed.

    Returns:
        [..., rows, columns]

    >>> core.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """

def max(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The largest value over some axes; NaN with a NaN among them, or without values.

    Args:
        x: a tensor of any shape, float32, int32 or bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.max([[1, 2], [3, 4]], axis=1).numpy()
    array([2, 4], dtype=int32)
    """

def max_pool(
    x: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The largest value of each window; NaN and padding are ignored.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter_size: see `avg_pool`.
        strides: see `avg_pool`.
        pad: see `avg_pool`.
        dim_rounding_mode: see `avg_pool`.

    Returns:
        [batch, new height, new width, channels]; -inf for a window without a number.

    >>> core.max_pool([[[1.0], [3.0], [2.0]]], (1, 2), 1, "valid").numpy().ravel()
    array([3., 3.], dtype=float32)
    """

@overload
def max_pool3d(
    x: TensorLike,
    *,
    filter_size: int | Sequence[int] = 1,
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Tensor:
    """The largest value of each window of volumes; NaN and padding are ignored.

    Args:
        x: [batch, depth, height, width, channels], or without batch: one volume.
        filter_size: see `avg_pool3d`, like the rest.
        strides: see `avg_pool3d`.
        pad: see `avg_pool3d`.
        dim_rounding_mode: see `avg_pool3d`.
        data_format: only ``"NDHWC"``.

    >>> core.max_pool3d([[[[1.0], [3.0]]]], (1, 1, 2), 1, "valid").numpy().ravel()
    array([3.], dtype=float32)
    """

@overload
def max_pool3d(
    x: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Tensor: ...

def max_pool3d_grad(
    dy: TensorLike,
    input: TensorLike,
    output: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `max_pool3d`: that of a window belongs to the last of its largest values.

    Args:
        dy: [batch, new depth, new height, new width, channels], the gradient of the result.
        input: [batch, depth, height, width, channels], the volumes that were pooled.
        output: the result, of the shape of dy.
        filter_size: see `avg_pool3d`.
        strides: see `avg_pool3d`.
        pad: see `avg_pool3d`.
        dim_rounding_mode: see `avg_pool3d`.

    Returns:
        float32, of the shape of input.

    >>> core.max_pool3d_grad([[[[[6.0]]]]], [[[[[1.0], [1.0]]]]], [[[[[1.0]]]]], (1, 1, 2), 1,
    ...                      "valid").numpy().ravel()
    array([0., 6.], dtype=float32)
    """

def max_pool_grad(
    dy: TensorLike,
    input: TensorLike,
    output: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    dim_rounding_mode: str | None = None,
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """The gradient of `max_pool`: that of a window belongs to the first of its largest values.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        input: [batch, height, width, channels], the images that were pooled.
        output: the result, of the shape of dy.
        filter_size: see `avg_pool_grad`.
        strides: see `avg_pool_grad`.
        pad: see `avg_pool_grad`.
        dim_rounding_mode: see `avg_pool_grad`.
        dilations: see `avg_pool_grad`.

    Returns:
        float32, of the shape of input.

    >>> core.max_pool_grad([[[[6.0]]]], [[[[1.0], [1.0]]]], [[[[1.0]]]], (1, 2), 1, "valid"
    ...                    ).numpy().ravel()
    array([6., 0.], dtype=float32)
    """

def max_pool_with_argmax(
    x: TensorLike,
    filter_size: int | Sequence[int],
    strides: int | Sequence[int],
    pad: str | int | Sequence[Sequence[int]],
    include_batch_in_index: bool = False,
) -> MaxPoolWithArgmaxResults:
    """The largest value of each window, and its index.

    Args:
        x: [batch, height, width, channels].
        filter_size: see `avg_pool`.
        strides: see `avg_pool`.
        pad: see `avg_pool`.
        include_batch_in_index: count through the batch, not through each image by itself.

    Returns:
        ``result`` as `max_pool` gives it, and ``indexes``, int32 of the same shape: positions of
        the first largest values in the flattened input, -1 where a window has no number.

    >>> core.max_pool_with_argmax([[[[1.0], [3.0], [2.0]]]], (1, 2), 1, "valid").indexes.numpy()
    array([[[[1],
             [1]]]], dtype=int32)
    """

def maximum(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: the larger value.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.maximum([1, 5], [4, 2]).numpy()
    array([4, 5], dtype=int32)
    """

def mean(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The mean over some axes; 0 without values.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.mean([[1, 2], [3, 4]], axis=0, keep_dims=True).numpy()
    array([[2., 3.]], dtype=float32)
    """

def meshgrid(*arrays: TensorLike, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of every point of a grid.

    Args:
        arrays: the coordinates along each axis; they are flattened.
        indexing: ``"xy"``: the first array runs along the second axis; ``"ij"``: along the first.

    Returns:
        A list with a tensor for each array, all of the shape of the grid.

    >>> import core
    >>> [c.numpy().tolist() for c in core.meshgrid([1, 2, 3], [4, 5])]
    [[[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]]]
    """

def min(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The smallest value over some axes; NaN with a NaN among them, or without values.

    Args:
        x: a tensor of any shape, float32, int32 or bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.min([[1, 2], [3, 4]], axis=1).numpy()
    array([1, 3], dtype=int32)
    """

def minimum(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: the smaller value.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.minimum([1, 5], [4, 2]).numpy()
    array([1, 2], dtype=int32)
    """

def mirror_pad(
    x: TensorLike,
    paddings: Sequence[Sequence[int]],
    mode: str = "reflect",
) -> Tensor:
    """Pad a tensor by mirroring its values.

    Args:
        x: tensor of one axis at least.
        paddings: for each axis how much before and after, up to its length (less 1 if reflected).
        mode: ``"reflect"`` mirrors at the outermost values, ``"symmetric"`` repeats them.

    >>> core.mirror_pad([1, 2, 3], paddings=[(2, 2)], mode="reflect").numpy()
    array([3, 2, 1, 2, 3, 2, 1], dtype=int32)
    """

def mod(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: the remainder of a / b, with the sign of b.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.mod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """

def moments(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Moments:
    """Mean and variance over some axes.

    Args:
        x: a tensor of real numbers.
        axis: a number, several, or None for all.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A named tuple ``(mean, variance)``; the variance is the mean squared distance from the mean.

    >>> import core
    >>> mean, variance = core.moments([1.0, 2.0, 3.0, 4.0])
    >>> mean.item(), variance.item()
    (2.5, 1.25)
    """

def moving_average(
    v: TensorLike,
    x: TensorLike,
    decay: TensorLike,
    step: TensorLike | None = None,
    zero_debias: bool = True,
) -> Tensor:
    """A moving average, updated with one more value.

    Source of the correction: Kingma and Ba, "Adam", https://arxiv.org/abs/1412.6980, section 3.

    Args:
        v: the average so far.
        x: the new value, of the same shape and dtype.
        decay: how much the average keeps, such as 0.95; a scalar.
        step: the number of values with this one; needed for ``zero_debias``.
        zero_debias: correct for an average that began with 0.

    Returns:
        ``v + (x - v) * (1 - decay)``; with ``zero_debias`` the change is divided by
        ``1 - decay ** step``.

    >>> import core
    >>> core.moving_average([1.0], [2.0], 0.75, zero_debias=False).numpy()
    array([1.25], dtype=float32)
    """

def mul(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: a * b.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.mul([10, 20], 3).numpy()
    array([30, 60], dtype=int32)
    """

def multi_rnn_cell(
    lstm_cells: Sequence[Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]],
    data: TensorLike,
    c: Sequence[TensorLike],
    h: Sequence[TensorLike],
) -> tuple[list[Tensor], list[Tensor]]:
    """One step of stacked cells: the output of each cell is the input of the next.

    Args:
        lstm_cells: functions of (data, c, h) that return the new c and h.
        data: [batch, inputs], the input of the first.
        c: for each cell its state.
        h: for each cell its output of the step before.

    Returns:
        The new states and the new outputs, two lists.

    >>> import core
    >>> add = lambda data, c, h: (c + data, h + data)
    >>> c, h = [[[1.0]], [[2.0]]], [[[0.0]], [[0.0]]]
    >>> c, h = core.multi_rnn_cell([add, add], [[1.0]], c, h)
    >>> c[1].item(), h[1].item()
    (3.0, 1.0)
    """

def multinomial(
    logits: TensorLike,
    num_samples: int,
    seed: int | float | str | None = None,
    normalized: bool = False,
) -> Tensor:
    """Draw outcomes with given probabilities.

    Args:
        logits: [n] or [batch, n], unnormalised log probabilities of the outcomes, at least two.
        num_samples: how many to draw for each row.
        seed: for the same outcomes each time.
        normalized: the logits are probabilities instead, which add up to 1.

    Returns:
        int32 [num_samples] or [batch, num_samples]: numbers of outcomes.

    >>> core.multinomial([0.0, 100.0], 3).numpy()
    array([1, 1, 1], dtype=int32)
    """

def neg(x: TensorLike) -> Tensor:
    """Element-wise: -x.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.neg([1.5, -2.0]).numpy()
    array([-1.5,  2. ], dtype=float32)
    """

def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = ...,
) -> Tensor:
    """Indices of the best boxes that do not overlap much, best first.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: how many to keep at most.
        iou_threshold: a box is dropped if it shares this part or more (intersection over union)
            with a better one, 0 to 1.
        score_threshold: boxes need a higher score than this.

    Returns:
        int32 [kept]

    >>> boxes = [[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]
    >>> core.non_max_suppression(boxes, [0.8, 0.9, 0.3], max_output_size=3).numpy()
    array([1, 2], dtype=int32)
    """

def non_max_suppression_async(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = ...,
) -> Coroutine[Any, Any, Tensor]:
    """`non_max_suppression` in a worker thread: an awaitable of its result.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: how many to keep at most.
        iou_threshold: a box is dropped if it shares this part or more (intersection over union)
            with a better one, 0 to 1.
        score_threshold: boxes need a higher score than this.

    Returns:
        int32 [kept]

    >>> import asyncio, core
    >>> boxes, scores = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]], [0.8, 0.9, 0.3]
    >>> kept = asyncio.run(core.non_max_suppression_async(boxes, scores, max_output_size=3))
    >>> kept.numpy()
    array([1, 2], dtype=int32)
    """

def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = ...,
    pad_to_max_output_size: bool = False,
) -> NonMaxSuppressionPaddedResults:
    """`non_max_suppression`, padded to a fixed number of indices, with the number of kept boxes.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: see `non_max_suppression`.
        iou_threshold: see `non_max_suppression`.
        score_threshold: see `non_max_suppression`.
        pad_to_max_output_size: fill up with zeros to ``max_output_size`` indices.

    Returns:
        A named tuple: selected_indices, int32 [kept or padded], and valid_outputs, how many of
        them were kept.

    >>> core.non_max_suppression_padded([[0, 0, 1, 1], [0, 0, 1, 1]], [0.8, 0.9], max_output_size=2,
    ...                                 pad_to_max_output_size=True).selected_indices.numpy()
    array([1, 0], dtype=int32)
    """

def non_max_suppression_padded_async(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = ...,
    pad_to_max_output_size: bool = False,
) -> Coroutine[Any, Any, NonMaxSuppressionPaddedResults]:
    """`non_max_suppression_padded` in a worker thread: an awaitable of its result.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: see `non_max_suppression`.
        iou_threshold: see `non_max_suppression`.
        score_threshold: see `non_max_suppression`.
        pad_to_max_output_size: fill up with zeros to ``max_output_size`` indices.

    Returns:
        A named tuple: selected_indices, int32 [kept or padded], and valid_outputs, how many of
        them were kept.

    >>> import asyncio, core
    >>> boxes, scores = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]], [0.8, 0.9, 0.3]
    >>> kept = asyncio.run(core.non_max_suppression_padded_async(boxes, scores, max_output_size=3))
    >>> kept.selected_indices.numpy()
    array([1, 2], dtype=int32)
    """

def non_max_suppression_with_score(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = ...,
    soft_nms_sigma: float = 0.0,
) -> NonMaxSuppressionWithScoreResults:
    """`non_max_suppression` with scores, which soft NMS lowers for overlapping boxes.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: see `non_max_suppression`.
        iou_threshold: see `non_max_suppression`.
        score_threshold: see `non_max_suppression`.
        soft_nms_sigma: 0 to 1: how far an overlap reaches that lowers a score, by
            exp(-overlap² / (2 sigma)); 0 lowers none. Lowered scores must exceed
            ``score_threshold``, too.

    Returns:
        A named tuple: selected_indices, int32 [kept], and selected_scores, float32 [kept].

    >>> kept = core.non_max_suppression_with_score([[0, 0, 1, 1], [0, 0, 1, 2]], [0.9, 0.8],
    ...                                            max_output_size=2, soft_nms_sigma=0.5)
    >>> kept.selected_indices.numpy()
    array([0], dtype=int32)
    """

def non_max_suppression_with_score_async(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = ...,
    soft_nms_sigma: float = 0.0,
) -> Coroutine[Any, Any, NonMaxSuppressionWithScoreResults]:
    """`non_max_suppression_with_score` in a worker thread: an awaitable of its result.

    Args:
        boxes: [boxes, 4]: y1, x1, y2, x2; either corner first.
        scores: [boxes].
        max_output_size: see `non_max_suppression`.
        iou_threshold: see `non_max_suppression`.
        score_threshold: see `non_max_suppression`.
        soft_nms_sigma: 0 to 1: how far an overlap reaches that lowers a score, by
            exp(-overlap² / (2 sigma)); 0 lowers none. Lowered scores must exceed
            ``score_threshold``, too.

    Returns:
        A named tuple: selected_indices, int32 [kept], and selected_scores, float32 [kept].

    >>> import asyncio, core
    >>> boxes, scores = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]], [0.8, 0.9, 0.3]
    >>> kept = asyncio.run(core.non_max_suppression_with_score_async(boxes, scores, max_output_size=3))
    >>> kept.selected_indices.numpy()
    array([1, 2], dtype=int32)
    """

def norm(
    x: TensorLike,
    ord: float | str = "euclidean",
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        x: a tensor of numbers.
        ord: of vectors ``"euclidean"`` or 2, 1 (the sum of magnitudes), or plus or minus
            infinity (the largest or smallest magnitude); of matrices ``"euclidean"`` or ``"fro"``,
            1 (the largest sum of a column), or plus or minus infinity (the largest or smallest
            sum of a row).
        axis: one axis for vectors, two (rows, columns) for matrices, None for one vector of all
            values.
        keep_dims: keep the reduced axes with length 1.

    Raises:
        CoreError: more than two axes, or no such norm.

    >>> import core
    >>> core.norm([3.0, 4.0]).item(), core.norm([[1.0, -2.0], [3.0, 4.0]], 1, (0, 1)).item()
    (5.0, 6.0)
    """

def not_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: whether a != b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.not_equal(["a", "b"], ["a", "c"]).numpy()
    array([False,  True])
    """

def numpy_function(x: TensorLike, function: Callable[[ndarray], ndarray]) -> Tensor:
    """Apply a function of arrays, also inside of a compiled function; it has no gradient.

    Args:
        x: float32 of any shape.
        function: takes a read-only array and returns one of its shape, at each run anew.

    Raises:
        CoreError: the result has another shape.

    >>> import numpy as np
    >>> core.numpy_function([2.0, 1.0], function=np.sort).numpy()
    array([1., 2.], dtype=float32)
    """

def one_hot(
    indices: TensorLike,
    depth: int,
    on_value: float | bool = 1,
    off_value: float | bool = 0,
    dtype: DType = "int32",
) -> Tensor:
    """Return a vector for each index, with one value at the index and another one elsewhere.

    Args:
        indices: int32; one outside of the vector gives a vector without the first value.
        depth: length of the vectors, from 2 on.
        on_value: at the index.
        off_value: elsewhere.
        dtype: of the result, any but ``"string"``.

    Returns:
        A tensor of the shape of indices with an axis of ``depth`` at the end.

    >>> core.one_hot([0, 2], depth=3).numpy()
    array([[1, 0, 0],
           [0, 0, 1]], dtype=int32)
    """

def ones(shape: Sequence[int], dtype: DType = "float32") -> Tensor:
    """A tensor of ones.

    Args:
        shape: length of each axis.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"complex64"``.

    >>> import core
    >>> core.ones((2,)).numpy()
    array([1., 1.], dtype=float32)
    """

def ones_like(x: TensorLike) -> Tensor:
    """Element-wise: ones of x's shape.

    Args:
        x: a tensor of any shape, of any dtype but string.

    Returns:
        A tensor of that shape and dtype.

    >>> core.ones_like([[1.0, 2.0]]).numpy()
    array([[1., 1.]], dtype=float32)
    """

def outer_product(v1: TensorLike, v2: TensorLike) -> Tensor:
    """The products of all pairs of values of two vectors.

    Args:
        v1: [rows].
        v2: [columns].

    Returns:
        [rows, columns]

    >>> import core
    >>> core.outer_product([1.0, 2.0], [3.0, 4.0]).numpy()
    array([[3., 4.],
           [6., 8.]], dtype=float32)
    """

def pad(x: TensorLike, paddings: Sequence[Sequence[int]], constant_value: Scalar = 0) -> Tensor:
    """Pad a tensor with one value.

    Args:
        x: tensor of one axis at least.
        paddings: for each axis how much before and after.
        constant_value: of the border.

    >>> core.pad([1, 2], paddings=[(1, 2)]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)
    """

def pool(
    input: TensorLike,
    window_shape: int | Sequence[int],
    pooling_type: str,
    pad: str | int | Sequence[Sequence[int]],
    dilations: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The average or the largest value of each window, which may be dilated.

    Args:
        input: [batch, height, width, channels], or [height, width, channels]: one image.
        window_shape: of a window, one number or (height, width).
        pooling_type: ``"avg"`` or ``"max"``.
        pad: see `avg_pool`. With dilations, padding counts as zeros.
        dilations: distance between the pixels that a window reads; 1 if the strides are not.
        strides: see `avg_pool`.
        dim_rounding_mode: see `conv2d`.

    >>> core.pool([[[1.0], [9.0], [4.0]]], (1, 2), "max", "valid", dilations=(1, 2)).item()
    4.0
    """

def pow(base: TensorLike, exp: TensorLike) -> Tensor:
    """Element-wise: base to the power of exp.

    Args:
        base: a tensor, float32 or int32; bool becomes int32.
        exp: a tensor of a shape that broadcasts with that of base; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.pow([2.0, 3.0], [3.0, -1.0]).numpy()
    array([8.        , 0.33333334], dtype=float32)
    """

def prelu(x: TensorLike, alpha: TensorLike) -> Tensor:
    """Element-wise: x where positive, else alpha * x.

    Args:
        x: a tensor, float32; int32 and bool are converted to it.
        alpha: a tensor of a shape that broadcasts with that of x; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.prelu([[-1.0, -1.0, 2.0]], [0.5, 0.1, 0.1]).numpy()
    array([[-0.5, -0.1,  2. ]], dtype=float32)
    """

def prod(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The product over some axes; 1 without values.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12], dtype=int32)
    """

def qr(x: TensorLike, full_matrices: bool = False) -> tuple[Tensor, Tensor]:
    """Factor matrices as Q R: Q with orthonormal columns, R upper triangular.

    By Householder's reflections, with the signs of TensorFlow.js.

    Args:
        x: [..., rows, columns].
        full_matrices: keep all columns of Q and all rows of R where x has more rows than columns.

    Returns:
        Q [..., rows, inner] and R [..., inner, columns], where inner is the smaller of rows and
        columns, or rows with ``full_matrices``.

    >>> import core
    >>> q, r = core.qr([[3.0, 0.0], [4.0, 5.0]])
    >>> r.numpy().round(3) + 0
    array([[-5., -4.],
           [ 0., -3.]], dtype=float32)
    """

def quantise_round(
    x: TensorLike,
    scale: float,
    zero_point: int,
    low: int,
    high: int,
    nudge: bool = True,
) -> Tensor:
    """The nearest quantized real values: ``(integer - zero_point) * scale``.

    Halves are rounded away from 0, as LiteRT's reference kernels do: QUANTIZE by ``std::round``,
    the others by a product of integers that ends the same way. The gradient is that of
    clipping: rounding is passed straight through (Bengio et al. 2013, arXiv:1308.3432).

    Args:
        x: tensor of any shape.
        scale: the difference of adjacent real values, above 0.
        zero_point: the quantized value of 0.
        low: the smallest quantized value; smaller ones are raised to it.
        high: the largest quantized value.
        nudge: values less than a millionth (2**-20) below a half count as a half. It is right for
            results of a few exact values, such as a sum of two, where float32 just missed the half.
            Sums of many products are hardly ever exact halves.

    Returns:
        float32, of the shape of x.

    >>> core.quantise_round([-9.0, 0.24, 0.26, 9.0], 0.5, zero_point=1, low=-4, high=4).numpy()
    array([-2.5,  0. ,  0.5,  1.5], dtype=float32)
    """

def ragged_bincount(
    splits: TensorLike,
    values: TensorLike,
    weights: TensorLike | None = None,
    *,
    size: int,
    binary_output: bool = False,
) -> Tensor:
    """Count how often each number from 0 to ``size - 1`` occurs in each row of a ragged tensor.

    Args:
        splits: int32 [rows + 1], where the values of each row begin and end.
        values: int32 [n], from 0 on; numbers of ``size`` and more are left out.
        weights: the count of each value, [n]; 1 if absent or empty.
        size: how many numbers.
        binary_output: say only whether a number occurs, as 1 or 0.

    Returns:
        [rows, size], of the dtype of the weights (int32 without).

    Raises:
        CoreError: a value is negative, or splits and values do not fit together.

    >>> import core
    >>> core.ragged_bincount([0, 2, 2, 3], [1, 1, 0], size=2).numpy()
    array([[0, 2],
           [0, 0],
           [1, 0]], dtype=int32)
    """

def ragged_gather(
    params_nested_splits: Sequence[TensorLike],
    params_dense_values: TensorLike,
    indices: TensorLike,
    output_ragged_rank: int | None = None,
) -> GatheredRows:
    """Rows of a ragged tensor.

    Args:
        params_nested_splits: for each ragged axis, from the outermost on, int32 [rows + 1]: where
            its rows begin and end in the next axis.
        params_dense_values: [n, ...], the values of the innermost rows.
        indices: int32 of any shape, which rows of the outermost axis to take.
        output_ragged_rank: the number of splits in the result; it follows from the rest.

    Returns:
        A named tuple: output_nested_splits, a list, and output_dense_values.

    Raises:
        CoreError: an index is outside of the rows, or splits fall or point past the values.

    >>> import core
    >>> rows = core.ragged_gather([[0, 2, 3]], [1.0, 2.0, 3.0], [1, 0])
    >>> rows.output_nested_splits[0].numpy(), rows.output_dense_values.numpy()
    (array([0, 1, 3], dtype=int32), array([3., 1., 2.], dtype=float32))
    """

def ragged_gather_parts(
    params_nested_splits: Sequence[TensorLike],
    params_dense_values: TensorLike,
    indices: TensorLike,
    output_ragged_rank: int | None = None,
) -> list[Tensor]:
    """The results of `core.ragged_gather` as one list: the splits, and last the values.

    Args:
        params_nested_splits: see `ragged_gather`, like the rest.
        params_dense_values: see `ragged_gather`.
        indices: see `ragged_gather`.
        output_ragged_rank: see `ragged_gather`.

    >>> splits, values = core.ragged_gather_parts([[0, 2, 3]], ["a", "b", "c"], [1, 0])
    >>> splits.numpy(), values.numpy()
    (array([0, 1, 3], dtype=int32), array([b'c', b'a', b'b'], dtype=object))
    """

def ragged_range(
    starts: TensorLike,
    limits: TensorLike,
    deltas: TensorLike,
) -> RaggedRangeResults:
    """Sequences of numbers, one for each row.

    Args:
        starts: first number of each row: [rows], or a scalar for all.
        limits: where each row ends, itself not included: [rows] or a scalar.
        deltas: step of each row, not 0: [rows] or a scalar.

    Returns:
        A named tuple: rt_nested_splits int32 [rows + 1] and rt_dense_values, of the dtype of the
        inputs. A row whose step leads away from its limit is empty.

    >>> ranges = core.ragged_range([2, 5], [4, 9], [1, 3])
    >>> ranges.rt_nested_splits.numpy(), ranges.rt_dense_values.numpy()
    (array([0, 2, 4], dtype=int32), array([2, 3, 5, 8], dtype=int32))
    """

def ragged_tensor_to_tensor(
    shape: TensorLike,
    values: TensorLike,
    default_value: TensorLike,
    row_partition_tensors: Sequence[TensorLike],
    row_partition_types: Sequence[str],
) -> Tensor:
    """A ragged tensor as a dense one: short rows are padded, long rows cut.

    Args:
        shape: int32 [rank], of the result; -1 for as long as the longest row. A scalar -1 for
            that everywhere.
        values: [n, ...], of any dtype.
        default_value: fills rows, of the values' dtype: a scalar or as large as a value.
        row_partition_tensors: how the values are parted into rows, from the outermost axis on.
        row_partition_types: the kind of each of these tensors: ``"FIRST_DIM_SIZE"`` (a scalar;
            only the first), ``"ROW_SPLITS"`` (where rows begin and end) or ``"VALUE_ROWIDS"`` (for
            each value its row, never falling; not the first).

    Raises:
        CoreError: partitions, values, default and shape do not fit together.

    >>> core.ragged_tensor_to_tensor(
    ...     [-1, -1], [1, 2, 3], 0, [[0, 1, 1, 3]], row_partition_types=["ROW_SPLITS"]
    ... ).numpy()
    array([[1, 0],
           [0, 0],
           [2, 3]], dtype=int32)
    """

def rand(
    shape: Sequence[int],
    rand_function: Callable[[], float],
    dtype: DType = "float32",
) -> Tensor:
    """A tensor whose values a function draws, one by one.

    Args:
        shape: length of each axis.
        rand_function: called without arguments for each value.
        dtype: ``"float32"``; ``"int32"`` or ``"bool"`` cut fractions off.

    >>> import core, random
    >>> core.rand((2, 3), random.Random(1).random).shape
    (2, 3)
    """

def random_gamma(
    shape: Sequence[int],
    alpha: float,
    beta: float = 1,
    dtype: DType = "float32",
    seed: int | float | str | None = None,
) -> Tensor:
    """Random numbers of a gamma distribution, whose mean is ``alpha / beta``.

    Args:
        shape: length of each axis.
        alpha: shape of the distribution, above 0.
        beta: its rate (inverse scale), above 0.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_gamma((2, 3), 2.0).shape
    (2, 3)
    """

def random_normal(
    shape: Sequence[int],
    mean: float = 0,
    std_dev: float = 1,
    dtype: DType = "float32",
    seed: int | float | str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution.

    Args:
        shape: length of each axis.
        mean: of the distribution.
        std_dev: its standard deviation.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_normal((2, 3), mean=5, std_dev=0.1, seed=1).shape
    (2, 3)
    """

def random_standard_normal(
    shape: Sequence[int],
    dtype: DType = "float32",
    seed: int | float | str | None = None,
) -> Tensor:
    """Random numbers of the normal distribution with mean 0 and standard deviation 1.

    Args:
        shape: length of each axis.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_standard_normal((2, 3)).shape
    (2, 3)
    """

def random_uniform(
    shape: Sequence[int],
    minval: float = 0,
    maxval: float = 1,
    dtype: DType = "float32",
    seed: int | float | str | None = None,
) -> Tensor:
    """Random numbers of a uniform distribution over a range.

    Args:
        shape: length of each axis.
        minval: the least value.
        maxval: the end of the range, itself not included.
        dtype: ``"float32"``, ``"int32"`` (integer bounds) or ``"bool"`` (true and false with
            the same probability, whatever the bounds).
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_uniform((3,), 1, 7, "int32", seed=3).numpy()
    array([5, 1, 2], dtype=int32)
    """

def random_uniform_int(
    shape: Sequence[int],
    minval: int,
    maxval: int,
    seed: int | float | str | None = None,
) -> Tensor:
    """Random integers from ``minval`` to ``maxval - 1``.

    Args:
        shape: length of each axis.
        minval: the least value.
        maxval: the end of the range, itself not included.
        seed: for the same numbers each time.

    Returns:
        int32

    >>> import core
    >>> core.random_uniform_int((3,), 1, 7, seed=3).numpy()
    array([5, 1, 2], dtype=int32)
    """

def range(start: float, stop: float, step: float = 1, dtype: DType = "float32") -> Tensor:
    """Numbers from ``start`` up to, but excluding, ``stop``.

    Args:
        start: the first.
        stop: the first that is left out.
        step: between two of them; by default, or with 1, the numbers descend if ``stop`` is lower.
        dtype: ``"float32"`` or ``"int32"``.

    >>> core.range(0, 6, 2).numpy()
    array([0., 2., 4.], dtype=float32)
    """

def real(input: TensorLike) -> Tensor:
    """The real parts of complex numbers.

    Args:
        input: complex64 tensor of any shape.

    Returns:
        float32, of the same shape.

    >>> core.real(core.complex([1.0, 2.0], [3.0, 4.0])).numpy()
    array([1., 2.], dtype=float32)
    """

def reciprocal(x: TensorLike) -> Tensor:
    """Element-wise: 1 / x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.reciprocal([2.0, -4.0]).numpy()
    array([ 0.5 , -0.25], dtype=float32)
    """

def relu(x: TensorLike) -> Tensor:
    """Element-wise: x where positive, else 0.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.relu([-1.5, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """

def relu6(x: TensorLike) -> Tensor:
    """Element-wise: x clipped to 0..6.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.relu6([-1.5, 2.0, 8.0]).numpy()
    array([0., 2., 6.], dtype=float32)
    """

def relu_grad(dy: TensorLike, y: TensorLike) -> Tensor:
    """The gradient of `core.relu`: dy where y is positive, else 0; NaN where y is.

    Args:
        dy: the gradient of the result.
        y: the result or the input; of the same shape.

    >>> core.relu_grad([3.0, 3.0], [2.0, 0.0]).numpy()
    array([3., 0.], dtype=float32)
    """

def reshape(x: TensorLike, shape: Sequence[int]) -> Tensor:
    """Return the data in another shape; one length may be -1.

    Args:
        x: any tensor.
        shape: length of each axis, with as many values in all; one may be -1: it follows from
            the others.

    Returns:
        A tensor that shares the data of x.

    Raises:
        CoreError: the values do not fill that shape.

    >>> core.reshape([1, 2, 3, 4, 5, 6], shape=(2, -1)).shape
    (2, 3)
    """

def resize_bilinear(
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images, mixing the four nearest pixels.

    Args:
        images: [batch, height, width, channels], or one image without the batch.
        size: new (height, width).
        align_corners: the centres of the corner pixels stay where they are.
        half_pixel_centers: pixel i has its centre at i + 0.5, else at i.

    Returns:
        float32 [batch, new height, new width, channels]

    >>> core.resize_bilinear([[[[0.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([0., 1., 2., 2.], dtype=float32)
    """

def resize_bilinear_grad(
    dy: TensorLike,
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    """The gradient of `resize_bilinear` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        images: the images that were resized; only their shape counts.
        size: see `resize_bilinear`.
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    Returns:
        float32, of the shape of images.

    >>> dy, images = core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1))
    >>> core.resize_bilinear_grad(dy, images, size=(1, 4)).numpy().ravel()
    array([1.5, 2.5], dtype=float32)
    """

def resize_nearest_neighbor(
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images by the nearest pixel.

    Args:
        images: [batch, height, width, channels], or one image without the batch; float32 or int32.
        size: see `resize_bilinear`.
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    Returns:
        float32 or int32, as the images.

    >>> core.resize_nearest_neighbor([[[[1.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """

def resize_nearest_neighbor_grad(
    dy: TensorLike,
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    """The gradient of `resize_nearest_neighbor` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        images: the images that were resized; only their shape counts.
        size: see `resize_nearest_neighbor`.
        align_corners: see `resize_nearest_neighbor`.
        half_pixel_centers: see `resize_nearest_neighbor`.

    Returns:
        float32, of the shape of images.

    >>> dy, images = core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1))
    >>> core.resize_nearest_neighbor_grad(dy, images, size=(1, 4)).numpy().ravel()
    array([2., 2.], dtype=float32)
    """

def reverse(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """Reverse the order along some axes (all by default).

    Args:
        x: any tensor.
        axis: a number, several, or None for all; negative ones count from the last.

    >>> core.reverse([1, 2, 3]).numpy()
    array([3, 2, 1], dtype=int32)
    """

def rfft(input: TensorLike, fft_length: int | None = None) -> Tensor:
    """The Fourier transform of real values along the last axis, without its mirrored half.

    Args:
        input: float32 [..., length].
        fft_length: cut the values off at this length, or fill them up to it with zeros.

    Returns:
        complex64 [..., length // 2 + 1]

    >>> import core
    >>> core.rfft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """

def rgb_to_grayscale(image: TensorLike) -> Tensor:
    """The brightness of red, green and blue: 0.2989 r + 0.5870 g + 0.1140 b.

    Args:
        image: [..., 3], two to six axes.

    Returns:
        [..., 1], of the same dtype; int32 is cut off, not rounded.

    >>> import core
    >>> core.rgb_to_grayscale([[100, 0, 0]]).numpy()
    array([[29]], dtype=int32)
    """

def rotate_with_offset(
    image: TensorLike,
    radians: float,
    fill_value: float | Sequence[float] = 0,
    center: float | Sequence[float] = 0.5,
) -> Tensor:
    """Rotate images counter-clockwise; each pixel takes the nearest source pixel.

    Args:
        image: [batch, height, width, channels].
        radians: by how much.
        fill_value: of pixels from outside of the image: a number, or one for each of red,
            green and blue; a fourth channel (opacity) is then filled with 255.
        center: the fixed point, as a share of width and height: a number or (x, y).

    >>> image = core.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> core.rotate_with_offset(image, radians=3.14159, fill_value=9.0).numpy().ravel()
    array([9., 9., 9., 4.], dtype=float32)
    """

def round(x: TensorLike) -> Tensor:
    """Element-wise: x rounded, halves to even.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.round([1.5, 2.5, -0.4]).numpy()
    array([ 2.,  2., -0.], dtype=float32)
    """

def rsqrt(x: TensorLike) -> Tensor:
    """Element-wise: 1 / sqrt(x).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """

def scalar(value: Scalar, dtype: DType | None = None) -> Tensor:
    """A tensor of one value and no axes.

    Args:
        value: a number, a bool or a string.
        dtype: see `core.tensor`; by default that of the value.

    >>> import core
    >>> core.scalar(2.5).shape
    ()
    """

def scatter_nd(indices: TensorLike, updates: TensorLike, shape: Sequence[int]) -> Tensor:
    """Write values at indices into a tensor of zeros; values with one index are added.

    Args:
        indices: [..., depth] int32, positions on the first ``depth`` axes; or a vector of positions
            on the first axis.
        updates: [..., rest of shape], the values to put.
        shape: of the result.

    Raises:
        CoreError: an index is outside of the shape.

    >>> core.scatter_nd([[1], [3], [1]], [5, 6, 7], shape=(4,)).numpy()
    array([ 0, 12,  0,  6], dtype=int32)
    """

def search_sorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
) -> Tensor:
    """The positions of values in sorted rows.

    Args:
        sorted_sequence: [..., n], each row in ascending order.
        values: [..., m]; NaN belongs to the start.
        side: ``"left"`` of equal values or ``"right"`` of them.

    Returns:
        int32 [..., m], from 0 to n.

    >>> core.search_sorted([1, 3, 3, 5], [3, 6], side="right").numpy()
    array([3, 4], dtype=int32)
    """

def select(condition: TensorLike, t: TensorLike, e: TensorLike) -> Tensor:
    """Values of ``t`` where the condition is true, else of ``e``.

    Args:
        condition: bool tensor.
        t: values where true; all three have shapes that broadcast.
        e: values where false; a mixed pair takes the common dtype.

    >>> core.select([True, False], [1.0, 2.0], [3.0, 4.0]).numpy()
    array([1., 4.], dtype=float32)
    """

def selu(x: TensorLike) -> Tensor:
    """Element-wise: elu with the scales that keep mean 0 and variance 1.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.selu([-1.0, 2.0]).numpy()
    array([-1.1113307,  2.101402 ], dtype=float32)
    """

def separable_conv2d(
    x: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: int | Sequence[int] = 1,
    pad: str | int | tuple[tuple[int, int], ...] = "valid",
    dilation: int | Sequence[int] = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """A depthwise convolution, then one that mixes the channels of each pixel.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        depthwise_filter: [filter height, filter width, channels, multiplier].
        pointwise_filter: [1, 1, channels * multiplier, out].
        strides: of the depthwise convolution; see `conv2d`, like the rest.
        pad: see `conv2d`.
        dilation: see `conv2d`.
        data_format: only ``"NHWC"``.

    Returns:
        [batch, new height, new width, out]

    >>> import core
    >>> core.separable_conv2d(core.ones((2, 2, 3)), core.ones((2, 2, 3, 1)),
    ...                       core.ones((1, 1, 3, 2))).numpy().ravel()
    array([12., 12.], dtype=float32)
    """

def set_random_seed(seed: int | float | str | None) -> None:
    """Restart the process's random generator, which is used without a seed, from this seed.

    Args:
        seed: an integer, or any number or text; None for unpredictable numbers.

    >>> import core
    >>> core.set_random_seed(1)
    >>> first = core.random_uniform((3,)).numpy()
    >>> core.set_random_seed(1)
    >>> bool((core.random_uniform((3,)).numpy() == first).all())
    True
    """

def setdiff1d(x: TensorLike, y: TensorLike) -> Difference:
    """The values of one vector that do not occur in another one, in their order.

    Args:
        x: vector of any dtype.
        y: vector of the same dtype.

    Returns:
        ``values``, and as int32 their ``indices`` in x.

    >>> import core
    >>> values, indices = core.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> values.numpy(), indices.numpy()
    (array([1, 3], dtype=int32), array([0, 2], dtype=int32))
    """

def sigmoid(x: TensorLike) -> Tensor:
    """Element-wise: 1 / (1 + e**-x).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sigmoid([0.0, 2.0]).numpy()
    array([0.5      , 0.8807971], dtype=float32)
    """

def sign(x: TensorLike) -> Tensor:
    """Element-wise: -1, 0 or 1 by the sign of x.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sign([-3.0, 0.0, 5.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """

def sin(x: TensorLike) -> Tensor:
    """Element-wise: the sine of x (radians).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sin([0.0, 1.5707964]).numpy()
    array([0., 1.], dtype=float32)
    """

def sinh(x: TensorLike) -> Tensor:
    """Element-wise: the hyperbolic sine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sinh([0.0, 1.0]).numpy()
    array([0.       , 1.1752012], dtype=float32)
    """

def slice(
    x: TensorLike,
    begin: int | Sequence[int],
    size: int | Sequence[int] | None = None,
) -> Tensor:
    """A block of a tensor.

    Args:
        x: tensor of one axis at least.
        begin: first index on each axis; 0 where left out.
        size: length of the block on each axis; -1, or left out, means up to the end.

    >>> core.slice([1, 2, 3, 4], begin=(1,), size=(2,)).numpy()
    array([2, 3], dtype=int32)
    """

def softmax(logits: TensorLike, axis: int = -1) -> Tensor:
    """e**logits divided by their sum along an axis: positive numbers with sum 1.

    Args:
        logits: real numbers, at least one axis; int32 and bool are converted to float32.
        axis: along which the sum is 1; the last by default.

    Returns:
        float32, of the same shape.

    >>> core.softmax([[1.0, 1.0, 1.0, 1.0]]).numpy()
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """

def softplus(x: TensorLike) -> Tensor:
    """Element-wise: log(1 + e**x).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.softplus([0.0, 100.0]).numpy()
    array([  0.6931472, 100.       ], dtype=float32)
    """

def space_to_batch_nd(
    x: TensorLike,
    block_shape: Sequence[int],
    paddings: Sequence[Sequence[int]],
) -> Tensor:
    """Move every pixel of a block to a separate batch entry.

    Args:
        x: [batch, *space, ...].
        block_shape: lengths of a block, one for each axis of space.
        paddings: zeros to put before and after each axis of space, so that blocks divide it.

    Returns:
        [batch * product of block_shape, *smaller space, ...].

    >>> core.space_to_batch_nd([[1, 2, 3, 4]], block_shape=(2,), paddings=[(0, 0)]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """

def sparse_fill_empty_rows(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    default_value: TensorLike,
) -> SparseFillEmptyRowsResults:
    """Give each empty row of a sparse tensor one value, at its first position.

    Args:
        indices: int32 [n, rank], where the values are.
        values: [n], of any dtype.
        dense_shape: int32 [rank], the shape of the tensor.
        default_value: a scalar of the values' dtype.

    Returns:
        A named tuple: output_indices [m, rank] and output_values [m], by rows; empty_row_indicator
        bool [rows]; reverse_index_map int32 [n], the new position of each value.

    Raises:
        CoreError: a value is outside of the rows.

    >>> filled = core.sparse_fill_empty_rows([[0, 1], [2, 0]], [7.0, 8.0], [3, 2], -1.0)
    >>> filled.output_values.numpy(), filled.empty_row_indicator.numpy()
    (array([ 7., -1.,  8.], dtype=float32), array([False,  True, False]))
    """

def sparse_reshape(
    input_indices: TensorLike,
    input_shape: TensorLike,
    new_shape: TensorLike,
) -> SparseReshapeResults:
    """The indices of a sparse tensor's values after a reshape.

    Args:
        input_indices: int32 [n, rank].
        input_shape: int32 [rank], the dense shape.
        new_shape: int32 [new rank], with as many values; one length may be -1.

    Returns:
        A named tuple: output_indices int32 [n, new rank] and output_shape int32 [new rank].

    >>> moved = core.sparse_reshape([[0, 1], [1, 2]], [2, 3], [3, -1])
    >>> moved.output_indices.numpy().tolist(), moved.output_shape.numpy()
    ([[0, 1], [2, 1]], array([3, 2], dtype=int32))
    """

def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
) -> Tensor:
    """The means of chosen rows, segment by segment; means of integers are truncated.

    Args:
        data: [rows, ...], real.
        indices: int32 [n], the rows to take.
        segment_ids: int32 [n], to which row of the result; never falling.

    Returns:
        [last segment + 1, ...]; a segment without rows is 0.

    Raises:
        CoreError: an index is outside of the data, or the segments are negative or fall.

    >>> core.sparse_segment_mean([1.0, 3.0, 5.0], [0, 2, 1], [0, 0, 1]).numpy()
    array([3., 3.], dtype=float32)
    """

def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
) -> Tensor:
    """The sums of chosen rows, segment by segment.

    Args:
        data: [rows, ...], real.
        indices: int32 [n], the rows to add.
        segment_ids: int32 [n], to which row of the result; never falling.

    Returns:
        [last segment + 1, ...]; a segment without rows is 0.

    Raises:
        CoreError: an index is outside of the data, or the segments are negative or fall.

    >>> core.sparse_segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2, 1], [0, 0, 1]).numpy()
    array([[6, 8],
           [3, 4]], dtype=int32)
    """

@overload
def sparse_to_dense(
    sparse_indices: TensorLike,
    sparse_values: TensorLike,
    *,
    default_value: TensorLike | None = None,
    output_shape: Sequence[int],
) -> Tensor:
    """A tensor of one value except at some indices; of values with one index the last counts.

    Args:
        sparse_indices: [n, axes of the result] int32, or a vector of n for one axis, or a number.
        sparse_values: n values, or one for all indices.
        default_value: of all other indices, 0 if absent.
        output_shape: of the result.

    Raises:
        CoreError: an index is outside of the shape.

    >>> core.sparse_to_dense([1, 3], [5, 6], output_shape=(4,)).numpy()
    array([0, 5, 0, 6], dtype=int32)
    """

@overload
def sparse_to_dense(
    sparse_indices: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike | None,
    output_shape: Sequence[int],
) -> Tensor: ...

def split(
    x: TensorLike,
    num_or_size_splits: int | Sequence[int],
    axis: int = 0,
) -> list[Tensor]:
    """Cut along an axis into equal parts (a number) or parts of given lengths.

    Args:
        x: tensor of one axis at least.
        num_or_size_splits: how many parts, which must divide the length; or the length of each,
            of which one may be -1: it is computed from the others.
        axis: which axis is cut; negative ones count from the last.

    Returns:
        A list of tensors.

    >>> [part.shape for part in core.split([1, 2, 3], num_or_size_splits=[1, 2])]
    [(1,), (2,)]
    """

def sqrt(x: TensorLike) -> Tensor:
    """Element-wise: the square root of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """

def square(x: TensorLike) -> Tensor:
    """Element-wise: x * x.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.square([3, -4]).numpy()
    array([ 9, 16], dtype=int32)
    """

def squared_difference(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: (a - b) squared.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.squared_difference([1.0, 5.0], 2.0).numpy()
    array([1., 9.], dtype=float32)
    """

def squeeze(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return the data without axes of length 1 (all of them, or those given).

    Args:
        x: any tensor.
        axis: a number or several; by default all axes of length 1.

    Returns:
        A tensor that shares the data of x.

    Raises:
        CoreError: an axis that is given has another length.

    >>> import core
    >>> core.squeeze([[[1.0], [2.0]]]).shape
    (2,)
    """

def stack(tensors: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Join tensors of one shape and dtype along a new axis.

    Args:
        tensors: one or more of the same shape and dtype.
        axis: where the new axis shall be; negative ones count from behind the last.

    >>> core.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """

def static_regex_replace(
    input: TensorLike,
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
) -> Tensor:
    r"""Replace the matches of a regular expression in each string.

    Args:
        input: strings of any shape.
        pattern: a regular expression as in TensorFlow (RE2); lookaround and references to groups
            (``(?=a)``, ``\1``) as in JavaScript. Where the package ``google-re2`` is not installed
            (``pip install 'friendly-zoo[regex]'``), ``[[:alpha:]]``, ``\p`` and ``\Q`` are
            refused, and patterns that could take long, such as ``(a+)+b``.
        rewrite: the text that replaces a match. ``$1`` or ``\1`` is the first group, ``$&`` or
            ``\0`` the match, ``$$`` and ``\\`` one of these letters.
        replace_global: all matches, or the first one only.

    Raises:
        CoreError: the pattern is no regular expression, or could take too long.

    >>> core.static_regex_replace(["a   b  c"], pattern=" +", rewrite=" ").numpy()
    array([b'a b c'], dtype=object)
    """

def step(x: TensorLike, alpha: float = 0.0) -> Tensor:
    """Element-wise: 1 where x > 0, NaN where x is, else alpha.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.
        alpha: the value where x is not positive.

    Returns:
        A tensor of that shape and dtype.

    >>> core.step([-1.5, 0.0, 2.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """

def stft(
    signal: TensorLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[[int], TensorLike] | None = None,
) -> Tensor:
    """The Fourier transforms of frames of a signal: the short-time Fourier transform.

    Args:
        signal: float32 [length].
        frame_length: values in each frame.
        frame_step: from the start of a frame to that of the next.
        fft_length: see `rfft`; by default the next power of two.
        window_fn: from the length of a frame to the window that it is multiplied with;
            `hann_window` by default.

    Returns:
        complex64 [frames, fft_length // 2 + 1]

    >>> import core
    >>> core.stft([1.0, 1.0, 1.0, 1.0, 1.0], 3, 1).shape
    (3, 3)
    """

def strided_slice(
    x: TensorLike,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """A slice with strides along each axis, as ``x[1:, ::2]``.

    Args:
        x: any tensor.
        begin: first index on each axis; a negative one counts from the end.
        end: index after the last on each axis.
        strides: steps, 1 by default; a negative one goes backwards.
        begin_mask: bit i: ``begin[i]`` is ignored, take from the start.
        end_mask: bit i: ``end[i]`` is ignored, take up to the end.
        ellipsis_mask: bit i: entry i stands for all axes that the others leave.
        new_axis_mask: bit i: entry i makes a new axis of length 1.
        shrink_axis_mask: bit i: take just ``begin[i]`` and drop the axis.

    >>> core.strided_slice([1, 2, 3, 4, 5], begin=(3,), end=(0,), strides=(-2,)).numpy()
    array([4, 2], dtype=int32)
    """

def string_join(inputs: Sequence[TensorLike], separator: str = "") -> Tensor:
    """Strings at equal positions of several tensors, joined.

    Args:
        inputs: one tensor or more, of one shape; a scalar counts for every position.
        separator: put between the strings.

    >>> core.string_join([["a", "b"], "x"], separator="-").numpy()
    array([b'a-x', b'b-x'], dtype=object)
    """

def string_length(input: TensorLike, unit: str = "BYTE") -> Tensor:
    """The lengths of strings.

    Args:
        input: strings of any shape.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` for characters of texts in UTF-8.

    Returns:
        int32, of the same shape.

    >>> core.string_length(["cat", "猫"]).numpy()
    array([3, 3], dtype=int32)
    """

def string_lower(input: TensorLike, encoding: str = "") -> Tensor:
    """The strings in small letters.

    Args:
        input: strings of any shape.
        encoding: ``""`` changes the letters A to Z alone, ``"utf-8"`` all letters of Unicode.

    >>> core.string_lower(["Äpfel & BIRNEN"]).numpy()[0].decode()
    'Äpfel & birnen'
    """

def string_n_grams(
    data: TensorLike,
    data_splits: TensorLike,
    separator: str,
    n_gram_widths: Sequence[int],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> StringNGramsResults:
    """Neighbouring strings of each row, joined.

    Args:
        data: strings [n], the rows of a ragged matrix one after the other.
        data_splits: where rows begin and end, from 0 to n: row i is
            ``data[data_splits[i]:data_splits[i + 1]]``.
        separator: put between the strings of an n-gram.
        n_gram_widths: how many strings an n-gram has; several widths, each at least 1, give
            n-grams of all.
        left_pad: put before each row, see ``pad_width``.
        right_pad: put after it.
        pad_width: how many pads on each side, but at most the width - 1; -1 means that.
        preserve_short_sequences: a row that gives no n-gram gives one of all its strings.

    Returns:
        A named tuple: n_grams [m], and n_grams_splits, which says where their rows begin and end.

    Raises:
        CoreError: the splits do not start at 0, fall, or do not end at n.

    >>> pairs = core.string_n_grams(["a", "b", "c"], [0, 3], "|", [2], "LP", "RP", -1, False)
    >>> pairs.n_grams.numpy()
    array([b'LP|a', b'a|b', b'b|c', b'c|RP'], dtype=object)
    """

def string_split(
    input: TensorLike,
    delimiter: TensorLike,
    skip_empty: bool = True,
) -> StringSplitResults:
    """Split each string into tokens, as a sparse matrix.

    Args:
        input: strings [n].
        delimiter: one string; each of its bytes is a separator. If it is empty, every byte
            becomes a token.
        skip_empty: leave out empty tokens.

    Returns:
        A named tuple: indices int32 [tokens, 2] (row and position in the row), values [tokens] and
        shape int32 [2] (rows, most tokens in a row).

    >>> tokens = core.string_split(["hello world", "a b c"], " ")
    >>> tokens.values.numpy(), tokens.shape.numpy()
    (array([b'hello', b'world', b'a', b'b', b'c'], dtype=object), array([2, 3], dtype=int32))
    """

def string_split_v2(
    input: TensorLike,
    sep: TensorLike,
    maxsplit: int = -1,
) -> StringSplitV2Results:
    """Split each string at a separator, as a sparse matrix.

    Args:
        input: strings [n].
        sep: one string. If it is empty, runs of spaces, tabs and line breaks separate, also at both
            ends; else each occurrence does, and tokens between two of them are empty.
        maxsplit: the most cuts of a string, whose rest is the last token; below 1, any number.

    Returns:
        A named tuple: indices int32 [tokens, 2] (row and position in the row), values [tokens] and
        shape int32 [2] (rows, most tokens in a row).

    >>> core.string_split_v2(["a, b", " c  d "], "").values.numpy()
    array([b'a,', b'b', b'c', b'd'], dtype=object)
    """

def string_strip(input: TensorLike) -> Tensor:
    """The strings without spaces, tabs and line breaks at both ends.

    Args:
        input: strings of any shape.

    >>> core.string_strip([" a b ", "c"]).numpy()
    array([b'a b', b'c'], dtype=object)
    """

def string_to_hash_bucket_fast(input: TensorLike, num_buckets: int) -> Tensor:
    """A bucket for each string: its FarmHash fingerprint modulo the number of buckets.

    Equal on every computer and in every version; no protection against chosen collisions.

    Args:
        input: strings of any shape.
        num_buckets: from 1 to 2**31.

    Returns:
        int32, of the same shape.

    >>> core.string_to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2], dtype=int32)
    """

def string_upper(input: TensorLike, encoding: str = "") -> Tensor:
    """The strings in capital letters.

    Args:
        input: strings of any shape.
        encoding: ``""`` changes the letters a to z alone, ``"utf-8"`` all letters of Unicode.

    >>> core.string_upper(["Äpfel & Birnen"]).numpy()[0].decode()
    'ÄPFEL & BIRNEN'
    """

def sub(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise: a - b.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.sub([10, 20], 3).numpy()
    array([ 7, 17], dtype=int32)
    """

def sum(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    keep_dims: bool = False,
) -> Tensor:
    """The sum over some axes; 0 without values.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.sum([[1, 2], [3, 4]], axis=1).numpy()
    array([3, 7], dtype=int32)
    """

def sum_grad(
    dy: TensorLike,
    input_shape: Sequence[int],
    axis: int | Sequence[int] | None = None,
) -> Tensor:
    """The gradient of `core.sum`: each value repeated along the axes that were summed.

    Args:
        dy: the gradient of the sums, with or without the summed axes.
        input_shape: the shape of the input of `core.sum`.
        axis: as given to `core.sum`.

    >>> core.sum_grad([1.0, 2.0], input_shape=(2, 3), axis=1).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

def tan(x: TensorLike) -> Tensor:
    """Element-wise: the tangent of x (radians).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.tan([0.0, 1.0]).numpy()
    array([0.       , 1.5574077], dtype=float32)
    """

def tanh(x: TensorLike) -> Tensor:
    """Element-wise: the hyperbolic tangent of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.tanh([0.0, 20.0]).numpy()
    array([0., 1.], dtype=float32)
    """

def tensor1d(
    values: TensorLike,
    shape: Sequence[int] | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of 1 axes; `core.tensor` makes one of any.

    Args:
        values: nested lists, an array, or a flat list with a shape.
        shape: length of each of the 1 axes, for a flat list.
        dtype: by default that of the values.

    Raises:
        CoreError: values or shape have another number of axes.

    >>> import core
    >>> core.tensor1d([1, 2], (2,)).shape
    (2,)
    """

def tensor2d(
    values: TensorLike,
    shape: Sequence[int] | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of 2 axes; `core.tensor` makes one of any.

    Args:
        values: nested lists, an array, or a flat list with a shape.
        shape: length of each of the 2 axes, for a flat list.
        dtype: by default that of the values.

    Raises:
        CoreError: values or shape have another number of axes.

    >>> import core
    >>> core.tensor2d([1, 2], (1, 2)).shape
    (1, 2)
    """

def tensor3d(
    values: TensorLike,
    shape: Sequence[int] | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of 3 axes; `core.tensor` makes one of any.

    Args:
        values: nested lists, an array, or a flat list with a shape.
        shape: length of each of the 3 axes, for a flat list.
        dtype: by default that of the values.

    Raises:
        CoreError: values or shape have another number of axes.

    >>> import core
    >>> core.tensor3d([1, 2], (1, 1, 2)).shape
    (1, 1, 2)
    """

def tensor4d(
    values: TensorLike,
    shape: Sequence[int] | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of 4 axes; `core.tensor` makes one of any.

    Args:
        values: nested lists, an array, or a flat list with a shape.
        shape: length of each of the 4 axes, for a flat list.
        dtype: by default that of the values.

    Raises:
        CoreError: values or shape have another number of axes.

    >>> import core
    >>> core.tensor4d([1, 2], (1, 1, 1, 2)).shape
    (1, 1, 1, 2)
    """

def tensor5d(
    values: TensorLike,
    shape: Sequence[int] | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of 5 axes; `core.tensor` makes one of any.

    Args:
        values: nested lists, an array, or a flat list with a shape.
        shape: length of each of the 5 axes, for a flat list.
        dtype: by default that of the values.

    Raises:
        CoreError: values or shape have another number of axes.

    >>> import core
    >>> core.tensor5d([1, 2], (1, 1, 1, 1, 2)).shape
    (1, 1, 1, 1, 2)
    """

def tensor6d(
    values: TensorLike,
    shape: Sequence[int] | None = None,
    dtype: DType | None = None,
) -> Tensor:
    """Make a tensor of 6 axes; `core.tensor` makes one of any.

    Args:
        values: nested lists, an array, or a flat list with a shape.
        shape: length of each of the 6 axes, for a flat list.
        dtype: by default that of the values.

    Raises:
        CoreError: values or shape have another number of axes.

    >>> import core
    >>> core.tensor6d([1, 2], (1, 1, 1, 1, 1, 2)).shape
    (1, 1, 1, 1, 1, 2)
    """

def tensor_scatter_update(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
) -> Tensor:
    """A copy of a tensor with some values replaced; of values with one index the last counts.

    Args:
        tensor: tensor of one axis at least.
        indices: [..., depth] int32, positions on the first ``depth`` axes; or a vector of positions
            on the first axis.
        updates: [..., rest of the shape], the new values, of the tensor's dtype.

    Raises:
        CoreError: an index is outside of the tensor.

    >>> core.tensor_scatter_update([1, 2, 3], [[0], [2]], [9, 8]).numpy()
    array([9, 2, 8], dtype=int32)
    """

def threshold(
    image: TensorLike,
    method: str = "binary",
    inverted: bool = False,
    thresh_value: float = 0.5,
) -> Tensor:
    """Turn an image into black and white.

    Args:
        image: [height, width, 3 or 1], int32 or float32, values 0 to 255; colours are made gray.
        method: ``"binary"`` compares with ``thresh_value``, ``"otsu"`` finds the threshold that
            parts the brightnesses best (Otsu's method).
        inverted: bright pixels become 0 and dark ones 255.
        thresh_value: 0 to 1; a pixel is bright above 255 times this.

    Returns:
        int32 [height, width, 1] of 255 and 0.

    >>> import core
    >>> core.threshold([[[10.0], [200.0]]]).numpy().ravel()
    array([  0, 255], dtype=int32)
    """

def tile(x: TensorLike, reps: int | Sequence[int]) -> Tensor:
    """Repeat the whole tensor ``reps`` times along each axis.

    Args:
        x: any tensor.
        reps: how many times, one integer from 0 on for each axis.

    Returns:
        A tensor whose lengths are the lengths of x times ``reps``.

    >>> core.tile([1, 2], reps=(2,)).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """

def topk(x: TensorLike, k: int = 1, sorted: bool = True) -> TopkResults:
    """The largest values along the last axis, and their indices.

    Args:
        x: numbers; NaN counts as the largest of all.
        k: how many, up to the length of the last axis.
        sorted: the largest first, as they always are on these backends.

    Returns:
        ``values`` and ``indices``, both [..., k]; of equal values the first ones are taken.

    >>> values, indices = core.topk([1, 5, 3, 5], k=3)
    >>> values.numpy(), indices.numpy()
    (array([5, 5, 3], dtype=int32), array([1, 3, 2], dtype=int32))
    """

def transform(
    image: TensorLike,
    transforms: TensorLike,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    fill_value: float = 0,
    output_shape: Sequence[int] | None = None,
) -> Tensor:
    """Warp images by projective maps.

    Args:
        image: [batch, height, width, channels].
        transforms: [batch, 8], or [1, 8] for all. A row a0 a1 a2 b0 b1 b2 c0 c1 takes pixel (x, y)
            of the result from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image,
            where k = c0 x + c1 y + 1.
        interpolation: ``"nearest"`` or ``"bilinear"``.
        fill_mode: values outside of the image: ``"constant"`` (the fill value), ``"reflect"``
            (d c b a | a b c d | d c b a), ``"wrap"`` (a b c d | a b c d) or ``"nearest"``
            (a a a a | a b c d | d d d d).
        fill_value: for the constant mode, and where k is 0.
        output_shape: (height, width) of the result, by default that of the image.

    >>> image = core.tensor([[[[1.0], [2.0], [3.0]]]])
    >>> core.transform(image, [[1, 0, 1, 0, 1, 0, 0, 0]]).numpy().ravel()
    array([2., 3., 0.], dtype=float32)
    """

def transpose(
    x: TensorLike,
    perm: Sequence[int] | None = None,
    conjugate: bool = False,
) -> Tensor:
    """Permute the axes; by default reverse them.

    Args:
        x: any tensor.
        perm: for each axis of the result, the axis of x that it was.
        conjugate: turn complex values into their conjugates too.

    >>> core.transpose([[1, 2, 3]]).shape
    (3, 1)
    """

def truncated_normal(
    shape: Sequence[int],
    mean: float = 0,
    std_dev: float = 1,
    dtype: DType = "float32",
    seed: int | float | str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution, at most two standard deviations from the mean.

    Args:
        shape: length of each axis.
        mean: of the distribution before it is cut.
        std_dev: its standard deviation before it is cut; afterwards 0.88 of that.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> float(abs(core.truncated_normal((1000,)).numpy()).max()) <= 2
    True
    """

def unicode_decode(
    input: TensorLike,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> UnicodeDecodeResults:
    """The characters of each string, as numbers of Unicode.

    Args:
        input: strings of any shape, which counts as one axis.
        input_encoding: ``"UTF-8"``.
        errors: bytes that are no character are an error (``"strict"``), become the replacement
            (``"replace"``) or are left out (``"ignore"``).
        replacement_char: from 0 to 1,114,111.
        replace_control_characters: replace characters below 32, too.

    Returns:
        A named tuple: row_splits int32 [strings + 1], where the characters of each string begin and
        end, and char_values int32 [characters].

    Raises:
        CoreError: a string is not of the encoding, with ``"strict"``.

    >>> found = core.unicode_decode(["猫!", ""])
    >>> found.row_splits.numpy(), found.char_values.numpy()
    (array([0, 2, 2], dtype=int32), array([29483,    33], dtype=int32))
    """

def unicode_encode(
    input_values: TensorLike,
    input_splits: TensorLike,
    errors: str = "replace",
    output_encoding: str = "UTF-8",
    replacement_char: int = 65533,
) -> Tensor:
    """Strings of characters that are given as numbers of Unicode.

    Args:
        input_values: int32 [characters].
        input_splits: int32 [strings + 1], where the characters of each string begin and end.
        errors: numbers that are no character are an error (``"strict"``), become the replacement
            (``"replace"``) or are left out (``"ignore"``).
        output_encoding: ``"UTF-8"``.
        replacement_char: from 0 to 1,114,111.

    Returns:
        strings [strings].

    Raises:
        CoreError: the splits fall or do not fit the values, or a number is no character, with
            ``"strict"``.

    >>> core.unicode_encode([97, 98, 99], [0, 1, 3]).numpy()
    array([b'a', b'bc'], dtype=object)
    """

def unique(x: TensorLike, axis: int = 0) -> UniqueResults:
    """The different entries along an axis, in the order in which they first occur.

    Args:
        x: tensor of one axis at least; all NaN are one, and so are 0 and -0.
        axis: whose entries are compared.

    Returns:
        ``values``: x with just the first entry of each kind; ``indices``: for each entry along
        the axis, int32, which of the values it is.

    >>> values, indices = core.unique([7, 9, 7, 8])
    >>> values.numpy(), indices.numpy()
    (array([7, 9, 8], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """

def unsorted_segment_sum(x: TensorLike, segment_ids: TensorLike, num_segments: int) -> Tensor:
    """Sums of the entries that have the same id.

    Args:
        x: the entries.
        segment_ids: int32, of the shape of the first axes of x; entries whose id is negative or
            ``num_segments`` and more are left out.
        num_segments: how many sums.

    Returns:
        [num_segments, rest of the shape of x].

    >>> core.unsorted_segment_sum([1.0, 2.0, 4.0], [1, 0, 1], num_segments=3).numpy()
    array([2., 5., 0.], dtype=float32)
    """

def unstack(x: TensorLike, axis: int = 0) -> list[Tensor]:
    """Split along an axis into tensors without the axis, one for each index.

    Args:
        x: tensor of one axis at least.
        axis: the axis to remove; negative ones count from the last.

    Returns:
        A list of tensors.

    >>> [row.numpy().tolist() for row in core.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """

def upper_bound(sorted_sequence: TensorLike, values: TensorLike) -> Tensor:
    """For each value, the first position in a sorted row that has a larger value.

    Args:
        sorted_sequence: [..., n], rows in ascending order, float32 or int32; bool becomes int32.
        values: [..., m], as many rows; mixed dtypes become their common one.

    Returns:
        int32 [..., m], from 0 to n.

    >>> core.upper_bound([1, 3, 3, 5], [3, 4, 9]).numpy()
    array([3, 3, 4], dtype=int32)
    """

def vocabulary_index(input: TensorLike, vocabulary: TensorLike) -> Tensor:
    """The position of each value in a vocabulary, -1 where it lacks the value.

    Args:
        input: strings or int32 of any shape.
        vocabulary: [n], of the same dtype; of equal entries the last counts.

    Returns:
        int32, of the shape of the input.

    >>> core.vocabulary_index([["owl", "ox"]], ["cat", "owl"]).numpy()
    array([[ 1, -1]], dtype=int32)
    """

def where(
    condition: TensorLike,
    a: TensorLike | None = None,
    b: TensorLike | None = None,
) -> Tensor:
    """Values of ``a`` where a condition is true, else of ``b``; or the indices of true values.

    Args:
        condition: bool tensor.
        a: values where true, of a shape that broadcasts with the others.
        b: values where false.

    Returns:
        The chosen values; or, without a and b, the coordinates of all trues as int32
        [trues, axes].

    >>> import core
    >>> core.where([True, False], [1, 2], [3, 4]).numpy()
    array([1, 4], dtype=int32)
    >>> core.where([[False, True], [True, False]]).numpy()
    array([[0, 1],
           [1, 0]], dtype=int32)
    """

def zeros(shape: Sequence[int], dtype: DType = "float32") -> Tensor:
    """A tensor of zeros.

    Args:
        shape: length of each axis.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"complex64"``.

    >>> import core
    >>> core.zeros((2,)).numpy()
    array([0., 0.], dtype=float32)
    """

def zeros_like(x: TensorLike) -> Tensor:
    """Element-wise: zeros of x's shape.

    Args:
        x: a tensor of any shape, of any dtype but string.

    Returns:
        A tensor of that shape and dtype.

    >>> core.zeros_like([[1, 2]]).numpy()
    array([[0, 0]], dtype=int32)
    """
