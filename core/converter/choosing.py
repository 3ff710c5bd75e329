"""The kinds of weights that a conversion uses, and the measured errors of the outputs.

For ``"auto"`` the smallest kind of each weight that keeps the outputs within a tolerance is chosen.

The noise of a kind is measured for one unit of weights at a time, while all other weights are
unchanged. Noise of several units adds up about like independent noise: by squares. So each unit has
steps from larger to smaller kinds, each with a price: noise per byte saved. Steps are applied in
the order of their prices, as many as keep the outputs within the tolerance: the number is found by
bisection, and each trial runs the model with all steps applied so far.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.converter.accuracy_loss import Damage, Trials
from core.converter.conversion_outputs import Weights, Written, stored_bytes
from core.converter.sample_inputs import SampleInputs, make_samples
from core.errors import CoreError
from weights_cache.common.errors import WeightsError
from weights_cache.quantise import QUANTISED_DTYPES, quantise_array
from weights_cache.write import UNQUANTISED

#: The kind that requests the smallest kind within the tolerance.
AUTO = "auto"

#: Weights with less than this share of all values are grouped into units, by size.
_UNIT_SHARE = 1 / 64

#: Number of samples for the trial of a single unit; the choice is tried with all samples.
_FEW_SAMPLES = 6

#: Number of units that may be skipped because their next step alone exceeds the tolerance.
_SKIPS = 6

Kinds = dict[str, str]


class _Step(NamedTuple):
    """A smaller kind for a unit after its previous steps."""

    price: float
    unit: int
    kinds: Mapping[str, str]


class _Candidate(NamedTuple):
    """A candidate for a unit: kinds by name, bytes, and the noise in the outputs."""

    kinds: Mapping[str, str]
    bytes: int
    noise: float


class Measured(NamedTuple):
    """Kinds of weights, and the errors of the outputs.

    Attributes:
        kinds: kinds by name of weight.
        damage: errors of the outputs; None if they were not measured.
        samples: description of the samples, or the reason why errors were not measured.
    """

    kinds: Mapping[str, str]
    damage: Damage | None = None
    samples: str = ""


def measure(
    written: Written,
    requested: Mapping[str, str],
    samples: SampleInputs | None,
    tolerance: float | None,
) -> Measured:
    """Choose kinds for ``"auto"``, and measure the errors of the outputs with all kinds.

    Args:
        written: the graph or layers to convert.
        requested: a kind, or ``"auto"``, by name of weight.
        samples: as for `core.converter.convert`.
        tolerance: as for `core.converter.convert`.

    Raises:
        WeightsError: ``"auto"`` is requested, and the model cannot run; or a kind cannot hold a
            weight.
        CoreError: the samples do not fit the inputs of the model.
    """
    if tolerance is None or not {*requested.values()} - {UNQUANTISED}:
        return Measured(requested)
    trials = make_trials(written, samples)
    kinds = chosen_kinds(written, trials, requested, tolerance)
    if isinstance(trials, str):
        return Measured(kinds, samples=trials)
    damage = trials.damage(changed_arrays(written, kinds))
    return Measured(kinds, damage, trials.samples.text)


def make_trials(written: Written, samples: SampleInputs | None, seed: int = 0) -> Trials | str:
    """Return trials of a graph or layers, or the reason why they cannot run.

    Raises:
        CoreError: given samples do not fit the inputs of the model.
    """
    try:
        graph = written.graph({})
        return Trials(written.graph, make_samples(samples, graph.inputs, seed))
    except CoreError as error:
        if samples is not None and not callable(samples):
            raise
        return str(error)


def require_tolerance(tolerance: float | None, is_auto: bool) -> None:
    """Raise an error unless a tolerance is a share, or None without ``"auto"``."""
    if tolerance is None:
        if is_auto:
            raise CoreError("quantise='auto' needs a tolerance: give one such as tolerance=0.05")
    elif not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise CoreError(
            f"tolerance={tolerance!r} is not a share of an output's range: give a number between "
            f"0 and 1, such as 0.05"
        )


def chosen_kinds(
    written: Written, trials: Trials | str, requested: Mapping[str, str], tolerance: float | None
) -> Mapping[str, str]:
    """Return the requested kinds, with a chosen kind in place of each ``"auto"``.

    Args:
        written: the graph or layers to convert.
        trials: trials of ``written`` on sample inputs, or the reason why they cannot run.
        requested: kinds by name of weight.
        tolerance: as for `core.converter.accuracy_loss.Damage.within`.

    Returns:
        Kinds that keep the outputs within the tolerance. If the fixed kinds alone exceed the
        tolerance, all other weights are not quantised.

    Raises:
        WeightsError: ``"auto"`` is requested, and the model cannot run.
    """
    if AUTO not in requested.values() or tolerance is None:
        return requested
    if isinstance(trials, str):
        raise WeightsError(
            f"quantise='auto' must run the model, which failed: {trials}; give one kind, such as "
            f"quantise='float16'"
        )
    fixed = {name: kind for name, kind in requested.items() if kind != AUTO}
    search = _Search(written, trials, fixed, tolerance)
    units = _units(written, [name for name, kind in requested.items() if kind == AUTO])
    everything = [_kinds(written, unit, "uint8") for unit in units]
    if units and search.is_good([_Step(0.0, i, kinds) for i, kinds in enumerate(everything)]):
        return {**requested, **fixed, **_merged(everything)}
    few = trials.fewer(_FEW_SAMPLES)
    steps: list[_Step] = []
    for i, unit in enumerate(units):
        steps += _steps(i, _candidates(written, few, unit))
    taken = search.longest(sorted(steps, key=lambda step: step.price))
    kept = {name: UNQUANTISED for unit in units for name in unit}
    return {**kept, **fixed, **_merged(step.kinds for step in taken)}


def changed_arrays(written: Written, kinds: Mapping[str, str]) -> Weights:
    """Return the weights whose kind changes, in the form in which they are written."""
    arrays = written.arrays(kinds, written.stored)
    return {name: arrays[name] for name, kind in kinds.items() if kind != UNQUANTISED}


class _Search:
    """Search for the steps within the tolerance, in addition to the fixed kinds."""

    def __init__(
        self, written: Written, trials: Trials, fixed: Mapping[str, str], tolerance: float
    ):
        self._written, self._trials = written, trials
        self._fixed, self._tolerance = fixed, tolerance

    def is_good(self, steps: Sequence[_Step]) -> bool:
        """Whether the outputs are within the tolerance after some steps."""
        kinds = {**self._fixed, **_merged(step.kinds for step in steps)}
        damage = self._trials.damage(changed_arrays(self._written, kinds))
        return damage.within(self._tolerance)

    def longest(self, steps: Sequence[_Step]) -> list[_Step]:
        """Return the steps within the tolerance in order, without those of skipped units."""
        taken: list[_Step] = []
        for skips in range(_SKIPS + 1):
            # After a skipped step the next one often fails too: it is tried alone first.
            is_next_good = not skips or self.is_good([*taken, *steps[:1]])
            count = self._longest_start(taken, steps) if is_next_good else 0
            taken += steps[:count]
            if count == len(steps):
                break
            blocked = steps[count].unit
            steps = [step for step in steps[count + 1 :] if step.unit != blocked]
        return taken

    def _longest_start(self, taken: Sequence[_Step], steps: Sequence[_Step]) -> int:
        """Return the number of further steps within the tolerance, by bisection."""
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
    """Group small weights of similar sizes into units; a large weight is a unit alone."""
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


def _candidates(written: Written, trials: Trials, unit: Sequence[str]) -> list[_Candidate]:
    """Return the stored form of a unit, and all kinds with fewer bytes."""
    candidates = [_Candidate({}, _bytes(written, dict.fromkeys(unit, UNQUANTISED)), 0.0)]
    for kind in QUANTISED_DTYPES:
        kinds = _kinds(written, unit, kind)
        size = _bytes(written, kinds)
        if size < candidates[0].bytes:
            damage = trials.damage(changed_arrays(written, kinds))
            candidates.append(_Candidate(kinds, size, damage.mean**2))
    return candidates


def _kinds(written: Written, unit: Sequence[str], kind: str) -> Kinds:
    """Return a kind for each weight that becomes smaller and whose values the kind can hold."""
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
    """Return the bytes of weights in some kinds."""
    found = 0
    for name, kind in kinds.items():
        array = written.weights[name]
        if kind == UNQUANTISED:
            found += stored_bytes(written.stored.get(name, array))
        else:
            found += array.size * np.dtype(kind).itemsize
    return found


def _steps(unit: int, candidates: Sequence[_Candidate]) -> list[_Step]:
    """Return steps with the least noise per byte saved: the lower convex hull of candidates."""
    steps: list[_Step] = []
    current = candidates[0]
    while smaller := [c for c in candidates if c.bytes < current.bytes]:
        best = min(smaller, key=lambda c: (_price(current, c), c.bytes))
        steps.append(_Step(_price(current, best), unit, best.kinds))
        current = best
    return steps


def _price(larger: _Candidate, smaller: _Candidate) -> float:
    return (smaller.noise - larger.noise) / (larger.bytes - smaller.bytes)
