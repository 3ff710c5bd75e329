"""Small programs, and what programs compute: each node by its op, which is the definition.

program = program_of(node("neg", "x", name="a"), node("relu", "a"), inputs={"x": x})
same(drop_identities(program), program, {"x": x})
"""

from collections.abc import Iterable, Mapping

import numpy as np

from core.engine.dtypes import dtype_of
from core.engine.program import Program, Step
from core.engine.specs import Spec
from tests.core.plan.harness import expected, node, with_outputs

Arrays = Mapping[str, np.ndarray]


def program_of(
    *steps: Step, inputs: Arrays, outputs: Iterable[str] = ("y",), **constants: np.ndarray
) -> Program:
    """A program of steps, with the specs that their ops give."""
    arrays = {**constants, **inputs}
    named = []
    for step in steps:
        results = expected(step, arrays)
        named.append(with_outputs(step, len(results)))
        arrays |= zip(named[-1].outputs, results, strict=True)
    specs = {reference: Spec(a.shape, dtype_of(a)) for reference, a in arrays.items()}
    return Program(tuple(named), constants, specs, tuple(inputs), tuple(outputs))


def program_with_a_host_step(rng: np.random.Generator) -> tuple[Program, dict[str, np.ndarray]]:
    """A program whose second step has no shader, and what it is given."""
    boxes = rng.uniform(0, 1, (6, 4)).astype(np.float32)
    scores = rng.uniform(0, 1, 6).astype(np.float32)
    how = {"max_output_size": 3, "iou_threshold": 0.5, "score_threshold": -1.0}
    program = program_of(
        node("abs", "b", name="a"),
        node("non_max_suppression_padded", "a", "s", name="n", pad_to_max_output_size=True, **how),
        node("neg", "n", name="y"),
        inputs={"b": boxes, "s": scores},
        outputs=("y", "n:1"),
    )
    return program, {"b": boxes, "s": scores}


def computed(program: Program, inputs: Arrays) -> list[np.ndarray]:
    """The outputs of a program, by eager ops."""
    arrays: dict[str, np.ndarray] = {**program.constants, **inputs}
    for step in program.steps:
        assert all(reference in arrays for reference in step.reads()), f"{step} runs too early"
        found = expected(step, arrays)
        assert found[0].shape == program.specs[step.name].shape, step
        arrays |= zip(step.outputs, found, strict=True)
    return [arrays[reference] for reference in program.outputs]


def same(found: Program, program: Program, inputs: Arrays, tolerance: float = 0.0) -> None:
    """Check that two programs give the same, bit for bit if not said otherwise."""
    assert found.inputs == program.inputs
    assert len({step.name for step in found.steps}) == len(found.steps)
    with np.errstate(all="ignore"):
        pairs = zip(computed(found, inputs), computed(program, inputs), strict=True)
        for ours, theirs in pairs:
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def shown(program: Program) -> list[str]:
    """Each step as "y = conv2d x w; add . b; relu .", so that tests can say what they expect."""
    return [_shown(step) for step in program.steps]


def _shown(step: Step) -> str:
    parts = [(s.op.name, *s.inputs) for s in (step, *step.epilogue)]
    return f"{step.name} = " + "; ".join(" ".join(part) for part in parts)
