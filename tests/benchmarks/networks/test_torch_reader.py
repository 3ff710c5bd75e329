"""The reader by which benchmarks give PyTorch our programs: PyTorch computes what cpu does."""

from typing import Any

import numpy as np
import pytest

from core.engine.program import HERE, Program
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.benchmarks.gpu.measuring import apart
from tests.benchmarks.gpu.networks import Subject, mobilenet_v1, mobilenet_v2, of_zoo
from tests.core.plan.harness import node
from tests.core.plan.programs import computed, program_of
from tests.helpers import require

#: Of the range of outputs: sums of other orders.
MOST_APART = 1e-4

LAYOUTS = pytest.mark.parametrize("layout", ["contiguous_format", "channels_last"])


@pytest.fixture(autouse=True)
def _torch():
    require("torch")


def given(array: np.ndarray, layout: str) -> Any:
    """An input of ours as PyTorch takes it."""
    import torch

    if array.ndim != 4:
        return torch.from_numpy(array)
    images = torch.from_numpy(array).permute(0, 3, 1, 2)
    return images.contiguous(memory_format=getattr(torch, layout))


def by_torch(program: Program, arrays: list[np.ndarray], layout: str) -> list[np.ndarray]:
    """The outputs of a program, with the axes in our order."""
    import torch

    from tests.benchmarks.gpu.torch_reader import read_program

    module = read_program(program).to(memory_format=getattr(torch, layout))
    with torch.inference_mode():
        found = module(*(given(array, layout) for array in arrays))
    return [(v.permute(0, 2, 3, 1) if v.ndim == 4 else v).numpy() for v in found]


def check_network(subject: Subject, layout: str) -> None:
    plan = GraphModel(subject.graph, "cpu").plan(subject.inputs)
    fed = dict(zip(plan.inputs, subject.inputs.values(), strict=True))
    expected = [value.numpy() for value in plan.run(fed).values()]
    found = by_torch(plan.program, [*fed.values()], layout)
    assert [f.shape for f in found] == [e.shape for e in expected]
    assert apart(found, expected) < MOST_APART


@LAYOUTS
@pytest.mark.parametrize(
    "make", [lambda: mobilenet_v1(2, 0.25, 64), lambda: mobilenet_v2(2, 64, 50)]
)
def test_mobilenets(make, layout):
    check_network(make(), layout)


