"""The export by which benchmarks give ONNX Runtime our programs: it computes what cpu does."""

import numpy as np
import pytest

from core.engine.program import HERE, Program
from tests.benchmarks.networks.onnx_writer import TO_FIRST, TO_LAST, NotExportedError
from tests.benchmarks.networks.program_to_onnx import export
from tests.core.plan.harness import node
from tests.core.plan.programs import Arrays, computed, program_of
from tests.helpers import require


@pytest.fixture(autouse=True)
def _onnx():
    require("onnx")
    require("onnxruntime")


def by_onnx(program: Program, inputs: Arrays) -> list[np.ndarray]:
    """The outputs of a program, with the axes in our order."""
    import onnxruntime

    made = export(program)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        made.content, options, providers=["CPUExecutionProvider"]
    )
    feeds = {
        name: np.ascontiguousarray(inputs[name].transpose(TO_FIRST)) if first else inputs[name]
        for name, first in made.inputs.items()
    }
    found = zip(session.run([*made.outputs], feeds), made.outputs.values(), strict=True)
    return [value.transpose(TO_LAST) if first else value for value, first in found]


IMAGES, MATRIX, ROWS = (2, 5, 6, 4), (3, 4), (4, 5)
BIAS = [node("add", HERE, "v"), node("relu6", HERE)]

#: Nodes by what they need: shapes of inputs "x" and "z", and of the constants "w" and "v".
CASES = {
    "conv with uneven padding": (
        [node("conv2d", "x", "w", strides=2, pad="same", epilogue=BIAS)],
        {"x": IMAGES, "w": (3, 3, 4, 5), "v": (5,)},
    ),
    "dilated conv": (
        [node("conv2d", "x", "w", dilations=2, pad=((2, 1), (0, 3)))],
        {"x": IMAGES, "w": (2, 2, 4, 6)},
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
    "slopes of channels": ([node("prelu", "x", "w")], {"x": IMAGES, "w": (4,)}),
    "slopes of pixels": ([node("prelu", "x", "w")], {"x": IMAGES, "w": (5, 6, 4)}),
    "leaky": ([node("leaky_relu", "x", alpha=0.3)], {"x": IMAGES}),
    "sum of three": ([node("add_n", "x", "z", "x")], {"x": IMAGES, "z": IMAGES}),
    "images and vectors": ([node("maximum", "x", "w")], {"x": IMAGES, "w": (2, 1, 1, 4)}),
    "matrix product": (
        [node("matmul", "x", "w", transpose_b=True, epilogue=[node("add", "v", HERE)])],
        {"x": MATRIX, "w": (5, 4), "v": (5,)},
    ),
    "product of results": ([node("matmul", "x", "z")], {"x": MATRIX, "z": ROWS}),
    "largest of windows": (
        [node("max_pool", "x", filter_size=3, strides=2, pad="same")],
        {"x": IMAGES},
    ),
    "mean of windows": (
        [node("avg_pool", "x", filter_size=3, strides=1, pad="same")],
        {"x": IMAGES},
    ),
    "mean of all": (
        [node("avg_pool", "x", filter_size=(5, 6), strides=1, pad="valid")],
        {"x": IMAGES},
    ),
    "mean of pixels": ([node("mean", "x", axis=(1, 2))], {"x": IMAGES}),
    "mean that stays": ([node("mean", "x", axis=(1, 2), keep_dims=True)], {"x": IMAGES}),
    "bilinear": (
        [node("resize_bilinear", "x", size=(9, 7), half_pixel_centers=True)],
        {"x": IMAGES},
    ),
    "bilinear by corners": (
        [node("resize_bilinear", "x", size=(9, 7), align_corners=True)],
        {"x": IMAGES},
    ),
    "bilinear from the edge": ([node("resize_bilinear", "x", size=(9, 7))], {"x": IMAGES}),
    "nearest": ([node("resize_nearest_neighbor", "x", size=(9, 7))], {"x": IMAGES}),
    "blocks": ([node("depth_to_space", "x", block_size=2)], {"x": (2, 3, 5, 12)}),
    "pad": (
        [node("pad", "x", paddings=((0, 0), (1, 2), (0, 1), (3, 0)), constant_value=0.5)],
        {"x": IMAGES},
    ),
    "channels side by side": (
        [node("concat", "x", "z", axis=-1)],
        {"x": IMAGES, "z": (2, 5, 6, 3)},
    ),
    "boxes side by side": (
        [
            node("reshape", "x", name="a", shape=(2, 30, 4)),
            node("reshape", "z", name="b", shape=(2, 3, 4)),
            node("concat", "a", "b", axis=1),
        ],
        {"x": IMAGES, "z": (2, 1, 3, 4)},
    ),
    "one channel": ([node("reshape", "x", shape=(2, 12))], {"x": (2, 3, 4, 1)}),
    "images of rows": (
        [
            node("reshape", "x", name="a", shape=(1, 3, 1, 4)),
            node("max_pool", "a", filter_size=(3, 1), strides=1, pad="valid"),
        ],
        {"x": MATRIX},
    ),
    "slice": ([node("slice", "x", begin=(0, 1, 2, 3), size=(2, 3, -1, 1))], {"x": IMAGES}),
    "columns": (
        [
            node("transpose", "x", name="a", perm=(1, 0)),
            node("stack", "a", "a", axis=2),
        ],
        {"x": MATRIX},
    ),
    "softmax of channels": ([node("softmax", "x", axis=-1)], {"x": IMAGES}),
}


@pytest.mark.parametrize("case", CASES)
def test_ops(case, rng):
    nodes, shapes = CASES[case]
    arrays = {name: rng.uniform(-1, 1, s).astype(np.float32) for name, s in shapes.items()}
    inputs = {name: array for name, array in arrays.items() if name in "xz"}
    constants = {name: array for name, array in arrays.items() if name not in "xz"}
    program = program_of(*nodes, inputs=inputs, **constants)
    (found,), (expected,) = by_onnx(program, inputs), computed(program, inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_results_of_unstack(rng):
    x = rng.uniform(-1, 1, (3, 2, 4)).astype(np.float32)
    rows = program_of(node("unstack", "x", axis=1), inputs={"x": x}, outputs=("y:1", "y"))
    for found, expected in zip(by_onnx(rows, {"x": x}), (x[:, 1], x[:, 0]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_nothing_between_convolutions_is_transposed(rng):
    import onnx

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
    graph = onnx.load_from_string(export(program).content).graph
    assert [n.op_type for n in graph.node] == ["Conv", "Relu", "Resize", "Add", "Conv"]


@pytest.mark.parametrize(
    "step, message",
    [
        (node("cumsum", "x"), "cumsum"),
        (node("mean", "x", axis=(0,)), "mean over other axes"),
        (node("conv2d", "x", "x"), "weights that are computed"),
    ],
)
def test_other_steps_are_refused(step, message, rng):
    x = rng.uniform(-1, 1, (1, 1, 1, 1)).astype(np.float32)
    with pytest.raises(NotExportedError, match=message):
        export(program_of(step, inputs={"x": x}))
