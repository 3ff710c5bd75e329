"""Passes over programs: what they join, what they must leave, and what real models give with them.

Programs are computed node by node with eager ops, before and after: not a bit may change.
"""

from collections.abc import Callable

import numpy as np
import pytest

from core.engine.program import ABSENT, HERE, Program
from core.plan.passes import (
    drop_identities,
    fuse_epilogues,
    merge_pads,
    split_fused,
    square_powers,
)
from tests.core.plan.harness import node
from tests.core.plan.programs import program_of, same, shown

NO_PADS = ((0, 0), (0, 0), (0, 0), (0, 0))


def floats(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


@pytest.fixture
def x(rng):
    return floats(rng, 2, 7, 9, 4)


@pytest.fixture
def w(rng):
    return floats(rng, 3, 3, 4, 5)


@pytest.fixture
def b(rng):
    return floats(rng, 5)


def passed(make: Callable[[Program], Program], program: Program, **inputs) -> list[str]:
    """What a pass makes of a program: the same is computed, and a second time nothing changes."""
    found = make(program)
    same(found, program, inputs)
    assert shown(make(found)) == shown(found)
    return shown(found)


# Splitting.


@pytest.mark.parametrize(
    "activation, step, tolerance",
    [
        ("relu", "relu .", 0),
        ("relu6", "relu6 .", 0),
        # The kernels of fused ops compute these two in float32, those of the ops in float64.
        ("elu", "elu .", 1.2e-7),
        ("sigmoid", "sigmoid .", 1.2e-7),
        ("leakyrelu", "leaky_relu .", 0),
        ("prelu", "prelu . s", 0),
    ],
)
def test_fused_ops_are_split(x, w, b, rng, activation, step, tolerance):
    slopes = ("s",) if activation == "prelu" else ()
    how = {"activation": activation, "leakyrelu_alpha": 0.3}
    fused = node("fused_conv2d", "x", "w", "b", *slopes, strides=2, pad="same", **how)
    program = program_of(fused, inputs={"x": x}, w=w, b=b, s=floats(rng, 5))
    found = split_fused(program)
    same(found, program, {"x": x}, tolerance)
    assert shown(found) == [f"y = conv2d x w; add . b; {step}"]
    attributes = found.steps[0].attributes
    assert attributes["strides"] == 2
    assert not {"activation", "leakyrelu_alpha"} & set(attributes)


def test_absent_inputs_add_no_step(x, w, b, rng):
    slopes = floats(rng, 5)
    fused = [
        node("fused_conv2d", "x", "w", name="bare", strides=1, pad="valid"),
        node("fused_conv2d", "x", "w", "b", name="biased", strides=1, pad="valid"),
        node("fused_conv2d", "x", "w", ABSENT, "s", name="y", strides=1, pad=1, activation="prelu"),
    ]
    program = program_of(
        *fused, inputs={"x": x}, outputs=("bare", "biased", "y"), w=w, b=b, s=slopes
    )
    assert passed(split_fused, program, x=x) == [
        "bare = conv2d x w",
        "biased = conv2d x w; add . b",
        "y = conv2d x w; prelu . s",
    ]


def test_powers_of_two_are_squares(x):
    numbers = {"two": np.float32(2), "three": np.float32([3]), "twos": np.full(4, 2, np.float32)}
    for name, expected in (("two", "square x"), ("three", "pow x three"), ("twos", "pow x twos")):
        program = program_of(node("pow", "x", name), inputs={"x": x}, **{name: numbers[name]})
        assert passed(square_powers, program, x=x) == [f"y = {expected}"]


def test_fused_depthwise_and_matmul_are_split(x, rng):
    a, m, k = floats(rng, 6, 3), floats(rng, 6, 4), floats(rng, 3, 3, 4, 2)
    nodes = [
        node("fused_depthwise_conv2d", "x", "k", "b", name="d", strides=1, pad="same"),
        node("fused_matmul", "a", "m", "c", name="y", transpose_a=True, activation="relu"),
    ]
    given = {"x": x, "a": a}
    weights = {"k": k, "b": floats(rng, 8), "m": m, "c": floats(rng, 4)}
    program = program_of(*nodes, inputs=given, outputs=("d", "y"), **weights)
    found = passed(split_fused, program, **given)
    assert found == ["d = depthwise_conv2d x k; add . b", "y = matmul a m; add . c; relu ."]


def test_channels_first_stay_fused(x, w, b):
    fused = node(
        "fused_conv2d", "x", "w", "b", strides=1, pad="valid", data_format="NCHW", activation="relu"
    )
    images = x.transpose(0, 3, 1, 2).copy()
    program = program_of(fused, inputs={"x": images}, w=w, b=b)
    assert passed(split_fused, program, x=images) == ["y = fused_conv2d x w b"]


# Identities, and what nobody needs.


def test_identity_ops_are_dropped(x):
    nodes = [
        node("identity", "x", name="a"),
        node("reshape", "a", name="b", shape=(2, 7, 9, 4)),
        node("pad", "b", name="c", paddings=NO_PADS),
        node("slice", "c", name="d", begin=(0, 0, 0, 0), size=(2, 7, -1, 4)),
        node("transpose", "d", name="e", perm=(0, 1, 2, 3)),
        node("concat", "e", name="f", axis=3),
        node("tile", "f", name="g", reps=(1, 1, 1, 1)),
        node("broadcast_to", "g", name="h", shape=(2, 7, 9, 4)),
        node("cast", "h", name="i", dtype="float32"),
        node("neg", "i"),
    ]
    program = program_of(*nodes, inputs={"x": x})
    assert passed(drop_identities, program, x=x) == ["y = neg x"]


@pytest.mark.parametrize(
    "kept",
    [
        node("reshape", "x", shape=(7, 2, 9, 4)),
        node("reshape", "x", shape=(2, 7, 36)),
        node("pad", "x", paddings=((0, 0), (0, 1), (0, 0), (0, 0))),
        node("slice", "x", begin=(0, 0, 0, 1), size=(2, 7, 9, 3)),
        node("transpose", "x", perm=(0, 2, 1, 3)),
        node("transpose", "square", perm=(0, 2, 1)),
        node("concat", "x", "x", axis=0),
        node("concat", "x", "empty", axis=1),
        node("tile", "x", reps=(1, 2, 1, 1)),
        node("cast", "x", dtype="int32"),
        node("reverse", "x", axis=(1,)),
        node("identity", "x", epilogue=[node("relu", HERE, name="r")]),
    ],
    ids=lambda kept: kept.op.name,
)
def test_ops_with_an_effect_are_kept(x, rng, kept):
    given = {"x": x, "square": floats(rng, 2, 5, 5), "empty": np.zeros((2, 0, 9, 4), np.float32)}
    program = program_of(kept, inputs=given)
    assert passed(drop_identities, program, **given) == shown(program)


def test_outputs_that_are_identities(x):
    """Two names of one value; one of the input itself, and of a constant."""
    nodes = [
        node("neg", "x", name="a"),
        node("identity", "a", name="b"),
        node("identity", "b", name="c"),
        node("identity", "x", name="d"),
        node("identity", "k", name="e"),
    ]
    program = program_of(*nodes, inputs={"x": x}, outputs=("c", "a", "d", "c", "e"), k=x[0])
    assert passed(drop_identities, program, x=x) == ["a = neg x"]
    assert drop_identities(program).outputs == ("a", "a", "x", "a", "k")


def test_epilogues_read_what_was_before_an_identity(x, w):
    nodes = [
        node("identity", "k", name="same"),
        node("conv2d", "x", "w", strides=1, pad=0, epilogue=[node("mul", HERE, "same", name="m")]),
    ]
    program = program_of(*nodes, inputs={"x": x}, w=w, k=np.float32([3]))
    assert passed(drop_identities, program, x=x) == ["y = conv2d x w; mul . k"]


def test_unread_values_are_dropped(x, w):
    nodes = [
        node("neg", "x", name="lonely"),
        node("abs", "lonely", name="lonely_too"),
        node("split", "x", name="halves", num_or_size_splits=2, axis=3),
        node("neg", "halves:1"),
    ]
    program = program_of(*nodes, inputs={"x": x, "unused": x}, w=w)
    found = passed(drop_identities, program, x=x, unused=x)
    assert found == ["halves = split x", "y = neg halves:1"]
    assert drop_identities(program).constants == {}


# Pads.


def padded(x, w, pads, *more, op="conv2d", outputs=("y",), value=0.0, **how):
    pad = node("pad", "x", name="p", paddings=pads, constant_value=value)
    conv = node(op, "p", "w", **{"strides": 1, "pad": "valid", **how})
    return program_of(pad, conv, *more, inputs={"x": x}, outputs=outputs, w=w)


BORDER = ((0, 0), (1, 2), (3, 0), (0, 0))


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize(
    "how, sides",
    [
        ({}, ((1, 2), (3, 0))),
        ({"strides": 2}, ((1, 2), (3, 0))),
        ({"strides": (2, 3)}, ((1, 2), (3, 0))),
        ({"pad": "same"}, ((2, 3), (4, 1))),
        ({"pad": "same", "strides": 2}, ((1, 3), (3, 1))),  # 10 x 12 have the odd pixel after
        ({"dilations": 2}, ((1, 2), (3, 0))),
        ({"dilations": (1, 2), "pad": "same"}, ((2, 3), (5, 2))),
        ({"pad": 2}, ((3, 4), (5, 2))),
        ({"pad": ((0, 0), (4, 0), (0, 1), (0, 0))}, ((5, 2), (3, 1))),
    ],
)
def test_pads_join_the_convolution(x, w, op, how, sides):
    program = padded(x, w, BORDER, op=op, **how)
    assert passed(merge_pads, program, x=x) == [f"y = {op} x w"]
    assert merge_pads(program).steps[0].attributes["pad"] == sides


@pytest.mark.parametrize("mode", ["floor", "ceil", "round"])
@pytest.mark.parametrize("strides", [2, 3, (3, 2)])
@pytest.mark.parametrize("pads", [BORDER, ((0, 0), (1, 0), (0, 1), (0, 0))])
def test_rounding_of_the_number_of_windows_stays(x, w, mode, strides, pads):
    """Windows that hang over the end read padding there, which the merged node has, too."""
    program = padded(x, w, pads, strides=strides, pad=1, dim_rounding_mode=mode)
    assert passed(merge_pads, program, x=x) == ["y = conv2d x w"]


@pytest.mark.parametrize(
    "pads, value",
    [
        (((0, 0), (1, 1), (1, 1), (0, 1)), 0.0),  # channels
        (((1, 0), (1, 1), (1, 1), (0, 0)), 0.0),  # pictures
        (BORDER, 1.0),
        (BORDER, float("-inf")),
    ],
)
def test_other_borders_stay(x, rng, pads, value):
    channels = 4 + sum(pads[3])
    program = padded(x, floats(rng, 3, 3, channels, 2), pads, value=value)
    assert passed(merge_pads, program, x=x) == ["p = pad x", "y = conv2d p w"]


def test_a_pad_with_another_reader_is_kept(x, w):
    more = node("max_pool", "p", name="z", filter_size=2, strides=2, pad="valid")
    found = passed(merge_pads, padded(x, w, BORDER, more, outputs=("y", "z")), x=x)
    assert found == ["p = pad x", "y = conv2d x w", "z = max_pool p"]
    found = passed(merge_pads, padded(x, w, BORDER, outputs=("y", "p")), x=x)
    assert found == ["p = pad x", "y = conv2d x w"]


def test_two_convolutions_share_a_pad(x, w):
    more = node("conv2d", "p", "w", name="z", strides=2, pad="same")
    found = passed(merge_pads, padded(x, w, BORDER, more, outputs=("y", "z")), x=x)
    assert found == ["y = conv2d x w", "z = conv2d x w"]


def test_a_padded_filter_is_no_image(x, rng):
    """What is padded is the second input here."""
    nodes = [
        node("pad", "f", name="p", paddings=((0, 0), (1, 1), (0, 0), (0, 0))),
        node("conv2d", "x", "p", strides=1, pad="valid"),
    ]
    given = {"x": x, "f": floats(rng, 3, 1, 4, 2)}
    program = program_of(*nodes, inputs=given)
    assert passed(merge_pads, program, **given) == shown(program)


def test_the_nearer_of_two_pads_joins(x, w):
    first = node("pad", "x", name="o", paddings=BORDER)
    second = node("pad", "o", name="p", paddings=BORDER)
    program = program_of(
        first, second, node("conv2d", "p", "w", strides=1, pad="valid"), inputs={"x": x}, w=w
    )
    found = merge_pads(program)
    same(found, program, {"x": x})
    assert shown(found) == ["o = pad x", "y = conv2d o w"]


def test_channels_first_keep_their_pads(x, w):
    images = x.transpose(0, 3, 1, 2).copy()
    pads = ((0, 0), (0, 0), (1, 1), (1, 1))
    program = padded(images, w, pads, data_format="NCHW")
    assert passed(merge_pads, program, x=images) == ["p = pad x", "y = conv2d p w"]


def test_the_epilogue_stays_with_its_convolution(x, w, b):
    steps = [node("add", HERE, "b", name="s"), node("relu", HERE, name="r")]
    pad = node("pad", "x", name="p", paddings=BORDER)
    conv = node("conv2d", "p", "w", strides=1, pad="valid", epilogue=steps)
    program = program_of(pad, conv, inputs={"x": x}, w=w, b=b)
    assert passed(merge_pads, program, x=x) == ["y = conv2d x w; add . b; relu ."]


def test_a_pad_with_an_epilogue_is_no_border(x, w):
    pad = node("pad", "x", name="p", paddings=BORDER, epilogue=[node("exp", HERE, name="e")])
    conv = node("conv2d", "p", "w", strides=1, pad="valid")
    program = program_of(pad, conv, inputs={"x": x}, w=w)
    assert passed(merge_pads, program, x=x) == ["p = pad x; exp .", "y = conv2d p w"]


# Epilogues.


def conv(name="c", source="x", **how):
    return node("conv2d", source, "w", name=name, **{"strides": 1, "pad": "same", **how})


def fused(x, w, *nodes, outputs=("y",), **constants):
    program = program_of(conv(), *nodes, inputs={"x": x}, outputs=outputs, w=w, **constants)
    return passed(fuse_epilogues, program, x=x)


def test_one_after_the_other_joins(x, w, b):
    chain = [
        node("add", "c", "b", name="d"),
        node("relu", "d", name="e"),
        node("quantise_round", "e", name="y", scale=0.1, zero_point=3, low=0, high=255),
    ]
    found = fused(x, w, *chain, b=b)
    assert found == ["y = conv2d x w; add . b; relu .; quantise_round ."]
    program = program_of(conv(), *chain, inputs={"x": x}, w=w, b=b)
    (joined,) = fuse_epilogues(program).steps
    assert [(e.name, e.attributes) for e in joined.epilogue] == [
        (step.name, step.attributes) for step in chain
    ]


def test_an_epilogue_grows(x, w, b):
    """What split_fused made stays first."""
    made = node("fused_conv2d", "x", "w", "b", name="c", strides=1, pad="same", activation="relu")
    program = program_of(made, node("add", "k", "c"), inputs={"x": x}, w=w, b=b, k=b)
    found = passed(lambda p: fuse_epilogues(split_fused(p)), program, x=x)
    assert found == ["y = conv2d x w; add . b; relu .; add k ."]


@pytest.mark.parametrize("op", ["sub", "div", "prelu", "minimum", "squared_difference"])
def test_operands_keep_their_order(x, w, b, op):
    assert fused(x, w, node(op, "c", "b"), b=b) == [f"y = conv2d x w; {op} . b"]
    assert fused(x, w, node(op, "b", "c"), b=b) == [f"y = conv2d x w; {op} b ."]


def test_a_residual_joins_the_later_node(x, w, rng):
    k = floats(rng, 1, 1, 4, 4)
    nodes = [
        node("conv2d", "x", "k", name="first", strides=1, pad="same"),
        node("conv2d", "x", "k", name="second", strides=1, pad="same", dilations=2),
        node("add", "first", "second", name="y"),
    ]
    program = program_of(*nodes, inputs={"x": x}, k=k)
    assert passed(fuse_epilogues, program, x=x) == [
        "first = conv2d x k",
        "y = conv2d x k; add first .",
    ]


def test_later_operands_are_fused(x, w, rng):
    """The first convolution has to wait for the pool of the second: it moves."""
    k = floats(rng, 1, 1, 4, 4)
    nodes = [
        node("conv2d", "x", "k", name="a", strides=1, pad="same"),
        node("conv2d", "x", "k", name="b", strides=1, pad="same"),
        node("max_pool", "b", name="p", filter_size=7, strides=9, pad="same"),
        node("add", "a", "p", name="y"),
    ]
    program = program_of(*nodes, inputs={"x": x}, k=k)
    assert passed(fuse_epilogues, program, x=x) == [
        "b = conv2d x k",
        "p = max_pool b",
        "y = conv2d x k; add . p",
    ]


def test_a_value_with_two_readers_stays(x, w, b):
    both = [node("relu", "c", name="r"), node("neg", "c", name="n"), node("add", "r", "n")]
    assert fused(x, w, *both) == [
        "c = conv2d x w",
        "r = relu c",
        "y = neg c; add r .",
    ]
    assert fused(x, w, node("mul", "c", "c")) == ["c = conv2d x w", "y = mul c c"]
    assert fused(x, w, node("add_n", "c", "k", "c"), k=np.zeros((2, 7, 9, 5), np.float32)) == [
        "c = conv2d x w",
        "y = add_n c k c",
    ]


def test_an_output_is_not_fused_away(x, w):
    found = fused(x, w, node("relu", "c", name="r"), node("neg", "r"), outputs=("y", "r"))
    assert found == ["r = conv2d x w; relu .", "y = neg r"]
    found = fused(x, w, node("relu", "c"), outputs=("y", "y"))
    assert found == ["y = conv2d x w; relu ."]


def test_a_value_that_an_epilogue_reads_stays(x, w):
    nodes = [
        node("conv2d", "x", "w", name="d", strides=1, pad="same", epilogue=[
            node("add", HERE, "c", name="s")
        ]),
        node("relu", "c", name="r"),
        node("mul", "d", "r"),
    ]  # fmt: skip
    assert fused(x, w, *nodes) == [
        "c = conv2d x w",
        "d = conv2d x w; add . c",
        "y = relu c; mul d .",
    ]


def test_other_shapes_are_not_fused(x, w, rng):
    """The result is larger than what is at hand."""
    wide = floats(rng, 3, 2, 7, 9, 5)
    assert fused(x, w, node("add", "c", "k"), k=wide) == ["c = conv2d x w", "y = add c k"]


def test_inputs_and_constants_take_no_epilogue(x, b):
    program = program_of(node("relu", "x", name="y"), inputs={"x": x})
    assert passed(fuse_epilogues, program, x=x) == ["y = relu x"]
    program = program_of(node("add", "k", "b"), inputs={"x": x}, k=b, b=b)
    assert passed(fuse_epilogues, program, x=x) == ["y = add k b"]


def test_integers_are_not_fused(x):
    nodes = [
        node("cast", "x", name="i", dtype="int32"),
        node("add", "i", "i", name="j"),
        node("mul", "j", "k", name="y"),
    ]
    program = program_of(*nodes, inputs={"x": x}, k=np.int32([3]))
    assert passed(fuse_epilogues, program, x=x) == [
        "i = cast x",
        "j = add i i",
        "y = mul j k",
    ]


@pytest.mark.parametrize("kind, how", [("reshape", {"shape": (2, 63, 5)}), ("identity", {})])
def test_views_take_no_epilogue(x, w, kind, how):
    """Their data are those of another value."""
    found = fused(x, w, node(kind, "c", name="v", **how), node("relu", "v"))
    assert found == ["c = conv2d x w", f"v = {kind} c", "y = relu v"]


def test_ops_with_several_results_take_no_epilogue(x):
    nodes = [
        node("split", "x", name="s", num_or_size_splits=2, axis=3),
        node("relu", "s", name="a"),
        node("relu", "s:1", name="b"),
    ]
    program = program_of(*nodes, inputs={"x": x}, outputs=("a", "b"))
    assert passed(fuse_epilogues, program, x=x) == shown(program)


def test_concat_and_other_ops_take_an_epilogue(x, w):
    nodes = [
        node("concat", "c", "c", name="j", axis=3),
        node("relu", "j", name="r"),
        node("avg_pool", "r", name="p", filter_size=2, strides=2, pad="same"),
        node("sigmoid", "p", name="y"),
    ]
    assert fused(x, w, *nodes) == [
        "c = conv2d x w",
        "r = concat c c; relu .",
        "y = avg_pool r; sigmoid .",
    ]


def test_only_elementwise_ops_are_fused(x, w):
    nodes = [node("softmax", "c", name="s"), node("cumsum", "s", name="y", axis=1)]
    assert fused(x, w, *nodes) == ["c = conv2d x w", "s = softmax c", "y = cumsum s"]


def test_a_sum_of_many_joins_its_latest(x, w, rng):
    nodes = [conv("d"), conv("e"), node("add_n", "c", "d", "e", "k")]
    found = fused(x, w, *nodes, k=floats(rng, 2, 7, 9, 5))
    assert found == ["c = conv2d x w", "d = conv2d x w", "y = conv2d x w; add_n c d . k"]
