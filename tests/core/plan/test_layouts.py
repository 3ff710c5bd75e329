"""Transpositions that are moved along: the same is computed, and few of them are left."""

import numpy as np
import pytest

import core
from core import ops
from core.engine.program import Program
from core.engine.settings import active_backend
from core.graph.node_types.onnx import all_rows
from core.plan.passes import merge_equal, move_transposes
from core.plan.passes.axis_groups import groups_of, inverse, moved_reshape
from core.plan.tracing import Tracer
from tests.core.plan.programs import computed

#: Of an output's range: float sums in another order.
ROUNDING = 1e-5

UNARY = ("relu", "neg", "tanh", "sigmoid", "square")
BINARY = ("add", "sub", "mul", "maximum", "squared_difference")


def floats(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def traced(function, **arrays) -> Program:
    """The program of a function of tensors."""
    tracer = Tracer(active_backend().epsilon)
    given = [tracer.input(name, core.tensor(array).spec) for name, array in arrays.items()]
    with tracer.recording("n"):
        made = function(*given)
    return tracer.program(made if isinstance(made, (list, tuple)) else [made])


def left(program: Program) -> int:
    return sum(step.op.name == "transpose" for step in program.steps)


def moved(program: Program, **arrays) -> Program:
    """The program after the pass, which gives the same."""
    found = move_transposes(program)
    assert [found.specs[r] for r in found.outputs] == [program.specs[r] for r in program.outputs]
    for ours, theirs in zip(computed(found, arrays), computed(program, arrays), strict=True):
        scale = float(np.abs(theirs).max(initial=0)) if theirs.size else 0.0
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDING * scale)
    for step in found.steps:
        for output in step.outputs:
            assert output in found.specs
    return found


def turns(function, **arrays) -> int:
    """How many transpositions are left of a function's program; shapes and values are right."""
    return left(moved(traced(function, **arrays), **arrays))


# --- small networks ---------------------------------------------------------------------------


