"""Arguments of recurrent layers and their cells, with Keras's names, order and defaults."""

from core.layers.lowering.arguments import Arguments, about_weights, arguments

_WEIGHTS: Arguments = {"kernel": "glorot_uniform", "recurrent": "orthogonal", "bias": "zeros"}
_DROPOUT = {"dropout": 0.0, "recurrent_dropout": 0.0, "seed": None}
_WINDOW = {
    "strides": 1,
    "padding": "valid",
    "data_format": None,
    "dilation_rate": 1,
}
_GATES = {"activation": "tanh", "recurrent_activation": "sigmoid", "use_bias": True}
#: The arguments of layers about their results.
RESULTS = {
    "return_sequences": False,
    "return_state": False,
    "go_backwards": False,
    "stateful": False,
    "unroll": False,
    "zero_output_for_mask": False,
}

#: The arguments of a cell before those about weights, and its other ones.
_CELL_ARGUMENTS: dict[str, tuple[Arguments, Arguments]] = {
    "SimpleRNN": (arguments("units", activation="tanh", use_bias=True), {}),
    "LSTM": (arguments("units", **_GATES), {}),
    "GRU": (arguments("units", **_GATES), {"reset_after": True}),
    **{
        f"ConvLSTM{rank}D": (arguments("filters", "kernel_size", **_WINDOW, **_GATES), {})
        for rank in (1, 2, 3)
    },
}


def arguments_of_layer(name: str) -> Arguments:
    """Return the arguments of a recurrent layer with a cell of its own.

    >>> list(arguments_of_layer("GRU"))[-2:]
    ['zero_output_for_mask', 'reset_after']
    """
    first, other = _CELL_ARGUMENTS[name]
    return {**first, **_about_weights(name), **_DROPOUT, **RESULTS, **other}


def arguments_of_cell(name: str) -> Arguments:
    """Return the arguments of the cell of a recurrent layer.

    >>> list(arguments_of_cell("GRU"))[-2:]
    ['seed', 'reset_after']
    """
    first, other = _CELL_ARGUMENTS[name]
    about = {k: v for k, v in _about_weights(name).items() if k != "activity_regularizer"}
    return {**first, **about, **_DROPOUT, **other}


def _about_weights(name: str) -> Arguments:
    """Return the arguments about weights; Keras has unit_forget_bias among them."""
    about = about_weights(**_WEIGHTS).items()
    before = {key: value for key, value in about if key.endswith("_initializer")}
    forget = {"unit_forget_bias": True} if "LSTM" in name else {}
    return {**before, **forget, **dict(about)}
