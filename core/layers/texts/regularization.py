"""Documentation of layers that act in training alone."""

from core.layers.texts.axes import DATA, before, cube


def _channels(rank: int) -> str:
    return f"""
Set whole channels of {DATA[rank]} to 0 in training, and divide the others by 1 - rate.

Called on {before(rank)}, returns that shape; in inference the input as it is.

Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
https://arxiv.org/abs/1411.4280.

>>> import core
>>> x = core.ones({cube(rank, 2, 3)})
>>> bool((core.layers.SpatialDropout{rank}D(0.5)(x) == x).all().item())
True
"""


ABOUT = {
    "Dropout": """
Set random values to 0 in training, and divide the others by 1 - rate.

Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
(2014).

>>> import core
>>> layer = core.layers.Dropout(0.5, seed=1)
>>> layer([[1.0, 1.0]]).numpy()
array([[1., 1.]], dtype=float32)
>>> layer(core.ones((9, 9)), training=True).max().item()
2.0
""",
    **{f"SpatialDropout{rank}D": _channels(rank) for rank in (1, 2, 3)},
    "GaussianNoise": """
Add normally distributed noise in training.

Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

>>> import core
>>> core.layers.GaussianNoise(0.1)([[1.0, 2.0]]).numpy()
array([[1., 2.]], dtype=float32)
""",
    "GaussianDropout": """
Multiply with normally distributed factors of mean 1 in training.

Called on a tensor of any shape, returns one of that shape; in inference the input as it is. The
standard deviation is sqrt(rate / (1 - rate)).

Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
(2014).

>>> import core
>>> core.layers.GaussianDropout(0.5)([[1.0, 2.0]]).numpy()
array([[1., 2.]], dtype=float32)
""",
    "AlphaDropout": """
Drop random values in training so that mean and variance of the inputs stay, for SELU networks.

Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

Source: Klambauer et al., "Self-Normalizing Neural Networks" (2017),
https://arxiv.org/abs/1706.02515.

>>> import core
>>> core.layers.AlphaDropout(0.5)([[1.0, 2.0]]).numpy()
array([[1., 2.]], dtype=float32)
""",
    "Identity": """
Return the input as it is.

Called on a tensor of any shape.

>>> import core
>>> core.layers.Identity()([[1.0, 2.0]]).numpy()
array([[1., 2.]], dtype=float32)
""",
    "ActivityRegularization": """
Add a penalty on the input to the loss in training, and return the input as it is.

Called on a tensor of any shape. The penalty is l1 * sum(|x|) + l2 * sum(x * x), divided by the
length of the batch.

>>> import core
>>> core.layers.ActivityRegularization(l2=0.01)([[1.0, 2.0]]).numpy()
array([[1., 2.]], dtype=float32)
""",
}
