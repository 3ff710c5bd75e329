"""Which ops are element-wise, so that passes may apply them to a result while it is at hand."""

_TWO_OPERANDS = "add sub mul div maximum minimum squared_difference prelu"
_ROUNDING = "floor ceil round clip_by_value quantise_round"
_ACTIVATIONS = "relu relu6 elu leaky_relu sigmoid softplus tanh"
_FUNCTIONS = "neg abs square sqrt rsqrt reciprocal exp expm1 log log1p sin cos"

#: Ops of float32 that make each value of the result of one value of each operand, which broadcast:
#: a backend that lowers one of them can also apply it in an epilogue, and in place.
ELEMENTWISE_OPS = frozenset(
    f"{_TWO_OPERANDS} add_n {_ROUNDING} {_ACTIVATIONS} {_FUNCTIONS}".split()
)
