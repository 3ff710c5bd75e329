"""Each op that has a rule: files compute what the op computes, in ONNX Runtime and here."""

import numpy as np
import pytest

from core.conformance.op_cases import OpCase, arrays_of, read_cases
from core.converter.onnx_writer.rules import RULES, integers
from core.engine.dtypes import dtype_of
from core.engine.program import HERE, Program
from core.engine.registry import OPS
from core.engine.settings import backend
from core.engine.specs import Spec
from core.errors import CoreError
from core.plan.tracing import Tracer
from tests.core.converter.onnx_writer.onnx_runs import assert_near, by_reader, by_runtime, written
from tests.core.plan.harness import node
from tests.core.plan.programs import computed, program_of

#: Kinds of arrays that files do not hold: objects and complex numbers.
_OTHER_KINDS = "Oc"

#: Cases that differ in ONNX Runtime, by the reason.
_DIFFERENT = {
    ("sign", "special"): "Sign of NaN is NaN there, 0 here",
    ("instance_norm", "no pixels"): "it crashes",
    ("instance_norm", "one pixel"): "it divides by another square root of 0",
}

#: Cases that have no counterpart, by what their error says.
_REFUSED = {
    ("contract", "...ij,...jk->...ik"): "einsum that repeats axes",
    ("gather", "batch, axis 2"): "gather with an axis behind",
    ("mirror_pad", "symmetric"): "mirror_pad with mode='symmetric'",
    ("mirror_pad", "empty"): "mirror_pad with mode='symmetric'",
}

#: Ops of which some cases are refused, by what their error says.
_REFUSED_OPS = {
    "pool": "dilated pooling",
    "transform": "transform of nearest pixels, of wrapped images, or with a fill value",
}


def _holds(case: OpCase) -> bool:
    arrays = [array for value in case.inputs for array in arrays_of(value)]
    kinds = {np.asarray(array).dtype.kind for array in (*arrays, *case.results)}
    return case.op in RULES and bool(case.results) and kinds.isdisjoint(_OTHER_KINDS)


CASES = {f"{case.op}: {case.label}": case for case in read_cases() if _holds(case)}


def traced(case: OpCase) -> tuple[Program, dict[str, np.ndarray]]:
    """The call of a case as a program, and what it is given."""
    feeds: dict[str, np.ndarray] = {}

    def given(tracer, array):
        name = f"input_{len(feeds)}"
        feeds[name] = array
        return tracer.input(name, Spec(array.shape, dtype_of(array)))

    with backend("cpu"):
        tracer = Tracer(1e-7)
        arguments = [
            None
            if value is None
            else [given(tracer, a) for a in value]
            if isinstance(value, list)
            else given(tracer, value)
            for value in case.inputs
        ]
        with tracer.recording("result"):
            result = OPS[case.op](*arguments, **case.attributes)
        results = result if isinstance(result, (list, tuple)) else [result]
        return tracer.program(results), feeds


@pytest.mark.sweep("whole")
@pytest.mark.parametrize(
    "name", [n for n, case in CASES.items() if (case.op, case.label) not in _DIFFERENT]
)
def test_ops_in_the_runtime(name, tmp_path):
    case = CASES[name]
    program, feeds = traced(case)
    reason = _REFUSED.get((case.op, case.label)) or _REFUSED_OPS.get(case.op, "")
    try:
        path = written(program, tmp_path / "op.onnx")
    except CoreError as error:
        assert reason
        assert reason in str(error)
        return
    assert (case.op, case.label) not in _REFUSED
    assert_near(by_runtime(path, feeds), [*map(np.asarray, case.results)])


def test_every_rule_has_cases():
    """Those of integers, which are no ops of tensors, have tests of their own."""
    assert {case.op for case in CASES.values()} == RULES.keys() - integers.RULES.keys()


# --- layouts, epilogues ---------------------------------------------------------------------------

IMAGES, MATRIX = (2, 5, 6, 4), (3, 4)
BIAS = [node("add", HERE, "v"), node("relu6", HERE)]

