"""Documentation of layers of several inputs."""

_RESULTS = {
    "Add": ("Add inputs", [[4.0, 7.0]]),
    "Multiply": ("Multiply inputs", [[3.0, 10.0]]),
    "Subtract": ("Subtract the second of two inputs from the first", [[2.0, 3.0]]),
    "Maximum": ("Return the largest of the inputs", [[3.0, 5.0]]),
    "Minimum": ("Return the smallest of the inputs", [[1.0, 2.0]]),
    "Average": ("Return the mean of inputs", [[2.0, 3.5]]),
}


def _value_by_value(name: str, summary: str, result: list[list[float]]) -> str:
    number = "two tensors" if name == "Subtract" else "a list of tensors"
    return f"""
{summary}, value by value.

Called on {number} of one shape, or of shapes that broadcast; returns a tensor of that shape.

>>> import core
>>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
>>> core.layers.{name}()([x, y]).numpy().tolist()
{result}
"""


ABOUT = {
    **{name: _value_by_value(name, *texts) for name, texts in _RESULTS.items()},
    "Concatenate": """
Join inputs along an axis.

Called on a list of tensors whose shapes differ along the axis alone; returns one tensor.

>>> import core
>>> core.layers.Concatenate()([core.ones((1, 2)), core.zeros((1, 1))]).numpy()
array([[1., 1., 0.]], dtype=float32)
""",
    "Dot": """
Return the dot products of two inputs along an axis of each, sample by sample.

Called on two tensors `[batch, ...]`; the result has their other axes, and for matrices at least one
axis beside the batch.

>>> import core
>>> core.layers.Dot(axes=1)([core.tensor([[1.0, 2.0]]), core.tensor([[3.0, 4.0]])]).numpy()
array([[11.]], dtype=float32)
""",
}
