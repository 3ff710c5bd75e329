"""Plans that never run, for tests of what is told of plans."""

from typing import NamedTuple

from core.engine.executable import Placed, StepInfo
from core.engine.specs import Spec
from core.plan.arena import Request, place


class SamplePlan(NamedTuple):
    """What is told of a plan."""

    steps: list[StepInfo]
    placed: list[Placed]
    arena_bytes: int
    weight_bytes: int
    inputs: dict[str, Spec]
    outputs: dict[str, Spec]
    backend: str = "cpu"
    tier: str = "numpy"


def sample_plan(blocks: int, size: int = 224) -> SamplePlan:
    """A network of blocks that widen, filter and narrow; every other one adds what it was given."""
    steps = [_convolution("stem", "conv2d", (1, size, size, 3), 16, 3, ("add", "relu6"), stride=2)]
    requests = [Request("image", size * size * 12, 0, 0)]
    lives_from = [0]
    for i in range(blocks):
        given = steps[-1].output_shape
        wide = 6 * given[3]
        stride = 2 if i % 5 == 4 and given[1] > 7 else 1
        narrow = given[3] if i % 2 else min(320, 16 + 4 * i)
        name = f"features/block_{i}"
        adds = ("add",) if stride == 1 and narrow == given[3] else ()
        steps += [
            _convolution(f"{name}/expand", "conv2d", given, wide, 1, ("add", "relu6")),
            _convolution(
                f"{name}/depthwise",
                "depthwise_conv2d",
                (*given[:3], wide),
                wide,
                3,
                ("add", "relu6"),
                stride,
            ),
        ]
        between = steps[-1].output_shape
        steps.append(_convolution(f"{name}/project", "conv2d", between, narrow, 1, ("add", *adds)))
        lives_from.append(len(steps) - 1)
    channels = steps[-1].output_shape[3]
    for op, shape in (("mean", (1, channels)), ("softmax", (1, channels))):
        steps.append(
            StepInfo(op, op, "numpy", (), ((1, channels),), shape, "float32", 4 * channels, 0, 0, 0)
        )
    for i, step in enumerate(steps):
        requests.append(
            Request(step.name, step.bytes, i, min(i + _life(step, steps), len(steps) - 1))
        )
        if step.scratch_bytes:
            requests.append(Request(f"{step.name} scratch", step.scratch_bytes, i, i))
    placed, total = place(requests)
    return SamplePlan(
        steps,
        placed,
        total,
        sum(step.weight_bytes for step in steps),
        {"image": Spec((1, size, size, 3))},
        {"softmax": Spec((1, channels))},
    )


def _life(step: StepInfo, steps: list[StepInfo]) -> int:
    """For how many steps the value of one is needed after it."""
    follow = steps[steps.index(step) + 1 : steps.index(step) + 4]
    return 3 if len(follow) == 3 and follow[2].fused == ("add", "add") else 1


def _convolution(name, op, given, channels, kernel, fused, stride=1) -> StepInfo:
    height, width = (-(-n // stride) for n in given[1:3])
    result = 1, height, width, channels
    inner = 1 if op == "depthwise_conv2d" else given[3]
    weights = kernel * kernel * inner * channels
    filter_shape = (kernel, kernel, *((channels, 1) if inner == 1 else (inner, channels)))
    return StepInfo(
        name,
        op,
        {"depthwise_conv2d": "einsum rows"}.get(op, "matmul" if kernel == 1 else "windows"),
        fused,
        (given, filter_shape, (channels,)),
        result,
        "float32",
        4 * height * width * channels,
        4 * (weights + channels),
        height * width * weights,
        0 if kernel == 1 else 4 * (width + 2) * channels * 8,
    )