#: Nodes by what they need: shapes of inputs "x" and "z", and of the constants "w" and "v".
NODES = {
    "conv with uneven padding": (
        [node("conv2d", "x", "w", strides=2, pad="same", epilogue=BIAS)],
        {"x": IMAGES, "w": (3, 3, 4, 5), "v": (5,)},
    ),
    "an added image is no bias": (
        [node("conv2d", "x", "w", epilogue=[node("add", HERE, "v")])],
        {"x": IMAGES, "w": (1, 1, 4, 5), "v": (2, 5, 6, 5)},
    ),
    "depthwise with a multiplier": (
        [node("depthwise_conv2d", "x", "w", strides=2, pad="same", epilogue=BIAS)],
        {"x": IMAGES, "w": (3, 3, 4, 2), "v": (8,)},
    ),
    "transposed conv": (
        [
            node(
                *("conv2d_backprop_input", "x", "w"),
                input_shape=(2, 10, 11, 3),
                strides=2,
                pad="same",
                epilogue=BIAS,
            )
        ],
        {"x": IMAGES, "w": (3, 3, 3, 4), "v": (3,)},
    ),
    "transposed conv that has room": (
        [node("conv2d_backprop_input", "x", "w", input_shape=(2, 11, 14, 3), strides=2)],
        {"x": IMAGES, "w": (2, 3, 3, 4)},
    ),
    "images and vectors": (
        [
            node("max_pool", "x", name="a", filter_size=1, strides=1, pad="valid"),
            node("maximum", "a", "w"),
        ],
        {"x": IMAGES, "w": (2, 1, 1, 4)},
    ),
    "images and rows of theirs": (
        [
            node("max_pool", "x", name="a", filter_size=1, strides=1, pad="valid"),
            node("mean", "x", name="b", axis=(0, 1)),
            node("mul", "b", "a"),
        ],
        {"x": IMAGES},
    ),
    "matrix product": (
        [node("matmul", "x", "w", transpose_b=True, epilogue=[node("add", "v", HERE)])],
        {"x": MATRIX, "w": (5, 4), "v": (5,)},
    ),
    "mean of pixels behind a pool": (
        [
            node("max_pool", "x", name="a", filter_size=2, strides=1, pad="valid"),
            node("mean", "a", axis=(1, 2)),
        ],
        {"x": IMAGES},
    ),
    "boxes side by side": (
        [
            node("reshape", "x", name="a", shape=(2, 30, 4)),
            node("reshape", "z", name="b", shape=(2, 3, 4)),
            node("concat", "a", "b", axis=1),
        ],
        {"x": IMAGES, "z": (2, 1, 3, 4)},
    ),
    "columns": (
        [node("transpose", "x", name="a", perm=(1, 0)), node("stack", "a", "a", axis=2)],
        {"x": MATRIX},
    ),
}


def _program(case, rng):
    nodes, shapes = NODES[case]
    arrays = {name: rng.uniform(-1, 1, s).astype(np.float32) for name, s in shapes.items()}
    inputs = {name: array for name, array in arrays.items() if name in "xz"}
    constants = {name: array for name, array in arrays.items() if name not in "xz"}
    return program_of(*nodes, inputs=inputs, **constants), inputs


@pytest.mark.parametrize("case", NODES)
@pytest.mark.parametrize("run", [by_reader, by_runtime])
def test_steps_with_epilogues(run, case, rng, tmp_path):
    program, inputs = _program(case, rng)
    path = written(program, tmp_path / "steps.onnx")
    assert_near(run(path, inputs), computed(program, inputs))


def test_nothing_between_convolutions_is_transposed(rng, tmp_path):
    onnx = pytest.importorskip("onnx")
    x = rng.uniform(-1, 1, IMAGES).astype(np.float32)
    w = rng.uniform(-1, 1, (1, 1, 4, 4)).astype(np.float32)
    program = program_of(
        node("conv2d", "x", "w", name="a", epilogue=[node("add", HERE, "v"), node("relu", HERE)]),
        node("resize_bilinear", "a", name="b", size=(5, 6)),
        node("add", "a", "b", name="c"),
        node("conv2d", "c", "w"),
        inputs={"x": x},
        w=w,
        v=w[0, 0, 0],
    )
    graph = onnx.load(written(program, tmp_path / "steps.onnx")).graph
    types = [each.op_type for each in graph.node if each.op_type != "Constant"]
    assert types == [
        *("Transpose", "Conv", "Relu", "Shape", "Concat", "Resize", "Add", "Conv", "Transpose"),
    ]


def test_all_steps_without_a_rule_are_named(rng, tmp_path):
    x = rng.uniform(0, 1, (2, 3)).astype(np.float32)
    steps = [node("cumprod", "x", name=f"p{i}") for i in range(10)] + [node("diag", "p1")]
    with pytest.raises(CoreError, match=r"cumprod \(p0, .*, p7 and 2 more\); diag \(y\)"):
        written(program_of(*steps, inputs={"x": x}), tmp_path / "steps.onnx")
