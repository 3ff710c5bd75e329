"""The state of optimizers, whose arrays have another order in each format.

Keras 3 lists iteration, learning_rate, then the slots of each variable; Keras 2 has no
learning_rate; before Keras 2.11, and in TensorFlow.js, each slot is listed for all variables.
Sources: ``build`` of the optimizers of Keras 3.15 and tf_keras 2.21, ``self.weights`` in
``get_updates`` of those of Keras 2.0 to 2.3, ``getWeights`` of TensorFlow.js 4.22.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.errors import CoreError


class Run(NamedTuple):
    """Slots that are listed together for each variable, if an option is set."""

    slots: tuple[str, ...]
    option: str = ""


_MOMENTS = Run(("momentum", "velocity"))
_MOMENTUM = Run(("momentum",), "momentum")

#: Slots by class of optimizer, in the order of Keras 3.
RUNS: Mapping[str, Sequence[Run]] = {
    "SGD": (_MOMENTUM,),
    "RMSprop": (Run(("velocity",)), _MOMENTUM, Run(("average_gradient",), "centered")),
    "Adam": (_MOMENTS, Run(("velocity_hat",), "amsgrad")),
    "AdamW": (_MOMENTS, Run(("velocity_hat",), "amsgrad")),
    "Adagrad": (Run(("accumulator",)),),
    "Adadelta": (Run(("accumulated_grad", "accumulated_delta_var")),),
    "Adamax": (Run(("momentum", "norm")),),
    "Nadam": (_MOMENTS,),
    "Ftrl": (Run(("accumulator", "linear")),),
    "Lion": (Run(("momentum",)),),
    "Lamb": (_MOMENTS,),
}

#: Options whose state has no place outside of Keras 3.
_OPTIONS_WITH_STATE = ("use_ema", "gradient_accumulation_steps", "loss_scale_factor")


#: Optimizers whose number of steps Keras did not save before 2.3.
_WITHOUT_STEPS = ("RMSprop", "Adagrad", "Adadelta")


class OptimizerStateWarning(UserWarning):
    """The state of an optimizer in a file does not fit the model: the optimizer starts anew."""


class OptimizerState(NamedTuple):
    """The state of an optimizer: its count of steps, and by slot an array for each variable."""

    iteration: int
    slots: Mapping[str, Sequence[np.ndarray]]

    def is_near(self, other: "OptimizerState") -> bool:
        """Whether this state has that of another one but for rounding, and may have more slots."""
        pairs = [
            (mine, its)
            for slot, arrays in other.slots.items()
            for mine, its in zip(self.slots.get(slot, ()), arrays, strict=False)
        ]
        count = sum(map(len, other.slots.values()))
        return (
            self.iteration == other.iteration
            and len(pairs) == count
            and all(a.shape == b.shape and np.allclose(a, b, equal_nan=True) for a, b in pairs)
        )


def state_of(variables: Sequence[np.ndarray], optimizer: Mapping[str, Any]) -> OptimizerState:
    """Return the state of variables in Keras 3's order.

    Args:
        variables: iteration, learning_rate (unless it is a schedule), slots.
        optimizer: the optimizer's class_name and config.

    Raises:
        CoreError: the order of the optimizer's variables is unknown, or their number is wrong.

    >>> adam = {"class_name": "Adam", "config": {"learning_rate": 0.1}}
    >>> state = state_of([np.int64(3), np.float32(0.1), np.zeros(2), np.ones(2)], adam)
    >>> state.iteration, list(state.slots)
    (3, ['momentum', 'velocity'])
    """
    name, config = _parts(optimizer)
    for option in _OPTIONS_WITH_STATE:
        if config.get(option):
            raise CoreError(
                f"the state of {name} with {option}={config[option]!r:.40} has a form in Keras 3 "
                f"only: save as .keras, or without the optimizer"
            )
    first = 1 + _has_rate(config)
    last = len(variables) - (name == "Nadam")
    slots = _from_runs(variables[first:last], used_runs(name, config), name)
    return OptimizerState(_steps(variables, name), slots)


def keras3_variables(state: OptimizerState, optimizer: Mapping[str, Any]) -> list[np.ndarray]:
    """Return a state as variables in Keras 3's order; the learning rate is that of the config."""
    name, config = _parts(optimizer)
    found: list[np.ndarray] = [np.array(state.iteration, np.int64)]
    if _has_rate(config):
        default = 0.01 if name == "SGD" else 0.001
        found.append(np.array(config.get("learning_rate", default), np.float32))
    found += in_runs(state, used_runs(name, config), name)
    if name == "Nadam":
        steps = np.arange(1, state.iteration + 1)
        factors = float(config.get("beta_1", 0.9)) * (1 - 0.5 * 0.96**steps)
        found.append(np.array(np.prod(factors), np.float32))
    return found


def keras2_variables(
    state: OptimizerState, optimizer: Mapping[str, Any], shapes: Sequence[tuple[int, ...]]
) -> list[np.ndarray]:
    """Return a state in the order of Keras 2.11 and later, whose SGD always has momentums."""
    name, config = _parts(optimizer)
    runs = used_runs(name, {**config, "momentum": 1} if name == "SGD" else config)
    state = with_zeros(state, runs, shapes)
    return [np.array(state.iteration, np.int64), *in_runs(state, runs, name)]


