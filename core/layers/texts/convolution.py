"""Documentation of convolutions."""

from core.layers.texts.axes import DATA, after, before, cube


def _convolution(rank: int) -> str:
    return f"""
Move filters over {DATA[rank]}: each result is the sum of a window times a filter, plus a bias.

Called on {before(rank)}, returns {after(rank, "filters")}. Filters have the shape of the window,
then `[channels / groups, filters]`.

>>> import core
>>> layer = core.layers.Conv{rank}D(2, 3, kernel_initializer="ones")
>>> layer(core.ones({cube(rank, 5, 3)})).shape
{cube(rank, 3, 2)}
"""


def _transposed(rank: int) -> str:
    return f"""
Enlarge {DATA[rank]} by filters, as the gradient of a convolution does.

Called on {before(rank)}, returns {after(rank, "filters")}: with padding "same", lengths times the
strides. Filters have the shape of the window, then `[filters, channels]`.

Source: Zeiler et al., "Deconvolutional Networks" (2010).

>>> import core
>>> layer = core.layers.Conv{rank}DTranspose(2, 3, strides=2, padding="same")
>>> layer(core.ones({cube(rank, 4, 3)})).shape
{cube(rank, 8, 2)}
"""


def _depthwise(rank: int) -> str:
    return f"""
Move filters over {DATA[rank]}, each over one channel alone.

Called on {before(rank)}, returns {after(rank, "channels x depth_multiplier")}. Filters have the
shape of the window, then `[channels, depth_multiplier]`.

Source: Howard et al., "MobileNets" (2017), https://arxiv.org/abs/1704.04861.

>>> import core
>>> layer = core.layers.DepthwiseConv{rank}D(3, depth_multiplier=2)
>>> layer(core.ones({cube(rank, 5, 3)})).shape
{cube(rank, 3, 6)}
"""


def _separable(rank: int) -> str:
    return f"""
Filter each channel of {DATA[rank]} alone, then mix the channels at each place.

Called on {before(rank)}, returns {after(rank, "filters")}: a depthwise convolution, then one with a
window of length 1, and a bias.

Source: Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions" (2017),
https://arxiv.org/abs/1610.02357.

>>> import core
>>> layer = core.layers.SeparableConv{rank}D(4, 3)
>>> layer(core.ones({cube(rank, 5, 3)})).shape, layer.count_params()
({cube(rank, 3, 4)}, {3**rank * 3 + 3 * 4 + 4})
"""


ABOUT = {
    **{f"Conv{rank}D": _convolution(rank) for rank in (1, 2, 3)},
    **{f"Conv{rank}DTranspose": _transposed(rank) for rank in (1, 2, 3)},
    **{f"DepthwiseConv{rank}D": _depthwise(rank) for rank in (1, 2)},
    **{f"SeparableConv{rank}D": _separable(rank) for rank in (1, 2)},
}
