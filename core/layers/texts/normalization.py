"""Documentation of normalisation."""

ABOUT = {
    "BatchNormalization": """
Normalise each channel by mean and variance: of the batch in training, moving ones in inference.

Called on `[batch, ..., channels]`, returns that shape: (x - mean) / sqrt(variance + epsilon) *
gamma + beta. A layer that is not trainable runs as in inference, in training, too.

Source: Ioffe, Szegedy, "Batch Normalization" (2015), https://arxiv.org/abs/1502.03167.

>>> import core
>>> layer = core.layers.BatchNormalization(epsilon=0.0)
>>> layer([[1.0], [3.0]], training=True).numpy()
array([[-1.],
       [ 1.]], dtype=float32)
>>> [variable.name.split("/")[-1] for variable in layer.variables]
['gamma', 'beta', 'moving_mean', 'moving_variance']
""",
    "LayerNormalization": """
Normalise each sample by its mean and variance along an axis, or several.

Called on a tensor `[batch, ...]`, returns that shape: (x - mean) / sqrt(variance + epsilon) *
gamma + beta.

Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), https://arxiv.org/abs/1607.06450.

>>> import core
>>> core.layers.LayerNormalization(epsilon=0.0)([[1.0, 3.0]]).numpy()
array([[-1.,  1.]], dtype=float32)
""",
    "RMSNormalization": """
Divide each sample by the root of its mean square along an axis, or several.

Called on a tensor `[batch, ...]`, returns that shape: x / sqrt(mean(x * x) + epsilon) * scale.

Source: Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019),
https://arxiv.org/abs/1910.07467.

>>> import core
>>> core.layers.RMSNormalization()([[1.0, 1.0, 1.0]]).numpy().round(3)
array([[1., 1., 1.]], dtype=float32)
""",
    "GroupNormalization": """
Normalise each sample by mean and variance of groups of channels.

Called on `[batch, ..., channels]`, returns that shape. The number of channels is a multiple of the
number of groups.

Source: Wu, He, "Group Normalization" (2018), https://arxiv.org/abs/1803.08494.

>>> import core
>>> layer = core.layers.GroupNormalization(groups=2, epsilon=0.0)
>>> layer([[1.0, 3.0, 10.0, 30.0]]).numpy()
array([[-1.,  1., -1.,  1.]], dtype=float32)
""",
    "UnitNormalization": """
Divide by the Euclidean norm along an axis, or several, so that it becomes 1.

Called on a tensor of any shape, returns one of that shape.

>>> import core
>>> core.layers.UnitNormalization()([[3.0, 4.0]]).numpy()
array([[0.6, 0.8]], dtype=float32)
""",
    "Normalization": """
Subtract a known mean, and divide by the root of a known variance.

Called on `[batch, ..., channels]`, returns that shape. Where mean and variance are not given,
`adapt` takes them from data; the weights `mean` and `variance` hold them.

>>> import core
>>> core.layers.Normalization(mean=2.0, variance=4.0)([[0.0, 2.0, 6.0]]).numpy()
array([[-1.,  0.,  2.]], dtype=float32)
""",
}
