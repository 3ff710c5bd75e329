"""The kinds of weights that a conversion uses, and the measured errors of the outputs."""

from collections.abc import Mapping
from typing import NamedTuple

from core.converter.accuracy_loss import Damage, Trials
from core.converter.choosing import AUTO, changed_arrays, choose_kinds
from core.converter.conversion_outputs import Written
from core.converter.sample_inputs import SampleInputs, make_samples
from core.errors import CoreError
from weights_cache.errors import WeightsError
from weights_cache.write import UNQUANTISED


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


def chosen_kinds(
    written: Written, trials: Trials | str, requested: Mapping[str, str], tolerance: float | None
) -> Mapping[str, str]:
    """Return the requested kinds, with a chosen kind in place of each ``"auto"``.

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
    return choose_kinds(written, trials, requested, tolerance)


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
