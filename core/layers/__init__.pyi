"""Layers. Written by ``python -m core.stubs``."""
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.built_in import BuiltIn
from core.layers.inference import layer_classes as layer_classes
from core.layers.inference import layers_graph as layers_graph
from core.layers.input_layer import Input as Input
from core.layers.input_layer import InputLayer as InputLayer
from core.layers.layer import Layer as Layer
from core.layers.symbolic import SymbolicTensor as SymbolicTensor
from core.regularizers import RegularizerLike
from core.tensors import Tensor

ActivationLike = str | Callable[[Tensor], Tensor] | None

input = Input
input_layer = InputLayer

def class_names() -> dict[str, str]: ...

class Activation(BuiltIn):
    r"""Args:
    activation: name of an activation, such as "relu", a function of a tensor, or None for none. (needed)
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

class ActivityRegularization(BuiltIn):
    r"""Args:
    l1: factor of the sum of absolute values.
    l2: factor of the sum of squares.
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

class AdaptiveAveragePooling1D(BuiltIn):
    r"""Args:
    output_size: lengths of the result, whatever those of the input are. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class AdaptiveAveragePooling2D(BuiltIn):
    r"""Args:
    output_size: lengths of the result, whatever those of the input are. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class AdaptiveAveragePooling3D(BuiltIn):
    r"""Args:
    output_size: lengths of the result, whatever those of the input are. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class AdaptiveMaxPooling1D(BuiltIn):
    r"""Args:
    output_size: lengths of the result, whatever those of the input are. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class AdaptiveMaxPooling2D(BuiltIn):
    r"""Args:
    output_size: lengths of the result, whatever those of the input are. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class AdaptiveMaxPooling3D(BuiltIn):
    r"""Args:
    output_size: lengths of the result, whatever those of the input are. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class Add(BuiltIn):
    r"""
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
    r"""Args:
    use_scale: multiply the scores by a weight.
    dropout: share of attention weights to drop in training.
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

class AlphaDropout(BuiltIn):
    r"""Args:
    rate: share of values to drop, from 0 to 1. (needed)
    noise_shape: shape of the random decisions, with 1 for axes that share one; None for that of the input.
    seed: where the layer's sequence of random numbers begins.
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
    r"""Args:
    use_scale: multiply the scores by a weight.
    score_mode: how queries and keys are compared.
    dropout: share of attention weights to drop in training.
    seed: where the layer's sequence of random numbers begins.
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

class Average(BuiltIn):
    r"""
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

class AveragePooling1D(BuiltIn):
    r"""Args:
    pool_size: lengths of the window.
    strides: steps of the window, by default its lengths.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
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

class AveragePooling2D(BuiltIn):
    r"""Args:
    pool_size: lengths of the window.
    strides: steps of the window, by default its lengths.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
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

class AveragePooling3D(BuiltIn):
    r"""Args:
    pool_size: lengths of the window.
    strides: steps of the window, by default its lengths.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
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

class BatchNormalization(BuiltIn):
    r"""Args:
    axis: axis of the channels.
    momentum: share of the moving statistics that stays at each step.
    epsilon: added to the variance.
    center: add the weight beta.
    scale: multiply by the weight gamma.
    beta_initializer: first values of the beta: name or object of `core.initializers`.
    gamma_initializer: first values of the gamma: name or object of `core.initializers`.
    moving_mean_initializer: first values of the moving mean: name or object of `core.initializers`.
    moving_variance_initializer: first values of the moving variance: name or object of `core.initializers`.
    beta_regularizer: penalty on the beta, see `core.regularizers`.
    gamma_regularizer: penalty on the gamma, see `core.regularizers`.
    beta_constraint: applied to the beta after each step, see `core.constraints`.
    gamma_constraint: applied to the gamma after each step, see `core.constraints`.
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
    r"""Args:
    layer: layer to call. (needed)
    merge_mode: how both results become one; None returns both.
    backward_layer: layer for the other direction, by default one alike.
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

