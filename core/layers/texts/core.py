"""Documentation of layers that multiply with matrices, look up rows, or change shapes."""

from core.layers.texts.axes import DATA, after, before, cube


def _padded(rank: int) -> str:
    return f"""
Add zeros at the edges of {DATA[rank]}.

Called on {before(rank)}, returns {after(rank)}.

>>> import core
>>> core.layers.ZeroPadding{rank}D(1)(core.ones({cube(rank, 2, 1)})).shape
{cube(rank, 4, 1)}
"""


def _cropped(rank: int) -> str:
    return f"""
Cut values off the edges of {DATA[rank]}.

Called on {before(rank)}, returns {after(rank)}.

>>> import core
>>> core.layers.Cropping{rank}D(1)(core.ones({cube(rank, 4, 1)})).shape
{cube(rank, 2, 1)}
"""


def _repeated(rank: int) -> str:
    how = " by repetition or interpolation" if rank == 2 else ": each value is repeated"
    return f"""
Enlarge {DATA[rank]}{how}.

Called on {before(rank)}, returns {after(rank)}: lengths times size.

>>> import core
>>> core.layers.UpSampling{rank}D(2)(core.ones({cube(rank, 2, 1)})).shape
{cube(rank, 4, 1)}
"""


ABOUT = {
    "Dense": """
Multiply the last axis with a matrix, and add a bias: a fully connected layer.

Called on `[batch, ..., features]`, returns `[batch, ..., units]`, after the activation.

>>> import core
>>> layer = core.layers.Dense(2, activation="relu", kernel_initializer="ones")
>>> layer([[1.0, 2.0, 3.0]]).numpy()
array([[6., 6.]], dtype=float32)
""",
    "EinsumDense": """
Multiply with a weight by an Einstein summation, and add a bias.

Called on `[batch, ...]`, the equation's first operand, returns `[batch, ...]`, its result.
The second operand is the weight; "..." may stand for further axes of the input.

>>> import core
>>> layer = core.layers.EinsumDense("abc,cd->abd", output_shape=(None, 8), bias_axes="d")
>>> layer(core.ones((2, 3, 4))).shape
(2, 3, 8)
""",
    "Embedding": """
Replace integers by rows of a table that is trained.

Called on integers `[batch, ...]` from 0 to input_dim - 1, returns `[batch, ..., output_dim]`.

>>> import core
>>> layer = core.layers.Embedding(input_dim=10, output_dim=2, embeddings_initializer="ones")
>>> layer(core.tensor([[1, 5, 9]])).numpy()
array([[[1., 1.],
        [1., 1.],
        [1., 1.]]], dtype=float32)
""",
    "Masking": """
Mask the steps whose values are all mask_value, for the layers after it.

Called on `[batch, steps, features]`, returns the values, with zeros in masked steps.

>>> import core
>>> x = core.tensor([[[1.0, 2.0], [0.0, 0.0]]])
>>> core.layers.GlobalAveragePooling1D()(core.layers.Masking()(x)).numpy()
array([[1., 2.]], dtype=float32)
""",
    "Flatten": """
Join all axes but the batch to one.

Called on `[batch, ...]`, returns `[batch, values]`.

>>> import core
>>> core.layers.Flatten()(core.ones((2, 3, 4))).shape
(2, 12)
""",
    "Reshape": """
Give each sample another shape with as many values.

Called on `[batch, ...]`, returns `[batch, *target_shape]`.

>>> import core
>>> core.layers.Reshape((2, -1))(core.ones((5, 8))).shape
(5, 2, 4)
""",
    "Permute": """
Change the order of the axes of each sample.

Called on `[batch, ...]`, returns the axes in the order of dims, which are counted from 1.

>>> import core
>>> core.layers.Permute((2, 1))(core.ones((5, 3, 4))).shape
(5, 4, 3)
""",
    "RepeatVector": """
Repeat each vector as steps of a sequence.

Called on `[batch, features]`, returns `[batch, n, features]`.

>>> import core
>>> core.layers.RepeatVector(3)([[1.0, 2.0]]).numpy()
array([[[1., 2.],
        [1., 2.],
        [1., 2.]]], dtype=float32)
""",
    **{f"ZeroPadding{rank}D": _padded(rank) for rank in (1, 2, 3)},
    **{f"Cropping{rank}D": _cropped(rank) for rank in (1, 2, 3)},
    **{f"UpSampling{rank}D": _repeated(rank) for rank in (1, 2, 3)},
}
