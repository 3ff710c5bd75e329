"""Moves of outputs when the last bits of the weights move.

Where a network amplifies such a change, or rounds its results to quantised steps, two right
computations differ by as much: each adds up its sums in another order. (Of all networks of the
zoo, generated kernels differ from NumPy's by no more than 1.3 times the largest of three moves.)
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core import Graph, GraphModel
from zoo.verification.comparison import Rule, difference

#: Number of perturbations of the weights.
MOVES = 3

#: The distance between 1 and the next float32.
_BIT = np.float32(2.0**-23)

#: Node types whose other inputs than the first say sizes, such as 2.0, and stay.
_RESIZING = frozenset({"ONNX:Resize", "ONNX:Upsample"})

Arrays = Mapping[str, np.ndarray]


class Moved(NamedTuple):
    """Copies of a network on cpu whose weights differ from its own in the last bit.

    Attributes:
        alike: keep weights that stand for integers: all backends round sums of their products
            alike.
        in_floats: compute in float32 and round once, as other programs may; none without integers.
    """

    alike: Sequence[GraphModel]
    in_floats: Sequence[GraphModel]


def moved_networks(graph: Graph) -> Moved:
    """Return copies of a network whose weights differ slightly from its own."""
    in_floats = _moved_networks(graph._replace(integers={})) if graph.integers else []
    return Moved(_moved_networks(graph), in_floats)


def _moved_networks(graph: Graph) -> list[GraphModel]:
    return [GraphModel(graph._replace(weights=moved), "cpu") for moved in _moved_weights(graph)]


def _moved_weights(graph: Graph) -> Iterator[dict[str, np.ndarray]]:
    settings = {r for n in graph.nodes if n.type in _RESIZING for r in n.inputs[1:]}
    for seed in range(MOVES):
        rng = np.random.default_rng(seed)
        yield {
            name: array if name in graph.integers or name in settings else _moved(array, rng)
            for name, array in graph.weights.items()
        }


def _moved(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an array of weights that are moved by a bit; scalars are settings, and stay."""
    if array.dtype != np.float32 or not array.ndim:
        return array
    moved = array * (1 + _BIT * rng.standard_normal(array.shape, np.float32))
    moved.flags.writeable = False
    return moved


def with_moves(
    rules: Mapping[str, Rule],
    moved: Moved,
    inputs: Arrays,
    outputs: Arrays,
    *,
    is_golden: bool = False,
) -> dict[str, Rule]:
    """Return rules that know how far the outputs move.

    Args:
        rules: rules by output.
        moved: copies of the network.
        inputs: inputs by name.
        outputs: what the network itself gives for them.
        is_golden: whether they are compared with results of another program.
    """
    found = {}
    alike = _largest(rules, moved.alike, inputs, outputs)
    in_floats = _largest(rules, moved.in_floats if is_golden else [], inputs, outputs)
    for name, rule in rules.items():
        if rule.scale is None:
            found[name] = rule._replace(move=max(alike[name], in_floats[name]))
        else:
            found[name] = rule._replace(move=alike[name], apart=in_floats[name])
    return found


def _largest(
    rules: Mapping[str, Rule], networks: Sequence[GraphModel], inputs: Arrays, outputs: Arrays
) -> dict[str, float]:
    """Return by output the largest difference of some networks, 0 without any."""
    largest = dict.fromkeys(rules, 0.0)
    for network in networks:
        network.reset_states()
        others = network.execute(inputs, [*rules], as_arrays=True)
        for name, rule in rules.items():
            measured = difference(others[name], outputs[name], rule).measured or 0.0
            largest[name] = max(largest[name], measured)
    return largest