@LAYOUTS
@pytest.mark.parametrize("name, size", [("posenet.mobilenet_v1_075", 97), ("blazepose.lite", 256)])
def test_networks_of_the_zoo(name, size, layout, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    check_network(of_zoo(name, size), layout)


def of_range(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.uniform(0.5, 2.0, shape).astype(np.float32)


IMAGES, MATRIX, ROWS = (2, 5, 6, 4), (3, 4), (3, 5)

#: Nodes by what they need: shapes of inputs "x" and "z", and of the constant "w".
CASES = {
    "conv with uneven padding": (
        [node("conv2d", "x", "w", strides=2, pad="same")],
        {"x": IMAGES, "w": (3, 3, 4, 5)},
    ),
    "dilated conv": (
        [node("conv2d", "x", "w", dilations=2, pad=((2, 1), (0, 3)))],
        {"x": IMAGES, "w": (2, 2, 4, 5)},
    ),
    "depthwise with a multiplier": (
        [node("depthwise_conv2d", "x", "w", pad="same", epilogue=[node("relu6", HERE)])],
        {"x": IMAGES, "w": (3, 3, 4, 2)},
    ),
    "transposed conv": (
        [
            node(
                *("conv2d_backprop_input", "x", "w"),
                input_shape=(2, 10, 11, 3),
                strides=2,
                pad="same",
            )
        ],
        {"x": IMAGES, "w": (3, 3, 3, 4)},
    ),
    "transposed conv that has room": (
        [node("conv2d_backprop_input", "x", "w", input_shape=(2, 11, 14, 3), strides=2)],
        {"x": IMAGES, "w": (2, 3, 3, 4)},
    ),
    "bias and what comes after": (
        [
            node(
                *("conv2d", "x", "w"),
                epilogue=[node("add", HERE, "v"), node("mul", HERE, "v"), node("relu", HERE)],
            )
        ],
        {"x": IMAGES, "w": (1, 1, 4, 5), "v": (5,)},
    ),
    "an added image is no bias": (
        [node("conv2d", "x", "w", epilogue=[node("add", HERE, "v")])],
        {"x": IMAGES, "w": (1, 1, 4, 5), "v": (2, 5, 6, 5)},
    ),
    "slopes of channels": ([node("prelu", "x", "w")], {"x": IMAGES, "w": (4,)}),
    "slopes of pixels": ([node("prelu", "x", "w")], {"x": IMAGES, "w": (5, 6, 4)}),
    "rows and columns": ([node("sub", "x", "z")], {"x": IMAGES, "z": (6, 1)}),
    "matrix product": (
        [node("matmul", "x", "w", transpose_b=True, epilogue=[node("add", "v", HERE)])],
        {"x": MATRIX, "w": (5, 4), "v": (5,)},
    ),
    "product of results": ([node("matmul", "x", "z", transpose_a=True)], {"x": MATRIX, "z": ROWS}),
    "products of images": ([node("matmul", "x", "z")], {"x": IMAGES, "z": (2, 5, 4, 3)}),
    "largest of windows": (
        [node("max_pool", "x", filter_size=3, strides=2, pad="same")],
        {"x": IMAGES},
    ),
    "mean of windows": (
        [node("avg_pool", "x", filter_size=3, strides=1, pad="same")],
        {"x": IMAGES},
    ),
    "mean of pixels": ([node("mean", "x", axis=(1, 2))], {"x": IMAGES}),
    "sum that stays": ([node("sum", "x", axis=(3,), keep_dims=True)], {"x": IMAGES}),
    "largest of channels": ([node("max", "x", axis=3)], {"x": IMAGES}),
    "bilinear": (
        [node("resize_bilinear", "x", size=(9, 7), half_pixel_centers=True)],
        {"x": IMAGES},
    ),
    "bilinear by corners": (
        [node("resize_bilinear", "x", size=(9, 7), align_corners=True)],
        {"x": IMAGES},
    ),
    "pad": (
        [node("pad", "x", paddings=((0, 0), (1, 2), (0, 1), (3, 0)), constant_value=0.5)],
        {"x": IMAGES},
    ),
    "concat": ([node("concat", "x", "z", axis=-1)], {"x": IMAGES, "z": (2, 5, 6, 3)}),
    "flat": ([node("reshape", "x", shape=(2, -1))], {"x": IMAGES}),
    "images of rows": ([node("reshape", "x", shape=(1, 2, 2, 3))], {"x": MATRIX}),
    "slice": ([node("slice", "x", begin=(0, 1, 2, 3), size=(2, 3, -1, 1))], {"x": IMAGES}),
    "softmax": ([node("softmax", "x", axis=-1)], {"x": IMAGES}),
}


@LAYOUTS
@pytest.mark.parametrize("case", CASES)
def test_ops(case, layout, rng):
    nodes, shapes = CASES[case]
    arrays = {name: of_range(rng, *shape) - 1 for name, shape in shapes.items()}
    inputs = {name: array for name, array in arrays.items() if name in "xz"}
    constants = {name: array for name, array in arrays.items() if name not in "xz"}
    program = program_of(*nodes, inputs=inputs, **constants)
    found, expected = by_torch(program, [*inputs.values()], layout), computed(program, inputs)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5, atol=1e-5)


def test_unknown_ops_are_told(rng):
    x = of_range(rng, 3)
    program = program_of(node("cumsum", "x"), inputs={"x": x})
    with pytest.raises(CoreError, match="'cumsum'"):
        by_torch(program, [x], "contiguous_format")
