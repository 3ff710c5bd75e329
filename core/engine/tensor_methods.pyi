"""What `core.engine.methods` gives to tensors. Written by ``python -m core.public.stubs``."""

from collections.abc import Sequence
from core.engine.argument_types import Index
from core.engine.argument_types import Scalar
from core.engine.argument_types import TensorLike
from core.engine.dtypes import DType
from core.engine.op_results import TopkResults
from core.engine.op_results import UniqueResults
from core.engine.tensors import Tensor
from typing_extensions import Self

class TensorMethods:
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: TensorLike) -> Tensor: ...
    def __sub__(self, other: TensorLike) -> Tensor: ...
    def __mul__(self, other: TensorLike) -> Tensor: ...
    def __truediv__(self, other: TensorLike) -> Tensor: ...
    def __floordiv__(self, other: TensorLike) -> Tensor: ...
    def __mod__(self, other: TensorLike) -> Tensor: ...
    def __pow__(self, other: TensorLike) -> Tensor: ...
    def __matmul__(self, other: TensorLike) -> Tensor: ...
    def __lt__(self, other: TensorLike) -> Tensor: ...
    def __le__(self, other: TensorLike) -> Tensor: ...
    def __gt__(self, other: TensorLike) -> Tensor: ...
    def __ge__(self, other: TensorLike) -> Tensor: ...
    def __eq__(self, other: TensorLike) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: TensorLike) -> Tensor: ...  # type: ignore[override]
    def __and__(self, other: TensorLike) -> Tensor: ...
    def __or__(self, other: TensorLike) -> Tensor: ...
    def __xor__(self, other: TensorLike) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __radd__(self, other: TensorLike) -> Tensor: ...
    def __rsub__(self, other: TensorLike) -> Tensor: ...
    def __rmul__(self, other: TensorLike) -> Tensor: ...
    def __rtruediv__(self, other: TensorLike) -> Tensor: ...
    def __rfloordiv__(self, other: TensorLike) -> Tensor: ...
    def __rmod__(self, other: TensorLike) -> Tensor: ...
    def __rpow__(self, other: TensorLike) -> Tensor: ...
    def __rmatmul__(self, other: TensorLike) -> Tensor: ...
    def __rand__(self, other: TensorLike) -> Tensor: ...
    def __ror__(self, other: TensorLike) -> Tensor: ...
    def __rxor__(self, other: TensorLike) -> Tensor: ...
    def abs(self) -> Tensor:
        """Element-wise: the absolute value of x, of a complex number its magnitude.

        See `core.abs`.
        """

    def acos(self) -> Tensor:
        """Element-wise: the inverse cosine of x, 0 to pi.

        See `core.acos`.
        """

    def acosh(self) -> Tensor:
        """Element-wise: the inverse hyperbolic cosine of x.

        See `core.acosh`.
        """

    def add(self, b: TensorLike) -> Tensor:
        """Element-wise: a + b.

        See `core.add`.
        """

    def all(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """Whether all values along axes are true; true without values.

        See `core.all`.
        """

    def any(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """Whether any value along axes is true; false without values.

        See `core.any`.
        """

    def argmax(self, axis: int = 0) -> Tensor:
        """Index of the largest value along an axis; the first of equal values.

        See `core.argmax`.
        """

    def argmin(self, axis: int = 0) -> Tensor:
        """Index of the smallest value along an axis; the first of equal values.

        See `core.argmin`.
        """

    def asin(self) -> Tensor:
        """Element-wise: the inverse sine of x, -pi/2 to pi/2.

        See `core.asin`.
        """

    def asinh(self) -> Tensor:
        """Element-wise: the inverse hyperbolic sine of x.

        See `core.asinh`.
        """

    def atan(self) -> Tensor:
        """Element-wise: the inverse tangent of x, -pi/2 to pi/2.

        See `core.atan`.
        """

    def atan2(self, b: TensorLike) -> Tensor:
        """Element-wise: the angle of the point (b, a), -pi to pi.

        See `core.atan2`.
        """

    def atanh(self) -> Tensor:
        """Element-wise: the inverse hyperbolic tangent of x.

        See `core.atanh`.
        """

    def avg_pool(
        self,
        filter_size: int | Sequence[int],
        strides: int | Sequence[int],
        pad: str | int | Sequence[Sequence[int]],
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """The average of each window; padding does not count.

        See `core.avg_pool`.
        """

    def batch_norm(
        self,
        mean: TensorLike,
        variance: TensorLike,
        offset: TensorLike | None = None,
        scale: TensorLike | None = None,
        variance_epsilon: float = 0.001,
    ) -> Tensor:
        """Normalise by a given mean and variance, then scale and shift.

        See `core.batch_norm`.
        """

    def batch_to_space_nd(
        self,
        block_shape: Sequence[int],
        crops: Sequence[Sequence[int]],
    ) -> Tensor:
        """Join batch entries to blocks of pixels: the inverse of `space_to_batch_nd`.

        See `core.batch_to_space_nd`.
        """

    def broadcast_to(
        self,
        shape: Sequence[int],
        input_shape: Sequence[int] | None = None,
    ) -> Tensor:
        """Repeat along axes of length 1 until the shape is reached.

        See `core.broadcast_to`.
        """

    def ceil(self) -> Tensor:
        """Element-wise: x rounded up.

        See `core.ceil`.
        """

    def clip_by_value(self, clip_value_min: float, clip_value_max: float) -> Tensor:
        """Element-wise: x moved into clip_value_min..clip_value_max.

        See `core.clip_by_value`.
        """

    def conv1d(
        self,
        filter: TensorLike,
        stride: int = 1,
        pad: str | int | tuple[int, int] = "valid",
        data_format: str = "NWC",
        dilation: int = 1,
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """Convolve sequences, such as sound, with filters.

        See `core.conv1d`.
        """

    def conv2d(
        self,
        filter: TensorLike,
        strides: int | Sequence[int] = 1,
        pad: str | int | Sequence[Sequence[int]] = "valid",
        data_format: str = "NHWC",
        dilations: int | Sequence[int] = 1,
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """Convolve images with filters (cross-correlation, as in every deep learning library).

        See `core.conv2d`.
        """

    def conv2d_transpose(
        self,
        filter: TensorLike,
        output_shape: tuple[int, ...],
        strides: int | Sequence[int],
        pad: str | int | tuple[tuple[int, int], ...],
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """The transpose of a convolution, which makes images larger ("deconvolution").

        See `core.conv2d_transpose`.
        """

    def cos(self) -> Tensor:
        """Element-wise: the cosine of x (radians).

        See `core.cos`.
        """

    def cosh(self) -> Tensor:
        """Element-wise: the hyperbolic cosine of x.

        See `core.cosh`.
        """

    def cumprod(self, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """Cumulative products along an axis.

        See `core.cumprod`.
        """

    def cumsum(self, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """Cumulative sums along an axis.

        See `core.cumsum`.
        """

    def depth_to_space(self, block_size: int, data_format: str = "NHWC") -> Tensor:
        """Rearrange the channels of each pixel into a block of pixels.

        See `core.depth_to_space`.
        """

    def depthwise_conv2d(
        self,
        filter: TensorLike,
        strides: int | Sequence[int] = 1,
        pad: str | int | Sequence[Sequence[int]] = "valid",
        data_format: str = "NHWC",
        dilations: int | Sequence[int] = 1,
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """Convolve each channel with separate filters.

        See `core.depthwise_conv2d`.
        """

    def dilation2d(
        self,
        filter: TensorLike,
        strides: int | Sequence[int],
        pad: str | int | Sequence[Sequence[int]],
        dilations: int | Sequence[int] = 1,
        data_format: str = "NHWC",
    ) -> Tensor:
        """The largest sum of pixel and filter in each window: grey-scale dilation.

        See `core.dilation2d`.
        """

    def div(self, b: TensorLike) -> Tensor:
        """Element-wise: a / b; rounded down where both are integers.

        See `core.div`.
        """

    def div_no_nan(self, b: TensorLike) -> Tensor:
        """Element-wise a / b, but 0 where b is 0; rounded down where both are integers.

        See `core.div_no_nan`.
        """

    def dot(self, t2: TensorLike) -> Tensor:
        """Product of two vectors, two matrices, or a matrix and a vector.

        See `core.dot`.
        """

    def elu(self) -> Tensor:
        """Element-wise: x where positive, else e**x - 1.

        See `core.elu`.
        """

    def equal(self, b: TensorLike) -> Tensor:
        """Element-wise: whether a == b.

        See `core.equal`.
        """

    def erf(self) -> Tensor:
        """Element-wise: the error function.

        See `core.erf`.
        """

    def euclidean_norm(
        self,
        axis: int | Sequence[int] | None = None,
        keep_dims: bool = False,
    ) -> Tensor:
        """The square root of the sum of squares over some axes; see `core.norm`.

        See `core.euclidean_norm`.
        """

    def exp(self) -> Tensor:
        """Element-wise: e to the power of x.

        See `core.exp`.
        """

    def expand_dims(self, axis: int = 0) -> Tensor:
        """Return the data with a new axis of length 1 at ``axis``.

        See `core.expand_dims`.
        """

    def expm1(self) -> Tensor:
        """Element-wise: e**x - 1, exact near 0.

        See `core.expm1`.
        """

    def fft(self) -> Tensor:
        """The discrete Fourier transform along the last axis.

        See `core.fft`.
        """

    def floor(self) -> Tensor:
        """Element-wise: x rounded down.

        See `core.floor`.
        """

    def floor_div(self, b: TensorLike) -> Tensor:
        """Element-wise: a / b rounded down, as int32.

        See `core.floor_div`.
        """

    def gather(self, indices: TensorLike, axis: int = 0, batch_dims: int = 0) -> Tensor:
        """Return the entries along an axis at given indices, in their order.

        See `core.gather`.
        """

    def greater(self, b: TensorLike) -> Tensor:
        """Element-wise: whether a > b.

        See `core.greater`.
        """

    def greater_equal(self, b: TensorLike) -> Tensor:
        """Element-wise: whether a >= b.

        See `core.greater_equal`.
        """

    def ifft(self) -> Tensor:
        """The inverse of `fft`: ``ifft(fft(x))`` is x.

        See `core.ifft`.
        """

    def irfft(self) -> Tensor:
        """The inverse of `rfft`, for an even length of its input.

        See `core.irfft`.
        """

    def is_finite(self) -> Tensor:
        """Element-wise: whether x is a finite number.

        See `core.is_finite`.
        """

    def is_inf(self) -> Tensor:
        """Element-wise: whether x is infinite.

        See `core.is_inf`.
        """

    def is_nan(self) -> Tensor:
        """Element-wise: whether x is NaN.

        See `core.is_nan`.
        """

    def leaky_relu(self, alpha: float = 0.2) -> Tensor:
        """Element-wise: x where positive, else alpha * x.

        See `core.leaky_relu`.
        """

    def less(self, b: TensorLike) -> Tensor:
        """Element-wise: whether a < b.

        See `core.less`.
        """

    def less_equal(self, b: TensorLike) -> Tensor:
        """Element-wise: whether a <= b.

        See `core.less_equal`.
        """

    def local_response_normalization(
        self,
        depth_radius: int = 5,
        bias: float = 1,
        alpha: float = 1,
        beta: float = 0.5,
    ) -> Tensor:
        """Divide each value by a power of the sum of squares of the channels around it.

        See `core.local_response_normalization`.
        """

    def log(self) -> Tensor:
        """Element-wise: the natural logarithm of x.

        See `core.log`.
        """

    def log1p(self) -> Tensor:
        """Element-wise: log(1 + x), exact near 0.

        See `core.log1p`.
        """

    def log_sigmoid(self) -> Tensor:
        """Element-wise log(1 / (1 + e**-x)), exact where that is near 0.

        See `core.log_sigmoid`.
        """

    def log_softmax(self, axis: int = -1) -> Tensor:
        """The logarithm of `softmax`, exact where that is near 0.

        See `core.log_softmax`.
        """

    def log_sum_exp(
        self,
        axis: int | Sequence[int] | None = None,
        keep_dims: bool = False,
    ) -> Tensor:
        """The logarithm of the sum of e**x over some axes, where e**x may be infinite.

        See `core.log_sum_exp`.
        """

    def logical_and(self, b: TensorLike) -> Tensor:
        """Element-wise: whether both values are true.

        See `core.logical_and`.
        """

    def logical_not(self) -> Tensor:
        """Element-wise: whether x is false.

        See `core.logical_not`.
        """

    def logical_or(self, b: TensorLike) -> Tensor:
        """Element-wise: whether at least one value is true.

        See `core.logical_or`.
        """

    def logical_xor(self, b: TensorLike) -> Tensor:
        """Element-wise: whether exactly one value is true.

        See `core.logical_xor`.
        """

    def matmul(self, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
        """Matrix product of the last two axes; leading axes broadcast.

        See `core.matmul`.
        """

    def max(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """The largest value over some axes; NaN with a NaN among them, or without values.

        See `core.max`.
        """

    def max_pool(
        self,
        filter_size: int | Sequence[int],
        strides: int | Sequence[int],
        pad: str | int | Sequence[Sequence[int]],
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """The largest value of each window; NaN and padding are ignored.

        See `core.max_pool`.
        """

    def maximum(self, b: TensorLike) -> Tensor:
        """Element-wise: the larger value.

        See `core.maximum`.
        """

    def mean(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """The mean over some axes; 0 without values.

        See `core.mean`.
        """

    def min(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """The smallest value over some axes; NaN with a NaN among them, or without values.

        See `core.min`.
        """

    def minimum(self, b: TensorLike) -> Tensor:
        """Element-wise: the smaller value.

        See `core.minimum`.
        """

    def mirror_pad(self, paddings: Sequence[Sequence[int]], mode: str = "reflect") -> Tensor:
        """Pad a tensor by mirroring its values.

        See `core.mirror_pad`.
        """

    def mod(self, b: TensorLike) -> Tensor:
        """Element-wise: the remainder of a / b, with the sign of b.

        See `core.mod`.
        """

    def mul(self, b: TensorLike) -> Tensor:
        """Element-wise: a * b.

        See `core.mul`.
        """

    def neg(self) -> Tensor:
        """Element-wise: -x.

        See `core.neg`.
        """

    def norm(
        self,
        ord: float | str = "euclidean",
        axis: int | Sequence[int] | None = None,
        keep_dims: bool = False,
    ) -> Tensor:
        """The norm of vectors or matrices.

        See `core.norm`.
        """

    def not_equal(self, b: TensorLike) -> Tensor:
        """Element-wise: whether a != b.

        See `core.not_equal`.
        """

    def one_hot(
        self,
        depth: int,
        on_value: float | bool = 1,
        off_value: float | bool = 0,
        dtype: DType = "int32",
    ) -> Tensor:
        """Return a vector for each index, with one value at the index and another one elsewhere.

        See `core.one_hot`.
        """

    def ones_like(self) -> Tensor:
        """Element-wise: ones of x's shape.

        See `core.ones_like`.
        """

    def pad(self, paddings: Sequence[Sequence[int]], constant_value: Scalar = 0) -> Tensor:
        """Pad a tensor with one value.

        See `core.pad`.
        """

    def pool(
        self,
        window_shape: int | Sequence[int],
        pooling_type: str,
        pad: str | int | Sequence[Sequence[int]],
        dilations: int | Sequence[int] = 1,
        strides: int | Sequence[int] = 1,
        dim_rounding_mode: str | None = None,
    ) -> Tensor:
        """The average or the largest value of each window, which may be dilated.

        See `core.pool`.
        """

    def pow(self, exp: TensorLike) -> Tensor:
        """Element-wise: base to the power of exp.

        See `core.pow`.
        """

    def prelu(self, alpha: TensorLike) -> Tensor:
        """Element-wise: x where positive, else alpha * x.

        See `core.prelu`.
        """

    def prod(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """The product over some axes; 1 without values.

        See `core.prod`.
        """

    def reciprocal(self) -> Tensor:
        """Element-wise: 1 / x.

        See `core.reciprocal`.
        """

    def relu(self) -> Tensor:
        """Element-wise: x where positive, else 0.

        See `core.relu`.
        """

    def relu6(self) -> Tensor:
        """Element-wise: x clipped to 0..6.

        See `core.relu6`.
        """

    def resize_bilinear(
        self,
        size: Sequence[int],
        align_corners: bool = False,
        half_pixel_centers: bool = False,
    ) -> Tensor:
        """Resize images, mixing the four nearest pixels.

        See `core.resize_bilinear`.
        """

    def resize_nearest_neighbor(
        self,
        size: Sequence[int],
        align_corners: bool = False,
        half_pixel_centers: bool = False,
    ) -> Tensor:
        """Resize images by the nearest pixel.

        See `core.resize_nearest_neighbor`.
        """

    def reverse(self, axis: int | Sequence[int] | None = None) -> Tensor:
        """Reverse the order along some axes (all by default).

        See `core.reverse`.
        """

    def rfft(self, fft_length: int | None = None) -> Tensor:
        """The Fourier transform of real values along the last axis, without its mirrored half.

        See `core.rfft`.
        """

    def round(self) -> Tensor:
        """Element-wise: x rounded, halves to even.

        See `core.round`.
        """

    def rsqrt(self) -> Tensor:
        """Element-wise: 1 / sqrt(x).

        See `core.rsqrt`.
        """

    def selu(self) -> Tensor:
        """Element-wise: elu with the scales that keep mean 0 and variance 1.

        See `core.selu`.
        """

    def separable_conv2d(
        self,
        depthwise_filter: TensorLike,
        pointwise_filter: TensorLike,
        strides: int | Sequence[int] = 1,
        pad: str | int | tuple[tuple[int, int], ...] = "valid",
        dilation: int | Sequence[int] = 1,
        data_format: str = "NHWC",
    ) -> Tensor:
        """A depthwise convolution, then one that mixes the channels of each pixel.

        See `core.separable_conv2d`.
        """

    def sigmoid(self) -> Tensor:
        """Element-wise: 1 / (1 + e**-x).

        See `core.sigmoid`.
        """

    def sign(self) -> Tensor:
        """Element-wise: -1, 0 or 1 by the sign of x.

        See `core.sign`.
        """

    def sin(self) -> Tensor:
        """Element-wise: the sine of x (radians).

        See `core.sin`.
        """

    def sinh(self) -> Tensor:
        """Element-wise: the hyperbolic sine of x.

        See `core.sinh`.
        """

    def slice(self, begin: int | Sequence[int], size: int | Sequence[int] | None = None) -> Tensor:
        """A block of a tensor.

        See `core.slice`.
        """

    def softmax(self, axis: int = -1) -> Tensor:
        """e**logits divided by their sum along an axis: positive numbers with sum 1.

        See `core.softmax`.
        """

    def softplus(self) -> Tensor:
        """Element-wise: log(1 + e**x).

        See `core.softplus`.
        """

    def space_to_batch_nd(
        self,
        block_shape: Sequence[int],
        paddings: Sequence[Sequence[int]],
    ) -> Tensor:
        """Move every pixel of a block to a separate batch entry.

        See `core.space_to_batch_nd`.
        """

    def split(self, num_or_size_splits: int | Sequence[int], axis: int = 0) -> list[Tensor]:
        """Cut along an axis into equal parts (a number) or parts of given lengths.

        See `core.split`.
        """

    def sqrt(self) -> Tensor:
        """Element-wise: the square root of x.

        See `core.sqrt`.
        """

    def square(self) -> Tensor:
        """Element-wise: x * x.

        See `core.square`.
        """

    def squared_difference(self, b: TensorLike) -> Tensor:
        """Element-wise: (a - b) squared.

        See `core.squared_difference`.
        """

    def squeeze(self, axis: int | Sequence[int] | None = None) -> Tensor:
        """Return the data without axes of length 1 (all of them, or those given).

        See `core.squeeze`.
        """

    def step(self, alpha: float = 0.0) -> Tensor:
        """Element-wise: 1 where x > 0, NaN where x is, else alpha.

        See `core.step`.
        """

    def strided_slice(
        self,
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

        See `core.strided_slice`.
        """

    def sub(self, b: TensorLike) -> Tensor:
        """Element-wise: a - b.

        See `core.sub`.
        """

    def sum(self, axis: int | Sequence[int] | None = None, keep_dims: bool = False) -> Tensor:
        """The sum over some axes; 0 without values.

        See `core.sum`.
        """

    def tan(self) -> Tensor:
        """Element-wise: the tangent of x (radians).

        See `core.tan`.
        """

    def tanh(self) -> Tensor:
        """Element-wise: the hyperbolic tangent of x.

        See `core.tanh`.
        """

    def tile(self, reps: int | Sequence[int]) -> Tensor:
        """Repeat the whole tensor ``reps`` times along each axis.

        See `core.tile`.
        """

    def topk(self, k: int = 1, sorted: bool = True) -> TopkResults:
        """The largest values along the last axis, and their indices.

        See `core.topk`.
        """

    def unique(self, axis: int = 0) -> UniqueResults:
        """The different entries along an axis, in the order in which they first occur.

        See `core.unique`.
        """

    def unsorted_segment_sum(self, segment_ids: TensorLike, num_segments: int) -> Tensor:
        """Sums of the entries that have the same id.

        See `core.unsorted_segment_sum`.
        """

    def unstack(self, axis: int = 0) -> list[Tensor]:
        """Split along an axis into tensors without the axis, one for each index.

        See `core.unstack`.
        """

    def zeros_like(self) -> Tensor:
        """Element-wise: zeros of x's shape.

        See `core.zeros_like`.
        """

    def concat(self, others: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
        """`core.concat` of this tensor and another tensor or array, or a list of them."""

    def stack(self, others: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
        """`core.stack` of this tensor and another tensor or array, or a list of them."""

    def where(self, condition: TensorLike, other: TensorLike) -> Tensor:
        """The values of this tensor where a condition is true, values of another one elsewhere."""

    def print(self) -> None:
        """Print the values, indented below a title, as TensorFlow.js does."""

    def __getitem__(self, index: Index) -> Tensor:
        """Part of a tensor, by NumPy's basic indexing, a mask or a list of indices."""

class VariableMethods:
    def __iadd__(self, other: TensorLike) -> Self: ...
    def __isub__(self, other: TensorLike) -> Self: ...
    def __imul__(self, other: TensorLike) -> Self: ...
    def __itruediv__(self, other: TensorLike) -> Self: ...
    def __ifloordiv__(self, other: TensorLike) -> Self: ...
    def __imod__(self, other: TensorLike) -> Self: ...
    def __ipow__(self, other: TensorLike) -> Self: ...
    def __imatmul__(self, other: TensorLike) -> Self: ...
    def __iand__(self, other: TensorLike) -> Self: ...
    def __ior__(self, other: TensorLike) -> Self: ...
    def __ixor__(self, other: TensorLike) -> Self: ...
