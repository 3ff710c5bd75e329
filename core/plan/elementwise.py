"""Which ops are element-wise, so that passes may apply them to a result while it is at hand."""

#: Ops of float32 that make each value of the result of one value of each operand, which broadcast:
#: a backend that lowers one of them can also apply it in an epilogue, and in place.
ELEMENTWISE_OPS = frozenset(
    """
    add sub mul div maximum minimum squared_difference prelu add_n
    neg abs square sqrt rsqrt reciprocal floor ceil round
    exp expm1 log log1p sin cos tanh sigmoid softplus
    relu relu6 elu leaky_relu clip_by_value quantise_round
    """.split()
)
