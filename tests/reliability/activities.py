"""What signals interrupt and forks come into: a table of activities with answers to compare."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import core
import zoo
from core.graph_model.graph_model import GraphModel
from tests.core.graph.control_graphs import calls, function, loop, model
from tests.helpers import ROOT
from tests.weights_cache.fault_server import FaultServer
from tests.weights_cache.toys import Toy
from weights_cache import registry, store

IMAGE = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"
CONVOLUTION = {"strides": (1, 1, 1, 1), "padding": "SAME"}


class Activity(NamedTuple):
    """What is done again and again.

    Attributes:
        run: does it; gives what is the same each time.
        prepare: comes before it, and is not interrupted.
    """

    run: Callable[[], Any]
    prepare: Callable[[], object] = lambda: None


def values(found: dict[str, core.Tensor]) -> list[bytes]:
    """The bits of tensors."""
    return [found[name].numpy().tobytes() for name in sorted(found)]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


def convolutions() -> GraphModel:
    """Convolutions whose work threads share."""
    weights = {f"w{i}": numbers(3, 3, 16, 16) / 16 for i in range(4)}
    lines = [f"c{i} = Conv2D {f'r{i - 1}' if i else 'x'} w{i}\nr{i} = Relu c{i}" for i in range(4)]
    attributes = {f"c{i}": CONVOLUTION for i in range(4)}
    return model("x = Placeholder\n" + "\n".join(lines), "r3", weights, attributes)


def plans(stack: ExitStack) -> Activity:
    network = stack.enter_context(zoo.load("posenet.tiny"))
    given = numbers(1, *network.input_size, 3)
    return Activity(lambda: values(network.predict(given)))


def tasks(stack: ExitStack) -> Activity:
    network, given = convolutions(), numbers(1, 48, 48, 16)
    return Activity(lambda: values(network.predict(given)))


def planning(stack: ExitStack) -> Activity:
    """Plans are made, and made again, as there are more shapes than are kept."""
    network = convolutions()
    inputs = [numbers(1, 8 + i, 8, 16) for i in range(10)]
    return Activity(lambda: [values(network.predict(given)) for given in inputs])


def ops(stack: ExitStack) -> Activity:
    x, w = core.tensor(numbers(1, 24, 24, 8)), core.tensor(numbers(3, 3, 8, 8))

    def run() -> bytes:
        y = core.relu(core.conv2d(x, w, strides=1, pad="same"))
        y = core.softmax(core.add(y, core.mul(x, 0.5)))
        y = core.matmul(core.reshape(y, (24, 192)), core.transpose(core.reshape(y, (24, 192))))
        return core.add(core.sum(y, axis=0), core.sqrt(core.square(1e30))).numpy().tobytes()

    return Activity(run)


def loops(stack: ExitStack) -> Activity:
    """Of TensorFlow 2, with functions, and of TensorFlow 1, with frames."""
    given = numbers(4)
    both = doubling(30), counting(30)
    return Activity(lambda: [values(graph.predict(given)) for graph in both])


def doubling(times: int) -> GraphModel:
    """A graph that doubles its input so many times."""
    functions = [
        function("again", "less = Less i limit", "i limit y", "less:z:0"),
        function(
            "step",
            "more = AddV2 i one\ntwice = AddV2 y y",
            "i limit y",
            "more:z:0 limit twice:z:0",
        ),
    ]
    constants = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(times)}
    text = "x = Placeholder\nloop = While zero times x\nresult = Identity loop:2"
    return model(text, "result", constants, {"loop": calls(cond="again", body="step")}, functions)


def counting(times: int) -> GraphModel:
    """The same with the nodes of TensorFlow 1."""
    text = """
        x = Placeholder
        i = Enter zero
        end = Enter times
        y = Enter x
        i_now = Merge i i_next
        y_now = Merge y y_next
        less = Less i_now end
        again = LoopCond less
        i_turn = Switch i_now again
        y_turn = Switch y_now again
        one_more = AddV2 i_turn:1 one
        twice = AddV2 y_turn:1 y_turn:1
        i_next = NextIteration one_more
        y_next = NextIteration twice
        result = Exit y_turn
    """
    attributes = {"i": loop(), "y": loop(), "end": loop(constant=True)}
    constants = {"zero": np.int32(0), "times": np.int32(times), "one": np.int32(1)}
    return model(text, "result", constants, attributes)


def images(stack: ExitStack) -> Activity:
    from zoo.images.reading import read_image

    return Activity(lambda: read_image(IMAGE).tobytes())


def poses(stack: ExitStack) -> Activity:
    network = stack.enter_context(zoo.load("posenet.tiny"))
    return Activity(lambda: repr(network.estimate_single_pose(IMAGE)))


def downloads(stack: ExitStack) -> Activity:
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1"
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    cache = folder / "cache"
    os.environ["ZOO_WEIGHTS_CACHE"] = str(cache)
    server = stack.enter_context(FaultServer())
    toy = Toy(folder, server, cache)
    registry.REGISTRY = toy.registry
    return Activity(
        lambda: store.fetch("toy")["weights.bin"].read_bytes(),
        lambda: shutil.rmtree(cache, ignore_errors=True),
    )


#: By name; what makes one takes what ends with it.
ACTIVITIES: dict[str, Callable[[ExitStack], Activity]] = {
    "plans": plans,
    "tasks": tasks,
    "planning": planning,
    "ops": ops,
    "loops": loops,
    "images": images,
    "poses": poses,
    "downloads": downloads,
}
