"""OpenCV, imported at its first use: for cameras, videos, windows, painting on frames and effects.

>>> from zoo.images.opencv import cv2  # imports nothing yet
"""

import os
import sys
from typing import Any

from weights_cache.common.errors import ZooError


class OpenCVError(ZooError, AttributeError):
    """OpenCV cannot be imported; a missing attribute for programs that inspect modules."""


class _OpenCV:
    """The module ``cv2`` as an object; names are looked up once."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(load_opencv(), name)
        setattr(self, name, value)
        return value


def load_opencv() -> Any:
    """Import OpenCV; what FFmpeg would print about damaged files is reported as errors.

    Raises:
        OpenCVError: OpenCV does not load; the interpreter is left as it was, and the next call
            says so, too.
    """
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read once
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1")  # seconds; read once
    before = list(sys.path)
    try:
        import cv2 as module
    except ImportError as error:
        sys.path[:] = before  # OpenCV leaves its folder there, whose typing.py hides Python's
        sys.__dict__.pop("OpenCV_LOADER", None)  # else the next import fails for "recursion"
        raise OpenCVError(
            f"cameras, videos, zoo.paint and effects need OpenCV, which cannot be imported "
            f"({error}): run `pip install opencv-python`; where libGL is missing, run `apt-get "
            "install libgl1`, or `pip install opencv-python-headless` in place of opencv-python"
        ) from error
    return module


cv2: Any = _OpenCV()
