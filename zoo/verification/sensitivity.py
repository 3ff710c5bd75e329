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

#: The part that stands for generated kernels of networks of integers. These round sums as LiteRT's
#: reference kernels do, to parts of a quantised step first, so that one value in 200 becomes
#: another step. As many do by weights that differ by this part.
_TWICE_ROUNDED = np.float32(2.0**-12)

Arrays = Mapping[str, np.ndarray]


class Moved(NamedTuple):
    """Copies of a network on cpu with other weights.

    Attributes:
        by_bits: differ in the last bit.
        by_rounding: differ as if sums of integers were rounded twice; none without integers.
    """

    by_bits: Sequence[GraphModel]
    by_rounding: Sequence[GraphModel]


def moved_networks(graph: Graph) -> Moved:
    """Return copies of a network whose weights differ slightly from its own."""
    by_bits = list(_moved_networks(graph, _BIT))
    return Moved(by_bits, list(_moved_networks(graph, _TWICE_ROUNDED)) if graph.integers else [])


def _moved_networks(graph: Graph, part: np.float32) -> Iterator[GraphModel]:
    for seed in range(MOVES):
        rng = np.random.default_rng(seed)
        moved = {name: _moved(array, part, rng) for name, array in graph.weights.items()}
        yield GraphModel(graph._replace(weights=moved), "cpu")


def _moved(array: np.ndarray, part: np.float32, rng: np.random.Generator) -> np.ndarray:
    """Return an array of weights that are moved by a part; scalars are settings, and stay."""
    if array.dtype != np.float32 or not array.ndim:
        return array
    moved = array * (1 + part * rng.standard_normal(array.shape, np.float32))
    moved.flags.writeable = False
    return moved


def with_moves(
    rules: Mapping[str, Rule], moved: Moved, inputs: Arrays, outputs: Arrays
) -> dict[str, Rule]:
    """Return rules that know how far the outputs move.

    Args:
        rules: rules by output.
        moved: copies of the network.
        inputs: inputs by name.
        outputs: what the network itself gives for them.
    """
    by_bits = _largest_moves(rules, moved.by_bits, inputs, outputs)
    by_rounding = _largest_moves(rules, moved.by_rounding, inputs, outputs)
    return {
        name: rule._replace(move=by_bits[name], integer_move=by_rounding[name])
        for name, rule in rules.items()
    }


def _largest_moves(
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
