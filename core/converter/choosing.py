"""The smallest kind for each weight that keeps the outputs of a model within a tolerance.

How much a kind changes the outputs is measured for one unit of weights at a time, while all others
stay as they are. What several change adds up about as independent noise does: by its squares. So
each unit has steps from larger to smaller kinds, each with a price: noise for a byte saved. In the
order of their prices, as many steps are taken as keep the outputs within the tolerance: their
number is found by bisection, and each trial runs the model with all steps that are taken so far.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.converter.accuracy_loss import Trials
from core.converter.conversion_outputs import Weights, Written, stored_bytes
from weights_cache.errors import WeightsError
from weights_cache.quantise import QUANTISED_DTYPES, quantise_array
from weights_cache.write import UNQUANTISED

#: The kind that stands for the smallest one that does no harm.
AUTO = "auto"

#: Weights that hold less than this share of all values are units together with others, by size.
_UNIT_SHARE = 1 / 64

#: With how many samples a single unit is tried; what is chosen, with all of them.
_FEW_SAMPLES = 6

#: How many units are left as they are because they alone are in the way.
_SKIPS = 6

Kinds = dict[str, str]


class _Step(NamedTuple):
    """A smaller kind for a unit, where the steps before it are taken."""

    price: float
    unit: int
    kinds: Mapping[str, str]


class _Way(NamedTuple):
    """One way to store a unit: its kinds by name, its bytes, and the noise in the outputs."""

    kinds: Mapping[str, str]
    bytes: int
    noise: float


def choose_kinds(
    written: Written, trials: Trials, asked: Mapping[str, str], tolerance: float
) -> Kinds:
    """The kinds that are asked for, with one in place of each ``"auto"``.

    Args:
        written: what is converted.
        trials: of it, on sample inputs.
        asked: by name of weight.
        tolerance: as for `core.converter.accuracy_loss.Damage.within`.

    Returns:
        The kinds, with which outputs stay within the tolerance; unless the kinds that were asked
        for exceed it alone: then what may be chosen stays as it is.
    """
    fixed = {name: kind for name, kind in asked.items() if kind != AUTO}
    search = _Search(written, trials, fixed, tolerance)
    units = _units(written, [name for name, kind in asked.items() if kind == AUTO])
    everything = [_kinds(written, unit, "uint8") for unit in units]
    if units and search.is_good([_Step(0.0, i, kinds) for i, kinds in enumerate(everything)]):
        return {**asked, **fixed, **_merged(everything)}
    few = trials.fewer(_FEW_SAMPLES)
    steps: list[_Step] = []
    for i, unit in enumerate(units):
        steps += _steps(i, _ways(written, few, unit))
    taken = search.longest(sorted(steps, key=lambda step: step.price))
    kept = {name: UNQUANTISED for unit in units for name in unit}
    return {**kept, **fixed, **_merged(step.kinds for step in taken)}


def changed_arrays(written: Written, kinds: Mapping[str, str]) -> Weights:
    """The weights that are not written as they are stored now, as they are written."""
    arrays = written.arrays(kinds, written.stored)
    return {name: arrays[name] for name, kind in kinds.items() if kind != UNQUANTISED}


class _Search:
    """Tries steps, on top of kinds that are asked for."""

    def __init__(
        self, written: Written, trials: Trials, fixed: Mapping[str, str], tolerance: float
    ):
        self._written, self._trials = written, trials
        self._fixed, self._tolerance = fixed, tolerance

    def is_good(self, steps: Sequence[_Step]) -> bool:
        """Whether the outputs stay within the tolerance."""
        kinds = {**self._fixed, **_merged(step.kinds for step in steps)}
        damage = self._trials.damage(changed_arrays(self._written, kinds))
        return damage.within(self._tolerance)

    def longest(self, steps: Sequence[_Step]) -> list[_Step]:
        """Steps as they come, without those of units that are in the way."""
        taken: list[_Step] = []
        for skips in range(_SKIPS + 1):
            # After what was in the way the next step often is, too: it is tried alone first.
            is_next_good = not skips or self.is_good([*taken, *steps[:1]])
            count = self._longest_start(taken, steps) if is_next_good else 0
            taken += steps[:count]
            if count == len(steps):
                break
            blocked = steps[count].unit
            steps = [step for step in steps[count + 1 :] if step.unit != blocked]
        return taken

    def _longest_start(self, taken: Sequence[_Step], steps: Sequence[_Step]) -> int:
        """How many more steps can be taken, by bisection: each number is tried before it counts."""
        low, high = 0, len(steps)
        while low < high:
            middle = (low + high + 1) // 2
            if self.is_good([*taken, *steps[:middle]]):
                low = middle
            else:
                high = middle - 1
        return low


def _merged(kinds: Iterable[Mapping[str, str]]) -> Kinds:
    return {name: kind for some in kinds for name, kind in some.items()}


def _units(written: Written, names: Sequence[str]) -> list[list[str]]:
    """Large weights alone, small ones together with those of about their size."""
    sizes = {name: written.weights[name].size for name in names}
    limit = sum(sizes.values()) * _UNIT_SHARE
    units: list[list[str]] = []
    held = limit
    for name in sorted((n for n in names if sizes[n] > 1), key=lambda n: sizes[n]):
        if held + sizes[name] > limit:
            units.append([])
            held = 0
        units[-1].append(name)
        held += sizes[name]
    return units


def _ways(written: Written, trials: Trials, unit: Sequence[str]) -> list[_Way]:
    """As it is stored, and all kinds of fewer bytes."""
    ways = [_Way({}, _bytes(written, dict.fromkeys(unit, UNQUANTISED)), 0.0)]
    for kind in QUANTISED_DTYPES:
        kinds = _kinds(written, unit, kind)
        size = _bytes(written, kinds)
        if size < ways[0].bytes:
            damage = trials.damage(changed_arrays(written, kinds))
            ways.append(_Way(kinds, size, damage.mean**2))
    return ways


def _kinds(written: Written, unit: Sequence[str], kind: str) -> Kinds:
    """A kind for each weight that becomes smaller, and whose values it can hold."""
    itemsize = np.dtype(kind).itemsize
    kinds = dict.fromkeys(unit, UNQUANTISED)
    for name in unit:
        array = written.weights[name]
        if array.size * itemsize < _bytes(written, {name: UNQUANTISED}) and _holds(kind, array):
            kinds[name] = kind
    return kinds


def _holds(kind: str, array: np.ndarray) -> bool:
    try:
        quantise_array(array, kind)
    except WeightsError:
        return False
    return True


def _bytes(written: Written, kinds: Mapping[str, str]) -> int:
    """What weights take in some kinds."""
    found = 0
    for name, kind in kinds.items():
        array = written.weights[name]
        if kind == UNQUANTISED:
            found += stored_bytes(written.stored.get(name, array))
        else:
            found += array.size * np.dtype(kind).itemsize
    return found


def _steps(unit: int, ways: Sequence[_Way]) -> list[_Step]:
    """From way to way with the least noise for each byte that is saved: the lower convex hull."""
    steps: list[_Step] = []
    here = ways[0]
    while smaller := [way for way in ways if way.bytes < here.bytes]:
        there = min(smaller, key=lambda way: (_price(here, way), way.bytes))
        steps.append(_Step(_price(here, there), unit, there.kinds))
        here = there
    return steps


def _price(here: _Way, there: _Way) -> float:
    return (there.noise - here.noise) / (here.bytes - there.bytes)
