"""Each pass on real models: what they give with it, and without it."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import core
from core.engine.program import Program, multiply_adds
from core.graph.executor import Executor
from core.graph.nodes import Graph, Node
from core.graph.weight_tensors import weight
from core.plan.passes import (
    PROGRAM_PASSES,
    drop_identities,
    fold_batch_norm,
    fold_constants,
    fuse,
    fuse_epilogues,
    merge_pads,
    prune,
    split_fused,
)
from core.plan.planner import Planner
from tests.core.plan.programs import shown
from tests.golden.staged import STAGED, loaded, read_golden

GRAPH_PASSES = (prune, fold_constants, fold_batch_norm, fuse)

#: Of an output's range: float sums in another order, or of weights that were rounded once more.
ROUNDING = 1e-5

BLAZEFACE = "blazeface-front-tfjs-float/model.json"
BLAZEPOSE = "blazepose-lite-tfjs-fp16/model.json"
FACEMESH = "facemesh-tfjs-fp16/model.json"
FULL_RANGE = "mediapipe-face-detection-tflite/face_detection_full_range_sparse.tflite"
HAND = "hand-landmark-lite-tfjs-fp16/model.json"
HANDTRACK = "handtrack-ssd320fpnlite-tfjs-uint8/model.json"
KERAS = "mobilenet-v1-025-224-tfjs-layers-float/model.json"
MOBILENET = "mobilenet-v1-025-224-float-tflite/mobilenet_v1_0.25_224_1_default_1.tflite"
QUANTISED = "mobilenet-v1-025-224-float-tflite/mobilenet_v1_0.25_224_quant.tflite"
PALM = "handpose-palm-detector-tfjs-fp16/model.json"
SELFIE = "selfie-segmentation-tfjs-fp16/model.json"
V2 = "mobilenet-v2-100-224-quant-tflite/mobilenet_v2_1.0_224_quant.tflite"


class Made(NamedTuple):
    """The largest program of a model's plans after passes, and what the model gives by them."""

    program: Program
    outputs: dict[str, np.ndarray]


class Case(NamedTuple):
    """A real model and the input of its first golden."""

    graph: Graph
    input: np.ndarray

    def made(self, graph_passes: Any = GRAPH_PASSES, program_passes: Any = PROGRAM_PASSES) -> Made:
        """By a planner with these passes."""
        graph, seen = self.graph, []

        def look(program: Program) -> Program:
            seen.append(program)
            return program

        executor = Executor(
            graph.nodes,
            {name: weight(array) for name, array in graph.weights.items()},
            functions=graph.functions,
            kernels={},
        )
        passes = {"graph_passes": graph_passes, "program_passes": (*program_passes, look)}
        (end,) = graph.inputs.values()
        wanted = {name: executor.normalised(e.node) for name, e in graph.outputs.items()}
        planner = Planner(graph, executor, **passes)
        found = planner.run({end.node: core.tensor(self.input)}, list(wanted.values()))
        outputs = {name: found[reference].numpy() for name, reference in wanted.items()}
        return Made(max(seen, key=work), outputs)


def work(program: Program) -> int:
    return sum(multiply_adds(step, program.specs) for step in program.steps)


@lru_cache(maxsize=1)
def case(shared: Path, path: str) -> Case:
    """The model of a file, in float32: which steps compute with integers is seen in fused ones."""
    staged = next(s for s in STAGED if s.path == path)
    golden = read_golden(shared / "weights", staged, staged.goldens[0])
    return Case(loaded(shared / "weights" / path).graph._replace(integers={}), golden.input)


def without(passes: tuple, left_out: Callable) -> tuple:
    found = tuple(p for p in passes if p is not left_out)
    assert len(found) == len(passes) - 1
    return found


