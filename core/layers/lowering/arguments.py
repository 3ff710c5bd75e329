"""Arguments of layers' classes, with Keras's names, order and defaults."""

from collections.abc import Mapping
from enum import Enum
from typing import Any


class Required(Enum):
    """The default of an argument that has none."""

    REQUIRED = "required"


REQUIRED = Required.REQUIRED

#: Arguments by name, in order, with their defaults.
Arguments = Mapping[str, Any]


def arguments(*required: str, **optional: Any) -> Arguments:
    """Return arguments without a default, then those with one.

    >>> arguments("units", use_bias=True)["use_bias"]
    True
    """
    return {**dict.fromkeys(required, REQUIRED), **optional}


def about_weights(*, has_activity: bool = True, **initializers: str) -> Arguments:
    """Return the initializer, regularizer and constraint of each weight, in Keras's order.

    Args:
        has_activity: whether there is an ``activity_regularizer``.
        initializers: the default initializers by the first words of the weights' names.

    >>> list(about_weights(kernel="glorot_uniform", has_activity=False))
    ['kernel_initializer', 'kernel_regularizer', 'kernel_constraint']
    """
    activity = {"activity_regularizer": None} if has_activity else {}
    return {
        **{f"{stem}_initializer": default for stem, default in initializers.items()},
        **{f"{stem}_regularizer": None for stem in initializers},
        **activity,
        **{f"{stem}_constraint": None for stem in initializers},
    }


def stem_of(weight: str) -> str:
    """Return the first words of the arguments about a weight.

    >>> [stem_of(w) for w in ("kernel", "recurrent_kernel", "bias", "moving_mean")]
    ['kernel', 'recurrent', 'bias', 'moving_mean']
    """
    return weight.removesuffix("_kernel")
