"""Moves of outputs when the last bits of the weights move.

Where a network amplifies such a change, or rounds its results to quantised steps, two right
computations differ by as much: each adds up its sums in another order. (Of all networks of the
zoo, generated kernels differ from NumPy's by no more than 1.3 times the largest of three moves.)
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core import Graph, GraphModel
from zoo.verification.comparison import Rule, difference

#: Number of perturbations of the weights.
MOVES = 3

#: The distance between 1 and the next float32.
_BIT = np.float32(2.0**-23)

#: The part for networks of integers, which generated kernels compute as LiteRT's reference kernels
#: do: these round a sum to parts of a quantised step first, so that one value in 200 becomes
#: another step. As many do by weights that differ by this part.
_TWICE_ROUNDED = np.float32(2.0**-12)

Arrays = Mapping[str, np.ndarray]


def moved_networks(graph: Graph) -> list[GraphModel]:
    """Return copies of a network on cpu whose weights differ from its own in the last bit."""
    return [GraphModel(graph._replace(weights=moved), "cpu") for moved in _moved_weights(graph)]


def _moved_weights(graph: Graph) -> Iterator[dict[str, np.ndarray]]:
    part = _TWICE_ROUNDED if graph.integers else _BIT
    for seed in range(MOVES):
        rng = np.random.default_rng(seed)
        yield {name: _moved(array, part, rng) for name, array in graph.weights.items()}


def _moved(array: np.ndarray, part: np.float32, rng: np.random.Generator) -> np.ndarray:
    """Return an array of weights that are moved by a part; scalars are settings, and stay."""
    if array.dtype != np.float32 or not array.ndim:
        return array
    moved = array * (1 + part * rng.standard_normal(array.shape, np.float32))
    moved.flags.writeable = False
    return moved


def with_moves(
    rules: Mapping[str, Rule], moved: Sequence[GraphModel], inputs: Arrays, outputs: Arrays
) -> dict[str, Rule]:
    """Return rules that know how far the outputs move.

    Args:
        rules: rules by output.
        moved: copies of the network.
        inputs: inputs by name.
        outputs: what the network itself gives for them.
    """
    found = dict(rules)
    for network in moved:
        network.reset_states()
        others = network.execute(inputs, [*rules], as_arrays=True)
        for name, rule in found.items():
            one = difference(others[name], outputs[name], rule)
            found[name] = rule._replace(move=max(rule.move, one.measured or 0.0))
    return found
