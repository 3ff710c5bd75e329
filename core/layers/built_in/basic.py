"""Dense layers, embeddings and masking."""

import re
from collections.abc import Sequence
from string import ascii_letters
from typing import Any, NamedTuple

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.arguments import argument
from core.layers.built_in.activation import ActivationLike, activated, fused_activation
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import (
    as_float,
    cast,
    reduce,
    reshape,
    reshape_like,
)
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.layer_config import Options
from core.layers.layer_kind import weighted
from core.regularizers import RegularizerLike


class _Dense(NamedTuple):
    """Options of a dense layer; ``fused`` is an activation that the op with a bias applies."""

    units: int
    has_bias: bool
    fused: str | None


def _options_of_dense(call: LayerCall) -> _Dense:
    _check_not_quantized(call)
    has_bias = call.options.flag("use_bias", True)
    fused = fused_activation(call) if has_bias else None
    return _Dense(call.options.integer("units"), has_bias, fused)


class Dense(OneResult):
    """Multiply the last axis with a matrix, and add a bias: a fully connected layer.

    Called on `[batch, ..., features]`, returns `[batch, ..., units]`, after the activation.

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Dense(2, activation="relu", kernel_initializer="ones")
    >>> layer([[1.0, 2.0, 3.0]]).numpy()
    array([[6., 6.]], dtype=float32)
    """

    units: int
    activation: ActivationLike = None
    use_bias: bool = True
    kernel_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None

    weight_names = weighted("kernel", use_bias="bias")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        if x.dtype != "float32":  # the usual input is not looked at further
            x = as_float(call, x)
        units, has_bias, fused = call.settings(_options_of_dense)
        kernel = call.weight("kernel", (call.length(x, -1), units))
        bias = call.weight("bias", (units,)) if has_bias else None
        y = matmul(call, x, kernel, bias, fused or "linear")
        return activated(call, y) if fused is None else y


def matmul(
    call: LayerCall,
    x: Operand,
    kernel: Operand,
    bias: Operand | None = None,
    activation: str = "linear",
) -> Any:
    """Return activation(x @ kernel + bias) along the last axis, for any number of axes before it.

    Args:
        call: call of the layer.
        x: float32 [..., inputs].
        kernel: float32 [inputs, units].
        bias: float32 [units].
        activation: one that a fused op applies, where there is a bias.
    """
    shape = call.shape(x)
    if len(shape) != 2:
        inputs, units = call.shape(kernel, 2)
        y = matmul(call, reshape(call, x, (None, inputs)), kernel, bias, activation)
        return reshape_like(call, y, (*shape[:-1], units), x)
    if bias is None:
        return call.ops.matmul(x, kernel)
    return call.ops.fused_matmul(x, kernel, bias, activation=activation)


def _check_not_quantized(call: LayerCall) -> None:
    policy = call.options.get("dtype")
    if "int8" in str(policy) or "float8" in str(policy) or "int4" in str(policy):
        raise call.error(
            f"has the quantised dtype {policy!r:.200}: save the model before quantize()"
        )


class EinsumDense(OneResult):
    """Multiply with a weight by an Einstein summation, and add a bias.

    Called on `[batch, ...]`, the equation's first operand, returns `[batch, ...]`, its result.
    The second operand is the weight; "..." may stand for further axes of the input.

    Args:
        equation: Einstein summation, such as 'abc,cd->abd'; needed.
        output_shape: shape of the result without the batch; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        bias_axes: letters of the result along which the bias has values.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.EinsumDense("abc,cd->abd", output_shape=(None, 8), bias_axes="d")
    >>> layer(core.ones((2, 3, 4))).shape
    (2, 3, 8)
    """

    equation: str
    partial_output_shape: int | Sequence[int | None] = argument(alias="output_shape")
    activation: ActivationLike = None
    bias_axes: str | None = None
    kernel_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None

    @staticmethod
    def weight_names(options: Options) -> Sequence[str]:
        return ("kernel", "bias") if options.get("bias_axes") else ("kernel",)

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        left, right, result = _einsum_terms(call, len(call.shape(x)))
        lengths = _einsum_lengths(call, ((left, x),)) | _einsum_results(call, left, result)
        kernel = call.weight("kernel", [lengths.get(letter) for letter in right])
        lengths = _einsum_lengths(call, ((left, x), (right, kernel)))
        if not set(result) <= set(lengths):
            raise call.options.error(
                "equation", "an equation whose result has letters of its left side only"
            )
        y = call.ops.contract([x, kernel], equation=f"{left},{right}->{result}")
        axes = str(call.options.get("bias_axes", ""))
        if axes:
            first = min(result.find(letter) for letter in axes)
            own = [lengths[n] if n in axes else 1 for n in result[max(first, 0) :]]
            y = call.ops.add(y, call.weight("bias", own))
        return activated(call, y)


