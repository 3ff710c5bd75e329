"""Programs of nodes that read each other at random: passes change no bit, and machines agree."""

import numpy as np
import pytest

from core.engine.program import Program, Step, use_counts
from core.engine.settings import active_backend
from core.plan.passes import PROGRAM_PASSES
from tests.core.plan.harness import node
from tests.core.plan.programs import computed, program_of, same

UNARY = ("relu", "neg", "abs", "identity", "relu6", "tanh", "sigmoid", "square")
BINARY = ("add", "sub", "mul", "maximum", "squared_difference")
CHANNELS = 3
BORDER = ((0, 0), (1, 1), (2, 0), (0, 0))
ROUND = {"scale": 0.25, "zero_point": 3, "low": 0, "high": 40}


def floats(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


class Maker:
    """Makes nodes one after the other, all of images of one size."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        most = 8 if rng.random() < 0.8 else 90  # of the larger ones there are several blocks
        self.size = tuple(int(n) for n in rng.integers(1, most, 2))
        self.count = int(rng.integers(1, 3))
        self.images = ["x", "z"]
        self.steps: list[Step] = []

    def any_image(self) -> str:
        """One of the last, mostly, so that chains become long."""
        return self.images[-1 - min(int(self.rng.exponential(1.5)), len(self.images) - 1)]

    def add(self) -> None:
        """A node, or several that belong together."""
        kinds = (self.unary, self.binary, self.fused, self.padded, self.depthwise, self.shaped,
                 self.rounded, self.joined, self.scaled)  # fmt: skip
        name = f"n{len(self.images)}"
        made = [*kinds[int(self.rng.integers(len(kinds)))](name)]
        self.steps += made
        self.images.append(name)

    def unary(self, name):
        yield node(str(self.rng.choice(UNARY)), self.any_image(), name=name)

    def binary(self, name):
        op = str(self.rng.choice(BINARY))
        yield node(op, self.any_image(), self.any_image(), name=name)

    def scaled(self, name):
        operands = [self.any_image(), str(self.rng.choice(["k", "one", "rows"]))]
        self.rng.shuffle(operands)
        yield node(str(self.rng.choice(BINARY)), *operands, name=name)

    def fused(self, name):
        activation = str(self.rng.choice(["linear", "relu", "relu6", "prelu"]))
        inputs = ("w", "k", "k")[: 3 if activation == "prelu" else 2]
        how = {"strides": 1, "pad": "same", "activation": activation}
        yield node("fused_conv2d", self.any_image(), *inputs, name=name, **how)

    def padded(self, name):
        yield node("pad", self.any_image(), name=f"{name}/p", paddings=BORDER)
        yield node("conv2d", f"{name}/p", "w", name=name, strides=1, pad="valid")

    def depthwise(self, name):
        dilations = int(self.rng.integers(1, 3))
        how = {"strides": 1, "pad": "same", "dilations": dilations}
        yield node("depthwise_conv2d", self.any_image(), "d", name=name, **how)

    def shaped(self, name):
        """There and back again."""
        shape = (self.count, *self.size, CHANNELS)
        flat = (self.count, -1)
        yield node("reshape", self.any_image(), name=f"{name}/flat", shape=flat)
        yield node("relu", f"{name}/flat", name=f"{name}/r")
        yield node("reshape", f"{name}/r", name=name, shape=shape)

    def rounded(self, name):
        yield node("quantise_round", self.any_image(), name=name, **ROUND)

    def joined(self, name):
        """Two images, of which each gives channels; a convolution of one pixel."""
        pair = (self.any_image(), self.any_image())
        yield node("concat", *pair, name=f"{name}/j", axis=3)
        yield node("conv2d", f"{name}/j", "v", name=name, strides=1, pad="valid")


def random_program(rng: np.random.Generator) -> tuple[Program, dict[str, np.ndarray]]:
    """A program and its inputs; several outputs, some twice."""
    maker = Maker(rng)
    for _ in range(int(rng.integers(2, 16))):
        maker.add()
    chosen = [maker.images[int(i)] for i in rng.integers(2, len(maker.images), 2)]
    outputs = [maker.images[-1], *chosen]
    shape = (maker.count, *maker.size, CHANNELS)
    given = {"x": floats(rng, *shape), "z": floats(rng, *shape)}
    constants = {
        "w": floats(rng, 3, 3, CHANNELS, CHANNELS) / 5,
        "v": floats(rng, 1, 1, 2 * CHANNELS, CHANNELS),
        "d": floats(rng, 3, 3, CHANNELS, 1) / 3,
        "k": floats(rng, CHANNELS),
        "one": floats(rng),
        "rows": floats(rng, maker.size[0], 1, 1),
    }
    return program_of(*maker.steps, inputs=given, outputs=outputs, **constants), given


@pytest.mark.parametrize("seed", range(4))
def test_passes_are_bit_exact(seed):
    rng = np.random.default_rng(seed)
    for _ in range(12):
        program, given = random_program(rng)
        found = program
        for program_pass in PROGRAM_PASSES:
            found = program_pass(found)
        same(found, program, given)
        read = use_counts(found.steps, found.outputs)
        assert all(n.name in read for n in found.steps)


@pytest.mark.parametrize("seed", range(8))
def test_machines_agree_with_ops(seed):
    """Buffers that are shared, margins, blocks in place: run twice, with other inputs between."""
    check_machines(seed, 12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_machines_agree_with_ops_many_times(seed):
    check_machines(seed, 100)


def check_machines(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        program, given = random_program(rng)
        for program_pass in PROGRAM_PASSES:
            program = program_pass(program)
        machine = active_backend().lower(program)
        first, other = ([given[r] * k for r in program.inputs] for k in (1, 9))
        found, _, again = machine.run(first), machine.run(other), machine.run(first)
        for ours, same_again, theirs in zip(found, again, computed(program, given), strict=True):
            np.testing.assert_array_equal(ours, same_again)
            bound = 1e-5 * float(np.abs(theirs).max(initial=0))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)