def state_of_keras2(
    variables: Sequence[np.ndarray], optimizer: Mapping[str, Any], is_legacy: bool, count: int
) -> OptimizerState:
    """Return the state of variables of Keras 2, or of its versions before 2.11 (legacy).

    Args:
        variables: the arrays of the file.
        optimizer: the optimizer's class_name and config.
        is_legacy: whether each slot is listed for all variables.
        count: the number of variables that the optimizer changes.

    Raises:
        CoreError: the order of the optimizer's variables is unknown, or their number is wrong.
    """
    name, config = _parts(optimizer)
    if not is_legacy:
        runs = used_runs(name, {**config, "momentum": 1} if name == "SGD" else config)
        state = state_from_runs(variables, runs, name)
    elif name in _WITHOUT_STEPS and len(variables) == count * len(alone(used_runs(name, config))):
        slots = _from_runs(variables, alone(used_runs(name, config)), name)
        state = OptimizerState(0, slots)
    else:
        runs = used_runs(name, config)
        runs = runs if name == "Ftrl" else alone(runs)
        steps = _steps(variables, name)
        used = _without_unused(list(variables[1:]), name, runs, count)
        state = OptimizerState(steps, _from_runs(used, runs, name))
    for slot, arrays in state.slots.items():
        if len(arrays) != count and (arrays or state.iteration):
            raise CoreError(f"{name} has {len(arrays)} arrays of {slot!r} for {count} variables")
    return state


def _without_unused(
    arrays: list[np.ndarray], name: str, runs: Sequence[Run], count: int
) -> list[np.ndarray]:
    """Return the slots of a legacy list without what some versions listed beside them."""
    if name == "Nadam" and len(arrays) == 2 * count + 1:
        return arrays[1:]  # the product of the shares of its steps
    if name == "SGD" and not runs and len(arrays) == count:
        return []  # momentums, also where there is no momentum
    is_standalone = name == "Adam" and len(runs) == 2 and len(arrays) == 3 * count
    if is_standalone and all(array.size == 1 for array in arrays[2 * count :]):
        return arrays[: 2 * count]  # in place of velocity_hat, which only amsgrad has
    return arrays


def state_from_runs(
    variables: Sequence[np.ndarray], runs: Sequence[Run], name: str
) -> OptimizerState:
    """Return the state of a number of steps, followed by the slots of runs."""
    return OptimizerState(_steps(variables, name), _from_runs(variables[1:], runs, name))


def used_runs(name: str, config: Mapping[str, Any]) -> list[Run]:
    """Return the runs of an optimizer with its options, in Keras 3's order.

    Raises:
        CoreError: the order of the optimizer's variables is unknown.
    """
    if name not in RUNS:
        raise CoreError(
            f"the order of the variables of {name} is known in Keras 3 only: save as .keras, or "
            f"use one of {', '.join(RUNS)}"
        )
    return [run for run in RUNS[name] if not run.option or config.get(run.option)]


def alone(runs: Sequence[Run]) -> list[Run]:
    """Return runs of one slot each."""
    return [Run((slot,)) for run in runs for slot in run.slots]


def in_runs(state: OptimizerState, runs: Sequence[Run], name: str) -> list[np.ndarray]:
    """Return the arrays of the slots in the order of runs."""
    missing = [slot for run in runs for slot in run.slots if slot not in state.slots]
    if missing:
        raise CoreError(f"the state of {name} lacks the slots {', '.join(missing)}")
    return [
        array
        for run in runs
        for arrays in zip(*(state.slots[slot] for slot in run.slots), strict=True)
        for array in arrays
    ]


def with_zeros(
    state: OptimizerState, runs: Sequence[Run], shapes: Sequence[tuple[int, ...]]
) -> OptimizerState:
    """Return a state with zeros in the slots of runs that it lacks, for variables of shapes."""
    names = [slot for run in runs for slot in run.slots if slot not in state.slots]
    zeros = {name: [np.zeros(shape, np.float32) for shape in shapes] for name in names}
    return state._replace(slots={**state.slots, **zeros})


def _from_runs(
    arrays: Sequence[np.ndarray], runs: Sequence[Run], name: str
) -> dict[str, list[np.ndarray]]:
    count = sum(len(run.slots) for run in runs)
    if len(arrays) % count if count else arrays:
        raise CoreError(f"{name} has {len(arrays)} arrays of {count} slots: expected a multiple")
    each = len(arrays) // count if count else 0
    found: dict[str, list[np.ndarray]] = {}
    start = 0
    for run in runs:
        width = len(run.slots)
        part = arrays[start : start + each * width]
        found.update({slot: list(part[i::width]) for i, slot in enumerate(run.slots)})
        start += each * width
    return found


def _steps(variables: Sequence[np.ndarray], name: str) -> int:
    if not variables or np.size(variables[0]) != 1:
        raise CoreError(f"the state of {name} does not begin with its number of steps")
    return int(np.reshape(variables[0], ()))


def _has_rate(config: Mapping[str, Any]) -> bool:
    """Whether the learning rate is a variable; a schedule has none."""
    return not isinstance(config.get("learning_rate"), Mapping)


def _parts(optimizer: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    config = optimizer.get("config")
    if not isinstance(config, Mapping):
        raise CoreError(f"the optimizer {optimizer.get('class_name')!r:.80} has no config")
    name = str(optimizer.get("class_name"))
    return next((known for known in RUNS if known.lower() == name.lower()), name), config
