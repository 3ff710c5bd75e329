"""Layers. Written by ``python -m core.public.stubs``."""
from collections.abc import Callable, Sequence
from typing import Literal, overload

import numpy as np

from core.engine.argument_types import TensorLike
from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.adapted_data import AdaptedTo
from core.layers.built_in import BuiltIn
from core.layers.inference import layer_classes as layer_classes
from core.layers.inference import layers_graph as layers_graph
from core.layers.input_layer import Input as Input
from core.layers.input_layer import InputLayer as InputLayer
from core.layers.layer import Layer as Layer
from core.layers.symbolic import SymbolicTensor as SymbolicTensor
from core.regularizers import RegularizerLike
from core.engine.tensors import Tensor

ActivationLike = str | Callable[[Tensor], Tensor] | None

input = Input
input_layer = InputLayer

def class_names() -> dict[str, str]: ...

class _OneResult(BuiltIn):
    @overload
    def __call__(
        self,
        *arguments: SymbolicTensor | Sequence[SymbolicTensor],
        training: bool | None = None,
        **keywords: SymbolicTensor | TensorLike | None,
    ) -> SymbolicTensor: ...
    @overload
    def __call__(
        self,
        *arguments: TensorLike | Sequence[TensorLike],
        training: bool | None = None,
        **keywords: TensorLike | None,
    ) -> Tensor: ...

