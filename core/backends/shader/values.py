"""What tensors hold on this backend."""

import numpy as np

from core.backends.shader.storage import Block
from core.specs import Spec


class Value:
    """A handle: a block in a shape. Strings have none: they stay on the host.

    Attributes:
        spec: shape and dtype.
        block: where the values lie; views share it.
        strings: the array, if they are strings.
    """

    __slots__ = ("block", "spec", "strings")

    def __init__(self, spec: Spec, block: Block | None, strings: np.ndarray | None = None):
        self.spec, self.block, self.strings = spec, block, strings
