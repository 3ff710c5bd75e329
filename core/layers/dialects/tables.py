"""Differences between the dialects of Keras 3, Keras 2 and TensorFlow.js, as tables.

Configs of Keras 3 are the common form: each table says what another dialect names otherwise, lacks,
or has in addition. Sources: ``get_config`` of Keras 3.15 and of tf_keras 2.21, ``getConfig`` of
TensorFlow.js 4.22.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.layers.keras_config import RECURRENT, Dialect

#: Names of arguments in other dialects, by class of layers and by Keras 3's name.
RENAMED: Mapping[str, Mapping[str, str]] = {"LeakyReLU": {"negative_slope": "alpha"}}

#: Names of initializers in Keras 2 by those that Keras 3 writes.
KERAS2_INITIALIZERS = {"OrthogonalInitializer": "Orthogonal", "IdentityInitializer": "Identity"}

#: Names of initializers in TensorFlow.js by Keras 3's; its regularizers are all "L1L2".
TFJS_INITIALIZERS = {
    "LecunNormal": "LeCunNormal",
    "LecunUniform": "LeCunUniform",
    **KERAS2_INITIALIZERS,
}

#: Modules of objects in configs of Keras 3, by the end of their argument's name.
OBJECT_MODULES = {
    "_initializer": "keras.initializers",
    "_regularizer": "keras.regularizers",
    "_constraint": "keras.constraints",
    "optimizer": "keras.optimizers",
    "loss": "keras.losses",
    "metrics": "keras.metrics",
}

#: Names of the arguments of calls, for layers that are called on more than one.
CALL_ARGUMENTS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(RECURRENT, ("sequences", "initial_state")),
    "MultiHeadAttention": ("query", "value", "key"),
}

#: Arguments that some dialects lack, with the value that means the same as none.
_ONLY_KERAS3 = {
    "quantization_config": None,
    "optional": False,
    "renorm": False,
    "renorm_clipping": None,
    "renorm_momentum": 0.99,
    "rms_scaling": False,
    "flash_attention": None,
    "lora_rank": None,
    "lora_alpha": None,
    "use_gate": False,
}
LACKED: Mapping[Dialect, Mapping[str, Any]] = {
    "keras3": {
        "time_major": False,
        "groups": 1,
        "virtual_batch_size": None,
        "adjustment": None,
        "renorm": False,
        "ragged": False,
        "dynamic": False,
    },
    "keras2": _ONLY_KERAS3,
    "tfjs": {
        **_ONLY_KERAS3,
        "groups": 1,
        "output_padding": None,
        "negative_slope": 0.0,
        "threshold": 0.0,
        "keepdims": False,
        "reset_after": False,
        "synchronized": False,
        "ragged": False,
        "zero_output_for_mask": False,
        "activity_regularizer": None,
    },
}

_CHANNELS_LAST = {"data_format": "channels_last"}

#: Arguments that a class lacks in a dialect, with the value that means the same as none.
LACKED_BY_CLASS: Mapping[Dialect, Mapping[str, Mapping[str, Any]]] = {
    "keras3": dict.fromkeys(
        ("Discretization", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
        {"trainable": True},
    ),
    "keras2": {
        "CenterCrop": _CHANNELS_LAST,
        "MultiHeadAttention": {"sliding_window": None},
        "RandomContrast": {"value_range": [0, 255]},
        "Resizing": {**_CHANNELS_LAST, "antialias": False, "pad_to_aspect_ratio": False},
        "ZeroPadding1D": _CHANNELS_LAST,
    },
    "tfjs": {"ELU": {"alpha": 1.0}},
}

#: Arguments without influence on results, which dialects that lack them need not express.
WITHOUT_EFFECT: Mapping[Dialect, frozenset[str]] = {
    "keras3": frozenset(
        {
            *("implementation", "input_length", "input_dtype", "fused", "batch_size"),
            *("query_shape", "key_shape", "value_shape", "softmax_robust_masking"),
            *("vocabulary_dtype", "vocabulary_size"),
        }
    ),
    "keras2": frozenset({"renorm_momentum", "renorm_clipping"}),
    "tfjs": frozenset({"renorm_momentum", "renorm_clipping", "optional"}),
}

#: Dtypes that Keras 2 requires of layers whose result is integers, and of texts.
KERAS2_DTYPES = {"IntegerLookup": "int64", "StringLookup": "int64", "TextVectorization": "string"}

#: Classes that have a seed in Keras 3 alone, for their dropout in training.
SEEDED_IN_KERAS3 = frozenset(
    {"ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "MultiHeadAttention", "SimpleRNN"}
)

#: Arguments of layers that a class inherits in Keras 2 and has no use for.
UNUSED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("DepthwiseConv1D", "DepthwiseConv2D", "SeparableConv1D", "SeparableConv2D"),
        ("kernel_initializer", "kernel_regularizer", "kernel_constraint"),
    ),
}

#: Values of arguments that are absent in old files, where Keras 3's default is another.
_GRU = {"reset_after": False}
_GATES = {"recurrent_activation": "hard_sigmoid"}
ABSENT: Mapping[Dialect, Mapping[str, Mapping[str, Any]]] = {
    "keras3": {},
    "keras2": {"GRU": _GRU, "GRUCell": _GRU},
    "tfjs": {
        **dict.fromkeys(("GRU", "GRUCell"), {**_GRU, **_GATES}),
        **dict.fromkeys(("LSTM", "LSTMCell", "ConvLSTM2D", "ConvLSTM2DCell"), _GATES),
    },
}

#: Names of activations in Keras 3 that have another name elsewhere.
ACTIVATION_NAMES = {"silu": "swish"}

_ACTIVATIONS = """
elu gelu linear mish relu selu sigmoid softmax softplus softsign swish tanh
"""

#: Activations that equal those of Keras 3; "hard_sigmoid" of Keras 3 is another function.
ACTIVATIONS: Mapping[Dialect, frozenset[str]] = {
    "keras2": frozenset({*_ACTIVATIONS.split(), "exponential"}),
    "tfjs": frozenset({*_ACTIVATIONS.split(), "relu6", "log_softmax"}),
}

#: Activations that are equal in the dialects that have them.
OTHER_ACTIVATIONS: Mapping[Dialect, frozenset[str]] = {
    "keras3": frozenset(),
    "keras2": frozenset({"hard_sigmoid"}),
    "tfjs": frozenset({"hard_sigmoid", "gelu_new"}),
}

#: Activations of other dialects that Keras 3 lacks.
NOT_IN_KERAS3 = {
    "hard_sigmoid": "whose hard_sigmoid is another function (use sigmoid)",
    "gelu_new": "which has no gelu_new",
}

_TFJS_LAYERS = """
Activation Add AlphaDropout Average AveragePooling1D AveragePooling2D AveragePooling3D
BatchNormalization Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose
ConvLSTM2D Cropping2D Dense DepthwiseConv2D Dot Dropout ELU Embedding Flatten GRU GRUCell
GaussianDropout GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalMaxPooling1D
GlobalMaxPooling2D InputLayer LSTM LSTMCell LayerNormalization LeakyReLU Masking MaxPooling1D
MaxPooling2D MaxPooling3D Maximum Minimum Multiply PReLU Permute RNN RandomHeight ReLU
RepeatVector Rescaling Reshape Resizing SeparableConv2D SimpleRNN SimpleRNNCell Softmax
SpatialDropout1D StackedRNNCells ThresholdedReLU TimeDistributed UpSampling2D ZeroPadding2D
"""

#: Classes of layers that run in TensorFlow.js. Of those that it has besides, CategoryEncoding and
#: CenterCrop change the shape of their input, RandomWidth and ConvLSTM2DCell cannot be read.
TFJS_LAYERS = frozenset(_TFJS_LAYERS.split())

_LACKED_BY_KERAS2 = """
AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D AdaptiveMaxPooling1D
AdaptiveMaxPooling2D AdaptiveMaxPooling3D ConvLSTM2DCell GroupQueryAttention GroupedQueryAttention
RMSNormalization RandomColorDegeneration RandomColorJitter RandomElasticTransform RandomErasing
RandomGaussianBlur RandomGrayscale RandomHue RandomInvert RandomPerspective RandomPosterization
RandomSaturation RandomSharpness RandomShear ReversibleEmbedding
"""

#: Values of arguments by which TensorFlow.js computes otherwise than Keras, or fails.
_FIRST = {"data_format": ("channels_first",)}
OTHER_IN_TFJS: Mapping[str, Mapping[str, Sequence[str | None]]] = {
    "AveragePooling1D": _FIRST,
    "Conv1D": {**_FIRST, "padding": ("causal",)},
    "DepthwiseConv2D": _FIRST,
    "MaxPooling1D": _FIRST,
    "Resizing": {"interpolation": ("bilinear", "nearest", None)},
    "UpSampling2D": {**_FIRST, "interpolation": ("bilinear",)},
}

#: Arguments that TensorFlow.js takes as two numbers only.
PAIRS_IN_TFJS: Mapping[str, Sequence[str]] = {"UpSampling2D": ("size",)}

#: Layers that compute along the last axis only in TensorFlow.js, whatever their ``axis``.
LAST_AXIS_IN_TFJS = frozenset({"BatchNormalization", "Softmax"})

#: Layers that use masks in Keras only, with the options by which they do.
UNMASKED_IN_TFJS: Mapping[str, str] = {
    "GlobalAveragePooling1D": "",
    "Bidirectional": "return_sequences",
}

#: Layers of the engine that a dialect lacks.
LACKED_LAYERS: Mapping[Dialect, frozenset[str]] = {
    "keras3": frozenset({"ConvLSTM2DCell", "RandomHeight", "RandomWidth", "ThresholdedReLU"}),
    "keras2": frozenset(_LACKED_BY_KERAS2.split()),
    "tfjs": frozenset(),
}

#: Names of the dialects in errors.
TITLES: Mapping[Dialect, str] = {
    "keras3": "Keras 3",
    "keras2": "Keras 2",
    "tfjs": "TensorFlow.js",
}