class CategoryEncoding(BuiltIn):
    r"""Args:
    num_tokens: number of categories.
    output_mode: kind of the result.
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

class CenterCrop(BuiltIn):
    r"""Args:
    height: rows of the result. (needed)
    width: columns of the result. (needed)
    data_format: the axis of the channels; by default "channels_last".
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

class Concatenate(BuiltIn):
    r"""Args:
    axis: axis along which to concatenate.
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

class Conv1D(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
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

class Conv1DTranspose(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
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

class Conv2D(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
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

class Conv2DTranspose(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
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

class Conv3D(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
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

class Conv3DTranspose(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
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
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
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
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        unit_forget_bias: bool = True,
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
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
    dropout: share of inputs to drop in training, from 0 to 1.
    recurrent_dropout: share of the state to drop in training, from 0 to 1.
    seed: where the layer's sequence of random numbers begins.
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        unit_forget_bias: bool = True,
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
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
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
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        unit_forget_bias: bool = True,
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
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
    dropout: share of inputs to drop in training, from 0 to 1.
    recurrent_dropout: share of the state to drop in training, from 0 to 1.
    seed: where the layer's sequence of random numbers begins.
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        unit_forget_bias: bool = True,
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
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
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
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        unit_forget_bias: bool = True,
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
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
    dropout: share of inputs to drop in training, from 0 to 1.
    recurrent_dropout: share of the state to drop in training, from 0 to 1.
    seed: where the layer's sequence of random numbers begins.
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        unit_forget_bias: bool = True,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class Cropping1D(BuiltIn):
    r"""Args:
    cropping: values to cut off the edges of each axis: a number, or pairs.
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

class Cropping2D(BuiltIn):
    r"""Args:
    cropping: values to cut off the edges of each axis: a number, or pairs.
    data_format: the axis of the channels; by default "channels_last".
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

class Cropping3D(BuiltIn):
    r"""Args:
    cropping: values to cut off the edges of each axis: a number, or pairs.
    data_format: the axis of the channels; by default "channels_last".
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

class Dense(BuiltIn):
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
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

class DepthwiseConv1D(BuiltIn):
    r"""Args:
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    depth_multiplier: number of filters for each channel.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    depthwise_initializer: first values of the depthwise kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    depthwise_constraint: applied to the depthwise kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
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

class DepthwiseConv2D(BuiltIn):
    r"""Args:
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    depth_multiplier: number of filters for each channel.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    depthwise_initializer: first values of the depthwise kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    depthwise_constraint: applied to the depthwise kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
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

class Discretization(BuiltIn):
    r"""Args:
    bin_boundaries: numbers between which the bins lie.
    num_bins: number of bins, where Keras is to find the boundaries.
    epsilon: added to the variance.
    output_mode: kind of the result.
    sparse: accepted for Keras's sake; results are dense.
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

class Dot(BuiltIn):
    r"""Args:
    axes: axis of both inputs, or one of each, to sum along. (needed)
    normalize: divide by the norms along the axes: the result is the cosine.
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

class Dropout(BuiltIn):
    r"""Args:
    rate: share of values to drop, from 0 to 1. (needed)
    noise_shape: shape of the random decisions, with 1 for axes that share one; None for that of the input.
    seed: where the layer's sequence of random numbers begins.
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

class ELU(BuiltIn):
    r"""Args:
    alpha: factor of the negative part.
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

class EinsumDense(BuiltIn):
    r"""Args:
    equation: Einstein summation, such as 'abc,cd->abd'. (needed)
    output_shape: shape of the result without the batch. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    bias_axes: letters of the result along which the bias has values.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
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

class Embedding(BuiltIn):
    r"""Args:
    input_dim: number of different integers: 1 + the largest. (needed)
    output_dim: length of the vector for each integer. (needed)
    embeddings_initializer: first values of the embeddings: name or object of `core.initializers`.
    embeddings_regularizer: penalty on the embeddings, see `core.regularizers`.
    embeddings_constraint: applied to the embeddings after each step, see `core.constraints`.
    mask_zero: mask the positions of 0, for layers that take masks.
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

