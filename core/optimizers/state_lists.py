"""State of Keras's optimizers as lists, in the orders and with the names of Keras's files.

``keras3`` is the order of ``optimizer.variables`` in Keras 3, in .keras files and in .h5 files that
Keras 3 writes: iteration, learning_rate (unless a schedule gives it), the averages of all
variables, their gradient accumulators, then the slots group by group: of Adam momentum and velocity
of the first variable, of the second..., then velocity_hat of all. Nadam's list ends with the
product of its shares. Adafactor has two zeros of int32 instead of the rows and columns of vectors.

``keras2`` is the order of `optimizer_weights` in .h5 files of tf.keras from 2.11 on: it has no
learning_rate, other names, and SGD's momentum even if that is zero.

``keras2_legacy`` is that of tf.keras before 2.11 and its `optimizers.legacy`: iter, then slot by
slot over all variables, but for Ftrl, whose two slots stand side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from core.engine.variables import Variable
from core.errors import CoreError
from core.optimizers.options import ACCUMULATOR, AVERAGE, KerasOptions

#: The orders of lists.
Layout = Literal["keras3", "keras2", "keras2_legacy"]

#: Parts of a list that belong to no variable, and one that is there for the order only.
ITERATION, RATE, UNUSED = "iteration", "learning_rate", "unused"


class Entry(NamedTuple):
    """One array of a list.

    Attributes:
        name: in the list.
        part: name of a slot, of an attribute that is shared, ITERATION, RATE or UNUSED.
        variable: number of the variable whose slot it is.
        value: of an unused array.
    """

    name: str
    part: str
    variable: int | None = None
    value: np.ndarray | None = None


class Spelling(NamedTuple):
    """Slots of an optimizer in files of tf.keras.

    Attributes:
        keras2: names from 2.11 on, where they differ from Keras 3's.
        legacy: names before; None if there was no such optimizer.
        always: slots that files have from 2.11 on even if the optimizer does not need them.
        is_paired: whether the slots of a variable stood side by side before 2.11.
    """

    keras2: Mapping[str, str]
    legacy: Mapping[str, str] | None = None
    always: tuple[str, ...] = ()
    is_paired: bool = False


_MOMENTS = {"momentum": "m", "velocity": "v", "velocity_hat": "vhat"}
_SPELLINGS = {
    "SGD": Spelling({"momentum": "m"}, {}, always=("momentum",)),
    "RMSprop": Spelling({}, {"velocity": "rms", "average_gradient": "mg"}),
    "Adam": Spelling(_MOMENTS, _MOMENTS),
    "AdamW": Spelling(_MOMENTS),
    "Nadam": Spelling(_MOMENTS, _MOMENTS),
    "Adadelta": Spelling(
        {}, {"accumulated_grad": "accum_grad", "accumulated_delta_var": "accum_var"}
    ),
    "Adagrad": Spelling({}, {}),
    "Adamax": Spelling({"momentum": "m", "norm": "u"}, {"momentum": "m", "norm": "v"}),
    "Ftrl": Spelling({}, {}, is_paired=True),
    "Lion": Spelling({"momentum": "m"}),
    "Adafactor": Spelling({"row": "r", "column": "c", "velocity": "v"}),
}


def layout_of(names: Sequence[str]) -> Layout:
    """Return the order of a list by the names of its arrays.

    >>> layout_of(["Adam/iter:0", "Adam/dense/kernel/m:0"])
    'keras2_legacy'
    """
    first = names[0] if names else ""
    if first.endswith("iter:0"):
        return "keras2_legacy"
    return "keras2" if first.endswith("iteration:0") else "keras3"


def entries_of(
    optimizer: KerasOptions, variables: Sequence[Variable], layout: Layout
) -> list[Entry]:
    """Return what each array of a list is.

    Raises:
        CoreError: there is no such order, or the order has no such optimizer.
    """
    makers = {"keras3": _of_keras3, "keras2": _of_keras2, "keras2_legacy": _of_legacy}
    if layout not in makers:
        raise CoreError(f"layout={layout!r} must be one of {', '.join(get_args(Layout))}")
    return [*makers[layout](optimizer, variables)]


def _of_keras3(optimizer: KerasOptions, variables: Sequence[Variable]) -> Iterator[Entry]:
    prefix = optimizer.name
    yield Entry(f"{prefix}/iteration", ITERATION)
    if optimizer.schedule is None:
        yield Entry(f"{prefix}/learning_rate", RATE)
    for number, slot in _in_groups(optimizer, variables):
        variable = variables[number]
        name = f"{prefix}/{variable.name.replace('/', '_')}_{slot}"
        if optimizer.uses(slot, variable.shape):
            yield Entry(name, slot, number)
        else:
            yield Entry(name, UNUSED, number, np.zeros((), np.int32))
    for part in optimizer.shared:
        yield Entry(f"{prefix}/{part}", part)


def _of_keras2(optimizer: KerasOptions, variables: Sequence[Variable]) -> Iterator[Entry]:
    spelling = _spelling(optimizer)
    yield Entry("iteration:0", ITERATION)
    for number, slot in _in_groups(optimizer, variables):
        variable = variables[number]
        if optimizer.uses(slot, variable.shape):
            name = f"{optimizer.name}/{spelling.keras2.get(slot, slot)}/{variable.name}:0"
            yield Entry(name, slot, number)
    for slot in spelling.always:
        for number, variable in enumerate(variables if slot not in optimizer.slots else ()):
            name = f"{optimizer.name}/{spelling.keras2.get(slot, slot)}/{variable.name}:0"
            yield Entry(name, UNUSED, number, np.zeros(variable.shape, np.float32))


def _of_legacy(optimizer: KerasOptions, variables: Sequence[Variable]) -> Iterator[Entry]:
    spelling, prefix = _spelling(optimizer), optimizer.name
    if spelling.legacy is None or optimizer.use_ema or optimizer.gradient_accumulation_steps:
        raise CoreError(
            f"tf.keras before 2.11 has no {type(optimizer).__name__} with these options: use the "
            f"layout keras2 or keras3"
        )
    yield Entry(f"{prefix}/iter:0", ITERATION)
    for part in optimizer.shared:
        yield Entry(f"{prefix}/momentum_cache:0", part)
    slots = [slot for group in optimizer.slot_groups for slot in group]
    pairs = [(number, slot) for slot in slots for number in range(len(variables))]
    for number, slot in sorted(pairs, key=lambda p: p[0]) if spelling.is_paired else pairs:
        spelled = spelling.legacy.get(slot, slot)
        yield Entry(f"{prefix}/{variables[number].name}/{spelled}:0", slot, number)


def _in_groups(optimizer: KerasOptions, variables: Sequence[Variable]) -> Iterator[tuple[int, str]]:
    """Yield number of variable and slot, side by side for a variable within a group."""
    options = [(slot,) for slot in (AVERAGE, ACCUMULATOR) if slot in optimizer.slots]
    for group in (*options, *optimizer.slot_groups):
        yield from ((number, slot) for number in range(len(variables)) for slot in group)


def _spelling(optimizer: KerasOptions) -> Spelling:
    names = (kind.__name__ for kind in type(optimizer).__mro__)
    return next((_SPELLINGS[name] for name in names if name in _SPELLINGS), Spelling({}))
