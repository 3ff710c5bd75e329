"""Every gradient rule: first and second derivatives along random directions, in all cases."""

from functools import cached_property

import numpy as np
import pytest

import core
from core.engine.dispatch import tensor
from core.engine.dtypes import dtype_of
from core.engine.operation import Gradient
from core.engine.registry import OPS
from tests.core.engine.kernel_table import rows
from tests.core.ops.records import CASES, OP_NAMES
from tests.core.ops.records.case import WIDER, Case, to_list, tolerance, widened

#: Inputs with a rule that are never floats, so that no direction leads on from them.
NEVER_FLOATS = {("gather", "indices"), ("one_hot", "indices"), ("select", "condition")}
#: Inputs without a rule that are floats, in ops that give floats. TensorFlow.js has none either;
#: of a function of arrays nobody knows it.
NO_RULE = {
    "bincount": {"weights"},
    "crop_and_resize": {"boxes", "image"},
    "dense_bincount": {"weights"},
    "non_max_suppression_with_score": {"boxes", "scores"},
    "numpy_function": {"x"},
    "ragged_range": {"deltas", "limits", "starts"},
    "rotate_with_offset": {"image"},
    "transform": {"image", "transforms"},
    "unique": {"x"},
}
#: Of a difference quotient: large enough for float64's rounding, small enough for curved ops.
STEP = 1e-4


def places_of(case: Case, inputs) -> list[tuple[int, int | None]]:
    """Where floats are that have a rule: the number of the input, and which one of its list."""
    op, found = OPS[case.op], []
    for place, (name, given) in enumerate(zip(op.inputs, inputs, strict=False)):
        for item, x in enumerate(to_list(given)):
            if name in op.gradients and x is not None and x.dtype in WIDER:
                found.append((place, item if isinstance(given, list) else None))
    return found


def replaced(inputs, places, values):
    """The inputs with others at some places."""
    inputs = [list(i) if isinstance(i, list) else i for i in inputs]
    for (place, item), value in zip(places, values, strict=True):
        if item is None:
            inputs[place] = value
        else:
            inputs[place][item] = value
    return inputs


def real_parts(values, library):
    """Real tensors (or arrays) in place of complex ones; strings are left out."""
    parts = []
    for y in values:
        name = y.dtype if isinstance(y, core.Tensor) else dtype_of(np.asarray(y))
        if name == "complex64":
            parts += [library.real(y), library.imag(y)]
        elif name != "string":
            parts.append(y)
    return parts


def flows(gradients, directions, library):
    """What each value contributes to the slope along directions.

    The gradient of a complex input holds the slopes along its real and its imaginary part.
    """
    pairs = zip(real_parts(gradients, library), real_parts(directions, np), strict=True)
    return [g * d for g, d in pairs]