class Flatten(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
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
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
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
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
    dropout: share of inputs to drop in training, from 0 to 1.
    recurrent_dropout: share of the state to drop in training, from 0 to 1.
    seed: where the layer's sequence of random numbers begins.
    reset_after: apply the reset gate after the product with the state.
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

class GaussianDropout(BuiltIn):
    r"""Args:
    rate: share of values to drop, from 0 to 1. (needed)
    seed: where the layer's sequence of random numbers begins.
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

class GaussianNoise(BuiltIn):
    r"""Args:
    stddev: standard deviation of the noise, from 0. (needed)
    seed: where the layer's sequence of random numbers begins.
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

class GlobalAveragePooling1D(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
    keepdims: keep the reduced axes with length 1.
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

class GlobalAveragePooling2D(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
    keepdims: keep the reduced axes with length 1.
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

class GlobalAveragePooling3D(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
    keepdims: keep the reduced axes with length 1.
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

class GlobalMaxPooling1D(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
    keepdims: keep the reduced axes with length 1.
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

class GlobalMaxPooling2D(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
    keepdims: keep the reduced axes with length 1.
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

class GlobalMaxPooling3D(BuiltIn):
    r"""Args:
    data_format: the axis of the channels; by default "channels_last".
    keepdims: keep the reduced axes with length 1.
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

class GroupNormalization(BuiltIn):
    r"""Args:
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
    r"""Args:
    head_dim: length of each head. (needed)
    num_query_heads: number of heads of queries. (needed)
    num_key_value_heads: number of heads of keys and values. (needed)
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

class Identity(BuiltIn):
    r"""
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

class LSTM(BuiltIn):
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
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
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        unit_forget_bias: bool = True,
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
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    recurrent_activation: activation of the gates.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
    dropout: share of inputs to drop in training, from 0 to 1.
    recurrent_dropout: share of the state to drop in training, from 0 to 1.
    seed: where the layer's sequence of random numbers begins.
    unit_forget_bias: let the bias of the forget gate begin at 1.
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
        unit_forget_bias: bool = True,
        *,
        name: str | None = ...,
        trainable: bool = ...,
        dtype: str | None = ...,
        input_shape: Sequence[int | None] | None = ...,
        batch_input_shape: Sequence[int | None] | None = ...,
        batch_size: int | None = ...,
        weights: Sequence[np.ndarray] | None = ...,
    ) -> None: ...

class LayerNormalization(BuiltIn):
    r"""Args:
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

class LeakyReLU(BuiltIn):
    r"""Args:
    negative_slope: factor of values below the threshold.
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

class Masking(BuiltIn):
    r"""Args:
    mask_value: steps with this in all values are masked.
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

class MaxPooling1D(BuiltIn):
    r"""Args:
    pool_size: lengths of the window.
    strides: steps of the window, by default its lengths.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
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

class MaxPooling2D(BuiltIn):
    r"""Args:
    pool_size: lengths of the window.
    strides: steps of the window, by default its lengths.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
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

class MaxPooling3D(BuiltIn):
    r"""Args:
    pool_size: lengths of the window.
    strides: steps of the window, by default its lengths.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
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

class Maximum(BuiltIn):
    r"""
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

class Minimum(BuiltIn):
    r"""
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
    r"""Args:
    num_heads: number of heads. (needed)
    key_dim: length of each head's queries and keys. (needed)
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

class Multiply(BuiltIn):
    r"""
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

class Normalization(BuiltIn):
    r"""Args:
    axis: axes with statistics of their own; None for one mean and one variance.
    mean: mean, where it is known.
    variance: variance, where it is known.
    invert: turn normalised values into those before.
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

class PReLU(BuiltIn):
    r"""Args:
    alpha_initializer: first values of the alpha: name or object of `core.initializers`.
    alpha_regularizer: penalty on the alpha, see `core.regularizers`.
    alpha_constraint: applied to the alpha after each step, see `core.constraints`.
    shared_axes: axes, counted from 1, that share one factor, such as (1, 2) of images.
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

class Permute(BuiltIn):
    r"""Args:
    dims: order of the axes, counted from 1, without the batch. (needed)
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

class RMSNormalization(BuiltIn):
    r"""Args:
    axis: axis, or axes, to work along; negative ones from the end.
    epsilon: added to the variance.
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
    r"""Args:
    cell: cell, or several, each on the results of the one before. (needed)
    return_sequences: return the results of all steps, not of the last.
    return_state: return the states after the last step, too.
    go_backwards: begin with the last step.
    stateful: begin with the states at the end of the last batch.
    unroll: accepted for Keras's sake; results are equal.
    zero_output_for_mask: return zeros for masked steps.
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

class ReLU(BuiltIn):
    r"""Args:
    max_value: largest result, by default any.
    negative_slope: factor of values below the threshold.
    threshold: value below which the result is that of the negative part.
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

class RepeatVector(BuiltIn):
    r"""Args:
    n: how often to repeat. (needed)
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

class Rescaling(BuiltIn):
    r"""Args:
    scale: factor, or one per channel. (needed)
    offset: summand, or one per channel.
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

class Reshape(BuiltIn):
    r"""Args:
    target_shape: shape of the result without the batch; one length may be -1. (needed)
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

class Resizing(BuiltIn):
    r"""Args:
    height: rows of the result. (needed)
    width: columns of the result. (needed)
    interpolation: how values between pixels are made.
    crop_to_aspect_ratio: cut off what does not fit, instead of distorting.
    pad_to_aspect_ratio: pad, instead of distorting.
    antialias: smooth before making images smaller.
    data_format: the axis of the channels; by default "channels_last".
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

class ReversibleEmbedding(BuiltIn):
    r"""Args:
    input_dim: number of different integers: 1 + the largest. (needed)
    output_dim: length of the vector for each integer. (needed)
    tie_weights: use one weight in both directions.
    embeddings_initializer: first values of the embeddings: name or object of `core.initializers`.
    embeddings_regularizer: penalty on the embeddings, see `core.regularizers`.
    embeddings_constraint: applied to the embeddings after each step, see `core.constraints`.
    mask_zero: mask the positions of 0, for layers that take masks.
    reverse_dtype: accepted for Keras's sake.
    logit_soft_cap: largest absolute value of the scores, by a tanh.
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

class SeparableConv1D(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    depth_multiplier: number of filters for each channel.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    depthwise_initializer: first values of the depthwise kernel: name or object of `core.initializers`.
    pointwise_initializer: first values of the pointwise kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
    pointwise_regularizer: penalty on the pointwise kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    depthwise_constraint: applied to the depthwise kernel after each step, see `core.constraints`.
    pointwise_constraint: applied to the pointwise kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
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

class SeparableConv2D(BuiltIn):
    r"""Args:
    filters: number of filters: channels of the result. (needed)
    kernel_size: lengths of the window; a number counts for every axis. (needed)
    strides: steps of the window.
    padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
    data_format: the axis of the channels; by default "channels_last".
    dilation_rate: distances of the window's values.
    depth_multiplier: number of filters for each channel.
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    depthwise_initializer: first values of the depthwise kernel: name or object of `core.initializers`.
    pointwise_initializer: first values of the pointwise kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
    pointwise_regularizer: penalty on the pointwise kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    depthwise_constraint: applied to the depthwise kernel after each step, see `core.constraints`.
    pointwise_constraint: applied to the pointwise kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
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
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    activity_regularizer: penalty on the result, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
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
    r"""Args:
    units: number of outputs. (needed)
    activation: name of an activation, such as "relu", a function of a tensor, or None for none.
    use_bias: add a bias.
    kernel_initializer: first values of the kernel: name or object of `core.initializers`.
    recurrent_initializer: first values of the recurrent kernel: name or object of `core.initializers`.
    bias_initializer: first values of the bias: name or object of `core.initializers`.
    kernel_regularizer: penalty on the kernel, see `core.regularizers`.
    recurrent_regularizer: penalty on the recurrent kernel, see `core.regularizers`.
    bias_regularizer: penalty on the bias, see `core.regularizers`.
    kernel_constraint: applied to the kernel after each step, see `core.constraints`.
    recurrent_constraint: applied to the recurrent kernel after each step, see `core.constraints`.
    bias_constraint: applied to the bias after each step, see `core.constraints`.
    dropout: share of inputs to drop in training, from 0 to 1.
    recurrent_dropout: share of the state to drop in training, from 0 to 1.
    seed: where the layer's sequence of random numbers begins.
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

class Softmax(BuiltIn):
    r"""Args:
    axis: axis, or axes, to work along; negative ones from the end.
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

class SpatialDropout1D(BuiltIn):
    r"""Args:
    rate: share of values to drop, from 0 to 1. (needed)
    seed: where the layer's sequence of random numbers begins.
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

class SpatialDropout2D(BuiltIn):
    r"""Args:
    rate: share of values to drop, from 0 to 1. (needed)
    data_format: the axis of the channels; by default "channels_last".
    seed: where the layer's sequence of random numbers begins.
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

class SpatialDropout3D(BuiltIn):
    r"""Args:
    rate: share of values to drop, from 0 to 1. (needed)
    data_format: the axis of the channels; by default "channels_last".
    seed: where the layer's sequence of random numbers begins.
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
    r"""Args:
    cells: cells, each on the results of the one before. (needed)
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

class Subtract(BuiltIn):
    r"""
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

class ThresholdedReLU(BuiltIn):
    r"""Args:
    theta: values up to this become 0.
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
    r"""Args:
    layer: layer to call. (needed)
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

class UnitNormalization(BuiltIn):
    r"""Args:
    axis: axis, or axes, to work along; negative ones from the end.
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

class UpSampling1D(BuiltIn):
    r"""Args:
    size: how often each value is repeated along each axis.
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

class UpSampling2D(BuiltIn):
    r"""Args:
    size: how often each value is repeated along each axis.
    data_format: the axis of the channels; by default "channels_last".
    interpolation: how values between pixels are made.
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

class UpSampling3D(BuiltIn):
    r"""Args:
    size: how often each value is repeated along each axis.
    data_format: the axis of the channels; by default "channels_last".
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

class ZeroPadding1D(BuiltIn):
    r"""Args:
    padding: zeros at the edges of each axis: a number, or pairs of them.
    data_format: the axis of the channels; by default "channels_last".
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

class ZeroPadding2D(BuiltIn):
    r"""Args:
    padding: zeros at the edges of each axis: a number, or pairs of them.
    data_format: the axis of the channels; by default "channels_last".
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

class ZeroPadding3D(BuiltIn):
    r"""Args:
    padding: zeros at the edges of each axis: a number, or pairs of them.
    data_format: the axis of the channels; by default "channels_last".
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
subtract = Subtract
sync_batch_normalization = BatchNormalization
thresholded_relu = ThresholdedReLU
time_distributed = TimeDistributed
unit_normalization = UnitNormalization
up_sampling1d = UpSampling1D
up_sampling2d = UpSampling2D
up_sampling3d = UpSampling3D
zero_padding1d = ZeroPadding1D
zero_padding2d = ZeroPadding2D
zero_padding3d = ZeroPadding3D