class Activation(_OneResult):
    r"""Apply an activation, named or a function of a tensor, to all values.

    Called on a tensor of any shape, returns one of that shape.

    Args:
        activation: name of an activation, such as "relu", a function of a tensor, or None for none;
            needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Activation("relu")([[-1.0, 2.0]]).numpy()
    array([[0., 2.]], dtype=float32)
    """
    def __init__(
        self,
        activation: ActivationLike,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ActivityRegularization(_OneResult):
    r"""Add a penalty on the input to the loss in training, and return the input as it is.

    Called on a tensor of any shape. The penalty is l1 * sum(|x|) + l2 * sum(x * x), divided by the
    length of the batch.

    Args:
        l1: factor of the sum of absolute values.
        l2: factor of the sum of squares.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ActivityRegularization(l2=0.01)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    def __init__(
        self,
        l1: float = 0.0,
        l2: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdaptiveAveragePooling1D(_OneResult):
    r"""Return the mean of windows of sequences, as many as the result shall have.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveAveragePooling1D(2)(core.ones((1, 5, 3))).shape
    (1, 2, 3)
    """
    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdaptiveAveragePooling2D(_OneResult):
    r"""Return the mean of windows of images, as many as the result shall have.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveAveragePooling2D(2)(core.ones((1, 5, 5, 3))).shape
    (1, 2, 2, 3)
    """
    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdaptiveAveragePooling3D(_OneResult):
    r"""Return the mean of windows of volumes, as many as the result shall have.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveAveragePooling3D(2)(core.ones((1, 5, 5, 5, 3))).shape
    (1, 2, 2, 2, 3)
    """
    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdaptiveMaxPooling1D(_OneResult):
    r"""Return the largest value of windows of sequences, as many as the result shall have.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveMaxPooling1D(2)(core.ones((1, 5, 3))).shape
    (1, 2, 3)
    """
    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdaptiveMaxPooling2D(_OneResult):
    r"""Return the largest value of windows of images, as many as the result shall have.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveMaxPooling2D(2)(core.ones((1, 5, 5, 3))).shape
    (1, 2, 2, 3)
    """
    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdaptiveMaxPooling3D(_OneResult):
    r"""Return the largest value of windows of volumes, as many as the result shall have.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveMaxPooling3D(2)(core.ones((1, 5, 5, 5, 3))).shape
    (1, 2, 2, 2, 3)
    """
    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Add(_OneResult):
    r"""Add inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Add()([x, y]).numpy().tolist()
    [[4.0, 7.0]]
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AdditiveAttention(BuiltIn):
    r"""Mix values by the softmax of sums of tanh(query + key).

    Called as `layer([query, value])` or `layer([query, value, key])`; query `[batch, queries,
    features]`, value and key `[batch, positions, features]`; returns `[batch, queries, features]`. The
    call takes `mask=[query_mask, value_mask]`, `use_causal_mask=True` for positions up to the query's,
    and `return_attention_scores=True`, which returns the weights, too.

    Source: Bahdanau, Cho, Bengio, "Neural Machine Translation by Jointly Learning to Align and
    Translate" (2015), https://arxiv.org/abs/1409.0473.

    Args:
        use_scale: multiply the scores by a weight.
        dropout: share of attention weights to drop in training.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> query, value = core.zeros((1, 1, 2)), core.tensor([[[1.0, 2.0], [1.0, 2.0]]])
    >>> core.layers.AdditiveAttention()([query, value]).numpy()
    array([[[1., 2.]]], dtype=float32)
    """
    def __init__(
        self,
        use_scale: bool = True,
        dropout: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AlphaDropout(_OneResult):
    r"""Drop random values in training so that mean and variance of the inputs stay, for SELU networks.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

    Source: Klambauer et al., "Self-Normalizing Neural Networks" (2017),
    https://arxiv.org/abs/1706.02515.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        noise_shape: shape of the random decisions, with 1 for axes that share one; None for that of
            the input.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AlphaDropout(0.5)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    def __init__(
        self,
        rate: float,
        noise_shape: Sequence[int | None] | None = None,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Attention(BuiltIn):
    r"""Mix values by the softmax of the dot products of queries and keys.

    Called as `layer([query, value])` or `layer([query, value, key])`; query `[batch, queries,
    features]`, value and key `[batch, positions, features]`; returns `[batch, queries, features]`. The
    call takes `mask=[query_mask, value_mask]`, `use_causal_mask=True` for positions up to the query's,
    and `return_attention_scores=True`, which returns the weights, too.

    Source: Luong, Pham, Manning, "Effective Approaches to Attention-based Neural Machine Translation"
    (2015), https://arxiv.org/abs/1508.04025.

    Args:
        use_scale: multiply the scores by a weight.
        score_mode: how queries and keys are compared.
        dropout: share of attention weights to drop in training.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> query, value = core.zeros((1, 1, 2)), core.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    >>> core.layers.Attention()([query, value]).numpy()
    array([[[2., 3.]]], dtype=float32)
    """
    def __init__(
        self,
        use_scale: bool = False,
        score_mode: Literal["dot", "concat"] = 'dot',
        dropout: float = 0.0,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Average(_OneResult):
    r"""Return the mean of inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Average()([x, y]).numpy().tolist()
    [[2.0, 3.5]]
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AveragePooling1D(_OneResult):
    r"""Return the mean of each window of sequences, channel by channel.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AveragePooling1D(2)(core.ones((1, 4, 3))).shape
    (1, 2, 3)
    """
    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AveragePooling2D(_OneResult):
    r"""Return the mean of each window of images, channel by channel.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AveragePooling2D(2)(core.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 3)
    """
    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class AveragePooling3D(_OneResult):
    r"""Return the mean of each window of volumes, channel by channel.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AveragePooling3D(2)(core.ones((1, 4, 4, 4, 3))).shape
    (1, 2, 2, 2, 3)
    """
    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class BatchNormalization(_OneResult):
    r"""Normalise each channel by mean and variance: of the batch in training, moving ones in inference.

    Called on `[batch, ..., channels]`, returns that shape: (x - mean) / sqrt(variance + epsilon) *
    gamma + beta. A layer that is not trainable runs as in inference, in training, too.

    Source: Ioffe, Szegedy, "Batch Normalization" (2015), https://arxiv.org/abs/1502.03167.

    Args:
        axis: axis of the channels.
        momentum: share of the moving statistics that stays at each step.
        epsilon: added to the variance.
        center: add the weight beta.
        scale: multiply by the weight gamma.
        beta_initializer: first values of the beta: name or object of `core.initializers`.
        gamma_initializer: first values of the gamma: name or object of `core.initializers`.
        moving_mean_initializer: first values of the moving mean: name or object of
            `core.initializers`.
        moving_variance_initializer: first values of the moving variance: name or object of
            `core.initializers`.
        beta_regularizer: penalty on the beta, see `core.regularizers`.
        gamma_regularizer: penalty on the gamma, see `core.regularizers`.
        beta_constraint: applied to the beta after each step, see `core.constraints`.
        gamma_constraint: applied to the gamma after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.BatchNormalization(epsilon=0.0)
    >>> layer([[1.0], [3.0]], training=True).numpy()
    array([[-1.],
           [ 1.]], dtype=float32)
    >>> [variable.name.split("/")[-1] for variable in layer.variables]
    ['gamma', 'beta', 'moving_mean', 'moving_variance']
    """
    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = 'zeros',
        gamma_initializer: InitializerLike = 'ones',
        moving_mean_initializer: InitializerLike = 'zeros',
        moving_variance_initializer: InitializerLike = 'ones',
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Bidirectional(BuiltIn):
    r"""Go through sequences in both directions with a recurrent layer and one like it.

    Called on `[batch, steps, features]`, returns both results joined by merge_mode: with "concat"
    `[batch, 2 x units]`, or all steps if the layer returns them.

    Source: Schuster, Paliwal, "Bidirectional Recurrent Neural Networks" (1997).

    Args:
        layer: layer to call; needed.
        merge_mode: how both results become one; None returns both.
        backward_layer: layer for the other direction, by default one alike.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Bidirectional(core.layers.GRU(4))(core.ones((1, 3, 2))).shape
    (1, 8)
    """
    def __init__(
        self,
        layer: Layer,
        merge_mode: Literal["concat", "sum", "mul", "ave"] | None = 'concat',
        backward_layer: Layer | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class CategoryEncoding(_OneResult):
    r"""Encode integers as vectors with a place for each category.

    Called on integers `[batch]` or `[batch, values]`, returns `[batch, num_tokens]`; with output_mode
    "one_hot" `[batch, values, num_tokens]`. The call takes `count_weights` for the mode "count".

    Args:
        num_tokens: number of categories.
        output_mode: kind of the result.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.CategoryEncoding(4)(core.tensor([[0, 1], [3, 3]])).numpy()
    array([[1., 1., 0., 0.],
           [0., 0., 0., 1.]], dtype=float32)
    """
    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: Literal["multi_hot", "one_hot", "count", "int"] = 'multi_hot',
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class CenterCrop(_OneResult):
    r"""Cut the centre out of images; smaller images are resized.

    Called on `[batch, rows, columns, channels]`, returns `[batch, height, width, channels]`.

    Args:
        height: rows of the result; needed.
        width: columns of the result; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.CenterCrop(2, 2)(core.ones((1, 4, 6, 3))).shape
    (1, 2, 2, 3)
    """
    def __init__(
        self,
        height: int,
        width: int,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Concatenate(_OneResult):
    r"""Join inputs along an axis.

    Called on a list of tensors whose shapes differ along the axis alone; returns one tensor.

    Args:
        axis: axis along which to concatenate.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Concatenate()([core.ones((1, 2)), core.zeros((1, 1))]).numpy()
    array([[1., 1., 0.]], dtype=float32)
    """
    def __init__(
        self,
        axis: int = -1,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Conv1D(_OneResult):
    r"""Move filters over sequences: each result is the sum of a window times a filter, plus a bias.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, filters]`. Filters have the shape of the window,
    then `[channels / groups, filters]`.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        groups: number of groups of channels, each with filters of its own.
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
    >>> layer = core.layers.Conv1D(2, 3, kernel_initializer="ones")
    >>> layer(core.ones((1, 5, 3))).shape
    (1, 3, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        groups: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Conv1DTranspose(_OneResult):
    r"""Enlarge sequences by filters, as the gradient of a convolution does.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, filters]`: with padding "same", lengths times the
    strides. Filters have the shape of the window, then `[filters, channels]`.

    Source: Zeiler et al., "Deconvolutional Networks" (2010).

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        output_padding: values added at the ends of the result.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
    >>> layer = core.layers.Conv1DTranspose(2, 3, strides=2, padding="same")
    >>> layer(core.ones((1, 4, 3))).shape
    (1, 8, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        output_padding: int | Sequence[int] | None = None,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Conv2D(_OneResult):
    r"""Move filters over images: each result is the sum of a window times a filter, plus a bias.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, filters]`. Filters have the shape of the window,
    then `[channels / groups, filters]`.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        groups: number of groups of channels, each with filters of its own.
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
    >>> layer = core.layers.Conv2D(2, 3, kernel_initializer="ones")
    >>> layer(core.ones((1, 5, 5, 3))).shape
    (1, 3, 3, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        groups: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Conv2DTranspose(_OneResult):
    r"""Enlarge images by filters, as the gradient of a convolution does.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, filters]`: with padding "same", lengths times the
    strides. Filters have the shape of the window, then `[filters, channels]`.

    Source: Zeiler et al., "Deconvolutional Networks" (2010).

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        output_padding: values added at the ends of the result.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
    >>> layer = core.layers.Conv2DTranspose(2, 3, strides=2, padding="same")
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 8, 8, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        output_padding: int | Sequence[int] | None = None,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Conv3D(_OneResult):
    r"""Move filters over volumes: each result is the sum of a window times a filter, plus a bias.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, filters]`. Filters have the shape of the window,
    then `[channels / groups, filters]`.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        groups: number of groups of channels, each with filters of its own.
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
    >>> layer = core.layers.Conv3D(2, 3, kernel_initializer="ones")
    >>> layer(core.ones((1, 5, 5, 5, 3))).shape
    (1, 3, 3, 3, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        groups: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Conv3DTranspose(_OneResult):
    r"""Enlarge volumes by filters, as the gradient of a convolution does.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, filters]`: with padding "same", lengths times the
    strides. Filters have the shape of the window, then `[filters, channels]`.

    Source: Zeiler et al., "Deconvolutional Networks" (2010).

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        output_padding: values added at the ends of the result.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
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
    >>> layer = core.layers.Conv3DTranspose(2, 3, strides=2, padding="same")
    >>> layer(core.ones((1, 4, 4, 4, 3))).shape
    (1, 8, 8, 8, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        output_padding: int | Sequence[int] | None = None,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ConvLSTM1D(BuiltIn):
    r"""Go through sequences with gates that are convolutions along steps.

    Called on `[batch, steps, steps, channels]`, returns `[batch, new steps, filters]`, or the
    results of all steps with return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.ConvLSTM1D(2, 3, padding="same")
    >>> layer(core.ones((1, 3, 4, 1))).shape
    (1, 4, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ConvLSTM1DCell(BuiltIn):
    r"""Make one step of `ConvLSTM1D`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, steps, channels]`.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RNN(core.layers.ConvLSTM1DCell(2, 3, padding="same"))
    >>> layer(core.ones((1, 3, 4, 1))).shape
    (1, 4, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ConvLSTM2D(BuiltIn):
    r"""Go through sequences with gates that are convolutions along rows, columns.

    Called on `[batch, steps, rows, columns, channels]`, returns `[batch, new rows, columns, filters]`, or the
    results of all steps with return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.ConvLSTM2D(2, 3, padding="same")
    >>> layer(core.ones((1, 3, 4, 4, 1))).shape
    (1, 4, 4, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ConvLSTM2DCell(BuiltIn):
    r"""Make one step of `ConvLSTM2D`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, rows, columns, channels]`.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RNN(core.layers.ConvLSTM2DCell(2, 3, padding="same"))
    >>> layer(core.ones((1, 3, 4, 4, 1))).shape
    (1, 4, 4, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ConvLSTM3D(BuiltIn):
    r"""Go through sequences with gates that are convolutions along depth, rows, columns.

    Called on `[batch, steps, depth, rows, columns, channels]`, returns `[batch, new depth, rows, columns, filters]`, or the
    results of all steps with return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.ConvLSTM3D(2, 3, padding="same")
    >>> layer(core.ones((1, 3, 4, 4, 4, 1))).shape
    (1, 4, 4, 4, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ConvLSTM3DCell(BuiltIn):
    r"""Make one step of `ConvLSTM3D`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, depth, rows, columns, channels]`.

    Source: Shi et al., "Convolutional LSTM Network" (2015),
    https://arxiv.org/abs/1506.04214.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RNN(core.layers.ConvLSTM3DCell(2, 3, padding="same"))
    >>> layer(core.ones((1, 3, 4, 4, 4, 1))).shape
    (1, 4, 4, 4, 2)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Cropping1D(_OneResult):
    r"""Cut values off the edges of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        cropping: values to cut off the edges of each axis: a number, or pairs.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Cropping1D(1)(core.ones((1, 4, 1))).shape
    (1, 2, 1)
    """
    def __init__(
        self,
        cropping: int | Sequence[int] | Sequence[Sequence[int]] = 1,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Cropping2D(_OneResult):
    r"""Cut values off the edges of images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`.

    Args:
        cropping: values to cut off the edges of each axis: a number, or pairs.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Cropping2D(1)(core.ones((1, 4, 4, 1))).shape
    (1, 2, 2, 1)
    """
    def __init__(
        self,
        cropping: int | Sequence[int] | Sequence[Sequence[int]] = 0,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Cropping3D(_OneResult):
    r"""Cut values off the edges of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`.

    Args:
        cropping: values to cut off the edges of each axis: a number, or pairs.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Cropping3D(1)(core.ones((1, 4, 4, 4, 1))).shape
    (1, 2, 2, 2, 1)
    """
    def __init__(
        self,
        cropping: int | Sequence[int] | Sequence[Sequence[int]] = 1,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Dense(_OneResult):
    r"""Multiply the last axis with a matrix, and add a bias: a fully connected layer.

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
    def __init__(
        self,
        units: int,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class DepthwiseConv1D(_OneResult):
    r"""Move filters over sequences, each over one channel alone.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels x depth_multiplier]`. Filters have the
    shape of the window, then `[channels, depth_multiplier]`.

    Source: Howard et al., "MobileNets" (2017), https://arxiv.org/abs/1704.04861.

    Args:
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        depth_multiplier: number of filters for each channel.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.DepthwiseConv1D(3, depth_multiplier=2)
    >>> layer(core.ones((1, 5, 3))).shape
    (1, 3, 6)
    """
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        depth_multiplier: int = 1,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        depthwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class DepthwiseConv2D(_OneResult):
    r"""Move filters over images, each over one channel alone.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels x depth_multiplier]`. Filters have the
    shape of the window, then `[channels, depth_multiplier]`.

    Source: Howard et al., "MobileNets" (2017), https://arxiv.org/abs/1704.04861.

    Args:
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        depth_multiplier: number of filters for each channel.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.DepthwiseConv2D(3, depth_multiplier=2)
    >>> layer(core.ones((1, 5, 5, 3))).shape
    (1, 3, 3, 6)
    """
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        depth_multiplier: int = 1,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        depthwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Discretization(_OneResult):
    r"""Replace numbers by the number of the bin that they lie in.

    Called on a tensor of any shape, returns integers of that shape, or their encoding by output_mode.
    A boundary belongs to the bin above it. There is no adapt(): give bin_boundaries.

    Args:
        bin_boundaries: numbers between which the bins lie.
        num_bins: number of bins, where Keras is to find the boundaries.
        epsilon: added to the variance.
        output_mode: kind of the result.
        sparse: accepted for Keras's sake; results are dense.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Discretization(bin_boundaries=[0.0, 1.0])([[-1.0, 0.5, 1.0]]).numpy()
    array([[0, 1, 2]], dtype=int32)
    """
    def __init__(
        self,
        bin_boundaries: Sequence[float] | None = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: Literal["multi_hot", "one_hot", "count", "int"] = 'int',
        sparse: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Dot(_OneResult):
    r"""Return the dot products of two inputs along an axis of each, sample by sample.

    Called on two tensors `[batch, ...]`; the result has their other axes, and for matrices at least one
    axis beside the batch.

    Args:
        axes: axis of both inputs, or one of each, to sum along; needed.
        normalize: divide by the norms along the axes: the result is the cosine.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Dot(axes=1)([core.tensor([[1.0, 2.0]]), core.tensor([[3.0, 4.0]])]).numpy()
    array([[11.]], dtype=float32)
    """
    def __init__(
        self,
        axes: int | Sequence[int],
        normalize: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Dropout(_OneResult):
    r"""Set random values to 0 in training, and divide the others by 1 - rate.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

    Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
    (2014).

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        noise_shape: shape of the random decisions, with 1 for axes that share one; None for that of
            the input.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Dropout(0.5, seed=1)
    >>> layer([[1.0, 1.0]]).numpy()
    array([[1., 1.]], dtype=float32)
    >>> layer(core.ones((9, 9)), training=True).max().item()
    2.0
    """
    def __init__(
        self,
        rate: float,
        noise_shape: Sequence[int | None] | None = None,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ELU(_OneResult):
    r"""Return x where it is positive, and alpha * (exp(x) - 1) elsewhere.

    Called on a tensor of any shape, returns one of that shape.

    Source: Clevert, Unterthiner, Hochreiter, "Fast and Accurate Deep Network Learning by Exponential
    Linear Units" (2016), https://arxiv.org/abs/1511.07289.

    Args:
        alpha: factor of the negative part.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ELU()([[-1.0, 2.0]]).numpy().round(3)
    array([[-0.632,  2.   ]], dtype=float32)
    """
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class EinsumDense(_OneResult):
    r"""Multiply with a weight by an Einstein summation, and add a bias.

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
    def __init__(
        self,
        equation: str,
        output_shape: int | Sequence[int | None],
        activation: ActivationLike = None,
        bias_axes: str | None = None,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Embedding(_OneResult):
    r"""Replace integers by rows of a table that is trained.

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
    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: InitializerLike = 'uniform',
        embeddings_regularizer: RegularizerLike = None,
        embeddings_constraint: ConstraintLike = None,
        mask_zero: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Flatten(_OneResult):
    r"""Join all axes but the batch to one.

    Called on `[batch, ...]`, returns `[batch, values]`.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Flatten()(core.ones((2, 3, 4))).shape
    (2, 12)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GRU(BuiltIn):
    r"""Go through sequences step by step with a state and gates to keep and reset.

    Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
    Statistical Machine Translation" (2014), https://arxiv.org/abs/1406.1078.

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        reset_after: apply the reset gate after the product with the state.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.GRU(4, return_sequences=True)
    >>> layer(core.ones((1, 3, 2))).shape
    (1, 3, 4)
    """
    def __init__(
        self,
        units: int,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        reset_after: bool = True,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GRUCell(BuiltIn):
    r"""Make one step of `GRU`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

    Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
    Statistical Machine Translation" (2014), https://arxiv.org/abs/1406.1078.

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        reset_after: apply the reset gate after the product with the state.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RNN(core.layers.GRUCell(4))(core.ones((1, 3, 2))).shape
    (1, 4)
    """
    def __init__(
        self,
        units: int,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        reset_after: bool = True,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GaussianDropout(_OneResult):
    r"""Multiply with normally distributed factors of mean 1 in training.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is. The
    standard deviation is sqrt(rate / (1 - rate)).

    Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
    (2014).

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GaussianDropout(0.5)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    def __init__(
        self,
        rate: float,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GaussianNoise(_OneResult):
    r"""Add normally distributed noise in training.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

    Args:
        stddev: standard deviation of the noise, from 0; needed.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GaussianNoise(0.1)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    def __init__(
        self,
        stddev: float,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GlobalAveragePooling1D(_OneResult):
    r"""Return the mean of each channel of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalAveragePooling1D()(core.ones((1, 4, 3))).shape
    (1, 3)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        keepdims: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GlobalAveragePooling2D(_OneResult):
    r"""Return the mean of each channel of images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalAveragePooling2D()(core.ones((1, 4, 4, 3))).shape
    (1, 3)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        keepdims: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GlobalAveragePooling3D(_OneResult):
    r"""Return the mean of each channel of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalAveragePooling3D()(core.ones((1, 4, 4, 4, 3))).shape
    (1, 3)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        keepdims: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GlobalMaxPooling1D(_OneResult):
    r"""Return the largest value of each channel of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalMaxPooling1D()(core.ones((1, 4, 3))).shape
    (1, 3)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        keepdims: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GlobalMaxPooling2D(_OneResult):
    r"""Return the largest value of each channel of images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalMaxPooling2D()(core.ones((1, 4, 4, 3))).shape
    (1, 3)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        keepdims: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GlobalMaxPooling3D(_OneResult):
    r"""Return the largest value of each channel of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalMaxPooling3D()(core.ones((1, 4, 4, 4, 3))).shape
    (1, 3)
    """
    def __init__(
        self,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        keepdims: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GroupNormalization(_OneResult):
    r"""Normalise each sample by mean and variance of groups of channels.

    Called on `[batch, ..., channels]`, returns that shape. The number of channels is a multiple of the
    number of groups.

    Source: Wu, He, "Group Normalization" (2018), https://arxiv.org/abs/1803.08494.

    Args:
        groups: number of groups; -1 for one per channel.
        axis: axis of the channels.
        epsilon: added to the variance.
        center: add the weight beta.
        scale: multiply by the weight gamma.
        beta_initializer: first values of the beta: name or object of `core.initializers`.
        gamma_initializer: first values of the gamma: name or object of `core.initializers`.
        beta_regularizer: penalty on the beta, see `core.regularizers`.
        gamma_regularizer: penalty on the gamma, see `core.regularizers`.
        beta_constraint: applied to the beta after each step, see `core.constraints`.
        gamma_constraint: applied to the gamma after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.GroupNormalization(groups=2, epsilon=0.0)
    >>> layer([[1.0, 3.0, 10.0, 30.0]]).numpy()
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = 'zeros',
        gamma_initializer: InitializerLike = 'ones',
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class GroupQueryAttention(BuiltIn):
    r"""Mix values as multi-head attention does, where groups of query heads share keys and values.

    Called as `layer(query, value, key=value)`; query `[batch, queries, features]`, value and key
    `[batch, positions, features]`; returns `[batch, queries, features]`. The call takes `query_mask`,
    `value_mask`, `key_mask`, `attention_mask`, `use_causal_mask=True` for positions up to the query's,
    and `return_attention_scores=True`, which returns the weights, too, `[batch, heads, queries,
    positions]`.

    Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
    Checkpoints" (2023), https://arxiv.org/abs/2305.13245.

    Args:
        head_dim: length of each head; needed.
        num_query_heads: number of heads of queries; needed.
        num_key_value_heads: number of heads of keys and values; needed.
        dropout: share of attention weights to drop in training.
        use_bias: add a bias.
        sliding_window: positions that are seen, by default all.
        flash_attention: accepted for Keras's sake; results are equal.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        use_gate: multiply the result by a gate.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.GroupQueryAttention(4, num_query_heads=4, num_key_value_heads=2)
    >>> layer(core.ones((1, 3, 8)), core.ones((1, 5, 8))).shape
    (1, 3, 8)
    """
    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        use_gate: bool = False,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Identity(_OneResult):
    r"""Return the input as it is.

    Called on a tensor of any shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Identity()([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class IntegerLookup(_OneResult):
    r"""Replace integers by their numbers in a vocabulary.

    Called on integers of any shape, returns integers of that shape, or vectors by output_mode, all like
    `StringLookup`.

    Args:
        max_tokens: numbers in all, where results are padded to them.
        num_oov_indices: numbers for what is not in the vocabulary, from 0.
        mask_token: text or integer whose number is 0.
        oov_token: what stands for unknown values in a vocabulary.
        vocabulary: texts or integers in the order of their numbers.
        idf_weights: factor of each entry of the vocabulary, for output_mode="tf_idf".
        invert: integers for numbers; not supported.
        output_mode: kind of the result.
        sparse: accepted for Keras's sake; results are dense.
        pad_to_max_tokens: make vectors of max_tokens numbers.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.IntegerLookup(vocabulary=[10, 30])([30, 20, 10]).numpy()
    array([2, 0, 1], dtype=int32)
    """
    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | int | None = None,
        oov_token: str | int = -1,
        vocabulary: Sequence[str] | Sequence[int] | None = None,
        idf_weights: Sequence[float] | None = None,
        invert: bool = False,
        output_mode: Literal["int", "one_hot", "multi_hot", "count", "tf_idf"] = 'int',
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...
    def adapt(self, data: AdaptedTo) -> None:
        r"""Make the vocabulary of what the data have, the most frequent first, as Keras does.

        With output_mode "tf_idf" this sets `idf_weights`, too, for which each row of the data is a
        document.

        Args:
            data: texts or integers as the layer takes them: an array or list, or a dataset or another
                iterable of batches, each ``x``, or a tuple that begins with it.

        Raises:
            CoreError: the data are of another dtype, or have nothing for a vocabulary, or the layer was
                called already and its result would have another length.

        >>> import core
        >>> layer = core.layers.TextVectorization(max_tokens=4)
        >>> layer.adapt(["to be or not to be", "be!"])
        >>> layer.get_vocabulary()
        ['', '[UNK]', 'be', 'to']
        """
    def get_vocabulary(self, include_special_tokens: bool = True) -> list[int]:
        r"""Return the vocabulary: the integer for each number that the layer returns.

        Args:
            include_special_tokens: begin with the mask token and what stands for unknown integers.

        >>> import core
        >>> core.layers.IntegerLookup(vocabulary=[10, 30]).get_vocabulary()
        [-1, 10, 30]
        """
    def set_vocabulary(self, vocabulary: Sequence[str] | Sequence[int], idf_weights: Sequence[float] | None = None) -> None:
        r"""Replace the vocabulary.

        Args:
            vocabulary: different texts or integers, with or without the special ones at the start.
            idf_weights: a factor for each of them, which the output_mode "tf_idf" needs.

        Raises:
            CoreError: the vocabulary is invalid or longer than max_tokens, or the layer was called
                already and its result would have another length.

        >>> import core
        >>> layer = core.layers.StringLookup(vocabulary=["cat"])
        >>> layer.set_vocabulary(["owl", "dog"])
        >>> layer(["dog"]).numpy()
        array([2], dtype=int32)
        """
    def vocabulary_size(self) -> int:
        r"""Return the length of the vocabulary with the special entries.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).vocabulary_size()
        3
        """

class LSTM(BuiltIn):
    r"""Go through sequences step by step with a state and gates to keep, forget and return.

    Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Source: Hochreiter, Schmidhuber, "Long Short-Term Memory" (1997).

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.LSTM(4, return_sequences=True)
    >>> layer(core.ones((1, 3, 2))).shape
    (1, 3, 4)
    """
    def __init__(
        self,
        units: int,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class LSTMCell(BuiltIn):
    r"""Make one step of `LSTM`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

    Source: Hochreiter, Schmidhuber, "Long Short-Term Memory" (1997).

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        recurrent_activation: activation of the gates.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        unit_forget_bias: let the bias of the forget gate begin at 1.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RNN(core.layers.LSTMCell(4))(core.ones((1, 3, 2))).shape
    (1, 4)
    """
    def __init__(
        self,
        units: int,
        activation: ActivationLike = 'tanh',
        recurrent_activation: ActivationLike = 'sigmoid',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class LayerNormalization(_OneResult):
    r"""Normalise each sample by its mean and variance along an axis, or several.

    Called on a tensor `[batch, ...]`, returns that shape: (x - mean) / sqrt(variance + epsilon) *
    gamma + beta.

    Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), https://arxiv.org/abs/1607.06450.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        epsilon: added to the variance.
        center: add the weight beta.
        scale: multiply by the weight gamma.
        beta_initializer: first values of the beta: name or object of `core.initializers`.
        gamma_initializer: first values of the gamma: name or object of `core.initializers`.
        beta_regularizer: penalty on the beta, see `core.regularizers`.
        gamma_regularizer: penalty on the gamma, see `core.regularizers`.
        beta_constraint: applied to the beta after each step, see `core.constraints`.
        gamma_constraint: applied to the gamma after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.LayerNormalization(epsilon=0.0)([[1.0, 3.0]]).numpy()
    array([[-1.,  1.]], dtype=float32)
    """
    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = 'zeros',
        gamma_initializer: InitializerLike = 'ones',
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class LeakyReLU(_OneResult):
    r"""Return x where it is positive, and negative_slope * x elsewhere.

    Called on a tensor of any shape, returns one of that shape.

    Source: Maas, Hannun, Ng, "Rectifier Nonlinearities Improve Neural Network Acoustic Models" (2013).

    Args:
        negative_slope: factor of values below the threshold.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.LeakyReLU(negative_slope=0.5)([[-1.0, 2.0]]).numpy()
    array([[-0.5,  2. ]], dtype=float32)
    """
    def __init__(
        self,
        negative_slope: float = 0.3,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Masking(_OneResult):
    r"""Mask the steps whose values are all mask_value, for the layers after it.

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
    def __init__(
        self,
        mask_value: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class MaxPooling1D(_OneResult):
    r"""Return the largest value of each window of sequences, channel by channel.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.MaxPooling1D(2)(core.ones((1, 4, 3))).shape
    (1, 2, 3)
    """
    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class MaxPooling2D(_OneResult):
    r"""Return the largest value of each window of images, channel by channel.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.MaxPooling2D(2)(core.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 3)
    """
    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class MaxPooling3D(_OneResult):
    r"""Return the largest value of each window of volumes, channel by channel.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.MaxPooling3D(2)(core.ones((1, 4, 4, 4, 3))).shape
    (1, 2, 2, 2, 3)
    """
    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Maximum(_OneResult):
    r"""Return the largest of the inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Maximum()([x, y]).numpy().tolist()
    [[3.0, 5.0]]
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Minimum(_OneResult):
    r"""Return the smallest of the inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Minimum()([x, y]).numpy().tolist()
    [[1.0, 2.0]]
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class MultiHeadAttention(BuiltIn):
    r"""Mix values by weights that compare each query with each key, in several heads with own projections.

    Called as `layer(query, value, key=value)`; query `[batch, queries, features]`, value and key
    `[batch, positions, features]`; returns `[batch, queries, features]`. The call takes `query_mask`,
    `value_mask`, `key_mask`, `attention_mask`, `use_causal_mask=True` for positions up to the query's,
    and `return_attention_scores=True`, which returns the weights, too, `[batch, heads, queries,
    positions]`.

    Source: Vaswani et al., "Attention Is All You Need" (2017), https://arxiv.org/abs/1706.03762.

    Args:
        num_heads: number of heads; needed.
        key_dim: length of each head's queries and keys; needed.
        value_dim: length of each head's values, by default key_dim.
        dropout: share of attention weights to drop in training.
        use_bias: add a bias.
        output_shape: lengths of the result's last axes, by default those of the query.
        attention_axes: axes of positions, by default all inner.
        sliding_window: positions that are seen, by default all.
        flash_attention: accepted for Keras's sake; results are equal.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        use_gate: multiply the result by a gate.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> layer(core.ones((1, 3, 8)), core.ones((1, 5, 8))).shape
    (1, 3, 8)
    """
    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | Sequence[int] | None = None,
        attention_axes: int | Sequence[int] | None = None,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        use_gate: bool = False,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Multiply(_OneResult):
    r"""Multiply inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Multiply()([x, y]).numpy().tolist()
    [[3.0, 10.0]]
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Normalization(_OneResult):
    r"""Subtract a known mean, and divide by the root of a known variance.

    Called on `[batch, ..., channels]`, returns that shape. Where mean and variance are not given,
    `adapt` takes them from data; the weights `mean` and `variance` hold them.

    Args:
        axis: axes with statistics of their own; None for one mean and one variance.
        mean: mean, where it is known.
        variance: variance, where it is known.
        invert: turn normalised values into those before.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Normalization(mean=2.0, variance=4.0)([[0.0, 2.0, 6.0]]).numpy()
    array([[-1.,  0.,  2.]], dtype=float32)
    """
    def __init__(
        self,
        axis: int | Sequence[int] | None = -1,
        mean: float | Sequence[float] | None = None,
        variance: float | Sequence[float] | None = None,
        invert: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...
    def adapt(self, data: AdaptedTo) -> None:
        r"""Set the weights `mean` and `variance` to those of data, as Keras does.

        Args:
            data: samples along the first axis: an array, or a dataset or another iterable of batches,
                each ``x``, or a tuple that begins with it.

        Raises:
            CoreError: the layer was made with a mean, or the data are no finite numbers, empty, or of
                another shape than its inputs.

        >>> import core
        >>> layer = core.layers.Normalization()
        >>> layer.adapt([[0.0, 7.0], [2.0, 9.0]])
        >>> layer([[0.0, 8.0]]).numpy()
        array([[-1.,  0.]], dtype=float32)
        """

class PReLU(_OneResult):
    r"""Return x where it is positive, and alpha * x elsewhere, with factors alpha that are trained.

    Called on a tensor `[batch, ...]`, returns one of that shape. There is a factor for each value of a
    sample, but for the shared axes.

    Source: He et al., "Delving Deep into Rectifiers" (2015), https://arxiv.org/abs/1502.01852.

    Args:
        alpha_initializer: first values of the alpha: name or object of `core.initializers`.
        alpha_regularizer: penalty on the alpha, see `core.regularizers`.
        alpha_constraint: applied to the alpha after each step, see `core.constraints`.
        shared_axes: axes, counted from 1, that share one factor, such as (1, 2) of images.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.PReLU(alpha_initializer="ones", shared_axes=1)
    >>> layer([[-1.0, 2.0]]).numpy(), layer.count_params()
    (array([[-1.,  2.]], dtype=float32), 1)
    """
    def __init__(
        self,
        alpha_initializer: InitializerLike = 'zeros',
        alpha_regularizer: RegularizerLike = None,
        alpha_constraint: ConstraintLike = None,
        shared_axes: int | Sequence[int] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Permute(_OneResult):
    r"""Change the order of the axes of each sample.

    Called on `[batch, ...]`, returns the axes in the order of dims, which are counted from 1.

    Args:
        dims: order of the axes, counted from 1, without the batch; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Permute((2, 1))(core.ones((5, 3, 4))).shape
    (5, 4, 3)
    """
    def __init__(
        self,
        dims: Sequence[int],
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RMSNormalization(_OneResult):
    r"""Divide each sample by the root of its mean square along an axis, or several.

    Called on a tensor `[batch, ...]`, returns that shape: x / sqrt(mean(x * x) + epsilon) * scale.

    Source: Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019),
    https://arxiv.org/abs/1910.07467.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        epsilon: added to the variance.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RMSNormalization()([[1.0, 1.0, 1.0]]).numpy().round(3)
    array([[1., 1., 1.]], dtype=float32)
    """
    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        epsilon: float = 1e-06,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RNN(BuiltIn):
    r"""Go through sequences step by step with a cell, or with several on top of each other.

    Called on `[batch, steps, ...]`, returns the result of the last step, or of all with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Args:
        cell: cell, or several, each on the results of the one before; needed.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> cells = [core.layers.GRUCell(4), core.layers.LSTMCell(2)]
    >>> core.layers.RNN(cells)(core.ones((1, 3, 5))).shape
    (1, 2)
    """
    def __init__(
        self,
        cell: Layer | Sequence[Layer],
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomBrightness(_OneResult):
    r"""Change the brightness of images, each by an amount of its own, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomBrightness(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        value_range: tuple[float, float] = (0.0, 255.0),
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomColorJitter(_OneResult):
    r"""Change brightness, contrast, saturation and hue of images, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        value_range: values of black and white.
        brightness_factor: range of brightness.
        contrast_factor: range of contrast.
        saturation_factor: range of saturation.
        hue_factor: range of hue.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomColorJitter(brightness_factor=0.2, hue_factor=0.1, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        value_range: tuple[float, float] = (0.0, 255.0),
        brightness_factor: float | tuple[float, float] | None = None,
        contrast_factor: float | tuple[float, float] | None = None,
        saturation_factor: float | tuple[float, float] | None = None,
        hue_factor: float | tuple[float, float] | None = None,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomContrast(_OneResult):
    r"""Change the contrast of images, each by a factor of its own, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomContrast(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        value_range: tuple[float, float] = (0.0, 255.0),
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomErasing(_OneResult):
    r"""Erase a rectangle of each image, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end.
        scale: range of the erased share.
        fill_value: value of erased pixels, by default noise.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomErasing(0.5, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float] = 1.0,
        scale: float | tuple[float, float] = (0.02, 0.33),
        fill_value: float | tuple[float, float, float] | None = None,
        value_range: tuple[float, float] = (0, 255),
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomFlip(_OneResult):
    r"""Turn over images, left to right or upside down, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        mode: axes along which images may be turned over.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomFlip("horizontal", seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        mode: Literal["horizontal", "vertical", "horizontal_and_vertical"] = 'horizontal_and_vertical',
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomHeight(_OneResult):
    r"""Stretch images in height, all of a batch by one factor, in training alone.

    Called on `[batch, rows, columns, channels]`, returns images of another size; in inference the input as it is.
    Compiled steps have fixed shapes: compile the model with `run_eagerly=True`.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomHeight(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        interpolation: Literal["nearest", "bilinear"] = 'bilinear',
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomHue(_OneResult):
    r"""Shift the colours of images along the circle of hues, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomHue(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        value_range: tuple[float, float] = (0.0, 255.0),
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomRotation(_OneResult):
    r"""Turn images about their centres, by a factor of a full turn, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        fill_mode: values outside of the image.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        fill_value: value outside of the image for fill_mode="constant".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomRotation(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        fill_mode: Literal["constant", "nearest", "reflect", "wrap"] = 'reflect',
        interpolation: Literal["nearest", "bilinear"] = 'bilinear',
        seed: int | None = None,
        fill_value: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomSaturation(_OneResult):
    r"""Change the saturation of images, each by a factor of its own, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomSaturation(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        value_range: tuple[float, float] = (0.0, 255.0),
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomTranslation(_OneResult):
    r"""Move images by factors of their heights and widths, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        height_factor: range of the factors of the height; needed.
        width_factor: range of the factors of the width; None where a zoom keeps the proportions;
            needed.
        fill_mode: values outside of the image.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        fill_value: value outside of the image for fill_mode="constant".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomTranslation(0.1, 0.1, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        height_factor: float | tuple[float, float],
        width_factor: float | tuple[float, float] | None,
        fill_mode: Literal["constant", "nearest", "reflect", "wrap"] = 'reflect',
        interpolation: Literal["nearest", "bilinear"] = 'bilinear',
        seed: int | None = None,
        fill_value: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomWidth(_OneResult):
    r"""Stretch images in width, all of a batch by one factor, in training alone.

    Called on `[batch, rows, columns, channels]`, returns images of another size; in inference the input as it is.
    Compiled steps have fixed shapes: compile the model with `run_eagerly=True`.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomWidth(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        factor: float | tuple[float, float],
        interpolation: Literal["nearest", "bilinear"] = 'bilinear',
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RandomZoom(_OneResult):
    r"""Enlarge or shrink images about their centres, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.
    `core.data.augmentation` has a class of this name, too.

    Args:
        height_factor: range of the factors of the height; needed.
        width_factor: range of the factors of the width; None where a zoom keeps the proportions.
        fill_mode: values outside of the image.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        fill_value: value outside of the image for fill_mode="constant".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomZoom(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """
    def __init__(
        self,
        height_factor: float | tuple[float, float],
        width_factor: float | tuple[float, float] | None = None,
        fill_mode: Literal["constant", "nearest", "reflect", "wrap"] = 'reflect',
        interpolation: Literal["nearest", "bilinear"] = 'bilinear',
        seed: int | None = None,
        fill_value: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ReLU(_OneResult):
    r"""Return max(x, 0), or with a limit, a factor of negative values, or a threshold.

    Called on a tensor of any shape, returns one of that shape. Below the threshold the result is
    negative_slope * (x - threshold).

    Args:
        max_value: largest result, by default any.
        negative_slope: factor of values below the threshold.
        threshold: value below which the result is that of the negative part.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ReLU(max_value=6.0)([[-1.0, 2.0, 8.0]]).numpy()
    array([[0., 2., 6.]], dtype=float32)
    """
    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class RepeatVector(_OneResult):
    r"""Repeat each vector as steps of a sequence.

    Called on `[batch, features]`, returns `[batch, n, features]`.

    Args:
        n: how often to repeat; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RepeatVector(3)([[1.0, 2.0]]).numpy()
    array([[[1., 2.],
            [1., 2.],
            [1., 2.]]], dtype=float32)
    """
    def __init__(
        self,
        n: int,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Rescaling(_OneResult):
    r"""Multiply by a factor, and add an offset: pixels from 0 to 255 become values from 0 to 1.

    Called on a tensor of any shape, returns one of that shape.

    Args:
        scale: factor, or one per channel; needed.
        offset: summand, or one per channel.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Rescaling(scale=2.0, offset=-1.0)([[0.0, 0.5, 1.0]]).numpy()
    array([[-1.,  0.,  1.]], dtype=float32)
    """
    def __init__(
        self,
        scale: float | Sequence[float],
        offset: float | Sequence[float] = 0.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Reshape(_OneResult):
    r"""Give each sample another shape with as many values.

    Called on `[batch, ...]`, returns `[batch, *target_shape]`.

    Args:
        target_shape: shape of the result without the batch; one length may be -1; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Reshape((2, -1))(core.ones((5, 8))).shape
    (5, 2, 4)
    """
    def __init__(
        self,
        target_shape: Sequence[int],
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Resizing(_OneResult):
    r"""Resize images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, height, width, channels]`.

    Args:
        height: rows of the result; needed.
        width: columns of the result; needed.
        interpolation: how values between pixels are made.
        crop_to_aspect_ratio: cut off what does not fit, instead of distorting.
        pad_to_aspect_ratio: pad, instead of distorting.
        antialias: smooth before making images smaller.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Resizing(2, 2)(core.ones((1, 4, 6, 3))).shape
    (1, 2, 2, 3)
    """
    def __init__(
        self,
        height: int,
        width: int,
        interpolation: Literal["nearest", "bilinear"] = 'bilinear',
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        antialias: bool = False,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ReversibleEmbedding(_OneResult):
    r"""Replace integers by rows of a table, or vectors by their products with all rows.

    Called on integers `[batch, ...]`, returns `[batch, ..., output_dim]`; called with `reverse=True` on
    `[batch, ..., output_dim]`, returns scores `[batch, ..., input_dim]`.

    Source: Press, Wolf, "Using the Output Embedding to Improve Language Models" (2017),
    https://arxiv.org/abs/1608.05859.

    Args:
        input_dim: number of different integers: 1 + the largest; needed.
        output_dim: length of the vector for each integer; needed.
        tie_weights: use one weight in both directions.
        embeddings_initializer: first values of the embeddings: name or object of
            `core.initializers`.
        embeddings_regularizer: penalty on the embeddings, see `core.regularizers`.
        embeddings_constraint: applied to the embeddings after each step, see `core.constraints`.
        mask_zero: mask the positions of 0, for layers that take masks.
        reverse_dtype: accepted for Keras's sake.
        logit_soft_cap: largest absolute value of the scores, by a tanh.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.ReversibleEmbedding(10, 2)
    >>> layer(layer(core.tensor([[1, 5, 9]])), reverse=True).shape
    (1, 3, 10)
    """
    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        tie_weights: bool = True,
        embeddings_initializer: InitializerLike = 'uniform',
        embeddings_regularizer: RegularizerLike = None,
        embeddings_constraint: ConstraintLike = None,
        mask_zero: bool = False,
        reverse_dtype: str | None = None,
        logit_soft_cap: float | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SeparableConv1D(_OneResult):
    r"""Filter each channel of sequences alone, then mix the channels at each place.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, filters]`: a depthwise convolution, then one with a
    window of length 1, and a bias.

    Source: Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions" (2017),
    https://arxiv.org/abs/1610.02357.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        depth_multiplier: number of filters for each channel.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        pointwise_initializer: first values of the pointwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        pointwise_regularizer: penalty on the pointwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        pointwise_constraint: applied to the pointwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.SeparableConv1D(4, 3)
    >>> layer(core.ones((1, 5, 3))).shape, layer.count_params()
    ((1, 3, 4), 25)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        depth_multiplier: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = 'glorot_uniform',
        pointwise_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        depthwise_regularizer: RegularizerLike = None,
        pointwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        pointwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SeparableConv2D(_OneResult):
    r"""Filter each channel of images alone, then mix the channels at each place.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, filters]`: a depthwise convolution, then one with a
    window of length 1, and a bias.

    Source: Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions" (2017),
    https://arxiv.org/abs/1610.02357.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        depth_multiplier: number of filters for each channel.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        pointwise_initializer: first values of the pointwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        pointwise_regularizer: penalty on the pointwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        pointwise_constraint: applied to the pointwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.SeparableConv2D(4, 3)
    >>> layer(core.ones((1, 5, 5, 3))).shape, layer.count_params()
    ((1, 3, 3, 4), 43)
    """
    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Literal["valid", "same", "causal"] = 'valid',
        data_format: Literal["channels_last", "channels_first"] | None = None,
        dilation_rate: int | Sequence[int] = 1,
        depth_multiplier: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = 'glorot_uniform',
        pointwise_initializer: InitializerLike = 'glorot_uniform',
        bias_initializer: InitializerLike = 'zeros',
        depthwise_regularizer: RegularizerLike = None,
        pointwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        pointwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SimpleRNN(BuiltIn):
    r"""Go through sequences step by step with a state and a fully connected network.

    Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
    return_sequences. The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
    With return_state the result is a list: results, then the states after the last step.

    Source: Elman, "Finding Structure in Time" (1990).

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        return_sequences: return the results of all steps, not of the last.
        return_state: return the states after the last step, too.
        go_backwards: begin with the last step.
        stateful: begin with the states at the end of the last batch.
        unroll: accepted for Keras's sake; results are equal.
        zero_output_for_mask: return zeros for masked steps.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.SimpleRNN(4, return_sequences=True)
    >>> layer(core.ones((1, 3, 2))).shape
    (1, 3, 4)
    """
    def __init__(
        self,
        units: int,
        activation: ActivationLike = 'tanh',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SimpleRNNCell(BuiltIn):
    r"""Make one step of `SimpleRNN`: a cell for `RNN`, which goes through sequences.

    The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

    Source: Elman, "Finding Structure in Time" (1990).

    Args:
        units: number of outputs; needed.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        recurrent_initializer: first values of the recurrent kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        recurrent_constraint: applied to the recurrent kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        dropout: share of inputs to drop in training, from 0 to 1.
        recurrent_dropout: share of the state to drop in training, from 0 to 1.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RNN(core.layers.SimpleRNNCell(4))(core.ones((1, 3, 2))).shape
    (1, 4)
    """
    def __init__(
        self,
        units: int,
        activation: ActivationLike = 'tanh',
        use_bias: bool = True,
        kernel_initializer: InitializerLike = 'glorot_uniform',
        recurrent_initializer: InitializerLike = 'orthogonal',
        bias_initializer: InitializerLike = 'zeros',
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Softmax(_OneResult):
    r"""Turn values along an axis into probabilities, whose sum is 1.

    Called on a tensor of any shape, returns one of that shape. Positions that a ``mask`` has as False
    get 0.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Softmax()([[1.0, 1.0, 1.0, 1.0]]).numpy()
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SpatialDropout1D(_OneResult):
    r"""Set whole channels of sequences to 0 in training, and divide the others by 1 - rate.

    Called on `[batch, steps, channels]`, returns that shape; in inference the input as it is.

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
    https://arxiv.org/abs/1411.4280.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.ones((1, 2, 3))
    >>> bool((core.layers.SpatialDropout1D(0.5)(x) == x).all().item())
    True
    """
    def __init__(
        self,
        rate: float,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SpatialDropout2D(_OneResult):
    r"""Set whole channels of images to 0 in training, and divide the others by 1 - rate.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it is.

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
    https://arxiv.org/abs/1411.4280.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        data_format: the axis of the channels; by default "channels_last".
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.ones((1, 2, 2, 3))
    >>> bool((core.layers.SpatialDropout2D(0.5)(x) == x).all().item())
    True
    """
    def __init__(
        self,
        rate: float,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class SpatialDropout3D(_OneResult):
    r"""Set whole channels of volumes to 0 in training, and divide the others by 1 - rate.

    Called on `[batch, depth, rows, columns, channels]`, returns that shape; in inference the input as it is.

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
    https://arxiv.org/abs/1411.4280.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        data_format: the axis of the channels; by default "channels_last".
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.ones((1, 2, 2, 2, 3))
    >>> bool((core.layers.SpatialDropout3D(0.5)(x) == x).all().item())
    True
    """
    def __init__(
        self,
        rate: float,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        seed: int | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class StackedRNNCells(BuiltIn):
    r"""Use several cells as one, each on the results of the one before.

    `RNN` gives each step `[batch, features]`, and gets the result of the last cell, `[batch, units]`. A
    list of cells means the same there.

    Args:
        cells: cells, each on the results of the one before; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> cells = core.layers.StackedRNNCells([core.layers.GRUCell(4), core.layers.LSTMCell(2)])
    >>> core.layers.RNN(cells, return_sequences=True)(core.ones((1, 3, 5))).shape
    (1, 3, 2)
    """
    def __init__(
        self,
        cells: Sequence[Layer],
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class StringLookup(_OneResult):
    r"""Replace texts by their numbers in a vocabulary.

    Called on texts of any shape, returns integers of that shape, or a vector for each text by the
    output_mode "one_hot". "multi_hot" and "count" give a vector for each row of `[batch, texts]`, or
    one for `[texts]`, as in Keras; "tf_idf" multiplies counts by idf_weights. Numbers begin with that
    of the mask token, where there is one, then those of unknown texts; without any of these, unknown
    texts become -1. Vectors leave masked texts out. Give a vocabulary, or let adapt() find it in data.

    Args:
        max_tokens: numbers in all, where results are padded to them.
        num_oov_indices: numbers for what is not in the vocabulary, from 0.
        mask_token: text or integer whose number is 0.
        oov_token: what stands for unknown values in a vocabulary.
        vocabulary: texts or integers in the order of their numbers.
        idf_weights: factor of each entry of the vocabulary, for output_mode="tf_idf".
        invert: texts for numbers; not supported.
        output_mode: kind of the result.
        pad_to_max_tokens: make vectors of max_tokens numbers.
        sparse: accepted for Keras's sake; results are dense.
        encoding: of the texts, utf-8.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.StringLookup(vocabulary=["cat", "dog"])(["dog", "owl"]).numpy()
    array([2, 0], dtype=int32)
    """
    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | int | None = None,
        oov_token: str | int = '[UNK]',
        vocabulary: Sequence[str] | Sequence[int] | None = None,
        idf_weights: Sequence[float] | None = None,
        invert: bool = False,
        output_mode: Literal["int", "one_hot", "multi_hot", "count", "tf_idf"] = 'int',
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        encoding: str = 'utf-8',
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...
    def adapt(self, data: AdaptedTo) -> None:
        r"""Make the vocabulary of what the data have, the most frequent first, as Keras does.

        With output_mode "tf_idf" this sets `idf_weights`, too, for which each row of the data is a
        document.

        Args:
            data: texts or integers as the layer takes them: an array or list, or a dataset or another
                iterable of batches, each ``x``, or a tuple that begins with it.

        Raises:
            CoreError: the data are of another dtype, or have nothing for a vocabulary, or the layer was
                called already and its result would have another length.

        >>> import core
        >>> layer = core.layers.TextVectorization(max_tokens=4)
        >>> layer.adapt(["to be or not to be", "be!"])
        >>> layer.get_vocabulary()
        ['', '[UNK]', 'be', 'to']
        """
    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        r"""Return the vocabulary: the text for each number that the layer returns.

        Args:
            include_special_tokens: begin with the mask token and what stands for unknown texts.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).get_vocabulary()
        ['[UNK]', 'cat', 'dog']
        """
    def set_vocabulary(self, vocabulary: Sequence[str] | Sequence[int], idf_weights: Sequence[float] | None = None) -> None:
        r"""Replace the vocabulary.

        Args:
            vocabulary: different texts or integers, with or without the special ones at the start.
            idf_weights: a factor for each of them, which the output_mode "tf_idf" needs.

        Raises:
            CoreError: the vocabulary is invalid or longer than max_tokens, or the layer was called
                already and its result would have another length.

        >>> import core
        >>> layer = core.layers.StringLookup(vocabulary=["cat"])
        >>> layer.set_vocabulary(["owl", "dog"])
        >>> layer(["dog"]).numpy()
        array([2], dtype=int32)
        """
    def vocabulary_size(self) -> int:
        r"""Return the length of the vocabulary with the special entries.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).vocabulary_size()
        3
        """

class Subtract(_OneResult):
    r"""Subtract the second of two inputs from the first, value by value.

    Called on two tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Subtract()([x, y]).numpy().tolist()
    [[2.0, 3.0]]
    """
    def __init__(
        self,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class TextVectorization(_OneResult):
    r"""Replace texts by the numbers of their words in a vocabulary.

    Called on texts `[batch]` or `[batch, 1]`, returns integers `[batch, words]`: 0 fills short rows,
    1 stands for unknown words. With output_mode "multi_hot", "count" or "tf_idf" it returns
    `[batch, size of the vocabulary]`, where 0 is the place of unknown words. Give a vocabulary, or let
    adapt() find it in data. Files of TensorFlow.js cannot have the layer.

    Args:
        max_tokens: numbers in all, where results are padded to them.
        standardize: change of the texts before they are split; letters beside a to z stay as they
            are.
        split: what becomes a token; None for each text of `[batch, tokens]`.
        ngrams: join so many neighbouring tokens: up to a number, or as many as each of several.
        output_mode: kind of the result.
        output_sequence_length: length of the rows of integers, by default that of the longest.
        pad_to_max_tokens: make vectors of max_tokens numbers.
        vocabulary: texts or integers in the order of their numbers.
        idf_weights: factor of each entry of the vocabulary, for output_mode="tf_idf".
        sparse: accepted for Keras's sake; results are dense.
        ragged: accepted for Keras's sake; results are dense.
        encoding: of the texts, utf-8.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.TextVectorization(vocabulary=["cat", "sat"], output_sequence_length=4)
    >>> layer(["The cat sat.", "Sat!"]).numpy()
    array([[1, 2, 3, 0],
           [3, 0, 0, 0]], dtype=int32)
    """
    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Literal["lower_and_strip_punctuation", "lower", "strip_punctuation"] | None = 'lower_and_strip_punctuation',
        split: Literal["whitespace", "character"] | None = 'whitespace',
        ngrams: int | Sequence[int] | None = None,
        output_mode: Literal["int", "one_hot", "multi_hot", "count", "tf_idf"] = 'int',
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Sequence[str] | Sequence[int] | None = None,
        idf_weights: Sequence[float] | None = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = 'utf-8',
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...
    def adapt(self, data: AdaptedTo) -> None:
        r"""Make the vocabulary of what the data have, the most frequent first, as Keras does.

        With output_mode "tf_idf" this sets `idf_weights`, too, for which each row of the data is a
        document.

        Args:
            data: texts or integers as the layer takes them: an array or list, or a dataset or another
                iterable of batches, each ``x``, or a tuple that begins with it.

        Raises:
            CoreError: the data are of another dtype, or have nothing for a vocabulary, or the layer was
                called already and its result would have another length.

        >>> import core
        >>> layer = core.layers.TextVectorization(max_tokens=4)
        >>> layer.adapt(["to be or not to be", "be!"])
        >>> layer.get_vocabulary()
        ['', '[UNK]', 'be', 'to']
        """
    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        r"""Return the vocabulary: the text for each number that the layer returns.

        Args:
            include_special_tokens: begin with the mask token and what stands for unknown texts.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).get_vocabulary()
        ['[UNK]', 'cat', 'dog']
        """
    def set_vocabulary(self, vocabulary: Sequence[str] | Sequence[int], idf_weights: Sequence[float] | None = None) -> None:
        r"""Replace the vocabulary.

        Args:
            vocabulary: different texts or integers, with or without the special ones at the start.
            idf_weights: a factor for each of them, which the output_mode "tf_idf" needs.

        Raises:
            CoreError: the vocabulary is invalid or longer than max_tokens, or the layer was called
                already and its result would have another length.

        >>> import core
        >>> layer = core.layers.StringLookup(vocabulary=["cat"])
        >>> layer.set_vocabulary(["owl", "dog"])
        >>> layer(["dog"]).numpy()
        array([2], dtype=int32)
        """
    def vocabulary_size(self) -> int:
        r"""Return the length of the vocabulary with the special entries.

        >>> import core
        >>> core.layers.StringLookup(vocabulary=["cat", "dog"]).vocabulary_size()
        3
        """

class ThresholdedReLU(_OneResult):
    r"""Return x where it is above theta, and 0 elsewhere.

    Called on a tensor of any shape, returns one of that shape.

    Source: Konda, Memisevic, Krueger, "Zero-bias autoencoders and the benefits of co-adapting features"
    (2015), https://arxiv.org/abs/1402.3337.

    Args:
        theta: values up to this become 0.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ThresholdedReLU(theta=1.0)([[-1.0, 0.5, 2.0]]).numpy()
    array([[-0.,  0.,  2.]], dtype=float32)
    """
    def __init__(
        self,
        theta: float = 1.0,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class TimeDistributed(BuiltIn):
    r"""Call a layer on every step of sequences alike.

    Called on `[batch, steps, ...]`, returns the layer's results `[batch, steps, ...]`.

    Args:
        layer: layer to call; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.TimeDistributed(core.layers.Dense(2, kernel_initializer="ones"))
    >>> layer([[[1.0, 2.0], [3.0, 4.0]]]).numpy()
    array([[[3., 3.],
            [7., 7.]]], dtype=float32)
    """
    def __init__(
        self,
        layer: Layer,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class UnitNormalization(_OneResult):
    r"""Divide by the Euclidean norm along an axis, or several, so that it becomes 1.

    Called on a tensor of any shape, returns one of that shape.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UnitNormalization()([[3.0, 4.0]]).numpy()
    array([[0.6, 0.8]], dtype=float32)
    """
    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class UpSampling1D(_OneResult):
    r"""Enlarge sequences: each value is repeated.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`: lengths times size.

    Args:
        size: how often each value is repeated along each axis.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UpSampling1D(2)(core.ones((1, 2, 1))).shape
    (1, 4, 1)
    """
    def __init__(
        self,
        size: int | Sequence[int] = 2,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class UpSampling2D(_OneResult):
    r"""Enlarge images by repetition or interpolation.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`: lengths times size.

    Args:
        size: how often each value is repeated along each axis.
        data_format: the axis of the channels; by default "channels_last".
        interpolation: how values between pixels are made.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UpSampling2D(2)(core.ones((1, 2, 2, 1))).shape
    (1, 4, 4, 1)
    """
    def __init__(
        self,
        size: int | Sequence[int] = 2,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        interpolation: Literal["nearest", "bilinear"] = 'nearest',
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class UpSampling3D(_OneResult):
    r"""Enlarge volumes: each value is repeated.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`: lengths times size.

    Args:
        size: how often each value is repeated along each axis.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UpSampling3D(2)(core.ones((1, 2, 2, 2, 1))).shape
    (1, 4, 4, 4, 1)
    """
    def __init__(
        self,
        size: int | Sequence[int] = 2,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ZeroPadding1D(_OneResult):
    r"""Add zeros at the edges of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        padding: zeros at the edges of each axis: a number, or pairs of them.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ZeroPadding1D(1)(core.ones((1, 2, 1))).shape
    (1, 4, 1)
    """
    def __init__(
        self,
        padding: int | Sequence[int] | Sequence[Sequence[int]] = 1,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ZeroPadding2D(_OneResult):
    r"""Add zeros at the edges of images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, channels]`.

    Args:
        padding: zeros at the edges of each axis: a number, or pairs of them.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ZeroPadding2D(1)(core.ones((1, 2, 2, 1))).shape
    (1, 4, 4, 1)
    """
    def __init__(
        self,
        padding: int | Sequence[int] | Sequence[Sequence[int]] = 1,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class ZeroPadding3D(_OneResult):
    r"""Add zeros at the edges of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, new depth, new rows, new columns, channels]`.

    Args:
        padding: zeros at the edges of each axis: a number, or pairs of them.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ZeroPadding3D(1)(core.ones((1, 2, 2, 2, 1))).shape
    (1, 4, 4, 4, 1)
    """
    def __init__(
        self,
        padding: int | Sequence[int] | Sequence[Sequence[int]] = 1,
        data_format: Literal["channels_last", "channels_first"] | None = None,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
AvgPooling1D = AveragePooling1D
AvgPooling2D = AveragePooling2D
AvgPooling3D = AveragePooling3D
BatchNormalizationV1 = BatchNormalization
BatchNormalizationV2 = BatchNormalization
Convolution1D = Conv1D
Convolution1DTranspose = Conv1DTranspose
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
GroupedQueryAttention = GroupQueryAttention
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D
SyncBatchNormalization = BatchNormalization
activation = Activation
activity_regularization = ActivityRegularization
adaptive_average_pooling1d = AdaptiveAveragePooling1D
adaptive_average_pooling2d = AdaptiveAveragePooling2D
adaptive_average_pooling3d = AdaptiveAveragePooling3D
adaptive_max_pooling1d = AdaptiveMaxPooling1D
adaptive_max_pooling2d = AdaptiveMaxPooling2D
adaptive_max_pooling3d = AdaptiveMaxPooling3D
add = Add
additive_attention = AdditiveAttention
alpha_dropout = AlphaDropout
attention = Attention
average = Average
average_pooling1d = AveragePooling1D
average_pooling2d = AveragePooling2D
average_pooling3d = AveragePooling3D
avg_pool1d = AveragePooling1D
avg_pool2d = AveragePooling2D
avg_pool3d = AveragePooling3D
avg_pooling1d = AveragePooling1D
avg_pooling2d = AveragePooling2D
avg_pooling3d = AveragePooling3D
batch_normalization = BatchNormalization
batch_normalization_v1 = BatchNormalization
batch_normalization_v2 = BatchNormalization
bidirectional = Bidirectional
category_encoding = CategoryEncoding
center_crop = CenterCrop
concatenate = Concatenate
conv1d = Conv1D
conv1d_transpose = Conv1DTranspose
conv2d = Conv2D
conv2d_transpose = Conv2DTranspose
conv3d = Conv3D
conv3d_transpose = Conv3DTranspose
conv_lstm1d = ConvLSTM1D
conv_lstm1d_cell = ConvLSTM1DCell
conv_lstm2d = ConvLSTM2D
conv_lstm2d_cell = ConvLSTM2DCell
conv_lstm3d = ConvLSTM3D
conv_lstm3d_cell = ConvLSTM3DCell
convolution1d = Conv1D
convolution1d_transpose = Conv1DTranspose
convolution2d = Conv2D
convolution2d_transpose = Conv2DTranspose
convolution3d = Conv3D
convolution3d_transpose = Conv3DTranspose
cropping1d = Cropping1D
cropping2d = Cropping2D
cropping3d = Cropping3D
dense = Dense
depthwise_conv1d = DepthwiseConv1D
depthwise_conv2d = DepthwiseConv2D
discretization = Discretization
dot = Dot
dropout = Dropout
einsum_dense = EinsumDense
elu = ELU
embedding = Embedding
flatten = Flatten
gaussian_dropout = GaussianDropout
gaussian_noise = GaussianNoise
global_average_pooling1d = GlobalAveragePooling1D
global_average_pooling2d = GlobalAveragePooling2D
global_average_pooling3d = GlobalAveragePooling3D
global_avg_pool1d = GlobalAveragePooling1D
global_avg_pool2d = GlobalAveragePooling2D
global_avg_pool3d = GlobalAveragePooling3D
global_max_pool1d = GlobalMaxPooling1D
global_max_pool2d = GlobalMaxPooling2D
global_max_pool3d = GlobalMaxPooling3D
global_max_pooling1d = GlobalMaxPooling1D
global_max_pooling2d = GlobalMaxPooling2D
global_max_pooling3d = GlobalMaxPooling3D
group_normalization = GroupNormalization
group_query_attention = GroupQueryAttention
grouped_query_attention = GroupQueryAttention
gru = GRU
gru_cell = GRUCell
identity = Identity
integer_lookup = IntegerLookup
layer_normalization = LayerNormalization
leaky_relu = LeakyReLU
lstm = LSTM
lstm_cell = LSTMCell
masking = Masking
max_pool1d = MaxPooling1D
max_pool2d = MaxPooling2D
max_pool3d = MaxPooling3D
max_pooling1d = MaxPooling1D
max_pooling2d = MaxPooling2D
max_pooling3d = MaxPooling3D
maximum = Maximum
minimum = Minimum
multi_head_attention = MultiHeadAttention
multiply = Multiply
normalization = Normalization
permute = Permute
prelu = PReLU
random_brightness = RandomBrightness
random_color_jitter = RandomColorJitter
random_contrast = RandomContrast
random_erasing = RandomErasing
random_flip = RandomFlip
random_height = RandomHeight
random_hue = RandomHue
random_rotation = RandomRotation
random_saturation = RandomSaturation
random_translation = RandomTranslation
random_width = RandomWidth
random_zoom = RandomZoom
relu = ReLU
repeat_vector = RepeatVector
rescaling = Rescaling
reshape = Reshape
resizing = Resizing
reversible_embedding = ReversibleEmbedding
rms_normalization = RMSNormalization
rnn = RNN
separable_conv1d = SeparableConv1D
separable_conv2d = SeparableConv2D
separable_convolution1d = SeparableConv1D
separable_convolution2d = SeparableConv2D
simple_rnn = SimpleRNN
simple_rnn_cell = SimpleRNNCell
softmax = Softmax
spatial_dropout1d = SpatialDropout1D
spatial_dropout2d = SpatialDropout2D
spatial_dropout3d = SpatialDropout3D
stacked_rnn_cells = StackedRNNCells
string_lookup = StringLookup
subtract = Subtract
sync_batch_normalization = BatchNormalization
text_vectorization = TextVectorization
thresholded_relu = ThresholdedReLU
time_distributed = TimeDistributed
unit_normalization = UnitNormalization
up_sampling1d = UpSampling1D
up_sampling2d = UpSampling2D
up_sampling3d = UpSampling3D
zero_padding1d = ZeroPadding1D
zero_padding2d = ZeroPadding2D
zero_padding3d = ZeroPadding3D
