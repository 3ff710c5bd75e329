"""Debug mode raises nothing in programs whose numbers are finite."""

import numpy as np

import core
import zoo
from core.engine.nan_check import NotFiniteError
from core.engine.registry import OPS
from tests.conftest import ROOT
from tests.core.ops.records import CASES
from tests.core.ops.records.case import WIDER, to_list


def finite(values) -> bool:
    arrays = [np.asarray(v) for v in values]
    return all(np.isfinite(a).all() for a in arrays if a.dtype.kind in "fc")


def size_of(results):
    """One float that depends on all results."""
    total = core.tensor(0.0)
    for y in results:
        parts = (core.real(y), core.imag(y)) if y.dtype == "complex64" else (y,)
        for part in parts if y.dtype != "string" else ():
            total = total + core.sum(part * part + part)
    return total


def loss_of(case, inputs, places):
    def loss(*xs):
        arguments = list(inputs)
        for place, x in zip(places, xs, strict=True):
            arguments[place] = x
        return size_of(to_list(OPS[case.op](*arguments, **case.attributes)))

    return loss


def runs_of(case, rng):
    """The op, and the gradients of its gradients."""
    inputs, op = case.draw(rng), OPS[case.op]
    if not finite([v for i in inputs if i is not None for v in to_list(i)]):
        return
    yield lambda: op(*inputs, **case.attributes), case.expected(inputs)
    named = zip(op.inputs, inputs, strict=False)
    places = [p for p, (n, x) in enumerate(named) if n in op.gradients and _has_slopes(x)]
    if case.gradient and places:
        xs = [inputs[p] for p in places]
        loss = loss_of(case, inputs, places)

        def slopes(*xs):
            return size_of(core.grads(loss)(*xs)) + size_of([x * 0.0 for x in xs])

        yield lambda: core.grads(slopes)(*xs), None


def _has_slopes(x) -> bool:
    return isinstance(x, np.ndarray) and x.dtype in WIDER and x.size > 0


def test_healthy_programs_run_through(rng):
    """Ops, gradients and second ones that are finite raise nothing, whatever they do inside."""
    wrong, count = [], 0
    for case in CASES:
        for run, expected in runs_of(case, rng):
            count += 1
            try:
                with core.debug_mode():
                    run()
            except NotFiniteError as error:
                plain = to_list(run()) if expected is None else expected
                if finite(plain):
                    wrong.append(f"{case}: {error}")
    assert not wrong
    assert count > 1500


def test_a_healthy_model_runs_through():
    with core.debug_mode():
        pose = zoo.estimate_single_pose(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
    assert pose["score"] > 0.3
