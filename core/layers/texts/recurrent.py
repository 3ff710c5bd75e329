"""Documentation of recurrent layers."""

from core.layers.texts.axes import SPACE

_SOURCES = {
    "SimpleRNN": 'Source: Elman, "Finding Structure in Time" (1990).',
    "LSTM": 'Source: Hochreiter, Schmidhuber, "Long Short-Term Memory" (1997).',
    "GRU": """Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
Statistical Machine Translation" (2014), https://arxiv.org/abs/1406.1078.""",
}

_OF_IMAGES = """Source: Shi et al., "Convolutional LSTM Network" (2015),
https://arxiv.org/abs/1506.04214."""

_KINDS = {
    "SimpleRNN": "a fully connected network",
    "LSTM": "gates to keep, forget and return",
    "GRU": "gates to keep and reset",
}

_CALLED = """The call takes `mask` `[batch, steps]` and `initial_state`, a tensor or a list of them.
With return_state the result is a list: results, then the states after the last step."""


def _layer(name: str) -> str:
    return f"""
Go through sequences step by step with a state and {_KINDS[name]}.

Called on `[batch, steps, features]`, returns `[batch, units]`, or `[batch, steps, units]` with
return_sequences. {_CALLED}

{_SOURCES[name]}

>>> import core
>>> layer = core.layers.{name}(4, return_sequences=True)
>>> layer(core.ones((1, 3, 2))).shape
(1, 3, 4)
"""


def _cell(name: str) -> str:
    return f"""
Make one step of `{name}`: a cell for `RNN`, which goes through sequences.

The layer around it gives each step `[batch, features]`, and gets `[batch, units]`.

{_SOURCES[name]}

>>> import core
>>> core.layers.RNN(core.layers.{name}Cell(4))(core.ones((1, 3, 2))).shape
(1, 4)
"""


def _layer_of_images(rank: int) -> str:
    space, lengths = SPACE[rank], [4] * rank
    return f"""
Go through sequences with gates that are convolutions along {space}.

Called on `[batch, steps, {space}, channels]`, returns `[batch, new {space}, filters]`, or the
results of all steps with return_sequences. {_CALLED}

{_OF_IMAGES}

>>> import core
>>> layer = core.layers.ConvLSTM{rank}D(2, 3, padding="same")
>>> layer(core.ones({(1, 3, *lengths, 1)})).shape
{(1, *lengths, 2)}
"""


def _cell_of_images(rank: int) -> str:
    lengths = [4] * rank
    return f"""
Make one step of `ConvLSTM{rank}D`: a cell for `RNN`, which goes through sequences.

The layer around it gives each step `[batch, {SPACE[rank]}, channels]`.

{_OF_IMAGES}

>>> import core
>>> layer = core.layers.RNN(core.layers.ConvLSTM{rank}DCell(2, 3, padding="same"))
>>> layer(core.ones({(1, 3, *lengths, 1)})).shape
{(1, *lengths, 2)}
"""


ABOUT = {
    "RNN": f"""
Go through sequences step by step with a cell, or with several on top of each other.

Called on `[batch, steps, ...]`, returns the result of the last step, or of all with
return_sequences. {_CALLED}

>>> import core
>>> cells = [core.layers.GRUCell(4), core.layers.LSTMCell(2)]
>>> core.layers.RNN(cells)(core.ones((1, 3, 5))).shape
(1, 2)
""",
    **{name: _layer(name) for name in _KINDS},
    **{f"{name}Cell": _cell(name) for name in _KINDS},
    **{f"ConvLSTM{rank}D": _layer_of_images(rank) for rank in (1, 2, 3)},
    **{f"ConvLSTM{rank}DCell": _cell_of_images(rank) for rank in (1, 2, 3)},
    "StackedRNNCells": """
Use several cells as one, each on the results of the one before.

`RNN` gives each step `[batch, features]`, and gets the result of the last cell, `[batch, units]`. A
list of cells means the same there.

>>> import core
>>> cells = core.layers.StackedRNNCells([core.layers.GRUCell(4), core.layers.LSTMCell(2)])
>>> core.layers.RNN(cells, return_sequences=True)(core.ones((1, 3, 5))).shape
(1, 3, 2)
""",
    "TimeDistributed": """
Call a layer on every step of sequences alike.

Called on `[batch, steps, ...]`, returns the layer's results `[batch, steps, ...]`.

>>> import core
>>> layer = core.layers.TimeDistributed(core.layers.Dense(2, kernel_initializer="ones"))
>>> layer([[[1.0, 2.0], [3.0, 4.0]]]).numpy()
array([[[3., 3.],
        [7., 7.]]], dtype=float32)
""",
    "Bidirectional": """
Go through sequences in both directions with a recurrent layer and one like it.

Called on `[batch, steps, features]`, returns both results joined by merge_mode: with "concat"
`[batch, 2 x units]`, or all steps if the layer returns them.

Source: Schuster, Paliwal, "Bidirectional Recurrent Neural Networks" (1997).

>>> import core
>>> core.layers.Bidirectional(core.layers.GRU(4))(core.ones((1, 3, 2))).shape
(1, 8)
""",
}