def conv(rng, x, channels, size=3, **how):
    weights = floats(rng, channels, x.shape[1] // how.get("group", 1), size, size)
    pads = (size // 2,) * 4
    return all_rows()["Conv"](
        x, core.tensor(weights), core.tensor(floats(rng, channels)), pads=pads, **how
    )


@pytest.fixture
def images(rng):
    return floats(rng, 2, 3, 6, 8)


def test_a_chain_keeps_the_transpositions_of_its_ends(rng, images):
    def network(x):
        return conv(rng, ops.relu(conv(rng, x, 8)), 4)

    program = traced(network, x=images)
    assert left(program) == 4
    assert left(moved(program, x=images)) == 2


def test_concatenations_and_residuals_need_none(rng, images):
    def network(x):
        y = conv(rng, x, 8)
        joined = ops.concat([y, conv(rng, y, 4), ops.tanh(y)], axis=1)
        z = conv(rng, joined, 8) + y * 0.5
        return all_rows()["MaxPool"](z, (2, 2), strides=(2, 2))

    assert turns(network, x=images) == 2


def test_constants_of_each_channel_are_turned_when_the_plan_is_made(rng, images):
    scale, shift = core.tensor(floats(rng, 8, 1, 1)), core.tensor(floats(rng, 1, 8, 6, 1))

    def network(x):
        y = conv(rng, x, 8) * scale + shift
        return conv(rng, ops.concat([y, core.tensor(floats(rng, 2, 5, 6, 8))], axis=1), 2)

    program = moved(traced(network, x=images), x=images)
    assert left(program) == 2
    bias = next(step for step in program.steps if step.op.name == "mul").inputs[1]
    assert program.specs[bias].shape == (8,)


def test_squeeze_and_excite_needs_none(rng, images):
    def network(x):
        y = conv(rng, x, 8)
        scale = ops.sigmoid(conv(rng, ops.mean(y, axis=(2, 3), keep_dims=True), 8, size=1))
        return conv(rng, y * scale, 3)

    assert turns(network, x=images) == 2


def test_a_head_of_anchors_needs_none(rng, images):
    """As detectors have it: the anchors of a pixel are channels, the classes of one a row."""

    def network(x):
        y = ops.transpose(conv(rng, x, 12), perm=(0, 2, 3, 1))
        return ops.softmax(ops.reshape(y, shape=(2, -1, 4)))

    assert turns(network, x=images) == 1


def test_rows_of_channels_are_turned_once(rng, images):
    def network(x):
        rows = ops.reshape(conv(rng, x, 12), shape=(2, 12, -1))
        return ops.softmax(ops.transpose(rows, perm=(0, 2, 1)))

    assert turns(network, x=images) == 1


def test_a_flat_vector_is_in_its_own_order(rng, images):
    def network(x):
        flat = ops.reshape(conv(rng, x, 4), shape=(2, -1))
        return ops.matmul(flat, core.tensor(floats(rng, 4 * 6 * 8, 5)))

    assert turns(network, x=images) == 2


def test_a_shuffle_of_channels_is_one_transposition(rng, images):
    def network(x):
        y = ops.reshape(conv(rng, x, 8), shape=(2, 2, 4, 6, 8))
        y = ops.reshape(ops.transpose(y, perm=(0, 2, 1, 3, 4)), shape=(2, 8, 6, 8))
        return conv(rng, y, 3)

    program = traced(network, x=images)
    assert (left(program), left(moved(program, x=images))) == (5, 3)


def test_groups_and_pooling_over_rows_need_none(rng, images):
    def network(x):
        y = conv(rng, conv(rng, x, 8, group=1), 8, group=8)
        y = all_rows()["AveragePool"](conv(rng, y, 4, group=2), (3, 3), pads=(1, 1, 1, 1))
        first, second = ops.split(y, num_or_size_splits=[1, 3], axis=1)
        return conv(rng, ops.concat([second, first], axis=1), 4)

    assert turns(network, x=images) == 2


def test_points_are_convolved_as_they_lie(rng):
    """The head of Ultralytics' detectors: a convolution of one pixel, images on their side."""
    x = floats(rng, 2, 6, 8, 5)

    def network(x):
        y = ops.transpose(x, perm=(0, 3, 2, 1))
        return ops.transpose(conv(rng, y, 7, size=1), perm=(0, 3, 2, 1))

    assert turns(network, x=x) == 0


def test_swapped_matrices_need_no_transposition(rng):
    def network(x, y):
        a = ops.matmul(ops.transpose(x, perm=(0, 2, 1)), y)
        b = ops.matmul(x, ops.transpose(y, perm=(0, 2, 1)))
        return [a, b, ops.matmul(x, ops.transpose(y, perm=(0, 2, 1)), transpose_a=True)]

    square = floats(rng, 2, 5, 5)
    assert turns(network, x=square, y=floats(rng, 2, 5, 5)) == 0


def test_values_are_made_once(rng, images):
    """An op that needs the order of the axes, twice, and an output."""

    def network(x):
        y = conv(rng, x, 8)
        return [ops.topk(y, k=2)[0], ops.topk(ops.relu(y), k=3)[0], y]

    assert turns(network, x=images) == 3


def test_where_nothing_is_turned_the_program_stays(rng, images):
    program = traced(lambda x: ops.relu(ops.reshape(x, shape=(2, -1))), x=images)
    assert move_transposes(program) is program


def test_outputs_that_are_inputs_turned_twice(images):
    def network(x):
        y = ops.transpose(x, perm=(0, 2, 3, 1))
        return [ops.transpose(y, perm=(0, 3, 1, 2)), y, x]

    program = moved(traced(network, x=images), x=images)
    assert program.outputs[0] == program.inputs[0] and left(program) == 1


# --- training ---------------------------------------------------------------------------------


def test_gradients_do_not_change(rng, images):
    """A compiled step of training goes through the pass, forward and back."""
    first, second = floats(rng, 6, 3, 3, 3), floats(rng, 4, 6, 1, 1)

    def cost(x, a, b):
        y = ops.relu(all_rows()["Conv"](x, a, pads=(1, 1, 1, 1)))
        return ops.sum(ops.square(all_rows()["Conv"](y, b)))

    gradients = core.grads(cost)
    x, a, b = map(core.tensor, (images, first, second))
    eager, compiled = gradients(x, a, b), core.compile(gradients)(x, a, b)
    for ours, theirs in zip(compiled, eager, strict=True):
        bound = ROUNDING * float(np.abs(theirs.numpy()).max())
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=0, atol=bound)


# --- random programs --------------------------------------------------------------------------


class Maker:
    """Makes values of one to five axes, one after the other, which are turned all the time."""

    def __init__(self, rng, given):
        self.rng, self.values = rng, [*given]

    def any(self):
        return self.values[-1 - min(int(self.rng.exponential(1.5)), len(self.values) - 1)]

    def axis(self, x):
        return int(self.rng.integers(x.ndim))

    def add(self):
        kinds = (self.turned, self.turned, self.unary, self.binary, self.scaled, self.joined,
                 self.cut, self.summed, self.reshaped, self.row, self.taken, self.padded,
                 self.multiplied, self.chosen, self.strided)  # fmt: skip
        made = kinds[int(self.rng.integers(len(kinds)))](self.any())
        self.values += [v for v in (made if isinstance(made, list) else [made]) if v.ndim]

    def turned(self, x):
        return ops.transpose(x, perm=tuple(int(i) for i in self.rng.permutation(x.ndim)))

    def unary(self, x):
        return getattr(ops, str(self.rng.choice(UNARY)))(x)

    def binary(self, x):
        others = [v for v in self.values if v.shape == x.shape]
        other = others[int(self.rng.integers(len(others)))]
        return getattr(ops, str(self.rng.choice(BINARY)))(x, other)

    def scaled(self, x):
        """With a constant, or with a value, that has fewer axes, or some of length 1."""
        shape = [n if self.rng.integers(2) else 1 for n in x.shape][
            int(self.rng.integers(x.ndim)) :
        ]
        other = core.tensor(floats(self.rng, *shape))
        if self.rng.integers(2):
            axes = tuple(i for i in range(x.ndim) if self.rng.integers(2)) or None
            other = ops.mean(x, axis=axes, keep_dims=True)
        operands = [x, other]
        self.rng.shuffle(operands)
        return getattr(ops, str(self.rng.choice(BINARY)))(*operands)

    def joined(self, x):
        return ops.concat([x, ops.neg(x)], axis=self.axis(x)) if x.size < 2000 else x

    def cut(self, x):
        axis = self.axis(x)
        sizes = [1, x.shape[axis] - 1] if x.shape[axis] > 1 else [1]
        return ops.split(x, num_or_size_splits=sizes, axis=axis)

    def summed(self, x):
        axes = [i for i in range(x.ndim) if self.rng.integers(3) == 0]
        name = str(self.rng.choice(["sum", "mean", "max", "min"]))
        return getattr(ops, name)(x, axis=tuple(axes) or 0, keep_dims=bool(self.rng.integers(2)))

    def reshaped(self, x):
        shape, at = [*x.shape], self.axis(x)
        kind = int(self.rng.integers(3))
        if kind == 0 and at + 1 < len(shape):
            shape[at : at + 2] = [shape[at] * shape[at + 1]]
        elif kind == 1 and shape[at] % 2 == 0 and len(shape) < 6:
            shape[at : at + 1] = [shape[at] // 2, 2]
        elif len(shape) < 6:
            shape.insert(at, 1)
        return ops.reshape(x, shape=tuple(shape))

    def row(self, x):
        return ops.softmax(x)

    def taken(self, x):
        axis = self.axis(x)
        indices = self.rng.integers(0, x.shape[axis], () if self.rng.integers(2) else (2,))
        return ops.gather(x, core.tensor(np.int32(indices)), axis=axis)

    def padded(self, x):
        sides = tuple((int(a), int(b)) for a, b in self.rng.integers(0, 2, (x.ndim, 2)))
        return ops.pad(x, paddings=sides) if x.size < 2000 else ops.reverse(x, axis=self.axis(x))

    def multiplied(self, x):
        if x.ndim < 2:
            return x
        name = str(self.rng.choice(["transpose_a", "transpose_b"]))
        return ops.matmul(x, x, **{name: True})

    def chosen(self, x):
        return ops.where(ops.greater(x, ops.zeros_like(x)), x, ops.relu(x) * 0.1)

    def strided(self, x):
        begin = [int(self.rng.integers(n)) for n in x.shape]
        mask = int(self.rng.integers(1 << x.ndim))
        return ops.strided_slice(x, begin, [*x.shape], begin_mask=mask)


def random_program(rng, **arrays) -> Program:
    """A program of three outputs, of which some may be inputs."""

    def network(*given):
        maker = Maker(rng, given)
        for _ in range(int(rng.integers(4, 20))):
            maker.add()
        return [maker.values[int(i)] for i in rng.integers(len(maker.values), size=3)]

    return merge_equal(traced(network, **arrays))


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_give_the_same(seed):
    rng = np.random.default_rng(seed)
    fewer = 0
    for _ in range(12):
        arrays = {"x": floats(rng, 2, 3, 4, 5), "z": floats(rng, 2, 6, 4)}
        program = random_program(rng, **arrays)
        fewer += left(program) - left(moved(program, **arrays))
    assert fewer > 0


# --- axes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_moved_reshapes_show_the_same(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        old = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(1, 6))))
        new = _other_shape(rng, old)
        perm = tuple(int(i) for i in rng.permutation(len(old)))
        x = rng.normal(size=old)
        base = x.transpose(inverse(perm))
        found = moved_reshape(old, new, perm)
        ours = base.transpose(found.order).reshape(found.shape).transpose(found.perm)
        np.testing.assert_array_equal(ours, x.reshape(new))


def _other_shape(rng, shape):
    """The same factors, cut elsewhere, and some 1."""
    factors = [p for n in shape for p in ((2, 2) if n == 4 else (n,))]
    cuts = sorted(int(i) for i in rng.integers(0, len(factors) + 1, int(rng.integers(0, 5))))
    return tuple(int(np.prod(part)) for part in np.split(np.int64(factors), cuts))


def test_groups_of_nothing_are_unknown():
    assert groups_of((2, 0, 3), (0, 6)) is None