class Line:
    """A case of which some inputs move along random directions, and a loss of its results.

    The loss sums the results and their squares, so that it is curved even where the op is not:
    its second derivative shows the products of the op's slopes besides their change.
    """

    def __init__(self, case: Case, inputs, results, places, rng: np.random.Generator):
        self.case, self.inputs, self.results, self.places = case, inputs, results, places
        self.xs = [inputs[p] if item is None else inputs[p][item] for p, item in places]
        self.directions = [_direction(x, rng) for x in self.xs]
        parts = real_parts(results, np)
        self.weights = [rng.uniform(0.5, 1, np.shape(y)) for y in parts]
        self.sizes = [float(np.max(np.abs(y), initial=0)) or 1.0 for y in parts]

    def _sum(self, results, library):
        total = 0.0
        parts = zip(real_parts(results, library), self.weights, self.sizes, strict=True)
        for y, weights, size in parts:
            share = y / size
            total = library.sum((share + share * share) * weights) + total
        return total

    def loss(self, *xs):
        """Ours."""
        inputs = replaced(self.inputs, self.places, xs)
        return self._sum(to_list(OPS[self.case.op](*inputs, **self.case.attributes)), core)

    @cached_property
    def expected(self) -> tuple[float, float, float]:
        """The oracle's a step behind, here, and a step ahead."""
        behind, ahead = map(self._moved, (-STEP, STEP))
        return self._sum(behind, np), self._sum(self.results, np), self._sum(ahead, np)

    def _moved(self, step: float):
        moved = zip(map(widened, self.xs), self.directions, strict=True)
        xs = [x + step * d for x, d in moved]
        return self.case.expected(replaced(self.inputs, self.places, xs))

    def slope(self, *xs):
        """Ours along the line; of zeros times the inputs, too, as it may be the same everywhere."""
        slopes = flows(core.grads(self.loss)(*xs), self.directions, core)
        anchors = [x * 0.0 for x in real_parts(xs, core)]
        return sum(core.sum(part) for part in slopes + anchors)

    def check(self, function, quotient: float) -> None:
        """Compare the slope of a function of ours along the line.

        Its rounding errors add up as random numbers do: to the root of their squares.
        """
        gradients = core.grads(function)(*self.xs)
        assert [g.spec for g in gradients] == [tensor(x).spec for x in self.xs]
        parts = flows([g.numpy() for g in gradients], self.directions, np)
        found, scale = sum(np.sum(p) for p in parts), sum(np.sum(p * p) for p in parts) ** 0.5
        off = 10 * tolerance()
        assert found == pytest.approx(quotient, rel=off, abs=off * scale)

    def check_first(self) -> None:
        behind, _, ahead = self.expected
        self.check(self.loss, (ahead - behind) / (2 * STEP))

    def check_second(self) -> None:
        behind, here, ahead = self.expected
        self.check(self.slope, (ahead - 2 * here + behind) / STEP**2)


def _direction(x, rng):
    """None of its parts is short: of small differences little is left but rounding errors."""

    def part():
        return rng.uniform(0.5, 1, x.shape) * rng.choice([-1, 1], x.shape)

    return part() + 1j * part() if x.dtype.kind == "c" else part()


def lines(case: Case, rng) -> dict[str, Line]:
    """A line for each input by itself, and as "all" one for them together."""
    inputs = case.draw(rng)
    places, results = places_of(case, inputs), case.expected(inputs)
    found = {}
    for number in dict(places):
        alone = [p for p in places if p[0] == number]
        found[OPS[case.op].inputs[number]] = Line(case, inputs, results, alone, rng)
    one = next(iter(found.values()))
    return {**found, "all": Line(case, inputs, results, places, rng) if len(found) > 1 else one}


SMOOTH = [c for c in CASES if c.gradient and places_of(c, c.draw(np.random.default_rng(0)))]


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_derivatives_along_random_directions(case, backend, rng):
    """Against difference quotients of the oracle in float64.

    The first one for each input by itself, the second for all together: mixed ones count, too.
    """
    found = lines(case, rng)
    together = found.pop("all")
    for line in found.values():
        line.check_first()
    together.check_second()


def _slightly_wrong(gradient: Gradient) -> Gradient:
    """The rule with all it gives, zeros as well, off by a thousandth."""

    def function(g, **values):
        given = gradient.function(g, **values)
        several = [flow * 1.001 + 0.001 for flow in to_list(given)]
        return several if isinstance(given, (list, tuple)) else several[0]

    return Gradient(function, gradient.sources)


def _is_noticed(case: Case, name: str, rng) -> bool:
    line = lines(case, rng).get(name)
    try:
        if line:
            line.check_first()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("name", [n for n in OP_NAMES if OPS[n].gradients])
def test_every_op_has_cases_that_notice_a_wrong_gradient(name, rng):
    op = OPS[name]
    for input_name, gradient in list(op.gradients.items()):
        op.gradients[input_name] = _slightly_wrong(gradient)
        try:
            noticed = any(_is_noticed(c, input_name, rng) for c in SMOOTH if c.op == name)
        finally:
            op.gradients[input_name] = gradient
        assert noticed == ((name, input_name) not in NEVER_FLOATS), input_name


