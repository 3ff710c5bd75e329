"""Documentation of activations as layers."""

ABOUT = {
    "Activation": """
Apply an activation, named or a function of a tensor, to all values.

Called on a tensor of any shape, returns one of that shape.

>>> import core
>>> core.layers.Activation("relu")([[-1.0, 2.0]]).numpy()
array([[0., 2.]], dtype=float32)
""",
    "ReLU": """
Return max(x, 0), or with a limit, a factor of negative values, or a threshold.

Called on a tensor of any shape, returns one of that shape. Below the threshold the result is
negative_slope * (x - threshold).

>>> import core
>>> core.layers.ReLU(max_value=6.0)([[-1.0, 2.0, 8.0]]).numpy()
array([[0., 2., 6.]], dtype=float32)
""",
    "LeakyReLU": """
Return x where it is positive, and negative_slope * x elsewhere.

Called on a tensor of any shape, returns one of that shape.

Source: Maas, Hannun, Ng, "Rectifier Nonlinearities Improve Neural Network Acoustic Models" (2013).

>>> import core
>>> core.layers.LeakyReLU(negative_slope=0.5)([[-1.0, 2.0]]).numpy()
array([[-0.5,  2. ]], dtype=float32)
""",
    "PReLU": """
Return x where it is positive, and alpha * x elsewhere, with factors alpha that are trained.

Called on a tensor `[batch, ...]`, returns one of that shape. There is a factor for each value of a
sample, but for the shared axes.

Source: He et al., "Delving Deep into Rectifiers" (2015), https://arxiv.org/abs/1502.01852.

>>> import core
>>> layer = core.layers.PReLU(alpha_initializer="ones", shared_axes=1)
>>> layer([[-1.0, 2.0]]).numpy(), layer.count_params()
(array([[-1.,  2.]], dtype=float32), 1)
""",
    "ELU": """
Return x where it is positive, and alpha * (exp(x) - 1) elsewhere.

Called on a tensor of any shape, returns one of that shape.

Source: Clevert, Unterthiner, Hochreiter, "Fast and Accurate Deep Network Learning by Exponential
Linear Units" (2016), https://arxiv.org/abs/1511.07289.

>>> import core
>>> core.layers.ELU()([[-1.0, 2.0]]).numpy().round(3)
array([[-0.632,  2.   ]], dtype=float32)
""",
    "ThresholdedReLU": """
Return x where it is above theta, and 0 elsewhere.

Called on a tensor of any shape, returns one of that shape.

Source: Konda, Memisevic, Krueger, "Zero-bias autoencoders and the benefits of co-adapting features"
(2015), https://arxiv.org/abs/1402.3337.

>>> import core
>>> core.layers.ThresholdedReLU(theta=1.0)([[-1.0, 0.5, 2.0]]).numpy()
array([[-0.,  0.,  2.]], dtype=float32)
""",
    "Softmax": """
Turn values along an axis into probabilities, whose sum is 1.

Called on a tensor of any shape, returns one of that shape. Positions that a ``mask`` has as False
get 0.

>>> import core
>>> core.layers.Softmax()([[1.0, 1.0, 1.0, 1.0]]).numpy()
array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
""",
}