def _einsum_terms(call: LayerCall, rank: int) -> tuple[str, str, str]:
    """Return the three terms of an equation, with letters for the dots."""
    equation = str(call.options.get("equation")).replace(" ", "")
    match = re.fullmatch(r"((?:\.\.\.)?[a-zA-Z]*),([a-zA-Z]+)->((?:\.\.\.)?[a-zA-Z]*)", equation)
    if match is None:
        raise call.options.error("equation", "as in 'ab,bc->ac' or '...a,ab->...b'")
    unused = [letter for letter in ascii_letters if letter not in equation]
    dots = "".join(unused[: max(0, rank - len(match[1].replace("...", "")))])
    left, right, result = (term.replace("...", dots) for term in match.groups())
    if len(left) != rank:
        raise call.error(f"the equation is for {len(left)} axes, got {rank}")
    return left, right, result


def _einsum_results(call: LayerCall, left: str, result: str) -> dict[str, int | None]:
    """Return the lengths of the result's letters that the input lacks, from ``output_shape``."""
    given = call.options.get("output_shape")
    lengths = [given] if isinstance(given, int) else list(given or ())
    pairs = zip(reversed(result), reversed(lengths), strict=False)
    return {letter: n for letter, n in pairs if letter not in left and isinstance(n, int)}


def _einsum_lengths(call: LayerCall, terms: Sequence[tuple[str, Operand]]) -> dict[str, int | None]:
    """Return the length of each letter."""
    lengths: dict[str, int | None] = {}
    for letters, value in terms:
        for letter, n in zip(letters, call.shape(value), strict=True):
            known = lengths.setdefault(letter, n)
            if known is None:
                lengths[letter] = n
            elif n not in (None, known):
                raise call.error(f"the length of {letter!r} is {known} and {n}")
    return lengths


class Embedding(OneResult):
    """Replace integers by rows of a table that is trained.

    Called on integers `[batch, ...]` from 0 to input_dim - 1, returns `[batch, ..., output_dim]`.

    Args:
        input_dim: number of different integers: 1 + the largest; needed.
        output_dim: length of the vector for each integer; needed.
        embeddings_initializer: first values of the embeddings: name or object of
            `core.initializers`.
        embeddings_regularizer: penalty on the embeddings, see `core.regularizers`.
        embeddings_constraint: applied to the embeddings after each step, see `core.constraints`.
        mask_zero: mask the positions of 0, for layers that take masks.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Embedding(input_dim=10, output_dim=2, embeddings_initializer="ones")
    >>> layer(core.tensor([[1, 5, 9]])).numpy()
    array([[[1., 1.],
            [1., 1.],
            [1., 1.]]], dtype=float32)
    """

    input_dim: int
    output_dim: int
    embeddings_initializer: InitializerLike = "uniform"
    embeddings_regularizer: RegularizerLike = None
    embeddings_constraint: ConstraintLike = None
    mask_zero: bool = False

    weight_names = weighted("embeddings")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        options = call.options
        units = options.integer("output_dim")
        table = call.weight("embeddings", (options.integer("input_dim"), units))
        indices = cast(call, x, "int32")
        y = call.ops.gather(table, indices, axis=0)
        if not options.flag("mask_zero", False):
            return y
        return Masked(y, call.ops.not_equal(indices, 0))


class Masking(OneResult):
    """Mask the steps whose values are all mask_value, for the layers after it.

    Called on `[batch, steps, features]`, returns the values, with zeros in masked steps.

    Args:
        mask_value: steps with this in all values are masked.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.tensor([[[1.0, 2.0], [0.0, 0.0]]])
    >>> core.layers.GlobalAveragePooling1D()(core.layers.Masking()(x)).numpy()
    array([[1., 2.]], dtype=float32)
    """

    mask_value: float = 0.0

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        differs = call.ops.not_equal(x, call.options.number("mask_value", 0.0))
        kept = reduce(call, "any", differs, [-1], keep=True)
        mask = reduce(call, "any", differs, [-1])
        return Masked(call.ops.mul(x, cast(call, kept, "float32")), mask)