def test_every_attribute_that_a_rule_names_is_set_by_a_checked_case():
    def others(cases):
        return {
            (c.op, name)
            for c in cases
            for name, value in c.attributes.items()
            if value != OPS[c.op].defaults.get(name, "required")
        }

    named = {
        (name, parameter)
        for name in OP_NAMES
        for gradient in OPS[name].gradients.values()
        for parameter, _, _ in gradient.sources
    }
    assert not (named & others(CASES)) - others(SMOOTH)


def test_inputs_without_a_rule_are_known():
    found: dict[str, set[str]] = {}
    for case in CASES:
        op = OPS[case.op]
        if set(op.inputs) <= set(op.gradients):
            continue
        inputs = case.draw(np.random.default_rng(0))
        if any(np.asarray(y).dtype.kind in "fc" for y in case.expected(inputs)):
            for name, given in zip(op.inputs, inputs, strict=False):
                kinds = {x.dtype.kind for x in to_list(given) if x is not None}
                if name not in op.gradients and kinds & {"f", "c"}:
                    found.setdefault(op.name, set()).add(name)
    assert found == NO_RULE
    assert not [row for row in rows() if row.op in NO_RULE and row.gradient_there]


def test_an_input_without_a_rule_is_refused():
    with pytest.raises(core.CoreError, match="'bincount' has no gradient for its input 'weights'"):
        core.grad(lambda w: core.sum(core.bincount([0, 1], w, size=2)))([1.0, 2.0])


def _picked(indices):
    return core.gather([1.0, 2.0], indices)


def _one_hot(indices):
    return core.one_hot(indices, depth=2)


def _complex_by_condition(condition):
    return core.select(condition, core.complex([1.0], [2.0]), core.ones((3, 1)))


@pytest.mark.parametrize(
    ("function", "x"), [(_picked, [[0, 1]]), (_one_hot, [1, 0, 1]), (_complex_by_condition, True)]
)
def test_gradients_of_what_is_never_a_float(function, x):
    """Zeros of its shape, in float32 whatever the result is."""
    zeros = core.grad(function)(x)
    assert (zeros.shape, zeros.dtype) == (np.shape(x), "float32")
    assert not zeros.numpy().any()


def derivatives(function, x: float, order: int = 3) -> list[float]:
    """The function's value at a number, and its derivatives."""
    found = []
    for _ in range(order + 1):
        found.append(function(core.tensor(x)).item())
        # With 0 * x, as a derivative may be the same everywhere.
        function = core.grad(lambda t, f=function: f(t) + 0.0 * t)
    return found


def test_powers_of_zero():
    """Derivatives of polynomials do not end in 0 * infinity."""
    assert derivatives(lambda x: x**0.0, 0.0) == [1, 0, 0, 0]
    assert derivatives(lambda x: x**1.0, 0.0) == [0, 1, 0, 0]
    assert derivatives(lambda x: x**2, 0.0) == [0, 0, 2, 0]
    assert derivatives(lambda x: x**3, -2.0) == [-8, 12, -12, 6]
    base, exp = core.grads(core.pow)(0.0, 0.0)
    assert (base.item(), exp.item()) == (0, 0)


def test_powers_do_not_stop_at_the_exponent_zero():
    """d/dp of the slope p * x ** (p - 1) is 1 / x there."""
    slope = core.grad(lambda p: core.grad(lambda x: x**p)(4.0))
    assert slope(0.0).item() == 0.25


def test_selu_beyond_the_range_of_its_other_branch():
    scale = 1.0507009873554805
    assert derivatives(core.selu, 1000.0, 2) == pytest.approx([1000 * scale, scale, 0])


@pytest.mark.parametrize("imaginary", [False, True])
def test_a_norm_is_curved_where_one_of_its_values_is_zero(imaginary):
    def length(t):
        if imaginary:
            return core.norm(core.complex([3.0, 4.0], core.stack([t, 0.0 * t])))
        return core.norm(core.stack([3.0, 4.0, t]))

    assert derivatives(length, 0.0, 2) == pytest.approx([5, 0, 0.2])