def near(found: Made, reference: Made, tolerance: float) -> None:
    """Outputs differ by no more than this share of their range."""
    assert found.outputs.keys() == reference.outputs.keys()
    for name, theirs in reference.outputs.items():
        bound = tolerance * float(np.ptp(theirs) or np.abs(theirs).max())
        np.testing.assert_allclose(found.outputs[name], theirs, rtol=0, atol=bound, err_msg=name)


#: A pass, a model on which it changes something, and how far the outputs may be apart: not by a
#: bit, but that the kernels of fused ops, which run without `split_fused`, compute a sigmoid in
#: float32, the lowered op in float64.
PROGRAM_CASES = [
    (split_fused, BLAZEFACE, 0),
    (split_fused, HAND, ROUNDING),
    (split_fused, QUANTISED, 0),
    (drop_identities, MOBILENET, 0),
    (drop_identities, HANDTRACK, 0),
    (merge_pads, FULL_RANGE, 0),
    (merge_pads, BLAZEPOSE, 0),
    (fuse_epilogues, BLAZEFACE, 0),
    (fuse_epilogues, SELFIE, 0),
    (fuse_epilogues, QUANTISED, 0),
]


@pytest.mark.parametrize("left_out, path, tolerance", PROGRAM_CASES)
def test_passes_over_programs(shared, left_out, path, tolerance):
    given = case(shared, path)
    with_it = given.made()
    without_it = given.made(program_passes=without(PROGRAM_PASSES, left_out))
    assert shown(with_it.program) != shown(without_it.program)
    near(with_it, without_it, tolerance)


GRAPH_CASES = [
    (prune, BLAZEFACE, 0),
    (prune, FACEMESH, 0),
    (fold_batch_norm, KERAS, ROUNDING),
    (fold_batch_norm, PALM, ROUNDING),
    (fuse, HAND, 0),
    (fuse, KERAS, 0),
    (fuse, SELFIE, 0),
]


@pytest.mark.parametrize("left_out, path, tolerance", GRAPH_CASES)
def test_passes_over_graphs(shared, left_out, path, tolerance):
    given = case(shared, path)
    graph = given.graph
    for graph_pass in GRAPH_PASSES[: GRAPH_PASSES.index(left_out)]:
        graph = graph_pass(graph)
    assert len(left_out(graph).nodes) < len(graph.nodes)
    near(given.made(), given.made(without(GRAPH_PASSES, left_out)), tolerance)


@pytest.mark.parametrize("path", [BLAZEFACE, MOBILENET])
def test_constants_are_folded(shared, path):
    """Converters have done that for each file that there is: so it is undone first."""
    given = case(shared, path)
    unfolded = given._replace(graph=with_computed_weights(given.graph))
    assert len(fold_constants(unfolded.graph).nodes) < len(unfolded.graph.nodes)
    plain, folded = unfolded.made(without(GRAPH_PASSES, fold_constants)), unfolded.made()
    near(folded, plain, 0)
    near(folded, given.made(), 0)
    # What the pass leaves, as it may be large, is folded when the program is recorded.
    assert [s.op for s in plain.program.steps] == [s.op for s in folded.program.steps]


def with_computed_weights(graph: Graph) -> Graph:
    """Filters are kept with other axes first, and what is added as a half that is added twice."""
    weights, made = {}, {}
    for name, array in graph.weights.items():
        if array.dtype != np.float32 or array.ndim not in (1, 4):
            weights[name] = array
        elif array.ndim == 4:
            weights |= {f"{name}/turned": array.transpose(3, 0, 1, 2), f"{name}/perm": TURN}
            made[name] = Node(name, "Transpose", (f"{name}/turned", f"{name}/perm"))
        else:
            weights[f"{name}/half"] = array / 2
            made[name] = Node(name, "AddV2", (f"{name}/half", f"{name}/half"))
    nodes = [made.get(node.name, node) for node in graph.nodes]
    nodes += [Node(name, "Const") for name in weights.keys() - graph.weights.keys()]
    return graph._replace(nodes=nodes, weights=weights)


TURN = np.int32([1, 2, 3, 0])
