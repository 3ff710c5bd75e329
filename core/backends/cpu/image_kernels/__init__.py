"""Images before and after networks, by generated kernels that serve images of every size.

Each function computes what a function of NumPy or Pillow defines, and returns None where that one
is to be called: the kernels are not compiled yet, tier 1 is chosen, or a case is too rare.

Modules are imported when one of their functions is first used: networks run on arrays, too.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weights_cache.common.similar_names import no_attribute

if TYPE_CHECKING:
    from core.backends.cpu.image_kernels.cells import odds_of, walked
    from core.backends.cpu.image_kernels.fields import reaching, strongest
    from core.backends.cpu.image_kernels.pillow_filter import Taps, bilinear_taps
    from core.backends.cpu.image_kernels.regions import averaged, sampled
    from core.backends.cpu.image_kernels.resizing import resized
    from core.backends.cpu.image_kernels.scaled import Scaled

__all__ = [
    "Scaled",
    "Taps",
    "averaged",
    "bilinear_taps",
    "odds_of",
    "reaching",
    "resized",
    "sampled",
    "strongest",
    "walked",
]

#: The module of each name.
_MODULES = {
    **dict.fromkeys(("odds_of", "walked"), "cells"),
    **dict.fromkeys(("reaching", "strongest"), "fields"),
    **dict.fromkeys(("Taps", "bilinear_taps"), "pillow_filter"),
    **dict.fromkeys(("averaged", "sampled"), "regions"),
    "resized": "resizing",
    "Scaled": "scaled",
}


def __getattr__(name: str) -> Any:
    """Import the module of a name, and remember the name."""
    if name not in _MODULES:
        raise no_attribute(__name__, name, __all__)
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found
