"""Initializers of weights, with the names and defaults of Keras 3.

>>> import core
>>> core.initializers.glorot_uniform(seed=1)((2, 3)).shape
(2, 3)
>>> core.initializers.get("he_normal")
HeNormal(seed=None)

A call returns a new array of the host. Without a seed the generator of the process draws the
numbers: `core.set_random_seed` restarts it.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.dtypes import DType
from core.engine.specs import Shape
from core.initializers.base import FunctionInitializer, Initializer
from core.initializers.constants import Constant, Identity, Ones, Zeros
from core.initializers.distributions import RandomNormal, RandomUniform, TruncatedNormal
from core.initializers.scaling import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    Orthogonal,
    VarianceScaling,
    compute_fans,
)
from core.keras.configured import NamedClasses
from core.keras.documents import plain_document
from weights_cache.common.similar_names import missing_from

__all__ = [
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "IdentityInitializer",
    "Initializer",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "OrthogonalInitializer",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "compute_fans",
    "constant",
    "get",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "le_cun_normal",
    "le_cun_uniform",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "variance_scaling",
    "zeros",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)

#: Other names of Keras for them.
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal

# The names of functions are those of the classes, as in Keras.
zeros, ones, constant, identity = Zeros, Ones, Constant, Identity
random_uniform, random_normal, truncated_normal = RandomUniform, RandomNormal, TruncatedNormal
variance_scaling, orthogonal = VarianceScaling, Orthogonal
glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal
he_uniform, he_normal = HeUniform, HeNormal
lecun_uniform, lecun_normal = LecunUniform, LecunNormal
le_cun_uniform, le_cun_normal = LecunUniform, LecunNormal  # from TensorFlow.js's leCunNormal

_CLASSES: tuple[type[Initializer], ...] = (
    *(Zeros, Ones, Constant, Identity, Orthogonal),
    *(RandomUniform, RandomNormal, TruncatedNormal, VarianceScaling),
    *(GlorotUniform, GlorotNormal, HeUniform, HeNormal, LecunUniform, LecunNormal),
)
_ALIASES = {
    "eye": "Identity",
    "identity_initializer": "Identity",
    "normal": "RandomNormal",
    "one": "Ones",
    "orthogonal_initializer": "Orthogonal",
    "uniform": "RandomUniform",
    "zero": "Zeros",
}

NAMED: NamedClasses[Initializer] = NamedClasses(
    "initializer", Initializer, {each.__name__: each for each in _CLASSES}, _ALIASES
)

#: Types from which `get` makes an initializer.
InitializerLike = (
    str
    | Mapping[str, Any]
    | Initializer
    | type[Initializer]
    | Callable[[Shape, DType], Any]
    | np.ndarray
    | None
)


def get(identifier: InitializerLike) -> Initializer | None:
    """Return the initializer that a name, a config or an object stands for.

    Args:
        identifier: a name such as ``"GlorotUniform"``, ``"glorot_uniform"`` or TensorFlow.js's
            ``"glorotUniform"``; a config of Keras 2, Keras 3 or TensorFlow.js; an initializer,
            which is returned as it is, or a class; a function of shape and dtype; an array of
            the values; None, for which None is returned.

    Raises:
        CoreError: there is no such initializer; the message lists the names.

    >>> import core
    >>> core.initializers.get({"class_name": "Constant", "config": {"value": 2.0}})((2,))
    array([2., 2.], dtype=float32)
    """
    if identifier is None:
        return None
    if isinstance(identifier, np.ndarray):
        return Constant(identifier)
    is_ours = isinstance(identifier, (Initializer, type))
    if callable(identifier) and not is_ours:
        return FunctionInitializer(identifier)
    return NAMED.get(plain_document(identifier))
