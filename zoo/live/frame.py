"""One frame of a camera, a video or another source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame of a source; an image for every function of `zoo`."""

    image: np.ndarray  # uint8 [height, width, 3], RGB
    index: int  # number in its source, from 0; frames that were passed over count, too
    time: float  # seconds since the first frame of the source
    mirrored: bool = False  # the image is a mirror image (selfie view)

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.image.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.image.shape[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.image, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        size = f"{self.width} x {self.height}"
        return f"<frame {self.index} at {self.time:.3f} s, {size}{', mirrored' * self.mirrored}>"
