"""Images before and after networks, by generated kernels that serve images of every size.

Each function computes what a function of NumPy or Pillow defines, and returns None where that one
is to be called: the kernels are not compiled yet, tier 1 is chosen, or a case is too rare.
"""

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
